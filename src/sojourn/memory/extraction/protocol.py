"""What every extractor is."""

from abc import ABC, abstractmethod
from typing import Any

from sojourn.memory.extraction.statement import (
    DecisionStatement,
    Exchange,
    Extraction,
    FactStatement,
    FileStatement,
    Heard,
    TaskStatement,
)
from sojourn.model.interaction import Intent


class StateExtractor(ABC):
    """Finds in an exchange what is worth keeping.

    An extractor writes one method, `extract`; the others are its answer in parts, for one pair of texts. It may fail
    or hang: whoever calls it limits its time, and the exchange is stored already.
    """

    @abstractmethod
    async def extract(self, exchange: Exchange) -> Extraction:
        """Return what *exchange* states."""

    async def extract_user_info(self, user: str, assistant: str = "") -> dict[str, Any]:
        """Return what the user says about himself, by profile field."""
        return (await self._of(user, assistant)).user_info()

    async def extract_facts(self, user: str, assistant: str = "") -> tuple[FactStatement, ...]:
        """Return the statements worth remembering."""
        return (await self._of(user, assistant)).facts

    async def extract_decisions(self, user: str, assistant: str = "") -> tuple[DecisionStatement, ...]:
        """Return what was decided."""
        return (await self._of(user, assistant)).decisions

    async def extract_tasks(self, user: str, assistant: str = "") -> tuple[TaskStatement, ...]:
        """Return what remains to be done, and what is finished."""
        return (await self._of(user, assistant)).tasks

    async def extract_files(self, user: str, assistant: str = "") -> tuple[FileStatement, ...]:
        """Return the files that were named."""
        return (await self._of(user, assistant)).files

    async def extract_topic(self, user: str, assistant: str = "") -> str | None:
        """Return what the exchange is about, if that can be told."""
        return (await self._of(user, assistant)).topic

    async def classify_intent(self, user: str) -> Intent:
        """Return what the user wants: question, command, research, chat or clarification."""
        return (await self._of(user, "")).intent or Intent(type="chat", confidence=0.5)

    async def _of(self, user: str, assistant: str) -> Extraction:
        return await self.extract(
            Exchange(
                user=Heard(role="user", text=user),
                assistant=Heard(role="assistant", text=assistant) if assistant else None,
            )
        )

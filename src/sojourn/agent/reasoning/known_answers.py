"""What a session can answer from what it knows, at once and without a model.

Only a question that asks for nothing else is answered so: a field of the profile ("what is my name"), where we were, or
what is known about something ("what did we learn about the API"). Words are compared whole.
"""

import re
from typing import Final

from msgspec.structs import replace

from sojourn.engine.recall.answering import Answer, answer
from sojourn.engine.recall.memory import Memory
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError
from sojourn.memory.asking import asked_field, asks_where_we_were

SURE: Final = 0.5
"""How sure an answer must be to be told without asking a model."""
_LONGEST: Final = 200
_ABOUT: Final = re.compile(
    # "What do you know about Python" asks the model, unless it is about the user.
    r"(?:(?:so|and|ok|okay|please|remind me|tell me)[\s,]+)*what (?:do|did|have) "
    r"(?:we (?:already )?(?:know|learn(?:ed|t)?|remember|find(?: out)?|found(?: out)?|discover(?:ed)?)"
    r"|you remember|you (?:know|learn(?:ed|t)?)(?= about (?:me|myself|the user)$))(?: so far)? about (?P<subject>.+)",
    re.IGNORECASE,
)
_USER: Final = frozenset({"me", "myself", "the user"})
_SENTENCES: Final = {
    "name": "Your name is {}.",
    "age": "You are {} years old.",
    "location": "You live in {}.",
    "occupation": "Your occupation: {}.",
    "expertise_level": "Your level of expertise: {}.",
    "programming_languages": "Your programming languages: {}.",
    "frameworks": "Your frameworks: {}.",
    "interests": "Your interests: {}.",
    "current_project": "Your project: {}.",
    "project_tech_stack": "Your project's tech stack: {}.",
    "communication_style": "Your preferred style: {}.",
}


async def known_answer(session: Session, question: str) -> Answer | None:
    """Return what *session* answers to *question* by itself; None if that is for a model to answer."""
    asked = question.strip().rstrip("?!. ")
    if not asked or len(asked) > _LONGEST:
        return None
    about = _ABOUT.fullmatch(asked)
    if about is not None:
        return await _known_about(session, about["subject"])
    field = asked_field(question)
    if field is not None:
        found = await _known(session, question)
        return _in_a_sentence(found, field) if found is not None and found.source == "profile" else found
    if asks_where_we_were(question) and session.state.conversation.message_count:
        return await _known(session, question)
    return None


async def _known_about(session: Session, subject: str) -> Answer | None:
    profile = session.state.user_profile
    if subject.casefold() not in _USER:
        return await _known(session, subject)
    if not profile.has_information():
        return None
    return Answer(text=profile.to_context_text(), confidence=1.0, source="profile")


async def _known(session: Session, question: str) -> Answer | None:
    """Return the answer that the profile, the facts or the state give, if it is sure enough."""
    found = await answer(session, question, memory=_memory(session), model=None)
    told = found.found and found.source in {"profile", "facts", "recap"} and found.confidence >= SURE
    return found if told else None


def _memory(session: Session) -> Memory | None:
    try:
        return session.memory
    except InvalidInputError:  # opened without an app: it knows its own facts only
        return None


def _in_a_sentence(found: Answer, field: str) -> Answer:
    return replace(found, text=_SENTENCES[field].format(found.text))

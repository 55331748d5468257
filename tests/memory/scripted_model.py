"""A structured model that says what a test tells it to say."""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from sojourn.errors import ModelError
from sojourn.memory.extraction.statement import Exchange, Heard
from sojourn.model.ids import Seq
from sojourn.providers.structured import StructuredAnswer


@dataclass
class ScriptedModel:
    """Gives *answers* in turn: a text, an answer with its tokens, or an error to raise. None hangs for ever."""

    answers: list[str | StructuredAnswer | ModelError | None] = dataclasses.field(default_factory=list)
    name: str = "scripted"
    asked: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    async def structured(
        self, *, system: str, prompt: str, schema: dict[str, Any], max_tokens: int
    ) -> StructuredAnswer:
        self.asked.append({"system": system, "prompt": prompt, "schema": schema, "max_tokens": max_tokens})
        answer = self.answers.pop(0)
        match answer:
            case None:
                await anyio.sleep_forever()
                raise AssertionError
            case ModelError():
                raise answer
            case StructuredAnswer():
                return answer
            case _:
                return StructuredAnswer(text=answer, input_tokens=100, output_tokens=10, model="scripted-1")


def exchange(user: str, assistant: str = "", *, seq: int = 1, before: Sequence[Heard] = ()) -> Exchange:
    """An exchange whose messages are entries *seq* and the next."""
    return Exchange(
        user=Heard(role="user", text=user, seq=Seq(seq)),
        assistant=Heard(role="assistant", text=assistant, seq=Seq(seq + 1)) if assistant else None,
        before=tuple(before),
    )


def saying(*exchanges: dict[str, Any]) -> str:
    """An answer that says this of each exchange."""
    return json.dumps({"exchanges": [{"number": number, **found} for number, found in enumerate(exchanges, start=1)]})


def field(name: str, value: Any, quote: str, *, confidence: float = 0.9, **more: Any) -> dict[str, Any]:
    """What a model says of a field of the profile."""
    return {"field": name, "value": value, "quote": quote, "source": "user", "confidence": confidence, **more}

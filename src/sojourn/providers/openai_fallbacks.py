"""Other ways to ask the same, for servers and models that refuse the first.

Which options a model takes is nowhere to be asked; it is told in a refusal. What is given up here costs little (a
count, a shade of tone, thoughts of earlier rounds); without it the session would get no answer at all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """One other way.

    Attributes:
        words: any of these is in the refusal, in lower case.
        change: makes the request anew; one that stays as it was is not sent again.
        lasts: whether later requests are made so from the start. One that depends on the talk does not.
    """

    words: tuple[str, ...]
    change: Callable[[Mapping[str, Any]], Payload]
    lasts: bool = True

    def answers(self, refusal: str, sent: Mapping[str, Any]) -> bool:
        """Tell whether this way may help after *refusal* of what was *sent*."""
        return any(words in refusal for words in self.words) and self.change(sent) != sent


def _without(name: str) -> Callable[[Mapping[str, Any]], Payload]:
    return lambda sent: {key: value for key, value in sent.items() if key != name}


def _renamed(name: str, to: str) -> Callable[[Mapping[str, Any]], Payload]:
    return lambda sent: {to if key == name else key: value for key, value in sent.items()}


def _without_summary(sent: Mapping[str, Any]) -> Payload:
    reasoning = {key: value for key, value in sent.get("reasoning", {}).items() if key != "summary"}
    return {**sent, "reasoning": reasoning} if reasoning else dict(sent)


def _without_thoughts(sent: Mapping[str, Any]) -> Payload:
    """Return the request without thoughts, and without the ids by which the API knows what belongs to them."""
    items = sent.get("input", [])
    if not any(item.get("type") == "reasoning" for item in items):
        return dict(sent)
    kept = [item for item in items if item.get("type") != "reasoning"]
    return {**sent, "input": [{key: value for key, value in item.items() if key != "id"} for item in kept]}


_NO_TEMPERATURE: Final = Fallback(
    words=("unsupported value: 'temperature'", "unsupported parameter: 'temperature'"), change=_without("temperature")
)

CHAT: Final = (
    Fallback(words=("stream_options", "include_usage"), change=_without("stream_options")),
    Fallback(words=("reasoning_effort",), change=_without("reasoning_effort")),
    Fallback(words=("use 'max_completion_tokens'",), change=_renamed("max_tokens", "max_completion_tokens")),
    _NO_TEMPERATURE,
)
RESPONSES: Final = (
    # Models that do not think refuse to be asked for their thoughts.
    Fallback(words=("encrypted content is not supported", "reasoning.encrypted_content"), change=_without("include")),
    # Thoughts are encrypted for one account, and for a while only.
    Fallback(words=("invalid_encrypted_content", "could not be verified"), change=_without_thoughts, lasts=False),
    Fallback(words=("reasoning.summary", "reasoning summaries"), change=_without_summary),
    Fallback(words=("reasoning.effort",), change=_without("reasoning")),
    _NO_TEMPERATURE,
)

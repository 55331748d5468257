"""The tool calls of a chat completion, put together from pieces that servers cut and name each in their own way.

An id or a name may come late, come again with each piece, or never come; an index may be missing or always 0. What
comes out has an id that no other call of the talk has, since a result finds its call by nothing else.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from sojourn.model.message import ToolCall
from sojourn.providers import openai_reading as read
from sojourn.providers.protocol import ToolCallStarted

UNNAMED: Final = "unnamed"
"""The name of a call that came without one, so that whoever runs it can say that there is no such tool."""


@dataclass(slots=True)
class _Call:
    place: int
    said_id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)  # of the arguments, which can be a whole file
    id: str = ""  # once it is given out, it stays

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    def is_followed_by(self, said_id: str, name: str, arguments: str) -> bool:
        """Tell whether a piece with the same index begins another call; only one with a name can."""
        if not name or not self.name:
            return False
        if said_id and self.said_id and said_id != self.said_id:
            return True
        if name != self.name and self.pieces:
            return True
        may_be_whole = bool(self.pieces) and self.pieces[-1].endswith("}") and bool(arguments.strip())
        return may_be_whole and read.json_object(self.arguments) is not None


class Calls:
    """The calls of one answer. *taken* are the ids that the talk has already: some servers count anew each time."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}

    def take(self, piece: dict[str, Any], *, place: int) -> Iterator[ToolCallStarted]:
        """Add a piece, the one at *place* in its list; yield that its call began, when that is known."""
        function = read.mapping(piece.get("function"))
        said_id, name = read.text(piece.get("id")), read.text(function.get("name"))
        arguments = read.arguments(function.get("arguments"))
        call = self._call(piece.get("index"), place, said_id, name, arguments)
        call.said_id = call.said_id or said_id
        if name != call.name:
            call.name += name
        if arguments:
            call.pieces.append(arguments)
        if not call.id and call.name and (call.said_id or call.pieces):
            yield self._started(call)

    def end(self) -> Iterator[ToolCallStarted]:
        """Yield the calls of which it was not known that they began: no id and no arguments came."""
        self._calls = [call for call in self._calls if call.name or call.pieces]
        for call in self._calls:
            if not call.id:
                call.name = call.name or UNNAMED
                yield self._started(call)

    def all(self) -> tuple[ToolCall, ...]:
        """Return the calls, after `end`."""
        return tuple(read.tool_call(call.id, call.name, call.arguments) for call in self._calls)

    def _call(self, index: Any, place: int, said_id: str, name: str, arguments: str) -> _Call:
        key = index if isinstance(index, int) else place
        call = self._by_index.get(key)
        if call is None or call.is_followed_by(said_id, name, arguments):
            call = self._by_index[key] = _Call(place=len(self._calls))
            self._calls.append(call)
        return call

    def _started(self, call: _Call) -> ToolCallStarted:
        is_free = call.said_id and call.said_id not in self._taken
        call.id = call.said_id if is_free else f"call_{uuid4().hex}"
        self._taken.add(call.id)
        return ToolCallStarted(index=call.place, id=call.id, name=call.name)

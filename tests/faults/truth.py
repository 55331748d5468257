"""What really happened, in a file that no crash takes back, held against what a session says happened.

A skill writes a line when it starts and one when it ends; whoever listens to a turn writes down what he was told. Every
call carries a nonce in its arguments, so of each it can be told whether it ran, and what the journal and the model were
told of it.
"""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sojourn.agent import events as told
from sojourn.agent.permissions.gate import NOBODY_TO_ASK, REJECTED, TAKEN_BACK
from sojourn.agent.talk import HALTED
from sojourn.context.tool_results import shown_text
from sojourn.context.validity import CANCELLED
from sojourn.engine.repair import CANCELLED_BEFORE, NOT_RUN, UNKNOWN
from sojourn.engine.session import Session
from sojourn.model.entry import Entry
from sojourn.model.events import (
    InterruptRaised,
    InterruptResolved,
    MessageAdded,
    ToolRan,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from sojourn.model.message import Message
from sojourn.model.state import replay
from sojourn.store.protocol import Store
from tests.faults.ledger import read_all

MAYBE_RUN: Final = (UNKNOWN, CANCELLED)
NEVER_RUN: Final = (NOT_RUN, CANCELLED_BEFORE, HALTED, REJECTED, TAKEN_BACK, NOBODY_TO_ASK)
_SURE: Final = 500
"""Characters of a result that a model is shown, however small its context is."""


class Truth:
    """A file of what happened, written by several processes, a line at a time; or a list, for one process."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lines: list[bytes] = []
        self._turn = ""
        self._heard = ""

    def note(self, what: str, **details: Any) -> None:
        """Write one line, and return when it is on the disk."""
        line = json.dumps({"what": what, **details}).encode()
        if self._path is None:
            self._lines.append(line)
            return
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line + b"\n")
            os.fsync(file)
        finally:
            os.close(file)

    def begin(self, text: str) -> None:
        """Remember what is being said; nothing about it was promised yet."""
        self._turn = text

    def hear(self, event: told.TurnEvent) -> None:
        """Write down what *event* promises: what it tells of is stored."""
        if self._turn and not isinstance(event, told.SessionCancelled):
            self.note("said", text=self._turn)
            self._turn = ""
        match event:
            case told.ContentChunk(text=text):
                self._heard += text
            case told.ModelAnswered(message=message):
                self._heard = ""
                self.note("answered", text=message.text, calls=[call.id for call in message.tool_calls])
            case told.ToolCompleted(tool_id=call_id, output=output):
                self.note("result", call_id=call_id, text=output)
            case told.SessionCompleted():
                self.note("completed")
            case told.SessionWaiting(interrupt=interrupt) | told.ApprovalRequested(interrupt=interrupt):
                self.note("asked", interrupt_id=interrupt.interrupt_id)

    def stop(self) -> None:
        """Write down what was heard of an answer when its turn was cancelled: that much is stored."""
        self.note("heard", text=self._heard)
        self._heard = ""

    def read(self) -> dict[str, list[dict[str, Any]]]:
        """Return all lines, by what they tell of."""
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        if self._path is not None:
            self._lines = self._path.read_bytes().splitlines() if self._path.exists() else []
        for line in self._lines:
            entry = json.loads(line)
            found[entry["what"]].append(entry)
        return found


@dataclass
class History:
    """A journal, by what the checks ask of it."""

    messages: list[tuple[int, Message]] = field(default_factory=list)
    nonces: dict[str, str] = field(default_factory=dict)
    results: dict[str, list[Message]] = field(default_factory=lambda: defaultdict(list))
    started: Counter[str] = field(default_factory=Counter)
    ran: Counter[str] = field(default_factory=Counter)
    turns: dict[str, str | None] = field(default_factory=dict)

    @classmethod
    def of(cls, journal: list[Entry]) -> "History":
        history = cls()
        for entry in journal:
            match entry.event:
                case MessageAdded(message=message):
                    history._add(entry.seq, message)
                case ToolStarted(call_id=call_id):
                    assert not history.results[call_id], f"{call_id}: started after its result"
                    history.started[call_id] += 1
                case ToolRan(call_id=call_id):
                    assert history.started[call_id] == 1, f"{call_id}: ran and was not started"
                    history.ran[call_id] += 1
                case TurnStarted(turn_id=turn_id):
                    assert None not in history.turns.values(), f"a turn began in another: {history.turns}"
                    history.turns[turn_id] = None
                case TurnEnded(turn_id=turn_id, outcome=outcome):
                    assert history.turns[turn_id] is None, f"a turn ended twice: {turn_id}"
                    history.turns[turn_id] = outcome
        return history

    def _add(self, seq: int, message: Message) -> None:
        if message.role == "tool":
            assert message.tool_call_id in self.nonces, f"entry {seq}: a result without its call"
            self.results[message.tool_call_id].append(message)
        else:
            waiting = [call_id for call_id in self.nonces if not self.results[call_id]]
            assert not waiting, f"entry {seq} comes before the results of {waiting}"
        for call in message.tool_calls:
            assert call.id not in self.nonces, f"entry {seq}: {call.id} was called before"
            self.nonces[call.id] = call.arguments["nonce"]
        self.messages.append((seq, message))


async def verify(store: Store, session_id: str, truth: Truth, *, seen: Mapping[str, set[str]]) -> History:
    """Fail unless the session says what is true, whole and once. *seen* is what the model was told of each nonce.

    Nothing may be open: a turn must have been completed since whatever happened to the session.
    """
    report = await store.check()
    assert report.ok, report.problems
    state = (await Session.open(store, session_id)).state
    journal = (await read_all(store, session_id))[: state.head]  # background work may write meanwhile
    assert replay(journal) == state, "the state is not the journal's"
    assert state.conversation.open_calls == ()
    history, happened = History.of(journal), truth.read()
    assert None not in history.turns.values(), "a turn has no end"
    verify_results(history.nonces, history.results, happened)
    _verify_notes(history)
    _verify_promises(history, happened)
    _verify_questions(journal, happened)
    for call_id, nonce in history.nonces.items():
        expected = shown_text(history.results[call_id][0].text, call_id)
        # In a small context a long result is cut in its middle.
        others = [text for text in seen.get(nonce, ()) if text != expected and text[:_SURE] != expected[:_SURE]]
        assert not others, f"{nonce}: the model was told {others[0][:200]!r} ... {others[0][-200:]!r}"
    return history


def _verify_questions(journal: list[Entry], happened: Mapping[str, list[dict[str, Any]]]) -> None:
    asked = {entry.event.interrupt_id for entry in journal if isinstance(entry.event, InterruptRaised)}
    ended = Counter(entry.event.interrupt_id for entry in journal if isinstance(entry.event, InterruptResolved))
    assert asked >= {line["interrupt_id"] for line in happened["asked"]}, "a question is lost"
    assert ended.keys() >= {line["interrupt_id"] for line in happened["decided"]}, "an answer is lost"
    assert set(ended.values()) <= {1}, "a question ended twice"


def verify_results(
    nonces: Mapping[str, str], results: Mapping[str, list[Message]], happened: Mapping[str, list[dict[str, Any]]]
) -> None:
    """Fail unless each call (its id, its nonce) has one result, which says what really happened."""
    begun = Counter(line["nonce"] for line in happened["start"])
    ended = Counter(line["nonce"] for line in happened["end"])
    twice = [nonce for nonce, times in begun.items() if times > 1]
    assert not twice, f"ran twice: {twice}"
    unknown = begun.keys() - set(nonces.values())
    assert not unknown, f"ran, and nobody called it: {unknown}"
    for call_id, nonce in nonces.items():
        texts = [result.text for result in results[call_id]]
        assert len(texts) == 1, f"{call_id} has {len(texts)} results: {[text[:80] for text in texts]}"
        if nonce in texts[0]:
            assert ended[nonce] == 1, f"{nonce} is said to have run, and did not: {texts[0][:80]}"
        elif texts[0] in NEVER_RUN:
            assert not begun[nonce], f"{nonce} ran, and is said not to have: {texts[0]}"
        else:
            assert texts[0] in MAYBE_RUN, f"{nonce}: {texts[0][:200]}"


def _verify_notes(history: History) -> None:
    """Fail unless the notes of starts and ends agree with the results."""
    for call_id, nonce in history.nonces.items():
        text = history.results[call_id][0].text
        noted = (history.started[call_id], history.ran[call_id])
        expected = (1, 1) if nonce in text else (0, 0) if text in NEVER_RUN else (1, 0)
        assert noted == expected, f"{nonce}: started and ran {noted} times: {text[:200]}"


def _verify_promises(history: History, happened: Mapping[str, list[dict[str, Any]]]) -> None:
    said = Counter(message.text for _, message in history.messages if message.role == "user")
    assert all(times == 1 for times in said.values()), "said twice"
    for line in happened["said"]:
        assert said[line["text"]] == 1, f"acknowledged and lost: {line}"
    answers = {(message.text, tuple(call.id for call in message.tool_calls)) for _, message in history.messages}
    for line in happened["answered"]:
        assert (line["text"], tuple(line["calls"])) in answers, f"acknowledged and lost: {line}"
    for line in happened["heard"]:
        assert any(text.startswith(line["text"]) for text, _ in answers), f"heard and lost: {line}"
    for line in happened["result"]:
        results = [shown_text(one.text, line["call_id"]) for one in history.results[line["call_id"]]]
        assert results == [line["text"]], f"acknowledged and lost: {line}"
    completed = list(history.turns.values()).count("completed")
    assert completed >= len(happened["completed"]), "a turn was completed, and is not"

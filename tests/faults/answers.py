"""Questions to a store whose right answers are known, to be asked again when it was damaged."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from sojourn.engine.session import Session
from sojourn.errors import SojournError
from sojourn.model.events import SessionCreated
from sojourn.model.state import encode_snapshot
from sojourn.store.protocol import Snapshot, Store
from tests.faults.ledger import EVERYTHING, read_all, turn

PLAIN: Final = ("alpha", "beta", "gamma")
SESSIONS: Final = (*PLAIN, "fork")
Answers = dict[str, Any]


async def write(store: Store) -> None:
    """Write three sessions with short, long and very long entries, and a fork of one."""
    for name in PLAIN:
        session = await Session.create(store, name, SessionCreated(title=f"Title of {name}", tags=("tag",)))
        for count in range(12):
            await session.append(*turn(f"{name}-{count}", bulk=(0, 100, 5000)[count % 3]), key=f"key {count}")
        await store.save_snapshot(name, Snapshot(seq=session.head, data=encode_snapshot(session.state)), epoch=0)
        await session.append(*turn(f"{name}-last"))
    fork = await (await Session.open(store, "beta")).fork("fork", at=10)
    await fork.append(*turn("fork-0"))


async def ask(store: Store) -> Answers:
    """Return what the store answers to each question, be it an error of ours; any other error rises."""

    async def state(name: str) -> Any:
        return (await Session.open(store, name)).state

    async def header(name: str) -> Any:
        return (await store.get_session(name)).header

    answers: Answers = {}
    questions: dict[str, Callable[[str], Awaitable[Any]]] = {
        "entries": lambda name: read_all(store, name),
        "messages": lambda name: store.last_messages(name, 5),
        "state": state,
        "header": header,
    }
    for name in SESSIONS:
        for question, answer in questions.items():
            try:
                answers[f"{name} {question}"] = await answer(name)
            except SojournError as error:
                answers[f"{name} {question}"] = error
    try:
        answers["list"] = [row.header for row in (await store.list_sessions(EVERYTHING)).rows]
    except SojournError as error:
        answers["list"] = error
    return answers


def differences(answers: Answers, truth: Answers) -> Answers:
    """Return the answers that are not the right ones."""
    return {question: answer for question, answer in answers.items() if answer != truth[question]}


def assert_prefixes(answers: Answers, truth: Answers) -> None:
    """Fail if an entry was handed out that was not written so."""
    for name in PLAIN:
        entries = answers[f"{name} entries"]
        if not isinstance(entries, SojournError):
            assert entries == truth[f"{name} entries"][: len(entries)]

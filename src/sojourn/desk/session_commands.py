"""What can be done in a chat with the session that it takes place in: name it, branch it, look into it, correct it.

Each is a thin call of what the engine does; it returns lines to show.
"""

import asyncio
from pathlib import Path
from typing import Final, get_args

from sojourn.desk.columns import terminal_columns
from sojourn.desk.conversation import Conversation
from sojourn.desk.references import short
from sojourn.desk.tree import drawn, find_whole_tree
from sojourn.desk.wording import ago, count, one_line
from sojourn.engine.forgetting import What, foresee
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.events import MessageAdded
from sojourn.model.knowledge import Fact
from sojourn.model.profile import LISTS, SCALARS

_SHOWN: Final = 10
_GOAL: Final = "task"
"""The type of a focus that is only told in words."""
_FORGETS: Final = "say /forget fact WORDS, /forget field NAME, /forget message NUMBER or /forget session"


def begun(conversation: Conversation) -> Session:
    """Return the session that the conversation takes place in.

    Raises:
        InvalidInputError: nothing was said yet.
    """
    if conversation.session is None:
        raise InvalidInputError("nothing was said yet")
    return conversation.session


async def rename(conversation: Conversation, argument: str) -> list[str]:
    session = begun(conversation)
    if not argument:
        raise InvalidInputError("say /rename TITLE")
    header = await conversation.app.sessions.rename(session.id, argument)
    return [f"it is called {header.title}"]


async def tag(conversation: Conversation, argument: str) -> list[str]:
    session = begun(conversation)
    words = argument.split()
    removed = [word[1:] for word in words if word.startswith("-") and len(word) > 1]
    added = [word for word in words if not word.startswith("-")]
    header = session.state.header
    if words:
        header = await conversation.app.sessions.tag(session.id, add=added, remove=removed)
    return [" ".join(f"#{one}" for one in header.tags) or "it has no tags"]


async def fork(conversation: Conversation, argument: str) -> list[str]:
    origin = begun(conversation)
    forked = await conversation.fork(name=argument or None)
    return [f"this goes on in {short(forked.id)}; {short(origin.id)} stays as it is"]


async def rewind(conversation: Conversation, argument: str) -> list[str]:
    session = begun(conversation)
    if not argument:
        lines = [
            f"[{entry.seq}] {entry.event.message.role}: {one_line(entry.event.message.text)}"
            for entry in await session.last_messages(_SHOWN)
            if isinstance(entry.event, MessageAdded)
        ]
        return [*lines, "/rewind NUMBER goes back to one of them: what came after it counts no more"]
    rewound = await conversation.rewind(_number(argument, "/rewind NUMBER"))
    return [f"this goes on in {short(rewound.id)}; what came after it is kept in {short(session.id)}"]


async def tree(conversation: Conversation, _: str) -> list[str]:
    session = begun(conversation)
    lines = await find_whole_tree(session.store, session.state.header)
    columns = terminal_columns()
    return [drawn(line, session.id, columns) for line in lines]


async def context(conversation: Conversation, argument: str) -> list[str]:
    begun(conversation)
    if argument not in {"", "all"}:
        raise InvalidInputError("say /context, or /context all for every piece")
    if conversation.agent is None:
        raise InvalidInputError("nothing was said yet")
    seen = await conversation.agent.preview()
    told = seen.explain().split("\n")
    if argument == "all":
        return told
    parts = [line for line in told if line and not line.startswith(" ")]
    return [*parts, "/context all shows every piece, and why it is there"]


async def search(conversation: Conversation, argument: str) -> list[str]:
    if not argument:
        raise InvalidInputError("say /search WORDS")
    app = conversation.app
    await app.background.drain()
    hits = await app.memory.search(
        argument, everyone=True, project=conversation.project.id, kinds=("message",), limit=_SHOWN, by_words=True
    )
    now = app.clock.now()
    lines = [
        f"{short(hit.document.session_id)} [{hit.document.seq}] {hit.document.role}, "
        f"{ago(hit.document.at, now)}: {one_line(hit.snippet)}"
        for hit in hits
    ]
    return lines or ["nothing was found in this project"]


async def export(conversation: Conversation, argument: str) -> list[str]:
    # What only some sessions ever need, and much to load.
    from sojourn.desk.exporting.forms import FORMS, FormName, file_name, write_file  # noqa: PLC0415
    from sojourn.desk.exporting.redaction import Redactor  # noqa: PLC0415
    from sojourn.desk.exporting.source import Source  # noqa: PLC0415

    session = begun(conversation)
    header = (await session.store.get_session(session.id)).header
    path = _home(argument) if argument else Path(file_name(header, "md"))
    form: FormName = next((name for name in get_args(FormName) if path.suffix == FORMS[name].suffix), "md")
    redactor = Redactor()
    source = Source(store=session.store, header=header, saved_at=conversation.app.clock.now(), redactor=redactor)
    await write_file(source, form, path, replace=False)
    secrets = sum(redactor.found.values())
    lines = [f"written to {await asyncio.to_thread(path.absolute)}"]
    return [*lines, f"{count(secrets, 'secret')} left out"] if secrets else lines


async def model(conversation: Conversation, argument: str) -> list[str]:
    if argument:
        await conversation.change_model(argument)
    choice = conversation.choice
    return [f"{choice.model} ({choice.provider}), because {choice.why}"]


async def focus(conversation: Conversation, argument: str) -> list[str]:
    session = begun(conversation)
    if argument == "clear":
        await session.focus.clear()
    elif argument:
        await session.focus.set(_GOAL, context={"label": argument})
    state = session.state
    words = [state.focus_id, state.focus_context.get("label") or state.focus_context.get("title")]
    told = " ".join(str(word) for word in words if word)
    return [f"in focus: {told}" if told else "nothing in particular is in focus; /focus WORDS says what is"]


async def why(conversation: Conversation, argument: str) -> list[str]:
    session = begun(conversation)
    if not argument:
        raise InvalidInputError("say /why with a fact, a field of your profile, a decision, or the number of an entry")
    if argument.isascii() and argument.isdigit():
        explained = await session.why(int(argument))
    else:
        try:
            explained = await session.why(argument)
        except NotFoundError:
            explained = await session.why(_fact(session, argument))
    quotes = [f"  [{quote.seq}] {quote.role}: {one_line(quote.text)}" for quote in explained.quotes]
    return [one_line(explained.subject), *(quotes or ["  nobody said it; it rests on nothing that was said"])]


async def forget(conversation: Conversation, argument: str) -> list[str]:
    """Show what would go; only with `yes` behind it does it go."""
    session = begun(conversation)
    words = argument.split()
    is_sure = len(words) > 1 and words[-1] == "yes"
    what, name = _meant(session, words[:-1] if is_sure else words)
    if is_sure:
        from sojourn.agent.logs.projection import let_logs_forget  # noqa: PLC0415 - few keep one, and few forget

        let_logs_forget(conversation.app)
        redaction = await session.forget(what, name)
        gone = sum(len(seqs) for seqs in redaction.tombstones.values())
        return [f"forgotten for good: {gone:,} {'entry' if gone == 1 else 'entries'}"]
    foreseen = await foresee(session, what, name)
    number, others = len(foreseen.entries), len(foreseen.others)
    also = f", also in {count(others, 'other session')}" if others else ""
    return [
        f"this would remove {number:,} {'entry' if number == 1 else 'entries'} for good{also}",
        f"/forget {argument} yes does it",
    ]


def _home(path: str) -> Path:
    return Path(path).expanduser()


def _number(text: str, usage: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        raise InvalidInputError(f"say {usage}; /rewind lists the numbers")
    return int(text)


def _meant(session: Session, words: list[str]) -> tuple[What, str | int | None]:
    """Return what is to be forgotten.

    Raises:
        InvalidInputError, NotFoundError: that is not said, or there is no such thing.
    """
    name = " ".join(words[1:])
    match words[:1]:
        case ["fact"] if name:
            return "fact", _fact(session, name).fact_id
        case ["field"] if name in SCALARS or name in LISTS:
            return "field", name
        case ["message"] if name:
            return "message", _number(name, "/forget message NUMBER")
        case ["session"] if not name:
            return "session", None
        case _:
            raise InvalidInputError(_FORGETS)


def _fact(session: Session, words: str) -> Fact:
    """Return the fact that *words* name: by its id, or by a piece of what it says.

    Raises:
        NotFoundError: there is none.
        InvalidInputError: there are several.
    """
    wanted = words.casefold()
    found = [fact for fact in session.facts if words == fact.fact_id or wanted in fact.content.casefold()]
    exact = [fact for fact in found if wanted == fact.content.casefold() or words == fact.fact_id]
    if not found:
        raise NotFoundError(f"no fact says {words!r:.80}; /facts lists them")
    if len(found) > 1 and len(exact) != 1:
        raise InvalidInputError(f"{count(len(found), 'fact')} say {words!r:.80}; say more of it")
    return (exact or found)[0]

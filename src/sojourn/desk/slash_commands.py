"""What can be done in a chat beside talking: `/help` lists it. Each command returns lines to show."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from sojourn.desk import session_commands
from sojourn.desk.conversation import Conversation
from sojourn.desk.rows import session_rows
from sojourn.desk.wording import count, money, one_line
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError
from sojourn.store.protocol import SessionQuery

_SHOWN: Final = 15
_NOTHING_SAID: Final = ["nothing was said yet"]

_KEYS: Final = (
    "/go         go on with a turn that was cut off",
    "exit        leave; so do ; and Ctrl-D",
    "Ctrl-C      stop the answer",
    "\\           at the end of a line goes on in the next",
)

Command = Callable[[Conversation, str], Awaitable[list[str]]]


def is_command(line: str, conversation: Conversation | None = None) -> bool:
    """Tell whether a line is a command: `/word`, and not a path.

    If *conversation* has servers of tools, what names no command of ours is something to say: it may be a prompt of
    theirs.
    """
    name = line.split(maxsplit=1)[0] if line.strip() else ""
    if not name.startswith("/") or not name[1:].replace("-", "").isalpha():
        return False
    return name[1:].lower() in _COMMANDS or conversation is None or conversation.mcp is None


def offered() -> dict[str, str]:
    """Return what each command is for, by its name, in the order in which they are listed."""
    return {name: text for name, (_, text) in _COMMANDS.items()}


async def run(conversation: Conversation, line: str) -> list[str]:
    """Run the command that *line* names, and return what to show.

    Raises:
        InvalidInputError: there is no such command.
    """
    name, _, argument = line.strip().partition(" ")
    found = _COMMANDS.get(name[1:].lower())
    if found is None:
        raise InvalidInputError(f"there is no {name:.30}; /help lists what there is")
    return await found[0](conversation, argument.strip())


async def _help(_: Conversation, __: str) -> list[str]:
    lines = [f"/{name:<11}{text}" for name, text in offered().items()]
    return [*lines, *_KEYS]


async def _new(conversation: Conversation, _: str) -> list[str]:
    conversation.start_afresh()
    return ["what you say next begins a new session"]


async def _sessions(conversation: Conversation, _: str) -> list[str]:
    query = SessionQuery(project=conversation.project.id, superseded=False, nested=False, limit=_SHOWN)
    page = await conversation.app.sessions.list(query)
    lines = session_rows([row.header for row in page.rows], conversation.app.clock.now())
    return [*lines, "/resume NAME goes on with one"] if lines else ["no sessions in this project yet"]


async def _resume(conversation: Conversation, argument: str) -> list[str]:
    session = await conversation.resume(argument)
    return welcome(session) if session is not None else _NOTHING_SAID


async def _facts(conversation: Conversation, _: str) -> list[str]:
    session = conversation.session
    if session is None:
        return _NOTHING_SAID
    await conversation.app.background.drain()  # what was just said is read first
    lines = [f"- {fact.content}" for fact in session.facts] or ["no facts were learned yet"]
    about = session.profile().to_context_text()
    if about:
        lines += ["about you:", *about.splitlines()]
    if about and not conversation.app.keeps_profile:
        lines.append("what is about you is forgotten when you leave; /keep yes writes it down")
    return lines


async def _keep(conversation: Conversation, argument: str) -> list[str]:
    if argument not in {"yes", "no"}:
        raise InvalidInputError("say /keep yes, to write down what is learned about you, or /keep no")
    await conversation.app.answer_keep_profile(keep=argument == "yes")
    kept = conversation.app.keeps_profile
    return ["what is learned about you is written down" if kept else "nothing more about you is written down"]


async def _recap(conversation: Conversation, _: str) -> list[str]:
    if conversation.session is None:
        return _NOTHING_SAID
    await conversation.app.background.drain()
    return conversation.session.recap().splitlines()


async def _compact(conversation: Conversation, argument: str) -> list[str]:
    if conversation.session is None:
        return _NOTHING_SAID
    if argument == "undo":
        await conversation.app.compactor(conversation.session).undo()
        return ["the latest summary is taken back: its messages are shown to the model again"]
    if argument:
        raise InvalidInputError("say /compact, or /compact undo")
    done = await conversation.app.compact(conversation.session, force=True)
    return [done.notice if done.compacted else f"nothing was compacted: {done.reason}"]


async def _clear(conversation: Conversation, _: str) -> list[str]:
    if conversation.session is None:
        return _NOTHING_SAID
    done = await conversation.app.compactor(conversation.session).clear()
    if not done.compacted:
        return [f"nothing was cleared: {done.reason}"]
    return ["the model sees nothing of what was said before, and knows what it learned; /compact undo takes that back"]


async def _cost(conversation: Conversation, _: str) -> list[str]:
    session = conversation.session
    if session is None:
        return _NOTHING_SAID
    header, spent = session.state.header, SessionBudget(session).spent
    lines = [f"{header.total_tokens:,} tokens, {money(header.cost_micros)}, {header.message_count} messages"]
    return [*lines, f"not counting {spent.unpriced} calls whose price is not known"] if spent.unpriced else lines


def welcome(session: Session) -> list[str]:
    """Return what somebody should know who comes back to a session: which it is, and what was said last."""
    state = session.state
    said = count(state.header.message_count, "message")
    lines = [f"going on with {state.title or 'a session without a title'}: {said} so far"]
    for exchange in state.interaction_context.recent_exchanges[-1:]:
        lines.append(f"  you   {one_line(exchange.user)}")
        if exchange.assistant:
            lines.append(f"  model {one_line(exchange.assistant)}")
    return lines


_COMMANDS: Final[Mapping[str, tuple[Command, str]]] = {
    "help": (_help, "list what there is"),
    "new": (_new, "begin a new session"),
    "sessions": (_sessions, "list the sessions of this project"),
    "resume": (_resume, "go on with another session: its title, or a piece of its id"),
    "facts": (_facts, "show what was learned in this session"),
    "keep": (_keep, "yes or no: write down what is learned about you"),
    "recap": (_recap, "show where this session stands"),
    "rename": (session_commands.rename, "give this session a title"),
    "tag": (session_commands.tag, "show its tags; WORD adds one, -WORD removes it"),
    "fork": (session_commands.fork, "go on in a fork, which may have a title of its own"),
    "rewind": (session_commands.rewind, "go back to an earlier message: list them, or name one"),
    "tree": (session_commands.tree, "show this session among its forks"),
    "search": (session_commands.search, "find what was said in this project"),
    "export": (session_commands.export, "write this session to a file: .md, .html, .json or .jsonl"),
    "compact": (_compact, "let a summary stand for the older messages; undo takes it back"),
    "clear": (_clear, "begin anew in this session: the model sees nothing of before"),
    "context": (session_commands.context, "show what the model sees next; all shows every piece"),
    "model": (session_commands.model, "show which model talks, or talk with another"),
    "focus": (session_commands.focus, "show or say what this is about; clear says nothing"),
    "why": (session_commands.why, "show what a fact or another belief rests on"),
    "forget": (session_commands.forget, "remove a fact, field, message or all of it for good"),
    "cost": (_cost, "show what this session used"),
}

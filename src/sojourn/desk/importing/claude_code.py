"""Claude Code's sessions: a file of lines for each, in which every line names the one before it.

So the lines are a tree. The line written last ends the main line of the talk; another end is a fork, where somebody
went back and said something else. An answer takes several lines, one for each block, with the same id and the same
usage; results of tools that ran side by side hang beside one another. What a subagent said is a talk of its own.
"""

import re
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from sojourn.context.models import ModelCatalog
from sojourn.desk.importing.claude_blocks import blocks_of, call_of, content_of, results_of
from sojourn.desk.importing.claude_tree import Branch, Line, branches
from sojourn.desk.importing.line_file import LineFile
from sojourn.desk.importing.talk import (
    IMPORTED,
    Found,
    Group,
    Known,
    Talk,
    TalkLine,
    count_of,
    kind_of,
    text_of,
    time_of,
)
from sojourn.engine.titles import make_title
from sojourn.errors import InvalidSessionIdError
from sojourn.model.events import Compacted, Event, MessageAdded, TitleSource, UsageRecorded
from sojourn.model.ids import Seq, SessionId, check_session_id
from sojourn.model.message import Message
from sojourn.model.usage import Usage

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_NAMESPACE: Final = uuid.UUID("b7b0c3a4-6a8e-5a3a-9a0e-6f3b2f0f7a51")
_SYNTHETIC: Final = "<synthetic>"
_NO_PROMPT: Final = ("<", "Caveat:", "[Request interrupted")
_MODELS: Final = ModelCatalog()


class _Titles:
    """The titles that a file gives its talk. The best wins, and of equals the last."""

    def __init__(self) -> None:
        self.custom: str | None = None
        self.made: str | None = None
        self.summary: str | None = None
        self.prompt: str | None = None

    def see(self, data: dict[str, Any]) -> None:
        match kind_of(data):
            case "custom-title":
                self.custom = text_of(data.get("customTitle")) or self.custom
            case "ai-title":
                self.made = text_of(data.get("aiTitle")) or self.made
            case "summary":
                self.summary = text_of(data.get("summary")) or self.summary
            case "user" if self.prompt is None and not data.get("isMeta") and not data.get("isSidechain"):
                message = data.get("message")
                content = message.get("content") if isinstance(message, dict) else None
                said = content_of([block for block in blocks_of(content) if kind_of(block) == "text"])
                if isinstance(said, str) and said.strip() and not said.lstrip().startswith(_NO_PROMPT):
                    self.prompt = said[:1000]

    def best(self) -> tuple[str | None, TitleSource]:
        if self.custom is not None:
            return self.custom, "user"
        if self.made is not None or self.summary is not None:
            return self.made or self.summary, "agent"
        return (make_title(self.prompt) if self.prompt else None), "auto"


def find_talks(file: LineFile, path: Path) -> Found:
    """Return the talks in a file: the main one, its forks, and those of subagents."""
    titles, lines, about = _Titles(), [], dict[str, Any]()
    sessions: list[str] = []
    agents: dict[str, str] = {}
    for spot, data in file.scan():
        titles.see(data)
        name = text_of(data.get("uuid"))
        if _is_said(data) and (name is None or not isinstance(data.get("message"), dict)):
            file.not_understood += 1
            continue
        if name is None:
            continue  # it stands beside the talk
        _describe(about, sessions, data)
        if data.get("isSidechain") and (agent := text_of(data.get("agentId"))):
            agents[name] = agent
        lines.append(_line(data, TalkLine(name, time_of(data.get("timestamp")), spot)))
    session_id = _session_id(path, sessions)
    about["sessionId"] = session_id
    main = [line for line in lines if not line.is_aside]
    talks = list(_talks(session_id, main, titles.best(), about))
    for name, said in _by_agent(lines, agents).items():
        nested = part_id(session_id, name)
        talks += _talks(nested, said, _first_title(file, said), about, parent=session_id)
    return Found(path=path, talks=tuple(talks))


def _talks(
    session_id: SessionId,
    lines: list[Line],
    titled: tuple[str | None, TitleSource],
    about: dict[str, Any],
    *,
    parent: SessionId | None = None,
) -> Iterator[Talk]:
    """Yield the main line of a talk, and its forks."""
    names: dict[str, SessionId] = {}
    ids = {line.at.id for line in lines}
    found = branches(lines)
    latest = max(found, key=lambda branch: branch.lines[-1].at.spot, default=None)
    for branch in found:
        branch_id = _branch_id(session_id, branch)
        names.update({line.at.id: branch_id for line in branch.lines})
        yield Talk(
            maker="claude-code",
            session_id=branch_id,
            lines=tuple(line.at for line in branch.lines),
            convert=_convert,
            title=titled[0],
            title_source=titled[1],
            folder=text_of(about.get("cwd")),
            parent=parent,
            forked_from=None if branch.after is None else names[branch.after],
            forked_after=branch.after,
            superseded_by=None if branch is latest or latest is None else _branch_id(session_id, latest),
            comes_after=lines[0].before if branch.after is None and lines[0].before not in ids else None,
            about=about,
        )


def _by_agent(lines: list[Line], agents: dict[str, str]) -> dict[str, list[Line]]:
    """Return what was said with each subagent, by its name, or by the line that called it where it has none."""
    aside = {line.at.id: line for line in lines if line.is_aside}
    found: dict[str, list[Line]] = {}
    firsts: dict[str, str] = {}
    for name, line in aside.items():  # in the order in which they were written: a line comes behind its own
        before = line.before if line.before in firsts else None
        firsts[name] = name if before is None else firsts[before]
        found.setdefault(agents.get(name) or firsts[name], []).append(line)
    return found


def _first_title(file: LineFile, lines: list[Line]) -> tuple[str | None, TitleSource]:
    titles = _Titles()
    titles.see({**file.read(lines[0].at.spot), "isSidechain": False})
    return titles.best()


def _branch_id(session_id: SessionId, branch: Branch) -> SessionId:
    """Return the id of a branch: a fork is named after its first line, which stays the first when the fork grows."""
    return session_id if branch.after is None else part_id(session_id, branch.lines[0].at.id)


def part_id(session_id: str, name: str) -> SessionId:
    """Return the id of what has none there: a fork or a subagent's talk, by its first line or its name.

    It is the same each time, and shares neither its beginning nor its end with the session's, by which people name it.
    """
    return SessionId(str(uuid.uuid5(_NAMESPACE, f"{session_id}/{name}")))


def _is_said(data: dict[str, Any]) -> bool:
    """Tell whether a line says something; others only stand between those that do."""
    return kind_of(data) in {"user", "assistant"}


def _describe(about: dict[str, Any], sessions: list[str], data: dict[str, Any]) -> None:
    for name in ("cwd", "gitBranch", "version"):
        if text_of(data.get(name)):
            about.setdefault(name, data[name][:1000])
    named = text_of(data.get("sessionId"))
    if named is not None and named not in sessions:
        sessions.append(named)


def _session_id(path: Path, sessions: list[str]) -> SessionId:
    """Return the session's own id: that of the file, which is named after it, else the first that a line names."""
    candidates = [path.stem, *sessions] if _UUID.fullmatch(path.stem) else [*sessions, path.stem]
    for candidate in candidates:
        try:
            return check_session_id(candidate[:100])
        except InvalidSessionIdError:
            continue
    return SessionId("claude-code-session")


def _line(data: dict[str, Any], at: TalkLine) -> Line:
    message = data.get("message")
    message = message if isinstance(message, dict) else {}
    blocks = blocks_of(message.get("content"))
    answer = _answer_id(data)
    is_result = kind_of(data) == "user" and any(kind_of(block) == "tool_result" for block in blocks)
    return Line(
        at=at,
        before=text_of(data.get("parentUuid")) or text_of(data.get("logicalParentUuid")),
        is_aside=data.get("isSidechain") is True,
        answer=answer,
        is_result=is_result,
        is_said=_is_said(data),
    )


def _convert(file: LineFile, lines: Sequence[TalkLine], start: int, known: Known) -> Iterator[Group]:
    """Yield what each line from *start* on says; the blocks of one answer are one message."""
    answer: list[tuple[TalkLine, dict[str, Any]]] = []
    for line in lines[start:]:
        data = file.read(line.spot)
        if answer and _answer_id(data) != _answer_id(answer[0][1]):
            yield _answered(answer, known)
            answer = []
        if _answer_id(data) is not None:
            answer.append((line, data))
        elif kind_of(data) == "user":
            yield _said(line, data, known)
    if answer:
        yield _answered(answer, known)


def _answer_id(data: dict[str, Any]) -> str | None:
    message = data.get("message")
    if kind_of(data) != "assistant" or not isinstance(message, dict):
        return None
    return text_of(message.get("id")) or text_of(data.get("uuid"))


def _said(line: TalkLine, data: dict[str, Any], known: Known) -> Group:
    """Return what a user's line says: results of tools, and then words; a summary, if it is one."""
    message = data.get("message")
    blocks = blocks_of(message.get("content") if isinstance(message, dict) else None)
    words = [block for block in blocks if kind_of(block) != "tool_result"]
    content = content_of(words)
    if data.get("isCompactSummary") is True and isinstance(content, str) and content.strip():
        new = () if content in known.summaries else (Compacted(summary=content, through=Seq(0)),)
        return Group(line.at, new, (line.id,))
    mark: dict[str, Any] = {"from": "claude-code", "lines": [line.id]}
    if data.get("isMeta") is True:
        mark["meta"] = True
    said = [_marked(result, mark) for result in results_of(blocks, known.names)]
    if words or not said:
        said.append(Message(role="user", content=content, metadata={IMPORTED: mark}))
    return Group(line.at, tuple(MessageAdded(message=one) for one in said), (line.id,))


def _marked(message: Message, mark: dict[str, Any]) -> Message:
    """Return a message that says where it came from."""
    return msgspec.structs.replace(message, metadata={IMPORTED: mark})


def _answered(answer: list[tuple[TalkLine, dict[str, Any]]], known: Known) -> Group:
    """Return the answer that several lines make up, and once what it used."""
    sent = [data["message"] for _, data in answer]
    blocks = [block for message in sent for block in blocks_of(message.get("content"))]
    calls = tuple(call for block in blocks if (call := call_of(block)) is not None)
    known.names.update({call.id: call.name for call in calls})
    model = text_of(sent[-1].get("model"))
    ids = [line.id for line, _ in answer]
    call_id = _answer_id(answer[0][1]) or ids[0]
    message = Message(
        role="assistant",
        content=content_of([block for block in blocks if call_of(block) is None]),
        tool_calls=calls,
        model=None if model == _SYNTHETIC else model,
        metadata={IMPORTED: {"from": "claude-code", "lines": ids, "call": call_id}},
    ).with_raw(msgspec.json.encode({**sent[-1], "content": blocks}))
    events: list[Event] = [MessageAdded(message=message)]
    if call_id not in known.calls and model is not None and model != _SYNTHETIC:
        known.calls.add(call_id)
        usage = _usage(sent[-1], model)
        events += [usage] if usage is not None else []
    return Group(answer[0][0].at, tuple(events), tuple(ids))


def _usage(message: dict[str, Any], model: str) -> UsageRecorded | None:
    told = message.get("usage")
    if not isinstance(told, dict):
        return None
    usage = Usage(
        model=model[:200],
        input_tokens=count_of(told.get("input_tokens")),
        output_tokens=count_of(told.get("output_tokens")),
        cache_creation_tokens=count_of(told.get("cache_creation_input_tokens")),
        cache_read_tokens=count_of(told.get("cache_read_input_tokens")),
    )
    return UsageRecorded.of(_MODELS.priced(usage, provider="anthropic"), purpose="conversation")

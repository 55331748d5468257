"""Codex's sessions: a rollout file for each, in which what was said stands between what the program noted.

What a model said comes as items: thinking, words, and calls of tools, which are one answer as long as nobody else
speaks. What it used is told as a running total, and often twice. A fork repeats what its parent said.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from sojourn.context.models import ModelCatalog
from sojourn.desk.importing.codex_items import is_answer, message_of
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
from sojourn.errors import AccessError, InvalidSessionIdError
from sojourn.model.events import Compacted, Event, MessageAdded, TitleSource, UsageRecorded
from sojourn.model.ids import Seq, SessionId, check_session_id
from sojourn.model.message import Message, Part, TextPart, ToolCall
from sojourn.model.usage import Usage

NAMES_FILE: Final = "session_index.jsonl"
_LEVELS: Final = 6
"""Folders above a rollout in which the names of sessions are looked for."""
_SAYING: Final = frozenset({"response_item", "compacted", "event_msg", "turn_context"})
_NO_PROMPT: Final = ("<", "# AGENTS.md")
_MODELS: Final = ModelCatalog()


def find_talks(file: LineFile, path: Path) -> Found:
    """Return the talk in a file; none, if the file never says which it is."""
    about: dict[str, Any] = {}
    lines: list[TalkLine] = []
    prompt: str | None = None
    for spot, data in file.scan():
        kind, payload = kind_of(data), data.get("payload")
        if not isinstance(payload, dict):
            file.not_understood += kind in {*_SAYING, "session_meta"}
            continue
        if kind == "session_meta" and not about:
            about = payload
        elif kind in _SAYING:
            lines.append(TalkLine(f"line {spot.number}", time_of(data.get("timestamp")), spot))
            prompt = prompt or _prompt(payload)
    session_id = _checked(about.get("id"))
    if session_id is None:
        return Found(path=path, talks=())
    title, source = _title(path, session_id, prompt)
    git = about.get("git")
    told = {name: about[name][:1000] for name in ("cwd", "originator", "cli_version") if text_of(about.get(name))}
    if isinstance(git, dict) and text_of(git.get("branch")):
        told["gitBranch"] = git["branch"][:1000]
    talk = Talk(
        maker="codex",
        session_id=session_id,
        lines=tuple(lines),
        convert=_convert,
        title=title,
        title_source=source,
        folder=text_of(about.get("cwd")),
        parent=_checked(about.get("parent_thread_id")),
        forked_from=_checked(about.get("forked_from_id")),
        about=told,
    )
    return Found(path=path, talks=(talk,))


def _checked(name: Any) -> SessionId | None:
    try:
        return check_session_id(name)
    except InvalidSessionIdError:
        return None


def _prompt(payload: dict[str, Any]) -> str | None:
    """Return what the user asked for, if this is it, and not what the program says for him."""
    if kind_of(payload) != "message" or payload.get("role") != "user":
        return None
    message = message_of(payload)
    text = message.text if message is not None else ""
    return text[:1000] if text.strip() and not text.lstrip().startswith(_NO_PROMPT) else None


def _title(path: Path, session_id: SessionId, prompt: str | None) -> tuple[str | None, TitleSource]:
    for folder in list(path.absolute().parents)[:_LEVELS]:
        named = _names(folder / NAMES_FILE).get(session_id)
        if named is not None:
            return named, "user"
    return (make_title(prompt) if prompt else None), "auto"


@lru_cache(maxsize=64)
def _names(path: Path) -> dict[str, str]:
    """Return the names that people gave their sessions; the last one counts."""
    names: dict[str, str] = {}
    try:
        with LineFile(path) as file:
            for _, data in file.scan():
                name, session_id = text_of(data.get("thread_name")), text_of(data.get("id"))
                if name is not None and session_id is not None:
                    names[session_id] = name
    except AccessError:
        return {}  # there is none
    return names


class _Answer:
    """The answer that is being put together."""

    def __init__(self) -> None:
        self.lines: list[TalkLine] = []
        self.items: list[dict[str, Any]] = []

    def taken(self, model: str | None) -> Group | None:
        """Return the answer so far as a message, and begin anew; None if there is nothing."""
        if not self.lines:
            return None
        parts: list[Part] = []
        calls: list[ToolCall] = []
        for item in self.items:
            said = message_of(item)
            if said is not None:
                calls += said.tool_calls
                texts = (TextPart(text=said.content),) if isinstance(said.content, str) else said.content
                parts += [part for part in texts if not (isinstance(part, TextPart) and not part.text)]
        content: str | tuple[Part, ...] = tuple(parts)
        if all(isinstance(part, TextPart) for part in parts):
            content = "\n".join(part.text for part in parts if isinstance(part, TextPart))
        ids = tuple(line.id for line in self.lines)
        message = Message(
            role="assistant",
            content=content,
            tool_calls=tuple(calls),
            model=model,
            metadata={IMPORTED: {"from": "codex", "lines": list(ids)}},
        ).with_raw(msgspec.json.encode({"form": "codex", "items": self.items}))
        at = self.lines[0].at
        self.lines, self.items = [], []
        return Group(at, (MessageAdded(message=message),), ids)


def _convert(file: LineFile, lines: Sequence[TalkLine], start: int, known: Known) -> Iterator[Group]:
    """Yield what each line from *start* on says; the items of one answer are one message.

    The lines before it tell which model spoke, and what was used by then.
    """
    answer = _Answer()
    model: str | None = None
    for place, line in enumerate(lines):
        data = file.read(line.spot)
        kind, payload = kind_of(data), data.get("payload")
        if not isinstance(payload, dict):
            continue
        if kind == "turn_context":
            model = text_of(payload.get("model")) or model
            continue
        if place < start:
            if kind == "event_msg":
                _usage(payload.get("info"), model, known)
            continue
        if kind == "response_item" and is_answer(payload):
            answer.lines.append(line)
            answer.items.append(payload)
            known.names.update(_named(payload))
            continue
        group = _group(line, data, model, known)
        if group is not None:
            done = answer.taken(model)
            if done is not None:
                yield done
            yield group
    done = answer.taken(model)
    if done is not None:
        yield done


def _group(line: TalkLine, data: dict[str, Any], model: str | None, known: Known) -> Group | None:
    """Return what one line says, if it says anything by itself."""
    kind, payload = kind_of(data), data["payload"]
    events: tuple[Event, ...] = ()
    if kind == "response_item":
        message = message_of(payload, known.names)
        if message is None:
            return None
        mark: dict[str, Any] = {"from": "codex", "lines": [line.id]}
        if message.role == "system" or message.text.lstrip().startswith(_NO_PROMPT):
            mark["meta"] = True
        events = (MessageAdded(message=msgspec.structs.replace(message, metadata={IMPORTED: mark})),)
    elif kind == "compacted" and (summary := _summary(payload)):
        events = () if summary in known.summaries else (Compacted(summary=summary, through=Seq(0)),)
    elif kind == "event_msg" and kind_of(payload) == "token_count":
        usage = _usage(payload.get("info"), model, known)
        events = (usage,) if usage is not None else ()
    return Group(line.at, events, (line.id,)) if events else None


def _summary(payload: dict[str, Any]) -> str | None:
    """Return what stands for the older messages: the program says it, or puts it behind those that it keeps."""
    kept = payload.get("replacement_history")
    items = [item for item in kept if isinstance(item, dict)] if isinstance(kept, list) else []
    texts = [message.text for item in items if (message := message_of(item)) is not None and message.text.strip()]
    return text_of(payload.get("message")) or (texts[-1] if texts else None)


def _named(item: dict[str, Any]) -> dict[str, str]:
    call_id, name = text_of(item.get("call_id")), text_of(item.get("name"))
    return {call_id: name} if call_id is not None and name is not None else {}


def _usage(info: Any, model: str | None, known: Known) -> UsageRecorded | None:
    """Return what the last call used, unless the running total says that it was told before."""
    if not isinstance(info, dict):
        return None
    total, last = info.get("total_token_usage"), info.get("last_token_usage")
    if not isinstance(total, dict) or not isinstance(last, dict):
        return None
    call = f"total {count_of(total.get('total_tokens'))} {count_of(total.get('input_tokens'))}"
    if call in known.calls:
        return None
    known.calls.add(call)
    cached = count_of(last.get("cached_input_tokens"))
    usage = Usage(
        model=model[:200] if model is not None else None,
        input_tokens=max(count_of(last.get("input_tokens")) - cached, 0),
        output_tokens=count_of(last.get("output_tokens")),
        cache_read_tokens=cached,
    )
    return UsageRecorded.of(_MODELS.priced(usage, provider="openai"), purpose="conversation")

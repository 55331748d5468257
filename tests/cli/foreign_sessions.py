"""Files such as Claude Code and Codex write them, made for the tests."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CLAUDE_ID = "4f1d6c1e-9a57-4c3c-8a43-0d3a5f0c9b11"
CODEX_ID = "019a6f3e-1c2d-7abc-9def-0123456789ab"
_START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def write_lines(path: Path, lines: list[dict[str, Any] | str]) -> Path:
    """Write a file of JSON lines; a text is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


class ClaudeFile:
    """A session of Claude Code, line by line."""

    def __init__(self, session_id: str = CLAUDE_ID, *, cwd: str = "/home/ada/web-app") -> None:
        self.session_id = session_id
        self.cwd = cwd
        self.lines: list[dict[str, Any] | str] = []
        self._last: str | None = None

    def _add(self, kind: str, uuid: str, **fields: Any) -> str:
        after = fields.pop("after", self._last)
        self.lines.append({
            "parentUuid": after, "isSidechain": False, "userType": "external", "cwd": self.cwd,
            "sessionId": self.session_id, "version": "2.1.197", "gitBranch": "main", "type": kind, "uuid": uuid,
            "timestamp": (_START + timedelta(minutes=len(self.lines))).isoformat().replace("+00:00", "Z"), **fields,
        })  # fmt: skip
        if not fields.get("isSidechain"):
            self._last = uuid
        return uuid

    def user(self, uuid: str, content: Any, **fields: Any) -> str:
        return self._add("user", uuid, message={"role": "user", "content": content}, **fields)

    def result(self, uuid: str, call_id: str, content: Any, *, is_error: bool = False, **fields: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": is_error}
        return self.user(uuid, [block], toolUseResult={"stdout": content}, **fields)

    def answer(self, uuid: str, message_id: str, *blocks: dict[str, Any], **fields: Any) -> str:
        message = {
            "id": message_id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
            "content": list(blocks), "stop_reason": None,
            "usage": {
                "input_tokens": 10, "output_tokens": 20,
                "cache_creation_input_tokens": 30, "cache_read_input_tokens": 40,
            },
        }  # fmt: skip
        return self._add("assistant", uuid, message=message, requestId=f"req_{message_id}", **fields)

    def note(self, line: dict[str, Any] | str) -> None:
        self.lines.append(line)

    def written(self, folder: Path) -> Path:
        return write_lines(folder / "-home-ada-web-app" / f"{self.session_id}.jsonl", self.lines)


def claude_talk() -> ClaudeFile:
    """A talk with thinking, tools side by side, a subagent, a compaction, and lines that nobody understands."""
    file = ClaudeFile()
    file.note({"type": "summary", "summary": "An old summary", "leafUuid": "gone"})
    file.user("u0", "<command-name>/clear</command-name>", isMeta=True)
    file.user("u1", "login is broken on the iphone")
    file.answer("a1", "msg_1", {"type": "thinking", "thinking": "cookies, surely", "signature": "signed"})
    file.answer("a2", "msg_1", {"type": "text", "text": "I look at two files."})
    a3 = file.answer("a3", "msg_1", {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}})
    a4 = file.answer("a4", "msg_1", {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "ls"}})
    file.result("r1", "t1", "print('a')", after=a3)
    file.result("r2", "t2", [{"type": "text", "text": "ls: no"}], is_error=True, after=a4)
    file.user("s1", "find the cookie", isSidechain=True, agentId="ag1", after=None)
    file.answer("s2", "msg_s", {"type": "text", "text": "in auth.py"}, isSidechain=True, agentId="ag1", after="s1")
    file.note('{"type": "user", "uuid": "torn')
    file.answer("a5", "msg_2", {"type": "text", "text": "SameSite is missing."})
    file.note({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}})
    file._add(
        "system", "b1", subtype="compact_boundary", content="Conversation compacted", logicalParentUuid="a5", after=None
    )
    file.user("c1", "They found that SameSite is missing.", isCompactSummary=True)
    file.user("u2", [{"type": "text", "text": "now fix it"}, PICTURE])
    file.answer("a6", "msg_3", {"type": "text", "text": "Done."})
    file.note({"type": "ai-title", "aiTitle": "Login on iOS", "sessionId": CLAUDE_ID})
    return file


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


class CodexFile:
    """A session of Codex, line by line."""

    def __init__(self, session_id: str = CODEX_ID, **meta: Any) -> None:
        self.session_id = session_id
        self.lines: list[dict[str, Any] | str] = []
        git = {"commit_hash": "abc", "branch": "fix/login"}
        self.add("session_meta", id=session_id, cwd="/home/ada/web-app", originator="codex_cli_rs",
                 cli_version="0.166.0", source="cli", git=git, model_provider="openai", **meta)  # fmt: skip

    def add(self, kind: str, /, **payload: Any) -> None:
        at = (_START + timedelta(minutes=len(self.lines))).isoformat().replace("+00:00", "Z")
        self.lines.append({"timestamp": at, "type": kind, "payload": payload})

    def item(self, kind: str, /, **payload: Any) -> None:
        self.add("response_item", type=kind, **payload)

    def said(self, role: str, text: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        self.item("message", role=role, content=[{"type": kind, "text": text}])

    def used(self, total: int, last: int) -> None:
        usage = {"input_tokens": last, "cached_input_tokens": 40, "output_tokens": 5, "total_tokens": last + 5}
        info = {"total_token_usage": {"input_tokens": total, "total_tokens": total}, "last_token_usage": usage}
        self.add("event_msg", type="token_count", info=info)

    def written(self, home: Path) -> Path:
        name = f"rollout-2026-03-01T09-00-00-{self.session_id}.jsonl"
        return write_lines(home / "sessions" / "2026" / "03" / "01" / name, self.lines)


def codex_talk(session_id: str = CODEX_ID, **meta: Any) -> CodexFile:
    """A talk with instructions, thinking, a tool, and usage that is told twice."""
    file = CodexFile(session_id, **meta)
    file.said("developer", "be brief")
    file.said("user", "<environment_context>\n<cwd>/home/ada</cwd>\n</environment_context>")
    file.add("turn_context", cwd="/home/ada/web-app", model="gpt-5.1", approval_policy="on-request")
    file.said("user", "why does the test fail?")
    file.add("event_msg", type="user_message", message="why does the test fail?")
    file.item("reasoning", summary=[{"type": "summary_text", "text": "look first"}], encrypted_content="gAAA")
    file.item("function_call", name="shell", arguments='{"command":["pytest"]}', call_id="call_1")
    file.used(100, 100)
    file.used(100, 100)
    file.item("function_call_output", call_id="call_1", output="1 failed")
    file.said("assistant", "It divides by zero.")
    file.add("event_msg", type="agent_message", message="It divides by zero.")
    file.used(250, 150)
    return file

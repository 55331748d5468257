"""Sessions are written as files that people, programs and other Sojourns read, without their secrets."""

import asyncio
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import sojourn
from sojourn.context.validity import CANCELLED
from sojourn.engine.project import find_project
from sojourn.model.events import Compacted
from sojourn.model.message import MediaPart, Message, TextPart, ThinkingPart, ToolCall
from tests.cli.foreign_sessions import ClaudeFile
from tests.cli.typed import Type

KEY = "sk-" + "a1b2c3d4" * 4
HOSTILE = "<script>alert(1)</script> <!-- \x1b[2J \u202e [x](javascript:alert(1)) ![p](https://evil.example/p.png)"


def kept(folder: Path) -> str:
    """Keep a session that holds something of everything, and return its id."""

    async def keep() -> str:
        quiet = sojourn.Settings(learning="off", embeddings="off")
        async with sojourn.open(folder / "home" / "sojourn.db", settings=quiet) as app:
            project = find_project(folder / "work").id
            session = await app.sessions.create("talk", title="Cookies <b>vanish</b>", project=project, tags=["web"])
            await session.messages.user(f"why?\n```python\nprint(1)  # {HOSTILE}")
            call = ToolCall(id="c1", name="read_file", arguments={"path": "a.py", "api_key": KEY})
            content = (ThinkingPart(text="let me think", signature="signed"), TextPart(text=f"I look. {HOSTILE}"))
            await session.messages.add(Message(role="assistant", content=content, tool_calls=(call,)))
            await session.messages.tool("c1", f"``` {KEY} ```")
            await session.append(Compacted(summary="they spoke of **cookies**", through=session.head))
            await session.messages.user("and now?")
            picture = MediaPart(media_type="image/png", data=b"\x89PNG", name="a.png")
            await session.messages.user((picture,))
            unanswered = ToolCall(id="c2", name="deploy")
            await session.messages.add(Message(role="assistant", tool_calls=(unanswered,)))
            return session.id

    (folder / "home").mkdir(exist_ok=True)
    return asyncio.run(keep())


# --- Markdown


def test_markdown_shows_who_said_what_and_folds_tools(folder: Path, type_: Type) -> None:
    shown = type_("export", kept(folder)).out

    assert shown.startswith(r"# Cookies \<b\>vanish\</b\>")
    assert "## User" in shown
    assert "<details><summary>calls read_file</summary>" in shown
    assert "<details><summary>result of read_file</summary>" in shown
    assert "Compacted: from here on" in shown
    assert "they spoke of **cookies**" in shown


def test_a_message_cannot_reach_beyond_itself_in_markdown(folder: Path, type_: Type) -> None:
    shown = type_("export", kept(folder)).out

    outside = re.sub(r"(?ms)^(`{3,})[^`\n]*\n.*?^\1$", "", shown)
    assert "<script>" not in outside
    assert "<!--" not in outside
    assert outside.count("<details>") == outside.count("</details>") == shown.count("</details>")
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize("tools", ["none", "names"])
def test_less_of_tools_is_shown_if_one_likes(folder: Path, type_: Type, tools: str) -> None:
    shown = type_("export", kept(folder), "--tools", tools).out

    assert ("read_file" in shown) == (tools == "names")
    assert "a.py" not in shown
    assert "let me think" not in shown


# --- the page


class Seen(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.sources: list[str] = []
        self.policy = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.links += [given["href"] or ""] if "href" in given else []
        self.ids += [given["id"] or ""] if "id" in given else []
        self.sources += [given["src"] or ""] if "src" in given else []
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""
        assert not any(name.startswith("on") for name in given)


def test_a_page_stands_alone_and_runs_nothing(folder: Path, type_: Type) -> None:
    shown = type_("export", kept(folder), "-f", "html").out
    seen = Seen(shown)

    assert {"script", "link", "iframe", "object"}.isdisjoint(seen.tags)
    assert "default-src 'none'" in seen.policy
    assert "script-src" not in seen.policy
    assert not any(link.startswith("javascript:") for link in seen.links)
    assert any(source.startswith("data:image/png;base64,") for source in seen.sources)
    assert "\x1b" not in shown
    assert "&lt;script&gt;" in shown


def test_a_page_leads_to_every_prompt(folder: Path, type_: Type) -> None:
    seen = Seen(type_("export", kept(folder), "-f", "html").out)

    inside = [link.removeprefix("#") for link in seen.links if link.startswith("#")]
    assert len(inside) > 2
    assert set(inside) <= set(seen.ids)
    assert len(seen.ids) == len(set(seen.ids))


def test_the_page_allows_the_style_that_it_has(folder: Path, type_: Type) -> None:
    import base64
    import hashlib

    shown = type_("export", kept(folder), "-f", "html").out
    style = shown.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in Seen(shown).policy


# --- messages for an API


def test_openai_gets_messages_in_which_every_call_has_its_result(folder: Path, type_: Type) -> None:
    messages = json.loads(type_("export", kept(folder), "-f", "openai").out)["messages"]

    calls = [call["id"] for message in messages for call in message.get("tool_calls", [])]
    results = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert calls == results == ["c1", "c2"]
    assert messages[-1]["content"] == CANCELLED


def test_anthropic_gets_blocks_and_thinking_with_its_signature(folder: Path, type_: Type) -> None:
    messages = json.loads(type_("export", kept(folder), "-f", "anthropic", "--no-redact").out)["messages"]

    assert [message["role"] for message in messages] == ["user", "assistant"] * 3 + ["user"]
    thinking = messages[1]["content"][0]
    assert thinking == {"type": "thinking", "thinking": "let me think", "signature": "signed"}


# --- secrets


@pytest.mark.parametrize("form", ["md", "html", "json", "jsonl", "openai", "anthropic"])
def test_secrets_stay_here_unless_they_are_wanted(folder: Path, type_: Type, form: str) -> None:
    session_id = kept(folder)

    without = type_("export", session_id, "-f", form)
    assert KEY not in without.out
    assert "2 secrets left out: 2 api key" in without.err
    within = type_("export", session_id, "-f", form, "--no-redact")
    assert within.out.count(KEY) >= 2
    assert "left out" not in within.err


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_what_was_exported_without_secrets_is_taken_in_elsewhere(
    folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    session_id = kept(folder)
    type_("export", session_id, "-f", form, "-o", "talk")
    monkeypatch.setenv("SOJOURN_STORE", str(folder / "elsewhere.db"))

    assert type_("import", "talk", "--json").data["messages"] == 6
    again = type_("export", session_id, "-f", form, "--no-redact").out
    assert again.count("[redacted:api_key]") >= 2
    assert KEY not in again
    assert type_("doctor").code == 0


# --- files


def test_a_file_is_written_for_its_owner_and_never_over_another(folder: Path, type_: Type) -> None:
    session_id = kept(folder)
    told = type_("export", session_id, "-o", "talk.md", "--json").data

    assert told["files"] == [
        {"path": "talk.md", "session_id": session_id, "format": "md", "messages": 6, "entries": 8},
    ]
    assert told["redacted"] == {"api_key": 2}
    written = Path("talk.md")
    assert written.stat().st_mode & 0o777 == 0o600
    written.write_text("mine")
    refused = type_("export", session_id, "-o", "talk.md")
    assert (refused.code, written.read_text()) == (4, "mine")
    assert "--force" in refused.err
    assert type_("export", session_id, "-o", "talk.md", "--force").out == "talk.md\n"
    assert written.read_text().startswith("# Cookies")


def test_several_sessions_go_into_a_folder(folder: Path, type_: Type) -> None:
    kept(folder)
    type_("new", "../../etc/passwd", "--session-id", "other")
    type_("archive", "other")

    written = type_("export", "--all", "-f", "html", "-o", "out/deep").lines
    assert sorted(Path(line).name for line in written) == [
        "cookies-b-vanish-b-talk.html",
        "etc-passwd-other.html",
    ]
    assert {Path(line).parent for line in written} == {Path("out/deep")}


def test_what_cannot_be_meant_is_refused_and_nothing_is_written(folder: Path, type_: Type) -> None:
    session_id = kept(folder)
    for words in (
        ("--all",),
        ("--all", session_id, "-o", "out"),
        (session_id, "--json"),
        (session_id, "-f", "json", "--tools", "names"),
        (session_id, "-o", " "),
        (session_id, "-f", "docx"),
    ):
        assert type_("export", *words).code == 2
    assert type_("export", "nowhere", "-o", "x").code == 3
    assert type_("export", session_id, "-o", "missing/x.md").code == 1
    assert list(Path.cwd().iterdir()) == []


def test_lines_and_the_document_say_the_same(folder: Path, type_: Type) -> None:
    session_id = kept(folder)
    lines = type_("export", session_id, "-f", "jsonl", "--no-redact").out.splitlines()
    document = json.loads(type_("export", session_id, "-f", "json", "--no-redact").out)

    assert [json.loads(line) for line in lines[1:]] == document["entries"]
    assert (document["format"], document["version"]) == ("sojourn-session", 1)
    assert document["state"]["header"]["tags"] == ["web"]


def test_the_name_of_a_file_holds_no_secret(folder: Path, type_: Type) -> None:
    type_("new", f"use {KEY} now", "--session-id", "s")

    [path] = type_("export", "s", "-o", "out/").lines
    assert Path(path).name == "use-redacted-api_key-now-s.md"


def test_what_a_program_said_for_the_user_is_no_prompt(folder: Path, type_: Type) -> None:
    file = ClaudeFile()
    file.user("u1", "<command-name>/clear</command-name>", isMeta=True)
    file.user("u2", "first question")
    file.user("u3", "second question")
    type_("import", str(file.written(folder)))

    shown = type_("export", file.session_id, "-f", "html").out
    index = shown.partition("<nav>")[2].partition("</nav>")[0]
    assert "2 prompts" in index
    assert "command-name" not in index


def test_without_a_renderer_a_page_shows_the_text_as_it_is(
    folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sojourn.desk.exporting.rendered.find_spec", lambda _: None)
    shown = type_("export", kept(folder), "-f", "html").out

    assert "I look. &lt;script&gt;" in shown
    assert '<p class="plain">' in shown
    assert "script" not in Seen(shown).tags

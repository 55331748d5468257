"""`sojourn demo`: what Sojourn keeps when its writer is killed in the middle of a turn."""

import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import click

import sojourn
from sojourn.cli import demo_writer, diagnostics
from sojourn.cli.output import heading, write, write_json
from sojourn.desk.visible import safe
from sojourn.engine.session import Session
from sojourn.errors import StoreError
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message, as the demo shows it."""

    role: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """What was seen."""

    location: str
    entries_found: int
    partial_text: str
    open_call: str
    resume_ms: float
    conversation: tuple[Line, ...]
    facts: tuple[str, ...]
    why: str
    decisions: tuple[str, ...]
    tokens: int
    cost_usd: float
    turn_outcomes: tuple[str, ...]
    fork_shares: int
    fork_conversation: tuple[Line, ...]
    check_ok: bool


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--keep", is_flag=True, help="Keep the files and say where they are.")
def demo(*, as_json: bool, keep: bool) -> None:
    """Record a session, kill its writer in the middle of a turn, resume it, and fork it."""
    home = Path(tempfile.mkdtemp(prefix="sojourn-demo-"))
    location = home / "sessions.db"
    try:
        diagnostics.note("recording a session in another process ...")
        _record_and_kill(location)
        diagnostics.note("killed it with SIGKILL in the middle of a turn; resuming ...")
        seen = asyncio.run(_resume(location))
        if as_json:
            write_json("demo", asdict(seen))
        else:
            _show(seen, kept=keep)
    finally:
        if not keep:
            shutil.rmtree(home, ignore_errors=True)


def _record_and_kill(location: Path) -> None:
    command = [sys.executable, "-m", demo_writer.__name__, str(location)]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - this very interpreter
    try:
        said = writer.stdout.readline().strip() if writer.stdout else ""
        if said != demo_writer.READY:
            raise StoreError(f"the writer ended before its time, with code {writer.wait()}")
    finally:
        writer.kill()
        writer.communicate()


async def _resume(location: Path) -> Demo:
    started = time.perf_counter()
    async with sojourn.open(location) as app:
        session = await app.sessions.open(demo_writer.SESSION)
        ready = time.perf_counter() - started
        partial = await app.store.find_partial(session.id)
        found, open_call = session.head, session.state.conversation.open_calls[-1].name

        async with session.turn():  # closes what the dead process left open
            await session.messages.user("Are you still there?")
            await session.messages.assistant("Yes. The booking may have gone through: I look before I book again.")

        early = (await session.messages.last(50))[1]
        fork = await app.sessions.fork(session.id, "by-plane", at=early.seq)
        await fork.messages.user("No, let us fly instead.")
        fact = session.facts.search("price night train")[0]
        quotes = (await session.why(fact)).quotes
        return Demo(
            location=str(location),
            entries_found=found,
            partial_text=partial.text if partial else "",
            open_call=open_call,
            resume_ms=round(ready * 1000, 1),
            conversation=await _lines(session),
            facts=tuple(fact.content for fact in session.facts),
            why=f"{quotes[-1].role}: {quotes[-1].text}",
            decisions=tuple(decision.text for decision in session.state.working_set.decisions),
            tokens=session.state.header.total_tokens,
            cost_usd=session.state.header.cost_micros / 1_000_000,
            turn_outcomes=await _outcomes(app.store, session.id),
            fork_shares=early.seq,
            fork_conversation=await _lines(fork),
            check_ok=(await app.store.check()).ok,
        )


async def _lines(session: Session) -> tuple[Line, ...]:
    return tuple([_line(entry) for entry in await session.messages.last(50)])


def _line(entry: Entry) -> Line:
    if not isinstance(entry.event, MessageAdded):
        raise TypeError(f"entry {entry.seq} is not a message")
    message = entry.event.message
    calls = ", ".join(f"{call.name}()" for call in message.tool_calls)
    if message.partial:
        return Line(role=message.role, text=message.text, note="cut off by the kill, kept")
    if message.metadata.get("synthetic"):
        return Line(role=message.role, text=message.text, note="added on resume")
    return Line(role=message.role, text=message.text or f"calls {calls}")


async def _outcomes(store: sojourn.Store, session_id: str) -> tuple[str, ...]:
    entries = await store.read(session_id)
    return tuple(entry.event.outcome for entry in entries if isinstance(entry.event, sojourn.events.TurnEnded))


def _show(seen: Demo, *, kept: bool) -> None:
    heading("What was kept")
    write(f"  {seen.entries_found} journal entries: all that were acknowledged")
    write(f"  the text that was being streamed: {safe(seen.partial_text)!r}")
    write(f"  the tool that was running: {seen.open_call}(), outcome unknown")
    write(f"  resumed in {seen.resume_ms} ms")
    heading("The conversation, ready for the next model call")
    _show_lines(seen.conversation)
    write(f"  turns: {', '.join(seen.turn_outcomes)}")
    heading("What the session knows")
    for fact in seen.facts:
        write(f"  fact      {safe(fact)}")
    for decision in seen.decisions:
        write(f"  decision  {safe(decision)}")
    write(f"  used      {seen.tokens:,} tokens, {seen.cost_usd:.4f} USD")
    write(f"  why       the price is known from {safe(seen.why)!r}")
    heading(f"A fork that shares the first {seen.fork_shares} entries and goes its own way")
    _show_lines(seen.fork_conversation)
    heading("Where it is")
    if kept:
        write(f"  {seen.location}")
        write(f"  sqlite3 {seen.location} 'SELECT role, content FROM messages'")  # noqa: S608 - for a person to type
    else:
        write("  it was temporary and is gone")
        write("  to look at it with sqlite3: sojourn demo --keep")
    write(f"  every entry matches its checksum: {'yes' if seen.check_ok else 'no'}")


def _show_lines(lines: tuple[Line, ...]) -> None:
    width = shutil.get_terminal_size((100, 24)).columns
    for line in lines:
        note = f"  ({line.note})" if line.note else ""
        text = safe(line.text).replace("\n", " ")
        room = max(20, width - 12 - len(note))
        text = text if len(text) <= room else text[: room - 1] + "…"
        write(f"  {line.role:<10}{text}{click.style(note, fg='yellow') if note else ''}")

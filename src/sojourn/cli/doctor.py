"""`sojourn doctor`: is what is kept whole, and what is missing for more?

It reads every entry of the store, says which sessions are damaged, and marks them so that nobody builds on them. It
changes nothing else unless it is told to repair.
"""

import os
import platform
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Final

import click

from sojourn import __version__
from sojourn.cli.frame import Result, on_store
from sojourn.cli.mending import checked, mend
from sojourn.cli.place import Place
from sojourn.cli.surroundings import Surroundings, close_to_others, look_around
from sojourn.desk.home import shown
from sojourn.desk.visible import safe
from sojourn.desk.wording import count, size
from sojourn.errors import CorruptError, SojournError
from sojourn.model.header import SessionHeader
from sojourn.model.ids import SessionId
from sojourn.store.protocol import CheckReport

_EXTRAS: Final = {
    "anthropic": ("anthropic", "models of Anthropic"),
    "openai": ("openai", "models of OpenAI, OpenRouter, Ollama and other servers that speak its protocol"),
    "local": ("xllamacpp", "a small model on this machine"),
    "mcp": ("mcp", "tools of MCP servers"),
    "minilm": ("onnxruntime", "search by meaning, the better one"),
    "embeddings": ("wordllama", "search by meaning, the faster one"),
    "prices": ("genai_prices", "what calls of models cost"),
    "postgres": ("psycopg", "sessions in PostgreSQL"),
    "web": ("httpx2", "fetching pages"),
}
"""What can be installed beside Sojourn: the package that shows it is there, and what it gives."""
_KEYS: Final = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY")
_SOME: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What became of a look at the store."""

    report: CheckReport | None = None
    error: SojournError | None = None
    recovered: dict[SessionId, SessionHeader] = field(default_factory=dict)

    @property
    def trouble(self) -> SojournError | None:
        """What is wrong with it; None if all is well."""
        if self.error is not None:
            return self.error
        if self.report is None or self.report.ok:
            return None
        return CorruptError(f"{count(len(self.report.problems), 'problem')} found")


@click.command("doctor")
@click.option("--repair", is_flag=True, help="Make anew what can be made anew, and save what is left of the rest.")
@on_store
async def doctor(place: Place, *, repair: bool) -> Result:
    """Check everything that is kept, and say what is missing for more.

    Every entry is read and compared with its checksum. Damaged sessions are marked, and the others go on as before.
    Nothing is ever removed, by --repair neither: a session that goes on before the damage is put beside the damaged
    one, with the tag recovered.
    """
    examined = await _examine(place, repair=repair)
    around = look_around(place.location)
    closed = close_to_others(around) if repair and around is not None else ()
    if closed:
        around = look_around(place.location)
    cautions = around.cautions if around is not None else []
    model, why = _model()
    keys = {name: bool(os.environ.get(name)) for name in _KEYS}
    extras = {name: find_spec(package) is not None for name, (package, _) in _EXTRAS.items()}
    data = {
        "version": __version__,
        "python": platform.python_version(),
        "store": shown(place.location),
        "check": _check_data(examined),
        "recovered": {damaged: header.session_id for damaged, header in examined.recovered.items()},
        "free": around.free if around is not None else None,
        "network": around is not None and around.network,
        "cautions": cautions,
        "closed": [str(path) for path in closed],
        "model": model,
        "why": why,
        "keys": keys,
        "extras": extras,
    }
    lines = [
        f"sojourn {__version__}, Python {platform.python_version()}",
        f"sessions  {shown(place.location)}{_room(around)}",
        *_check_lines(examined),
        *[f"closed    {path} to others" for path in closed],
        *[f"caution   {caution}" for caution in cautions],
        f"model     {model or 'none'}: {why}",
        f"keys      {', '.join(name for name in keys if keys[name]) or 'none is set'}",
        *[f"missing   {_EXTRAS[name][1]}: pip install 'sojourn[{name}]'" for name in extras if not extras[name]],
    ]
    return Result(
        data=data,
        lines=[safe(line) for line in lines],
        notes=_advice(examined, around, repair=repair),
        trouble=examined.trouble,
    )


async def _examine(place: Place, *, repair: bool) -> Examined:
    try:
        async with place.store() as store:
            report = await checked(store)
        if not repair:
            return Examined(report=report)
        async with place.app() as app:
            mended = await mend(app, report)
    except SojournError as error:
        return Examined(error=error)
    return Examined(report=mended.report, recovered=mended.recovered)


def _advice(examined: Examined, around: Surroundings | None, *, repair: bool) -> list[str]:
    """Return what can be done about what was found."""
    is_open = around is not None and bool(around.open_to_others)
    damaged = examined.report is not None and not examined.report.ok
    if not repair and (damaged or is_open):
        return ["sojourn doctor --repair puts right what can be put right, and removes nothing"]
    if damaged:
        return ["what is still damaged stays as it is: a backup may have it whole"]
    return []


def _check_data(examined: Examined) -> dict[str, Any]:
    report = examined.report
    if report is None:
        return {"ok": False, "problems": [{"session": None, "seq": None, "what": str(examined.error)}]}
    return {
        "ok": report.ok,
        "sessions": report.sessions,
        "entries": report.entries,
        "problems": [{"session": one.session_id, "seq": one.seq, "what": one.what} for one in report.problems],
    }


def _room(around: Surroundings | None) -> str:
    return f", {size(around.free)} free" if around is not None and around.free is not None else ""


def _check_lines(examined: Examined) -> list[str]:
    """Return what is damaged, and what was recovered of it."""
    recovered = [
        f"recovered {damaged} up to entry {header.forked_at}, as {header.session_id}"
        for damaged, header in examined.recovered.items()
    ]
    return [*_found_lines(examined), *recovered]


def _found_lines(examined: Examined) -> list[str]:
    report = examined.report
    if isinstance(examined.error, CorruptError):
        return [f"damaged   {examined.error}", "          restore a backup, or move the file away to begin anew"]
    if report is None:
        return [f"unknown   {examined.error}"]
    if report.ok:
        return [f"whole     {count(report.sessions, 'session')}, entries: {report.entries:,}"]
    found = [
        f"damaged   {one.session_id or 'the store'}{'' if one.seq is None else f', entry {one.seq}'}: {one.what}"
        for one in report.problems[:_SOME]
    ]
    more = len(report.problems) - _SOME
    return [*found, *([f"          and {more:,} more"] if more > 0 else [])]


def _model() -> tuple[str | None, str]:
    """Return the model that a chat would use, and why, or why there is none."""
    from sojourn.providers.choosing import choose  # noqa: PLC0415  # nobody else waits for what it loads

    try:
        choice = choose(environment=os.environ)
    except SojournError as error:
        return None, str(error)
    return f"{choice.model} ({choice.provider})", choice.why

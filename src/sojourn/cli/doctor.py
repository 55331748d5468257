"""`sojourn doctor`: is what is kept whole, and what is missing for more?

It reads every entry of the store, says which sessions are damaged, and marks them so that nobody builds on them. It
changes nothing else, and repairs nothing by itself.
"""

import os
import platform
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import click

from sojourn import __version__
from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.desk.home import shown
from sojourn.desk.visible import safe
from sojourn.desk.wording import count
from sojourn.errors import CorruptError, SojournError
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
_SOME: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What became of a look at the store."""

    report: CheckReport | None = None
    error: SojournError | None = None

    @property
    def trouble(self) -> SojournError | None:
        """What is wrong with it; None if all is well."""
        if self.error is not None:
            return self.error
        if self.report is None or self.report.ok:
            return None
        return CorruptError(f"{count(len(self.report.problems), 'problem')} found")


@click.command("doctor")
@on_store
async def doctor(place: Place) -> Result:
    """Check everything that is kept, and say what is missing for more.

    Every entry is read and compared with its checksum. Damaged sessions are marked, and the others go on as before.
    """
    examined = await _examine(place)
    model, why = _model()
    extras = {name: find_spec(package) is not None for name, (package, _) in _EXTRAS.items()}
    data = {
        "version": __version__,
        "python": platform.python_version(),
        "store": shown(place.location),
        "check": _check_data(examined),
        "model": model,
        "why": why,
        "extras": extras,
    }
    lines = [
        f"sojourn {__version__}, Python {platform.python_version()}",
        f"sessions  {shown(place.location)}",
        *_check_lines(examined),
        f"model     {model or 'none'}: {why}",
        *[f"missing   {_EXTRAS[name][1]}: pip install 'sojourn[{name}]'" for name in extras if not extras[name]],
    ]
    return Result(data=data, lines=[safe(line) for line in lines], trouble=examined.trouble)


async def _examine(place: Place) -> Examined:
    try:
        async with place.store() as store:
            return Examined(report=await store.check())
    except SojournError as error:
        return Examined(error=error)


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


def _check_lines(examined: Examined) -> list[str]:
    report = examined.report
    if report is None:
        return [f"damaged   {examined.error}", "          restore a backup, or move the file away to begin anew"]
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

"""What a person, or a project, has settled once and for all: the values of `config.toml`.

The person's file lies beside his instructions, a project's in its folder `.sojourn`. What a project says goes before
what the person says, but a project is often somebody else's: unless the person trusts it, it may settle nothing that
runs a program, spends money, sends what is said elsewhere, or keeps more than the person wants.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from sojourn.context.models import ModelInfo
from sojourn.desk.amounts import micros
from sojourn.desk.home import config_file
from sojourn.desk.settings_known import KEYS, checked
from sojourn.errors import AccessError, InvalidInputError

Resume = Literal["auto", "ask", "never"]
"""What the program does when it is started alone: go on with the last session, show the list, or begin a new one."""
KeepProfile = Literal["ask", "yes", "no"]

PROJECT_FILE: Final = Path(".sojourn") / "config.toml"
_MOST_BYTES: Final = 1_000_000
_REPOSITORY: Final = (".git", ".hg", ".svn")
_ANYBODY: Final = frozenset({"resume", "theme"})
"""What a project may settle that nobody trusts."""
_ONLY: Final[Mapping[str, Any]] = {"tools": False, "keep_profile": "no"}
"""What such a project may settle in one direction only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What is settled. What nobody settled has its default.

    Attributes:
        resume: what happens when no session is named.
        model: which model talks; None for the best there is.
        base_url: where that model is served, if not by its vendor.
        theme: how the app looks; None for its own choice.
        tools: whether models may use tools.
        keep_profile: whether what is learned about the person is written down.
        retention_days: how old an archived or trashed session may become before `prune` proposes it.
        budget_micros: what one chat may spend, in millionths of a dollar; None is no limit.
        log_dir: where logs for people are written; None writes none.
        prices: windows and prices of models that are not known, by the model's name.
        mcp: the servers of tools by their names, each as it is written.
        trusted: folders of projects whose configuration may name programs to run.
    """

    resume: Resume = "auto"
    model: str | None = None
    base_url: str | None = None
    theme: str | None = None
    tools: bool = True
    keep_profile: KeepProfile = "ask"
    retention_days: float | None = None
    budget_micros: int | None = None
    log_dir: Path | None = None
    prices: Mapping[str, ModelInfo] = field(default_factory=dict)
    mcp: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    trusted: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting that somebody settled: where it stands, and what it is."""

    path: tuple[str, ...]
    value: Any
    origin: str

    @property
    def name(self) -> str:
        """What it is called, as it is typed."""
        return dotted(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The configuration, the settings that made it, the files that were read, and what should be known of them."""

    config: Config
    settings: tuple[Setting, ...]
    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def load_config(environment: Mapping[str, str], folder: Path) -> Loaded:
    """Return what is settled for whoever works in *folder*: by the environment, the project and the person.

    A file of a project that the person does not trust stops nothing: if it cannot be used, that is noted.

    Raises:
        InvalidInputError: a file or a variable cannot be used; the sentence says where and why.
        AccessError: a file cannot be read.
    """
    own = config_file(environment)
    settled = {setting.path: setting for setting in read_settings(own)}
    files = [own] if own.is_file() else []
    notes: list[str] = []
    theirs = find_project_file(folder, own)
    if theirs is not None:
        files.append(theirs)
        notes += _let_settle(theirs, settled)
    for setting in _from_environment(environment):
        settled[setting.path] = setting
    config = _made({path: setting.value for path, setting in settled.items()})
    return Loaded(config=config, settings=tuple(settled.values()), files=tuple(files), notes=tuple(notes))


def read_settings(file: Path) -> tuple[Setting, ...]:
    """Return what *file* settles; nothing, if it is not there.

    Raises:
        InvalidInputError: it is no TOML, or it says something that cannot be used.
        AccessError: it cannot be read.
    """
    found = []
    for path, value in _leaves(parsed(read_text(file), file)):
        try:
            found.append(Setting(path=path, value=checked(path, value), origin=str(file)))
        except InvalidInputError as error:
            raise InvalidInputError(f"{file}: {error.detail}") from error
    return tuple(found)


def read_text(file: Path) -> str:
    """Return what stands in *file*; nothing, if it is not there.

    Raises:
        InvalidInputError: it is no text, or too long for a configuration.
        AccessError: it cannot be read.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise AccessError(f"{file}: {error.strerror or error}") from error
    if len(data) > _MOST_BYTES:
        raise InvalidInputError(f"{file} is larger than {_MOST_BYTES:,} bytes, which no configuration is")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{file} is no text in UTF-8") from error


def parsed(text: str, file: Path) -> dict[str, Any]:
    """Return *text* of *file* as data.

    Raises:
        InvalidInputError: it is no TOML; the sentence says in which line.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(f"{file} is no TOML: {error}") from error
    except RecursionError as error:
        raise InvalidInputError(f"{file} is no configuration: it is nested too deeply") from error


def find_project_file(folder: Path, own: Path) -> Path | None:
    """Return the configuration of the project that *folder* belongs to, if it has one that is not the person's *own*.

    It is the nearest one in the folder or above it, but none beyond the repository; outside of one, only the folder
    itself counts.
    """
    start = folder.resolve()
    inside = next((place for place in (start, *start.parents) if _is_repository(place)), start)
    for place in (start, *start.parents):
        file = place / PROJECT_FILE
        if file.is_file():
            return None if own.exists() and file.samefile(own) else file
        if place == inside:
            return None
    return None


def dotted(path: tuple[str, ...]) -> str:
    """Return a path as it is typed: `prices."gpt-6.1".input`."""
    return ".".join(part if part.replace("-", "").replace("_", "").isalnum() else f'"{part}"' for part in path)


def _is_repository(place: Path) -> bool:
    return any((place / name).exists() for name in _REPOSITORY)


def _leaves(data: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each value with the path that leads to it."""
    for name, value in data.items():
        path = (*above, name)
        if isinstance(value, dict) and len(path) < 4 and not (len(path) == 1 and name in KEYS):
            yield from _leaves(value, path)
        else:
            yield path, value


def _let_settle(theirs: Path, settled: dict[tuple[str, ...], Setting]) -> list[str]:
    """Add to *settled* what a project's file may settle, and return what should be known of the rest."""
    trusts = _trusts(settled, theirs)
    try:
        wanted = read_settings(theirs)
    except (InvalidInputError, AccessError) as error:
        if trusts:
            raise
        return [f"this project's configuration is ignored: {error.detail}"]
    ignored = []
    for setting in wanted:
        if setting.path[0] != "trusted" and (trusts or _is_harmless(setting, settled)):
            settled[setting.path] = setting
        else:
            ignored.append(setting.name)
    return [f"{theirs}: {_some(ignored)} ignored; sojourn config trust lets this project say so"] if ignored else []


def _trusts(settled: Mapping[tuple[str, ...], Setting], file: Path) -> bool:
    named = settled.get(("trusted",))
    folder = file.parent.parent
    return named is not None and any(Path(one).expanduser().resolve() == folder for one in named.value)


def _is_harmless(setting: Setting, settled: Mapping[tuple[str, ...], Setting]) -> bool:
    match setting.path:
        case (name,) if name in _ANYBODY:
            return True
        case (name,) if name in _ONLY:
            return bool(setting.value == _ONLY[name])
        case ("budget_usd",):
            own = settled.get(setting.path)
            return own is None or setting.value <= own.value
        case _:
            return False


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"{shown} {'is' if len(names) == 1 else 'are'}"


def _from_environment(environment: Mapping[str, str]) -> Iterator[Setting]:
    for name in KEYS:
        variable = f"SOJOURN_{name.upper()}"
        text = environment.get(variable, "").strip()
        if text and name != "trusted":
            try:
                yield Setting(path=(name,), value=checked((name,), text), origin=variable)
            except InvalidInputError as error:
                raise InvalidInputError(f"{variable}: {error.detail}") from error


def _made(values: Mapping[tuple[str, ...], Any]) -> Config:
    alone = {path[0]: value for path, value in values.items() if len(path) == 1}
    prices: dict[str, dict[str, Any]] = {}
    servers: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        match path:
            case ("prices", model, name):
                prices.setdefault(model, {})[name] = value
            case ("mcp", server, name):
                servers.setdefault(server, {})[name] = value
            case ("mcp", server, name, within):
                servers.setdefault(server, {}).setdefault(name, {})[within] = value
            case _:
                pass
    dollars, log_dir = alone.pop("budget_usd", None), alone.pop("log_dir", None)
    trusted = tuple(Path(one).expanduser() for one in alone.pop("trusted", ()))
    return Config(
        **alone,
        budget_micros=None if dollars is None else micros(str(dollars)),
        log_dir=None if log_dir is None else Path(os.path.expandvars(log_dir)).expanduser(),
        prices={model: _model_info(known) for model, known in prices.items()},
        mcp=servers,
        trusted=trusted,
    )


def _model_info(known: Mapping[str, Any]) -> ModelInfo:
    prices = {f"{name}_price": float(value) for name, value in known.items() if name != "window"}
    return ModelInfo.from_dict({**prices, "window": known.get("window")})

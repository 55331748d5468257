"""How many tokens a model takes, for who cannot wait: what was once looked up in the large table is remembered.

The table comes with a package, so what is remembered counts for that version of it only.
"""

import contextlib
import json
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from sojourn.context.models import ModelCatalog, ModelInfo
from sojourn.desk.home import cache_folder

_FILE: Final = "windows.json"
_PACKAGE: Final = "genai-prices"
_MOST: Final = 200
"""Models that are remembered."""


def find_window(model: str, environment: Mapping[str, str], known: Mapping[str, ModelInfo]) -> int | None:
    """Return how many tokens *model* takes: what the person says in *known*, else what the table says, if anything."""
    told = known.get(model)
    if told is not None and told.window is not None:
        return told.window
    try:
        source = version(_PACKAGE)
    except PackageNotFoundError:
        return None
    file = cache_folder(environment) / _FILE
    windows = _remembered(file, source)
    if model not in windows:
        windows = {**dict(list(windows.items())[-_MOST:]), model: ModelCatalog().window(model)}
        _remember(file, source, windows)
    return windows[model]


def _remembered(file: Path, source: str) -> dict[str, int | None]:
    try:
        data = json.loads(file.read_bytes())
    except (OSError, ValueError):  # nothing was remembered, or nothing of use
        return {}
    windows = data.get("windows") if isinstance(data, dict) and data.get("source") == source else None
    if not isinstance(windows, dict):
        return {}
    return {name: window for name, window in windows.items() if window is None or isinstance(window, int)}


def _remember(file: Path, source: str, windows: Mapping[str, int | None]) -> None:
    with contextlib.suppress(OSError):  # then it is looked up again the next time
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(".new")
        unfinished.write_text(json.dumps({"source": source, "windows": windows}), "utf-8")
        unfinished.replace(file)

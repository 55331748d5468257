"""What a person, or a project, has settled once and for all: the values of `config.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sojourn.context.models import ModelInfo

Resume = Literal["auto", "ask", "never"]
"""What the program does when it is started alone: go on with the last session, show the list, or begin a new one."""
KeepProfile = Literal["ask", "yes", "no"]


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
        budget_micros: what one start of the program may spend, in millionths of a dollar; None is no limit.
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

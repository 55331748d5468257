"""How the engine behaves: one frozen value, made by whoever opens it. Nothing in the engine reads the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sojourn.context.models import ModelInfo
from sojourn.memory.extraction.statement import KINDS, Kind

KeepProfile = Literal["ask", "yes", "no"]
Learning = Literal["hybrid", "rules", "off"]
Embeddings = Literal["auto", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of the engine.

    Attributes:
        keep_profile: whether what is learned about the user is written. "ask" is "no" until somebody answers.
        learning: how the state learns from what is said: by rules at once and by a model later, if there is one
            ("hybrid"), by rules alone, or not at all.
        learned_kinds: what is learned: any of `sojourn.memory.extraction.statement.KINDS`.
        model_reads_every: after how many exchanges a model reads them, all in one call.
        model_reads_tokens: how many tokens a session may spend on that in all; None is no limit.
        summarise_turns_every: after how many turns the short-term memory is rewritten, in the background; None never.
        embeddings: search by meaning with the best embedding model that is installed, or by words only.
        brief: the program asks once and ends, and loads no large table that it can do without. What is said now is
            found by its words, and embedded by the next program that is not brief; a context that fits in any case is
            counted roughly.
        idle_minutes: how long a session that nobody uses stays open in memory.
        models: windows and prices of models that are not known, or known better here, by the model's name.
        retention_days: how old an archived or trashed session may become before `prune` proposes to remove it; None
            keeps everything for ever. Nothing is ever removed without being asked.
    """

    keep_profile: KeepProfile = "ask"
    learning: Learning = "hybrid"
    learned_kinds: frozenset[Kind] = KINDS
    model_reads_every: int = 1
    model_reads_tokens: int | None = None
    summarise_turns_every: int | None = 5
    embeddings: Embeddings = "auto"
    brief: bool = False
    idle_minutes: float = 30.0
    models: Mapping[str, ModelInfo] = field(default_factory=dict)
    retention_days: float | None = None

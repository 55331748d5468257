"""Imported by the server that children are forked from: loads, once, what else each agent would load for itself."""

import h11
import httpcore2
import httpx2

from sojourn.context.models import ModelCatalog
from sojourn.context.tokens import counter_for
from tests.faults import agents, model_on_wire

__all__ = ["agents", "h11", "httpcore2", "httpx2", "model_on_wire"]

for _model in model_on_wire.MODELS:
    ModelCatalog().window(_model)
    counter_for(_model).count("a few words")

"""What is known about models: windows and prices."""

import sys

import pytest

from sojourn.context.models import ModelCatalog, ModelInfo
from sojourn.errors import InvalidInputError, MissingExtraError
from sojourn.model.usage import Usage

pytest.importorskip("genai_prices")
ANTHROPIC = {
    "model": "claude-sonnet-4-5",
    "usage": {
        "input_tokens": 4_000,
        "cache_creation_input_tokens": 1_000,
        "cache_read_input_tokens": 5_000,
        "output_tokens": 1_000,
    },
}
CHAT = {
    "model": "gpt-4o",
    "usage": {
        "prompt_tokens": 1_000,
        "completion_tokens": 100,
        "total_tokens": 1_100,
        "prompt_tokens_details": {"cached_tokens": 400},
    },
}


def test_a_window_is_known_given_or_unknown_and_never_guessed() -> None:
    models = ModelCatalog({"mine": ModelInfo(window=5_000), "gpt-4o": ModelInfo(input_price=1.0)})
    names = (None, "mine", "gpt-4o", "openai/gpt-4o", "claude-sonnet-4-5", "unheard-of")
    assert [models.window(name) for name in names] == [None, 5_000, 128_000, 128_000, 200_000, None]


def test_cached_tokens_are_counted_once_whichever_way_the_provider_counts() -> None:
    models = ModelCatalog()
    anthropic, chat = models.usage(ANTHROPIC, "anthropic"), models.usage(CHAT, "openai-chat")
    assert (anthropic.input_tokens, anthropic.cache_creation_tokens, anthropic.cache_read_tokens) == (
        4_000, 1_000, 5_000,
    )  # fmt: skip
    assert (chat.input_tokens, chat.cache_read_tokens, chat.output_tokens) == (600, 400, 100)
    assert chat.cost_micros == 3_000
    assert anthropic.cost_micros is not None
    assert 28_000 < anthropic.cost_micros < 33_500


def test_given_prices_come_first() -> None:
    prices = ModelInfo(input_price=1.0, output_price=2.0, cache_read_price=0.1)
    usage = ModelCatalog({"claude-sonnet-4-5": prices}).usage(ANTHROPIC, "anthropic")
    assert usage.cost_micros == 4_000 + 1_000 + 500 + 2_000


def test_a_model_that_nobody_knows_is_unpriced_and_its_usage_is_read() -> None:
    unknown = ModelCatalog().usage({**ANTHROPIC, "model": "unheard-of"}, "anthropic")
    assert unknown.cost_micros is None
    assert unknown.output_tokens == 1_000


def test_a_response_without_a_model_is_priced_by_the_one_that_was_asked() -> None:
    nameless = {"usage": CHAT["usage"]}
    assert ModelCatalog().usage(nameless, "openai-chat", model="openai/gpt-4o").cost_micros == 3_000
    assert isinstance(ModelCatalog().usage(nameless, "openai-chat"), Usage)


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="tells no usage"):
        ModelCatalog().usage({"model": "gpt-4o"}, "openai-chat")
    with pytest.raises(InvalidInputError, match="use one of openai-chat"):
        ModelCatalog().usage(CHAT, "telegram")
    with pytest.raises(InvalidInputError, match="from 1, got 0"):
        ModelCatalog({"mine": ModelInfo(window=0)})


def test_without_the_package_prices_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    with pytest.raises(MissingExtraError, match=r"sojourn\[prices\]"):
        ModelCatalog().usage(CHAT, "openai-chat")


def test_a_model_can_be_learned_of_later() -> None:
    catalog = ModelCatalog({"mine": ModelInfo(window=1_000)})

    catalog.learn("mine", ModelInfo(window=2_000, input_price=1.0))

    assert catalog.window("mine") == 2_000
    assert catalog.priced(Usage(model="mine", input_tokens=3)).cost_micros == 3
    with pytest.raises(InvalidInputError, match="from 1"):
        catalog.learn("mine", ModelInfo(window=0))
    assert catalog.window("mine") == 2_000


def test_prices_set_for_the_name_that_was_asked_for_count_for_the_one_that_answered() -> None:
    catalog = ModelCatalog({"mine": ModelInfo(input_price=2.0, output_price=4.0)})
    usage = Usage(model="mine-2026-05-01", input_tokens=10, output_tokens=1)

    assert catalog.priced(usage, asked="mine").cost_micros == 24
    assert catalog.priced(usage).cost_micros is None

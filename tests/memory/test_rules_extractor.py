"""The rules as an extractor: what it promises about any exchange, whatever it says."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sojourn.memory.extraction.rules.extractor import RulesExtractor
from sojourn.memory.extraction.statement import KINDS, Exchange, Extraction, Heard, Statement
from sojourn.model.ids import Seq

RICH = (
    "I'm a nurse. Our API rate limit is 1000 requests/hour. We decided to use Redis. I need to renew the certificate "
    "before Friday. Please read src/app/main.py and tell me about the release process."
)
WORDS = [
    "the", "our", "port", "is", "are", "server", "we", "use", "i", "need", "to", "decided", "let's", "go", "with",
    "and", "but", "not", "if", "what", "8080", "1.2.3", "/etc/app.toml", "src/a.py", ",", ".", "?", "!", ":", ";",
    "`", "```", "\n", '"', "'", "-", "[ ]", "TODO:", "we're", "it's", "no", "forget", "about", "rate", "limit",
    "my", "name", "done", "🎉", "é", "端口",
]  # fmt: skip


def exchange(user: str, assistant: str | None = None, tool: str | None = None) -> Exchange:
    return Exchange(
        user=Heard(role="user", text=user, seq=Seq(1)),
        tools=(Heard(role="tool", text=tool, seq=Seq(2)),) if tool is not None else (),
        assistant=Heard(role="assistant", text=assistant, seq=Seq(3)) if assistant is not None else None,
    )


def statements(extraction: Extraction) -> list[Statement]:
    return [*extraction.profile, *extraction.facts, *extraction.decisions, *extraction.tasks, *extraction.files]


@pytest.mark.anyio
async def test_everything_is_looked_for_by_default() -> None:
    found = await RulesExtractor().extract(exchange(RICH))

    assert found.profile
    assert found.facts
    assert found.decisions
    assert found.tasks
    assert found.files
    assert found.intent is not None
    assert found.topic == "release process"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_can_be_left_out(kind: str) -> None:
    found = RulesExtractor(kinds=frozenset(KINDS - {kind})).read(exchange(RICH))

    assert not getattr(found, kind)
    assert all(getattr(found, other) for other in KINDS - {kind})


def test_an_unknown_kind_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="unknown kinds: gossip"):
        RulesExtractor(kinds=frozenset({"facts", "gossip"}))  # type: ignore[arg-type]  # what a caller may write


def test_the_same_exchange_gives_the_same_answer() -> None:
    assert RulesExtractor().read(exchange(RICH, RICH, RICH)) == RulesExtractor().read(exchange(RICH, RICH, RICH))


def test_the_evidence_is_the_words_that_it_rests_on() -> None:
    text = "Hello there. The port is 8080, and we decided to use Redis."

    found = RulesExtractor().read(exchange(text))

    assert [text[span.start : span.end] for fact in found.facts for span in fact.evidence] == ["The port is 8080"]
    assert [text[span.start : span.end] for made in found.decisions for span in made.evidence] == [
        "we decided to use Redis"
    ]


def test_each_statement_knows_who_said_it() -> None:
    found = RulesExtractor().read(
        exchange("Our port is 8080.", "I checked: the cache size is 512 MB.", "version: 1.4.2")
    )

    assert {fact.trust: fact.evidence[0].seq for fact in found.facts} == {"user": 1, "external": 2, "assistant": 3}


def test_what_sojourn_injected_is_evidence_of_nothing() -> None:
    text = "Known: the port is 8080. We decided to use Redis. See src/a.py. TODO: fix it.\nhello"
    heard = Heard(role="user", text=text, injected=((0, text.index("hello")),))

    assert statements(RulesExtractor().read(Exchange(user=heard))) == []


def test_what_is_said_of_the_user_is_not_said_of_the_work_too() -> None:
    found = RulesExtractor().read(exchange("My name is Ada and our server runs on port 8080."))

    assert [statement.field for statement in found.profile] == ["name"]
    assert [fact.content for fact in found.facts] == ["The server runs on port 8080."]


def test_an_answer_that_repeats_the_user_adds_nothing() -> None:
    found = RulesExtractor().read(exchange("Our port is 8080.", "I checked: the port is 8080."))

    assert [fact.trust for fact in found.facts] == ["user"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "\x00\x01\x02" * 1000,
        "🎉" * 500,
        "a" * 1_000_000,
        "the port is " * 80_000,
        "no, " * 250_000,
        "we use x for y and " * 50_000,
        "/" * 1_000_000,
        "`" * 100_000,
        "El puerto es 8080, デフォルトは 8080 です, the Port ist 8080",
        "\ud800 the port is 80 \udfff",
    ],
    ids=range(12),
)
def test_any_message_is_survived(text: str) -> None:
    found = RulesExtractor().read(exchange(text, text, text))

    assert all(0 <= span.start < span.end <= len(text) for made in statements(found) for span in made.evidence)


@given(st.lists(st.sampled_from(WORDS), max_size=60), st.text(alphabet=string.printable, max_size=80))
@settings(max_examples=150, deadline=None)
def test_evidence_lies_within_its_message_and_confidence_is_a_share(words: list[str], noise: str) -> None:
    text = " ".join(words) + noise

    found = RulesExtractor().read(exchange(text, text, text))

    for statement in statements(found):
        assert 0 < statement.confidence < 1
        assert statement.evidence
        assert all(0 <= span.start < span.end <= len(text) for span in statement.evidence)
        assert all(text[span.start : span.end].strip() for span in statement.evidence)

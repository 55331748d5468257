"""What of a model's answer is read, and how much of that is believed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.errors import ExtractionError
from sojourn.memory.extraction.findings import read_answer
from sojourn.memory.extraction.first_json import first_object
from sojourn.memory.extraction.model import ModelExtractor
from sojourn.memory.extraction.quotes import locate
from sojourn.memory.extraction.statement import Exchange, Extraction, Heard
from sojourn.model.events import Span
from sojourn.model.ids import Seq
from tests.memory.scripted_model import ScriptedModel, exchange, field, saying

MOVED = "Hi! I moved to Lisbon in spring and work as a baker."


def fact(content: str, quote: str, *, confidence: float = 0.9, **more: Any) -> dict[str, Any]:
    return {"content": content, "quote": quote, "source": "user", "confidence": confidence, **more}


async def found(said: Exchange, *answers: dict[str, Any]) -> Extraction:
    return await ModelExtractor(ScriptedModel([saying(*answers)])).extract(said)


# --- what is believed


@pytest.mark.anyio
async def test_a_finding_is_found_in_the_words_that_it_quotes() -> None:
    extraction = await found(exchange(MOVED, seq=7), {"profile": [field("location", "Lisbon", "I moved to Lisbon")]})

    (statement,) = extraction.profile
    assert (statement.field, statement.value, statement.confidence, statement.trust) == (
        "location", "Lisbon", 0.9, "user",
    )  # fmt: skip
    assert statement.accepted
    (span,) = statement.evidence
    assert (span.seq, MOVED[span.start : span.end]) == (7, "I moved to Lisbon")


@pytest.mark.anyio
async def test_every_kind_of_finding_becomes_its_statement() -> None:
    said = exchange("We take SQLite. Remind me to call Ana; notes are in plan.md.", "Fine, I edited plan.md.")
    extraction = await found(
        said,
        {
            "facts": [fact("The notes are in plan.md.", "notes are in plan.md", scope="project")],
            "decisions": [{"text": "Use SQLite", "quote": "We take SQLite", "source": "user", "confidence": 0.9}],
            "tasks": [{"text": "Call Ana", "quote": "Remind me to call Ana", "source": "user", "confidence": 0.8}],
            "files": [
                {"path": "plan.md", "action": "edited", "quote": "I edited plan.md", "source": "assistant",
                 "confidence": 0.9}
            ],
            "intent": {"type": "command", "confidence": 0.7},
            "topic": "storage  and notes",
        },
    )  # fmt: skip

    assert [statement.scope for statement in extraction.facts] == ["project"]
    assert [statement.text for statement in extraction.decisions] == ["Use SQLite"]
    assert [(statement.text, statement.done) for statement in extraction.tasks] == [("Call Ana", False)]
    assert [(one.path, one.action, one.trust, one.confidence) for one in extraction.files] == [
        ("plan.md", "edited", "assistant", 0.75)
    ]
    assert extraction.intent is not None
    assert (extraction.intent.type, extraction.topic) == ("command", "storage and notes")


@pytest.mark.anyio
async def test_a_quote_that_nobody_said_halves_the_confidence_and_lowers_the_trust() -> None:
    extraction = await found(exchange(MOVED, seq=7), {"profile": [field("name", "Rui", "my name is Rui")]})

    (statement,) = extraction.profile
    assert (statement.trust, statement.accepted) == ("assistant", False)
    assert statement.confidence == pytest.approx(0.375)
    assert statement.evidence == (Span(seq=Seq(7), start=0, end=len(MOVED)),)


@pytest.mark.anyio
async def test_a_decision_task_or_file_that_nobody_named_is_left_out() -> None:
    invented = {"quote": "paint the hull blue", "source": "user", "confidence": 0.9}

    extraction = await found(
        exchange(MOVED),
        {
            "decisions": [{"text": "Paint the hull blue", **invented}],
            "tasks": [{"text": "Paint the hull", **invented}],
            "files": [{"path": "hull.txt", "action": "edited", **invented}],
        },
    )

    assert (extraction.decisions, extraction.tasks, extraction.files) == ((), (), ())


@pytest.mark.anyio
async def test_words_of_another_speaker_are_not_the_users() -> None:
    said = exchange("Who am I?", "You live in Lisbon.")

    extraction = await found(said, {"profile": [field("location", "Lisbon", "live in Lisbon")]})

    (statement,) = extraction.profile
    assert (statement.trust, statement.accepted) == ("assistant", False)
    assert statement.evidence[0].seq == 2


@pytest.mark.anyio
async def test_what_a_tool_says_is_never_accepted() -> None:
    said = Exchange(
        user=Heard(role="user", text="Read the page.", seq=Seq(1)),
        tools=(Heard(role="tool", text="The user's name is Mallory.", seq=Seq(2)),),
    )
    named = {"field": "name", "value": "Mallory", "quote": "name is Mallory", "confidence": 1.0}

    as_tool = await found(said, {"profile": [{**named, "source": "tool"}]})
    as_user = await found(said, {"profile": [{**named, "source": "user"}]})

    assert [(one.trust, one.accepted) for one in as_tool.profile] == [("external", False)]
    assert [(one.trust, one.accepted) for one in as_user.profile] == [("external", False)]


@pytest.mark.anyio
async def test_what_shares_no_word_with_its_quote_waits_for_a_review() -> None:
    extraction = await found(
        exchange(MOVED), {"profile": [field("occupation", "confectioner", "work as a baker", confidence=1.0)]}
    )

    assert [(one.confidence, one.accepted) for one in extraction.profile] == [(0.65, False)]


@pytest.mark.anyio
async def test_a_quote_that_denies_what_is_concluded_halves_the_confidence() -> None:
    said = exchange("I don't use Java.")

    extraction = await found(said, {"profile": [field("programming_languages", "Java", "I don't use Java")]})
    removed = await found(said, {"profile": [field("programming_languages", "Java", "I don't use Java", removes=True)]})

    assert [one.confidence for one in extraction.profile] == [0.45]
    assert [(one.removes, one.confidence) for one in removed.profile] == [(True, 0.9)]


@pytest.mark.anyio
async def test_a_plain_no_denies_what_was_said_before_it() -> None:
    extraction = await found(exchange("No, I am 31."), {"profile": [field("age", "31", "No, I am 31")]})

    assert [(one.value, one.accepted) for one in extraction.profile] == [(31, True)]


@pytest.mark.anyio
async def test_what_sojourn_injected_is_evidence_of_nothing() -> None:
    text = "[memory] The user lives in Oslo. [end] Where do I live?"
    said = Exchange(user=Heard(role="user", text=text, seq=Seq(1), injected=((0, text.index("Where")),)))

    extraction = await found(said, {"profile": [field("location", "Oslo", "lives in Oslo")]})

    assert extraction.profile == ()


@pytest.mark.anyio
async def test_what_was_said_before_is_not_found_again() -> None:
    before = [Heard(role="user", text="I live in Oslo.", seq=Seq(1))]

    extraction = await found(
        exchange("And now?", seq=3, before=before), {"profile": [field("location", "Oslo", "I live in Oslo")]}
    )

    assert extraction.profile == ()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "finding",
    [
        field("shoe_size", "44", "I moved"),
        field("origins", "x", "I moved"),
        field("age", "old", "I moved"),
        field("age", "400", "I moved"),
        field("name", "", "I moved"),
        field("name", "  ", "I moved"),
        field("name", None, "I moved"),
        field("name", {"a": 1}, "I moved"),
        field("name", "x" * 300, "I moved"),
        field("name", "Rui", "I moved", confidence=7.0),
        field("name", "Rui", "I moved", confidence=float("nan")),
        {"field": "name"},
        {"value": "Rui"},
        "name: Rui",
        None,
        [],
    ],
)
async def test_a_profile_finding_that_fits_no_field_is_left_out(finding: Any) -> None:
    good = field("location", "Lisbon", "I moved to Lisbon")

    extraction = await found(exchange(MOVED), {"profile": [finding, good]})

    assert [one.value for one in extraction.profile] == ["Lisbon"]


@pytest.mark.anyio
async def test_a_field_can_lose_all_its_values() -> None:
    said = exchange("I am out of work now.")

    extraction = await found(said, {"profile": [field("occupation", None, "I am out of work", removes=True)]})

    assert [(one.value, one.removes) for one in extraction.profile] == [(None, True)]


@pytest.mark.anyio
async def test_the_value_that_is_replaced_is_kept() -> None:
    said = exchange("I moved from Faro to Lisbon.")

    extraction = await found(said, {"profile": [field("location", "Lisbon", "to Lisbon", former="Faro")]})

    assert [one.former for one in extraction.profile] == ["Faro"]


@pytest.mark.anyio
async def test_a_finding_said_twice_is_stated_once_with_the_better_confidence() -> None:
    extraction = await found(
        exchange(MOVED),
        {
            "profile": [
                field("location", "Lisbon", "moved to Lisbon", confidence=0.6),
                field("location", "lisbon", "I moved to Lisbon", confidence=0.8),
            ]
        },
    )

    assert [one.confidence for one in extraction.profile] == [0.8]


@pytest.mark.anyio
async def test_a_fact_knows_the_question_that_it_answers() -> None:
    said = exchange("Our rate limit of the API is 100 per hour.")

    extraction = await found(said, {"facts": [fact("The API's rate limit is 100 per hour.", "rate limit of the API")]})

    assert [one.value for one in extraction.facts] == ["100 per hour"]
    assert extraction.facts[0].slot


@pytest.mark.anyio
async def test_only_the_user_can_say_that_something_holds_beyond_the_session() -> None:
    said = exchange("Tell me.", "Porto has six bridges.")
    told = {"content": "Porto has six bridges.", "quote": "Porto has six bridges", "scope": "user", "confidence": 0.9}

    extraction = await found(said, {"facts": [{**told, "source": "assistant"}]})

    assert [(one.scope, one.trust) for one in extraction.facts] == [("session", "assistant")]


@pytest.mark.anyio
async def test_a_secret_is_never_found() -> None:
    said = exchange("The wifi password is hunter2 and the token is ghp_abcdefgh12345678. Keys live in Vault.")

    extraction = await found(
        said,
        {
            "facts": [
                fact("The wifi password is hunter2.", "wifi password is hunter2"),
                fact("The deploy uses ghp_abcdefgh12345678.", "ghp_abcdefgh12345678"),
                fact("The keys live in Vault.", "Keys live in Vault"),
            ]
        },
    )

    assert [one.content for one in extraction.facts] == ["The keys live in Vault."]


@pytest.mark.anyio
async def test_a_finding_about_an_exchange_without_that_speaker_rests_on_what_there_is() -> None:
    said = Exchange(assistant=Heard(role="assistant", text="You are a baker.", seq=Seq(4)))

    extraction = await found(said, {"profile": [field("occupation", "baker", "I bake bread")]})

    assert [(one.trust, one.evidence[0].seq) for one in extraction.profile] == [("assistant", 4)]


# --- quotes


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("moved to Lisbon", "moved to  Lisbon"),
        ("“it’s Rui’s”", "it's Rui's"),
        ("GRÜSSE", "Grüße"),
        ("moved to lisbon...", "moved to  Lisbon"),
    ],
)
def test_a_quote_may_differ_in_case_spacing_and_marks(quote: str, words: str) -> None:
    heard = Heard(role="user", text="Well, I moved to  Lisbon; it's Rui's. Grüße!", seq=Seq(3))

    span = locate(quote, heard)

    assert span is not None
    assert heard.text[span.start : span.end] == words


@pytest.mark.parametrize("quote", ["", "a", " . ", "oved to", "moved to Porto", "Lisb"])
def test_a_quote_that_is_too_short_or_within_a_word_is_not_found(quote: str) -> None:
    assert locate(quote, Heard(role="user", text="I moved to Lisbon.")) is None


def test_a_quote_is_found_outside_of_what_was_injected() -> None:
    heard = Heard(role="user", text="tea tea", injected=((0, 4),))

    assert locate("tea", heard) == Span(seq=Seq(0), start=4, end=7)


def test_a_quote_is_found_at_both_ends_of_a_message_of_any_length() -> None:
    heard = Heard(role="user", text="First  things first. " + "x " * 500_000 + "And last  things last.")

    first, last = locate("First things", heard), locate("last things last", heard)

    assert first is not None
    assert last is not None
    assert (heard.text[first.start : first.end], heard.text[last.start : last.end]) == (
        "First  things", "last  things last",
    )  # fmt: skip


@given(text=st.text(max_size=60), start=st.integers(0, 59), length=st.integers(0, 30))
def test_what_is_located_says_what_was_quoted(text: str, start: int, length: int) -> None:
    quote = text[start : start + length]
    span = locate(quote, Heard(role="user", text=text))

    assert span is None or (0 <= span.start < span.end <= len(text))


# --- answers that are not what was asked for


@pytest.mark.parametrize(
    "answer",
    [
        'Sure! Here it is:\n```json\n{"exchanges": [{"number": 1, "topic": "bread"}]}\n```\nAnything else?',
        '{} {"exchanges": [{"number": 1, "topic": "bread"}]} {"exchanges": []}',
        '<think>{not json} hm {"</think> {"exchanges": [{"topic": "bread"}]}',
        '{"topic": "bread", "mood": "sour"}',
        '{"exchanges": [{"number": 99, "topic": "bread"}]}',
        '{"exchanges": [{"number": 1, "topic": "bread", "profile": []}, {"numb',
        '{"exchanges": [{"number": 1, "topic": "bread", "facts": [{"content": "a ] } b", "quote": "\\"x"}, {"conten',
    ],
)
def test_the_first_object_of_an_answer_is_taken(answer: str) -> None:
    (findings,) = read_answer(answer, exchanges=1)

    assert findings.topic == "bread"


@pytest.mark.parametrize("answer", ["", "I found nothing.", "[]", "null", "{", '{"a', "{" * 5000, "[" * 100_000])
def test_an_answer_without_an_object_is_an_error(answer: str) -> None:
    with pytest.raises(ExtractionError, match="no JSON object"):
        read_answer(answer, exchanges=1)


@pytest.mark.parametrize(
    "answer",
    [
        '{"exchanges": 3}',
        '{"exchanges": [1, null, "x"]}',
        '{"exchanges": [{"profile": {"field": "name"}, "facts": "none", "tasks": [[]], "intent": 4, "topic": []}]}',
        '{"exchanges": [{"facts": [{"content": "x", "scope": "universe"}], "files": [{"path": "a", "action": "?"}]}]}',
        "{}",
    ],
)
def test_what_does_not_fit_is_left_out(answer: str) -> None:
    (findings,) = read_answer(answer, exchanges=1)

    assert (findings.profile, findings.facts, findings.tasks, findings.files, findings.intent) == ((), (), (), (), None)


def test_items_are_given_to_the_exchange_whose_number_they_have() -> None:
    answer = json.dumps({"exchanges": [{"number": 2, "topic": "two"}, {"number": 1, "topic": "one"}]})

    assert [findings.topic for findings in read_answer(answer, exchanges=3)] == ["one", "two", None]


@given(st.text(alphabet='{}[]",:\\ax1 ', max_size=80))
def test_any_text_is_read_without_breaking(text: str) -> None:
    found_object = first_object(text)

    assert found_object is None or isinstance(found_object, dict)


@given(st.integers(0, 120))
def test_an_answer_that_is_cut_off_keeps_its_whole_parts(cut: int) -> None:
    whole = (
        '{"exchanges": [{"number": 1, "facts": [{"content": "A one."}, {"content": "B two."}], "topic": "letters"}]}'
    )

    read = first_object(whole[:cut])

    assert read is None or read == json.loads(whole) or set(read) <= {"exchanges"}

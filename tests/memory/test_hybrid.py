"""Rules and a model together: what one says at once, what the other adds, and who is believed when they differ."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.errors import ExtractionError, ModelError
from sojourn.memory.extraction.hybrid import HybridExtractor
from sojourn.memory.extraction.model import ModelExtractor
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.reconciling import reconcile
from sojourn.memory.extraction.rules.extractor import RulesExtractor
from sojourn.memory.extraction.statement import (
    DecisionStatement,
    Exchange,
    Extraction,
    FactStatement,
    FileStatement,
    ProfileStatement,
    TaskStatement,
)
from sojourn.model.events import Span
from sojourn.model.ids import Seq
from sojourn.model.interaction import Intent
from tests.memory.scripted_model import ScriptedModel, exchange, saying

HERE = Span(seq=Seq(1), start=0, end=5)
THERE = Span(seq=Seq(1), start=10, end=20)


def field(name: str, value: str | int | None, *, confidence: float = 0.8, **more: Any) -> ProfileStatement:
    more = {"trust": "user", "evidence": (HERE,), **more}
    return ProfileStatement(field=name, value=value, confidence=confidence, **more)


def fact(content: str, *, confidence: float = 0.8, **more: Any) -> FactStatement:
    more = {"trust": "user", "evidence": (HERE,), **more}
    return FactStatement(content=content, confidence=confidence, **more)


def decision(text: str, confidence: float = 0.8) -> DecisionStatement:
    return DecisionStatement(text=text, confidence=confidence, trust="user", evidence=(HERE,))


def task(text: str, *, done: bool = False, confidence: float = 0.8) -> TaskStatement:
    return TaskStatement(text=text, done=done, confidence=confidence, trust="user", evidence=(HERE,))


def file(path: str, action: Any, confidence: float = 0.8) -> FileStatement:
    return FileStatement(path=path, action=action, confidence=confidence, trust="user", evidence=(HERE,))


def profile(rules: list[ProfileStatement], model: list[ProfileStatement]) -> tuple[ProfileStatement, ...]:
    return reconcile(Extraction(profile=tuple(rules)), Extraction(profile=tuple(model))).profile


def facts(rules: list[FactStatement], model: list[FactStatement]) -> tuple[FactStatement, ...]:
    return reconcile(Extraction(facts=tuple(rules)), Extraction(facts=tuple(model))).facts


# --- the profile


def test_what_both_found_is_surer_and_has_the_evidence_of_both() -> None:
    (statement,) = profile(
        [field("location", "Lisbon", confidence=0.8)], [field("location", "lisbon", confidence=0.9, evidence=(THERE,))]
    )

    assert statement.value == "Lisbon"
    assert statement.confidence == pytest.approx(0.98)
    assert statement.evidence == (HERE, THERE)


def test_nothing_is_certain() -> None:
    (statement,) = profile([field("name", "Rui", confidence=0.95)], [field("name", "Rui", confidence=0.95)])

    assert statement.confidence == 0.99


def test_the_users_plain_words_win_and_the_models_reading_waits_for_a_review() -> None:
    ours, theirs = profile([field("location", "Lisbon")], [field("location", "Porto", confidence=0.95)])

    assert (ours.value, ours.accepted) == ("Lisbon", True)
    assert (theirs.value, theirs.confidence, theirs.accepted) == ("Porto", 0.5, False)


def test_a_guess_of_the_rules_does_not_overrule_the_model() -> None:
    ours, theirs = profile([field("location", "Lisbon", confidence=0.5)], [field("location", "Porto", confidence=0.9)])

    assert not ours.accepted
    assert theirs.accepted


def test_lists_take_what_both_found() -> None:
    statements = profile([field("interests", "chess")], [field("interests", "sailing", confidence=0.7)])

    assert [(one.value, one.confidence) for one in statements] == [("chess", 0.8), ("sailing", 0.7)]


def test_what_the_rules_saw_denied_is_dropped() -> None:
    denied = field("programming_languages", "Java", removes=True)

    statements = profile([denied], [field("programming_languages", "java"), field("programming_languages", "Go")])

    assert [(one.value, one.removes) for one in statements] == [("Java", True), ("Go", False)]


def test_a_field_that_holds_nothing_takes_nothing_from_the_model() -> None:
    gone = field("occupation", None, removes=True)

    assert profile([gone], [field("occupation", "baker")]) == (gone,)


def test_a_value_that_was_replaced_does_not_come_back() -> None:
    moved = field("location", "Lisbon", former="Faro")

    assert profile([moved], [field("location", "Faro", confidence=0.9)]) == (moved,)


def test_a_model_that_says_what_was_replaced_completes_the_rules() -> None:
    (statement,) = profile([field("location", "Lisbon")], [field("location", "Lisbon", former="Faro")])

    assert statement.former == "Faro"


def test_a_removal_that_the_rules_do_not_confirm_waits_for_a_review() -> None:
    ours, theirs = profile([field("location", "Lisbon")], [field("location", "Lisbon", removes=True)])

    assert ours.accepted
    assert (theirs.removes, theirs.accepted) == (True, False)


def test_a_removal_that_only_the_model_found_is_kept() -> None:
    (statement,) = profile([], [field("interests", "chess", removes=True)])

    assert statement.accepted


def test_what_only_the_model_found_in_others_words_is_not_very_sure() -> None:
    statements = profile(
        [], [field("name", "Rui", confidence=0.9, trust="assistant"), field("age", 31, confidence=0.9)]
    )

    assert [(one.confidence, one.accepted) for one in statements] == [(0.75, False), (0.9, True)]


# --- facts


def test_a_fact_in_nearly_the_same_words_is_one() -> None:
    (statement,) = facts(
        [fact("The user's sister lives in Porto.")], [fact("The user's sister lives in Porto", confidence=0.7)]
    )

    assert statement.confidence == pytest.approx(0.94)


def test_a_fact_that_answers_the_same_question_alike_is_one() -> None:
    ours = fact("The limit is 100 per hour.", slot="api/limit", value="100 per hour")
    theirs = fact("The API allows 100 requests in an hour.", slot="api/limit", value="100 per hour")

    assert [one.content for one in facts([ours], [theirs])] == ["The limit is 100 per hour."]


def test_another_answer_to_the_same_question_waits_for_a_review() -> None:
    ours = fact("The limit is 100 per hour.", slot="api/limit", value="100 per hour")
    theirs = fact("The limit is 1000 per hour.", slot="api/limit", value="1000 per hour")

    assert [one.accepted for one in facts([ours], [theirs])] == [True, False]


@pytest.mark.parametrize(
    ("denial", "claim"),
    [
        ("The user does not like green tea.", "The user likes green tea."),
        ("The build never passes on Windows.", "The build passes on Windows."),
        ("The user doesn't own a car.", "The user owns a car."),
    ],
)
def test_a_fact_that_the_rules_saw_denied_is_dropped(denial: str, claim: str) -> None:
    statements = facts([fact(denial)], [fact(claim), fact("The user plays chess.")])

    assert [one.content for one in statements] == [denial, "The user plays chess."]


def test_a_fact_that_ended_is_not_found_again() -> None:
    ended = fact("the Friday meeting", removes=True, slot="meeting/day", value="Friday")

    assert facts([ended], [fact("The meeting is on Friday.", slot="meeting/day", value="Friday")]) == (ended,)
    assert facts([ended], [fact("The Friday meeting")]) == (ended,)


def test_what_the_user_denies_of_himself_is_no_fact_either() -> None:
    rules = Extraction(profile=(field("programming_languages", "Java", removes=True),))
    model = Extraction(
        facts=(
            fact("The user writes Java at work.", about="user"),
            fact("The user no longer writes Java.", about="user"),
            fact("Java 21 has virtual threads."),
        )
    )

    kept = reconcile(rules, model).facts

    assert [one.content for one in kept] == ["The user no longer writes Java.", "Java 21 has virtual threads."]


def test_a_denial_that_only_the_model_saw_waits_for_a_review() -> None:
    ours, theirs = facts([fact("The user likes green tea.")], [fact("The user does not like green tea.")])

    assert (ours.accepted, theirs.accepted) == (True, False)


# --- the rest


def test_decisions_and_tasks_in_like_words_are_one() -> None:
    rules = Extraction(decisions=(decision("Use SQLite for storage"),), tasks=(task("Call Ana about the lease"),))
    model = Extraction(decisions=(decision("Use SQLite for the storage"),), tasks=(task("call Ana about lease"),))

    both = reconcile(rules, model)

    assert [one.text for one in both.decisions] == ["Use SQLite for storage"]
    assert [one.text for one in both.tasks] == ["Call Ana about the lease"]
    assert both.tasks[0].confidence == pytest.approx(0.96)


def test_a_decision_in_fewer_of_the_same_words_is_one() -> None:
    rules = Extraction(decisions=(decision("We decided to use SQLite for the journal."),))
    elsewhere = DecisionStatement(text="Use SQLite", confidence=0.8, trust="user", evidence=(THERE,))

    assert len(reconcile(rules, Extraction(decisions=(decision("Use SQLite"),))).decisions) == 1
    assert len(reconcile(rules, Extraction(decisions=(decision("Use PostgreSQL"),))).decisions) == 2
    assert len(reconcile(rules, Extraction(decisions=(elsewhere,))).decisions) == 2


def test_a_fact_in_more_words_of_the_same_place_is_one() -> None:
    ours = fact("The meeting is on Friday at 10.")

    assert len(facts([ours], [fact("The weekly meeting is on Friday at 10.")])) == 1
    assert len(facts([ours], [fact("The weekly meeting is on Friday at 11.")])) == 2
    assert len(facts([ours], [fact("The weekly meeting is on Friday at 10.", evidence=(THERE,))])) == 2


def test_whether_a_task_is_done_is_as_the_rules_say() -> None:
    rules = Extraction(tasks=(task("Call Ana", done=True),))

    both = reconcile(rules, Extraction(tasks=(task("call Ana", done=False),)))

    assert both.tasks == rules.tasks


def test_a_file_is_one_by_its_path_and_the_model_may_know_what_was_done() -> None:
    rules = Extraction(files=(file("a.py", "mentioned"), file("b.py", "created")))
    model = Extraction(files=(file("a.py", "edited"), file("b.py", "read"), file("c.py", "deleted")))

    both = reconcile(rules, model).files

    assert [(one.path, one.action) for one in both] == [("a.py", "edited"), ("b.py", "created"), ("c.py", "deleted")]


def test_the_intent_that_is_surer_holds() -> None:
    question = Intent(type="question", confidence=0.6)
    command = Intent(type="command", confidence=0.7)

    assert reconcile(Extraction(intent=question), Extraction(intent=command)).intent == command
    assert reconcile(Extraction(intent=command), Extraction(intent=question)).intent == command
    assert reconcile(Extraction(intent=question), Extraction()).intent == question
    agreed = reconcile(Extraction(intent=question), Extraction(intent=question)).intent
    assert agreed is not None
    assert agreed.confidence == pytest.approx(0.84)


def test_the_topic_is_the_models_if_it_names_one() -> None:
    assert reconcile(Extraction(topic="bread"), Extraction(topic="sourdough")).topic == "sourdough"
    assert reconcile(Extraction(topic="bread"), Extraction()).topic == "bread"


CONFIDENCES = st.floats(0, 1)
FIELDS = st.builds(
    field,
    st.sampled_from(["name", "location", "interests"]),
    st.sampled_from(["Rui", "Ana", None]),
    confidence=CONFIDENCES,
    removes=st.booleans(),
    trust=st.sampled_from(["user", "assistant", "external"]),
)
CONTENTS = st.sampled_from(["The user likes tea.", "The user does not like tea.", "Tea is hot.", "It rains."])
FACTS = st.builds(fact, CONTENTS, confidence=CONFIDENCES, removes=st.booleans())
EXTRACTIONS = st.builds(
    lambda fields, found: Extraction(profile=tuple(fields), facts=tuple(found)),
    st.lists(FIELDS, max_size=3),
    st.lists(FACTS, max_size=3),
)


@given(EXTRACTIONS, EXTRACTIONS)
def test_nothing_that_the_rules_found_is_lost_or_made_less_sure(rules: Extraction, model: Extraction) -> None:
    both = reconcile(rules, model)

    assert all(0 <= one.confidence <= 1 for one in (*both.profile, *both.facts))
    assert [said(one) for one in both.profile[: len(rules.profile)]] == [said(one) for one in rules.profile]
    assert [said(one) for one in both.facts[: len(rules.facts)]] == [said(one) for one in rules.facts]
    ours = [*zip(rules.profile, both.profile, strict=False), *zip(rules.facts, both.facts, strict=False)]
    assert all(kept.confidence >= before.confidence for before, kept in ours)


def said(statement: ProfileStatement | FactStatement) -> tuple[object, ...]:
    if isinstance(statement, ProfileStatement):
        return statement.field, statement.value, statement.removes, statement.trust
    return statement.content, statement.removes, statement.trust


@given(EXTRACTIONS)
def test_a_model_that_finds_nothing_changes_nothing(rules: Extraction) -> None:
    assert reconcile(rules, Extraction()) == rules


# --- the extractor


class ScriptedRules(StateExtractor):
    """Rules that always find the same, and count how often they were asked."""

    def __init__(self, extraction: Extraction) -> None:
        self.extraction = extraction
        self.asked = 0

    async def extract(self, exchange: Exchange) -> Extraction:
        self.asked += 1
        return self.extraction


FOUND = Extraction(profile=(field("location", "Lisbon"),))
LATER = saying(
    {
        "profile": [
            {"field": "location", "value": "Lisbon", "quote": "in Lisbon", "source": "user", "confidence": 0.9},
            {"field": "interests", "value": "chess", "quote": "play chess", "source": "user", "confidence": 0.9},
        ]
    }
)
SAID = exchange("I live in Lisbon and play chess.")


@pytest.mark.anyio
async def test_rules_answer_at_once_without_the_model() -> None:
    model = ScriptedModel([LATER])
    hybrid = HybridExtractor(ScriptedRules(FOUND), ModelExtractor(model))

    assert await hybrid.extract(SAID) == FOUND
    assert model.asked == []


@pytest.mark.anyio
async def test_later_the_model_confirms_and_adds() -> None:
    hybrid = HybridExtractor(ScriptedRules(FOUND), ModelExtractor(ScriptedModel([LATER])))

    (extraction,) = await hybrid.later([SAID])

    assert [(one.field, one.value) for one in extraction.profile] == [("location", "Lisbon"), ("interests", "chess")]
    assert extraction.profile[0].confidence == pytest.approx(0.98)


@pytest.mark.anyio
async def test_the_real_rules_and_a_model_find_each_thing_once() -> None:
    said = exchange("We decided to use SQLite. The API rate limit is 100 per hour. Remind me to call Ana.")
    by_model = saying(
        {
            "facts": [
                {"content": "The API's rate limit is 100 per hour.", "quote": "API rate limit is 100 per hour",
                 "source": "user", "confidence": 0.9}
            ],
            "decisions": [{"text": "Use SQLite", "quote": "use SQLite", "source": "user", "confidence": 0.9}],
            "tasks": [{"text": "Call Ana", "quote": "call Ana", "source": "user", "confidence": 0.9}],
        }
    )  # fmt: skip
    hybrid = HybridExtractor(RulesExtractor(), ModelExtractor(ScriptedModel([by_model])))
    at_once = await hybrid.extract(said)

    (extraction,) = await hybrid.later([said])

    found = (*extraction.facts, *extraction.decisions, *extraction.tasks)
    before = (*at_once.facts, *at_once.decisions, *at_once.tasks)
    assert len(found) == len(before) == 3
    assert all(later.confidence > now.confidence for later, now in zip(found, before, strict=True))


@pytest.mark.anyio
async def test_without_a_model_later_is_what_the_rules_find() -> None:
    hybrid = HybridExtractor(ScriptedRules(FOUND))

    assert await hybrid.later([SAID, SAID]) == [FOUND, FOUND]
    assert hybrid.model is None
    assert not hybrid.due(5)


@pytest.mark.anyio
async def test_a_model_that_fails_takes_nothing_away_from_the_rules() -> None:
    hybrid = HybridExtractor(ScriptedRules(FOUND), ModelExtractor(ScriptedModel([ModelError("gone")])))

    with pytest.raises(ExtractionError):
        await hybrid.later([SAID])

    assert await hybrid.extract(SAID) == FOUND


@pytest.mark.anyio
async def test_what_the_model_found_can_be_forgotten() -> None:
    hybrid = HybridExtractor(ScriptedRules(FOUND), ModelExtractor(ScriptedModel([LATER, saying({})])))
    await hybrid.later([SAID])

    hybrid.forget()
    HybridExtractor(ScriptedRules(FOUND)).forget()

    assert await hybrid.later([SAID]) == [FOUND]


def test_it_is_the_model_that_says_when_it_is_due() -> None:
    hybrid = HybridExtractor(ScriptedRules(FOUND), ModelExtractor(ScriptedModel(), every_turns=2))

    assert [hybrid.due(waiting) for waiting in (0, 1, 2)] == [False, False, True]

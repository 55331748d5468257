"""What a knowledge base keeps, how it answers, and what it writes when something is learned."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from sojourn.model import events as ev
from sojourn.model.entry import Draft, Entry
from sojourn.model.ids import Seq
from sojourn.model.knowledge import MAX_FACTS, MAX_RETIRED, Fact, KnowledgeBase, fact_id_of, prune
from sojourn.model.learning import learning
from sojourn.model.state import replay
from sojourn.testing.factories import make_journal, noted
from sojourn.testing.strategies import histories

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def known(*events: ev.Event | Draft) -> KnowledgeBase:
    state = replay(make_journal(events))
    assert state is not None
    return state.knowledge_base


def learned(content: str, **fields: Any) -> ev.FactLearned:
    return ev.FactLearned.from_dict({"fact_id": fact_id_of(content), "content": content, **fields})


def contents(facts: list[Fact]) -> list[str]:
    return [fact.content for fact in facts]


def taken_in(knowledge: KnowledgeBase, content: str, *, causes: tuple[int, ...] = (), **fields: Any) -> list[str]:
    """Return the kinds of the events that learning *content* writes."""
    return [ev.kind_of(event) for event in learning(knowledge, learned(content, **fields), causes=causes).events]


def at(number: int, content: str, *, confidence: float = 0.8, status: str = "active") -> Entry:
    """Return an entry that learns something *number* seconds after midnight."""
    event = learned(content, confidence=confidence, status=status)
    return replace(make_journal([event])[1], seq=Seq(number), at=NOW + timedelta(seconds=number))


# --- questions


def test_facts_that_hold_more_of_the_question_come_first() -> None:
    knowledge = known(
        learned("The API is written in Go"), learned("API rate limit: 1000 requests/hour"), learned("Tea is hot")
    )

    assert contents(knowledge.get_relevant_facts("API rate limit")) == [
        "API rate limit: 1000 requests/hour",
        "The API is written in Go",
    ]


def test_a_plural_finds_its_singular_and_a_part_of_a_word_finds_nothing() -> None:
    knowledge = known(learned("The rate limit is 1000"), learned("Her language is Go"))

    assert contents(knowledge.search("limits")) == ["The rate limit is 1000"]
    assert knowledge.search("age") == []


def test_facts_below_the_least_confidence_are_not_told() -> None:
    knowledge = known(learned("The port is 8080", confidence=0.4), learned("The port is open", confidence=0.5))

    assert contents(knowledge.get_relevant_facts("port")) == ["The port is open"]
    assert len(knowledge.get_relevant_facts("port", min_confidence=0.4)) == 2


def test_of_equally_relevant_facts_the_surest_and_then_the_newest_comes_first() -> None:
    knowledge = known(
        learned("port one"), learned("port two", confidence=0.9), learned("port three"), learned("port four")
    )
    found = contents(knowledge.get_relevant_facts("port"))

    assert found == ["port two", "port four", "port three", "port one"]
    assert found == contents(knowledge.get_relevant_facts("PORTS"))


def test_only_accepted_facts_answer() -> None:
    retired = learned("The port was 80")
    knowledge = known(learned("The port is 8080", status="candidate"), retired, ev.FactRetired(fact_id=retired.fact_id))

    assert knowledge.search("port") == []
    assert len(knowledge.with_status("candidate")) == len(knowledge.with_status("retired")) == 1


@pytest.mark.parametrize("query", ["", "   ", "!?", "the of"])
def test_a_question_without_words_finds_nothing(query: str) -> None:
    assert known(learned("Tea is hot")).get_relevant_facts(query) == []


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (-1, 0), (2, 2), (99, 12)])
def test_no_more_facts_than_asked_for(limit: int, count: int) -> None:
    knowledge = known(*(learned(f"port {number}") for number in range(12)))

    assert len(knowledge.get_relevant_facts("port", limit=limit)) == count
    assert len(knowledge.get_recent_facts(limit)) == count


def test_searching_gives_five_and_relevance_ten_unless_told_otherwise() -> None:
    knowledge = known(*(learned(f"port {number}") for number in range(12)))

    assert (len(knowledge.search("port")), len(knowledge.get_relevant_facts("port"))) == (5, 10)


def test_facts_by_source_by_tag_and_by_age() -> None:
    first = learned("one", source="tool", tags=["a"])
    knowledge = known(first, learned("two", tags=["a", "b"]), ev.FactReinforced(fact_id=first.fact_id, source="file"))

    assert contents(knowledge.get_facts_by_source("file")) == ["one"]
    assert contents(knowledge.get_facts_by_tag("a")) == ["one", "two"]
    assert contents(knowledge.get_recent_facts(2)) == ["one", "two"]
    assert knowledge.get_facts_by_source("tool")[0].source == "tool"


def test_the_same_is_found_in_other_words_but_not_with_another_number() -> None:
    knowledge = known(learned("The API rate limit is 1000 requests per hour"))

    assert knowledge.find_similar("the api RATE limits are 1000 requests per hour.")
    assert knowledge.find_similar("The API rate limit is 2000 requests per hour") is None


# --- what is kept


def test_of_150_facts_with_ties_the_best_100_are_kept_whatever_their_order() -> None:
    entries = [at(2 + number // 3, f"fact {number}", confidence=(number % 5) / 5) for number in range(150)]
    Random(7).shuffle(entries)
    knowledge = KnowledgeBase()
    for entry in entries:
        knowledge = knowledge.apply(entry)
    everything = [KnowledgeBase().apply(entry).with_status(None)[0] for entry in entries]

    assert len(knowledge.facts) == MAX_FACTS
    assert {fact.content for fact in knowledge.with_status()} == {fact.content for fact in prune(everything)}
    assert knowledge.learned_count == 150


def test_an_accepted_fact_outlives_a_surer_candidate() -> None:
    candidates = [learned(f"maybe {number}", status="candidate", confidence=1.0) for number in range(MAX_FACTS)]
    knowledge = known(learned("sure", confidence=0.1), *candidates)

    assert contents(knowledge.with_status("active")) == ["sure"]
    assert len(knowledge.facts) == MAX_FACTS


def test_retired_facts_push_out_only_retired_ones() -> None:
    facts = [learned(f"fact {number}") for number in range(MAX_FACTS)]
    gone = [learned(f"gone {number}") for number in range(MAX_RETIRED + 5)]
    retired = [event for fact in gone for event in (fact, ev.FactRetired(fact_id=fact.fact_id))]
    knowledge = known(*retired, *facts)

    assert len(knowledge.with_status("active")) == MAX_FACTS
    assert contents(knowledge.with_status("retired")) == [fact.content for fact in gone[5:]]


@given(histories())
def test_any_history_leaves_a_bounded_knowledge_base(journal: list[Entry]) -> None:
    state = replay(journal)
    assert state is not None
    knowledge = state.knowledge_base

    assert all(fact.fact_id == fact_id for fact_id, fact in knowledge.facts.items())
    assert all(fact.evidence and 0 <= fact.confidence <= 1 for fact in knowledge.facts.values())


# --- what is merged


def test_the_higher_confidence_wins_and_both_sources_stay() -> None:
    fact = learned("Tea is hot", source="tool", confidence=0.9, references=["a.md"])
    again = ev.FactReinforced(
        fact_id=fact.fact_id, source="research", confidence=0.5, references=("b.md",), research_id="r1", tags=("tea",)
    )
    merged = known(fact, again).facts[fact.fact_id]

    assert (merged.confidence, merged.sources) == (0.9, ("tool", "research"))
    assert (merged.references, merged.research_id, merged.tags) == (("a.md", "b.md"), "r1", ("tea",))


def test_a_fact_that_two_writers_learned_at_once_is_one_fact() -> None:
    fact = known(learned("Tea is hot", confidence=0.6), learned("Tea is hot", source="tool", confidence=0.7))

    assert [(one.sources, one.confidence) for one in fact.with_status()] == [(("conversation", "tool"), 0.7)]
    assert fact.learned_count == 1


def test_the_wider_scope_holds() -> None:
    fact = learned("Tea is hot", scope="project")
    knowledge = known(fact, ev.FactReinforced(fact_id=fact.fact_id, scope="session"))
    wider = known(fact, ev.FactReinforced(fact_id=fact.fact_id, scope="global"))

    assert (knowledge.facts[fact.fact_id].scope, wider.facts[fact.fact_id].scope) == ("project", "global")


def test_one_sentence_has_one_id_however_it_is_spelled() -> None:
    assert fact_id_of("Tea is hot") == fact_id_of("  tea IS hot!")
    assert fact_id_of("Tea is hot") != fact_id_of("Tea is not hot")
    assert fact_id_of("?") != fact_id_of("!")


# --- what learning writes


def test_something_new_is_learned_and_something_known_is_not_written_twice() -> None:
    assert taken_in(KnowledgeBase(), "Tea is hot") == ["fact_learned"]
    assert taken_in(known(learned("Tea is hot")), "tea is hot!") == []


@pytest.mark.parametrize(
    "more",
    [
        {"confidence": 0.9},
        {"source": "tool"},
        {"references": ["a.md"]},
        {"research_id": "r1"},
        {"tags": ["tea"]},
        {"scope": "project"},
        {"about": "user"},
    ],
)
def test_whatever_is_new_about_a_known_fact_reinforces_it(more: dict[str, Any]) -> None:
    assert taken_in(known(learned("Tea is hot")), "Tea is hot", **more) == ["fact_reinforced"]


def test_a_candidate_that_is_learned_for_sure_is_accepted() -> None:
    knowledge = known(learned("Tea is hot", status="candidate"))

    assert taken_in(knowledge, "Tea is hot") == ["fact_activated", "fact_reinforced"]
    assert taken_in(knowledge, "Tea is hot", status="candidate") == []


def test_a_retired_fact_comes_back_by_new_evidence_only() -> None:
    fact = Draft(event=learned("Tea is hot"), causes=(Seq(1),))
    knowledge = known(fact, ev.FactRetired(fact_id=fact_id_of("Tea is hot"), reason="it is cold"))

    assert taken_in(knowledge, "Tea is hot") == []
    assert taken_in(knowledge, "Tea is hot", causes=(1,)) == []
    assert taken_in(knowledge, "Tea is hot", causes=(1, 9)) == ["fact_learned"]
    assert taken_in(knowledge, "Tea is hot", references=["thermometer.log"]) == ["fact_learned"]


def test_a_retired_fact_stays_so_when_another_writer_learns_it_from_the_same_evidence() -> None:
    fact = Draft(event=learned("Tea is hot"), causes=(Seq(1),))
    retired = ev.FactRetired(fact_id=fact_id_of("Tea is hot"))
    otherwise = Draft(event=learned("Tea is hot"), causes=(Seq(2),))

    assert known(noted(1), fact, retired, fact).with_status("active") == []
    assert len(known(noted(1), fact, retired, otherwise).with_status("active")) == 1


def test_a_candidate_that_another_writer_learns_for_sure_is_accepted() -> None:
    knowledge = known(learned("Tea is hot", status="candidate"), learned("Tea is hot"))

    assert len(knowledge.with_status("active")) == 1


def test_what_speaks_against_a_fact_is_no_evidence_for_it() -> None:
    fact_id = fact_id_of("Tea is hot")
    retired = Draft(event=ev.FactRetired(fact_id=fact_id), causes=(Seq(1),))

    assert taken_in(known(learned("Tea is hot"), retired), "Tea is hot", causes=(1,)) == []


def test_an_old_wording_does_not_come_back_from_the_old_evidence() -> None:
    fact_id = fact_id_of("The limit is 100")
    knowledge = known(
        Draft(event=learned("The limit is 100"), causes=(Seq(1),)),
        ev.FactCorrected(fact_id=fact_id, content="The limit is 1000"),
    )
    again = learning(knowledge, learned("The limit is 100"), causes=(9,))

    assert taken_in(knowledge, "The limit is 100", causes=(1,)) == []
    assert [ev.kind_of(event) for event in again.events] == ["fact_learned"]
    assert again.fact_id == f"{fact_id}-2"
    third = known(
        Draft(event=learned("The limit is 100"), causes=(Seq(1),)),
        ev.FactCorrected(fact_id=fact_id, content="The limit is 1000"),
        *again.events,
        ev.FactCorrected(fact_id=again.fact_id, content="The limit is 10"),
    )
    assert learning(third, learned("The limit is 100"), causes=(9,)).fact_id == f"{fact_id}-3"

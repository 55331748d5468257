"""What several sessions know, as one body of facts."""

from datetime import UTC, datetime, timedelta

import hypothesis.strategies as st
from hypothesis import given

from sojourn.memory.index.document import FactRow
from sojourn.memory.shared import united
from sojourn.model.events import FactStatus
from sojourn.model.ids import Seq, SessionId
from sojourn.model.knowledge import Fact, fact_id_of
from sojourn.model.wording import says_the_same

START = datetime(2030, 1, 1, tzinfo=UTC)
WORDS = st.sampled_from(["tea", "coffee", "port", "limit", "server", "lisbon", "not", "8080", "red", "blue"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)


def row(content: str, minute: int, *, session: str = "s", status: FactStatus = "active", slot: str | None = None,
        value: str | None = None) -> FactRow:  # fmt: skip
    at = START + timedelta(minutes=minute)
    fact = Fact(
        fact_id=fact_id_of(content), content=content, confidence=0.9, sources=("conversation",), scope="user",
        status=status, learned_at=at, updated_at=at, evidence=(Seq(1),), slot=slot, value=value,
    )  # fmt: skip
    return FactRow(session_id=SessionId(session), user_id=None, project=None, fact=fact)


def test_what_two_sessions_say_in_nearly_the_same_words_is_one_fact() -> None:
    [one] = united([row("The office is in Lyon", 1, session="a"), row("the offices are in lyon.", 2, session="b")])
    assert one.sessions == ("b", "a")


def test_of_two_answers_to_one_question_the_newest_holds() -> None:
    old = row("The user lives in Paris", 1, slot="user/location", value="Paris")
    new = row("The user lives in Berlin", 2, slot="user/location", value="Berlin")
    assert [one.fact.content for one in united([new, old])] == ["The user lives in Berlin"]


def test_what_was_retired_last_is_gone_and_what_was_learned_after_it_holds() -> None:
    retired = row("Tea is cold", 2, session="b", status="retired")
    assert united([row("Tea is cold", 1, session="a"), retired]) == ()
    assert [one.sessions for one in united([retired, row("tea is cold", 3, session="c")])] == [("c",)]


@given(st.lists(SENTENCES, max_size=12))
def test_no_two_facts_that_hold_say_the_same(contents: list[str]) -> None:
    rows = [row(content, minute, session=f"s{minute}") for minute, content in enumerate(contents)]
    held = [one.fact.content for one in united(rows)]
    for place, one in enumerate(held):
        assert not any(says_the_same(one, other) for other in held[place + 1 :])
    assert all(any(says_the_same(content, one) for one in held) for content in contents)

"""The life of a fact: one for many wordings, replaced by a newer answer, taken back, reviewed, verified, pruned."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta

import pytest
from msgspec.structs import replace

from sojourn import Session, open_store
from sojourn.engine.learner import Learner, heard
from sojourn.engine.nouns.facts import Facts
from sojourn.engine.session import SessionOptions
from sojourn.errors import EmbeddingError, InvalidInputError, NotFoundError
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.statement import Exchange, Extraction, FactStatement, ProfileStatement
from sojourn.memory.facts.importance import importance
from sojourn.memory.facts.judging import MeaningJudge
from sojourn.model.events import FactLearned, FactRetired, Span, kind_of
from sojourn.model.ids import Seq
from sojourn.model.knowledge import Fact, changed_fact, learned_fact
from sojourn.model.state import replay
from sojourn.testing import FakeClock

pytestmark = pytest.mark.anyio
DAY = 24 * 3600.0


@pytest.fixture
async def session(clock: FakeClock) -> AsyncIterator[Session]:
    async with open_store("memory:", clock=clock) as store:
        yield await Session.create(store, "s", options=SessionOptions(clock=clock))


async def kinds(session: Session) -> list[str]:
    return [kind_of(entry.event) for entry in await session.store.read(session.id, after=1, limit=10_000)]


def held(session: Session) -> list[str]:
    return [fact.content for fact in session.facts.with_status("active")]


# --- one fact for many wordings

WORDINGS = [
    ("The user lives in Lisbon", "The user resides in Lisbon", "Lisbon is where the user lives"),
    (
        "API rate limit is 1000 requests/hour",
        "The API's rate limit is 1,000 requests per hour",
        "API rate limit: 1000/h",
    ),
    ("The server runs on port 8080", "The server's port is 8080", "The server listens on port 8080"),
    ("The user likes hiking", "The user loves to hike", "The user enjoys hiking"),
    ("The deadline is 3 May", "The project deadline is May 3rd", "The deadline was moved to 3 May"),
]


async def test_fifteen_inserts_of_five_facts_give_five_facts(session: Session) -> None:
    for place in range(3):
        for wordings in WORDINGS:
            said = await session.messages.user(wordings[place])
            await session.facts.learn(wordings[place], causes=[said.seq])

    assert held(session) == [wordings[0] for wordings in WORDINGS]
    assert len(session.facts) == 5
    assert all(len(fact.evidence) == 6 for fact in session.facts)


# --- another answer


async def test_a_new_answer_replaces_the_old_and_both_stay_in_the_history(session: Session, clock: FakeClock) -> None:
    old = await session.facts.learn("The user lives in Paris")
    clock.advance(seconds=30 * DAY)
    new = await session.facts.learn("User moved to Berlin")
    past = session.facts.get(old.fact_id)

    assert held(session) == ["User moved to Berlin"]
    assert (past.status, past.superseded_by, past.retired_reason) == ("retired", new.fact_id, "replaced: Berlin")
    assert past.valid_to == new.valid_from
    assert [(fact.value, fact.valid_to is None) for fact in await session.facts.history("user/location")] == [
        ("Berlin", True),
        ("Paris", False),
    ]
    assert await session.facts.history(old.fact_id) == await session.facts.history("user/location")


async def test_an_answer_that_holds_again_is_the_same_fact_as_before(session: Session) -> None:
    paris = await session.facts.learn("The user lives in Paris")
    await session.facts.learn("The user lives in Berlin")
    said = await session.messages.user("I moved back to Paris")
    back = await session.facts.learn("The user moved back to Paris", causes=[said.seq])

    assert (back.fact_id, back.status, back.valid_to) == (paris.fact_id, "active", None)
    assert len(session.facts.with_status("active")) == 1


async def test_two_answers_that_can_both_hold_do(session: Session) -> None:
    await session.facts.learn("The user likes tea")
    await session.facts.learn("The user likes chess")
    await session.facts.learn("The project uses Django")
    await session.facts.learn("The project uses Redis")

    assert len(held(session)) == 4


async def test_hating_what_was_liked_replaces_it(session: Session) -> None:
    await session.facts.learn("The user likes tea")
    await session.facts.learn("The user hates tea")

    assert held(session) == ["The user hates tea"]


async def test_a_slot_that_is_given_wins_over_the_one_that_is_read(session: Session) -> None:
    await session.facts.learn("The gateway takes a thousand calls", slot="gateway/limit", value="1000")
    fact = await session.facts.learn("The gateway now takes five hundred", slot="gateway/limit", value="500")

    assert held(session) == ["The gateway now takes five hundred"]
    assert (fact.slot, fact.value) == ("gateway/limit", "500")


async def test_an_attribute_that_only_one_thing_has_needs_no_name(session: Session) -> None:
    await session.facts.learn("The server runs on port 8080")
    await session.facts.learn("The API rate limit is 1000 requests per hour")
    port = await session.facts.learn("The port is 9090")
    await session.facts.learn("The limit is 500")

    assert (port.slot, held(session)) == ("server/port", ["The port is 9090", "The limit is 500"])


async def test_an_attribute_that_two_things_have_is_nobody_s(session: Session) -> None:
    await session.facts.learn("The server runs on port 8080")
    await session.facts.learn("The database runs on port 5432")
    port = await session.facts.learn("The port is 9090")

    assert (port.slot, len(held(session))) == ("project/port", 3)


async def test_what_was_switched_from_is_left_behind(session: Session) -> None:
    await session.facts.learn("The project uses MySQL")
    await session.facts.learn("The project uses Redis")
    await session.facts.learn("The project switched from MySQL to PostgreSQL")

    assert held(session) == ["The project uses Redis", "The project switched from MySQL to PostgreSQL"]


async def test_a_candidate_replaces_nothing_until_it_is_accepted(session: Session) -> None:
    await session.facts.learn("The user lives in Paris", about="user")
    said = await session.messages.assistant("So you are in Rome?")
    waiting = await session.facts.learn(
        "The user lives in Rome", status="candidate", source="assistant", causes=[said.seq], confidence=0.6
    )
    assert held(session) == ["The user lives in Paris"]
    assert session.facts.review() == [waiting]

    accepted = await session.facts.activate(waiting.fact_id)
    assert held(session) == ["The user lives in Rome"]
    assert (accepted.status, session.facts.review()) == ("active", [])


async def test_accepting_what_the_profile_asks_for_sets_the_profile_in_one_append(session: Session) -> None:
    said = await session.messages.user("we are in Rome these days")
    span = Span(seq=said.seq, start=10, end=14)
    waiting = await session.facts.learn(
        "The user lives in Rome", status="candidate", spans=[span], causes=[said.seq], confidence=0.6
    )
    before = session.head
    await session.facts.activate(waiting.fact_id)
    entries = await session.store.read("s", after=before)

    assert session.state.user_profile.location == "Rome"
    assert [kind_of(entry.event) for entry in entries] == ["fact_activated", "profile_updated"]
    assert said.seq in entries[-1].causes
    assert said.seq in [quote.seq for quote in (await session.why("location")).quotes]


async def test_accepting_another_fact_leaves_the_profile_alone(session: Session) -> None:
    waiting = await session.facts.learn("The server runs on port 80", status="candidate")
    await session.facts.activate(waiting.fact_id)

    assert await kinds(session) == ["fact_learned", "fact_activated"]


@pytest.mark.parametrize("decided", ["activate", "retire"])
async def test_what_was_decided_about_a_candidate_can_be_taken_back(session: Session, decided: str) -> None:
    waiting = await session.facts.learn("The server runs on port 80", status="candidate")
    await getattr(session.facts, decided)(waiting.fact_id)
    again = await session.facts.put_back(waiting.fact_id)
    same = await session.facts.put_back(waiting.fact_id)

    assert (again.status, again.retired_reason, again.valid_to) == ("candidate", None, None)
    assert session.facts.review() == [again] == [same]


async def test_the_assistant_does_not_overrule_the_user(session: Session) -> None:
    await session.facts.learn("The port is 9090")
    doubtful = await session.facts.learn("The port is 8080", source="assistant")

    assert held(session) == ["The port is 9090"]
    assert doubtful.status == "candidate"


async def test_the_assistant_does_not_accept_what_contradicts_the_user(session: Session) -> None:
    await session.facts.learn("The port is 9090")
    await session.facts.learn("The port is 8080", source="assistant")
    said = await session.messages.assistant("I tell you, the port is 8080")
    again = await session.facts.learn("The port is 8080", source="assistant", causes=[said.seq])

    assert (again.status, held(session)) == ("candidate", ["The port is 9090"])


async def test_words_decide_when_the_embedder_fails(session: Session, caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        name, dimensions = "broken", 2

        def embed(self, texts: Sequence[str]) -> None:
            raise EmbeddingError(f"{len(texts)} texts")

    facts = Facts(session, meaning=MeaningJudge(Broken()))  # type: ignore[arg-type]  # it returns nothing
    await facts.learn("Tea is hot")
    await facts.learn("Tea is hot in winter mornings")
    await facts.learn("tea is HOT!")

    assert len(held(session)) == 2
    assert "by words only" in caplog.text


async def test_the_user_overrules_the_assistant(session: Session) -> None:
    await session.facts.learn("The port is 8080", source="assistant")
    await session.facts.learn("The port is 9090")

    assert held(session) == ["The port is 9090"]


async def test_what_held_earlier_becomes_history_at_once(session: Session, clock: FakeClock) -> None:
    new = await session.facts.learn("The user lives in Berlin", valid_from=clock.now())
    old = await session.facts.learn("The user lives in Paris", valid_from=clock.now() - timedelta(days=900))

    assert (old.status, old.superseded_by, old.valid_to) == ("retired", new.fact_id, new.valid_from)
    assert [fact.value for fact in await session.facts.history("user/location")] == ["Berlin", "Paris"]


async def test_an_older_message_that_is_read_late_does_not_win(session: Session) -> None:
    first = await session.messages.user("I live in Paris")
    second = await session.messages.user("I moved to Berlin")
    await session.facts.learn("The user moved to Berlin", causes=[second.seq])
    await session.facts.learn("The user lives in Paris", causes=[first.seq])

    assert held(session) == ["The user moved to Berlin"]


# --- what was taken back

PARAPHRASES = ["The user lives in Paris", "The user resides in Paris", "Paris is where the user lives"]


@pytest.mark.parametrize("wording", PARAPHRASES)
@pytest.mark.parametrize("source", ["assistant", "tool", "external"])
async def test_what_the_user_took_back_stays_away_in_any_wording(session: Session, wording: str, source: str) -> None:
    fact = await session.facts.learn("The user lives in Paris")
    await session.facts.retire(fact.fact_id, "the user took it back")
    said = await session.messages.assistant(f"As you said: {wording}")
    head = session.head

    again = await session.facts.learn(wording, source=source, causes=[said.seq])
    assert (again.fact_id, again.status, session.head) == (fact.fact_id, "retired", head)


@pytest.mark.parametrize("wording", PARAPHRASES)
async def test_what_was_replaced_does_not_come_back_from_whoever_repeats_it(session: Session, wording: str) -> None:
    first = await session.messages.user("I live in Paris")
    await session.facts.learn("The user lives in Paris", causes=[first.seq])
    await session.facts.learn("The user moved to Berlin")
    said = await session.messages.assistant(wording)
    await session.facts.learn(wording, causes=[first.seq])
    await session.facts.learn(wording, source="assistant", causes=[said.seq])

    assert held(session) == ["The user moved to Berlin"]
    assert session.facts.review() == []


async def test_a_corrected_wording_does_not_come_back_from_the_assistant(session: Session) -> None:
    fact = await session.facts.learn("The limit is 100", source="assistant")
    await session.facts.correct(fact.fact_id, "The limit is 1000")
    said = await session.messages.assistant("The limit is 100")
    await session.facts.learn("The limit is 100", source="assistant", causes=[said.seq])

    assert held(session) == ["The limit is 1000"]
    assert session.facts.review() == []


async def test_a_correction_retires_what_contradicts_it(session: Session) -> None:
    await session.facts.learn("The user lives in Paris")
    odd = await session.facts.learn("The user sleeps a lot")
    await session.facts.correct(odd.fact_id, "The user lives in Lyon")

    assert held(session) == ["The user lives in Lyon"]


# --- what the user says of himself settles what others said of him

BY_USER = ProfileStatement(
    field="location", value="Graz", confidence=0.9, trust="user", evidence=(Span(seq=Seq(1), start=0, end=1),)
)


class Silent(StateExtractor):
    async def extract(self, exchange: Exchange) -> Extraction:
        raise NotImplementedError(exchange)


async def take_in(session: Session, *stated: ProfileStatement) -> None:
    await Learner(Silent).take_in(session, Extraction(profile=stated), about=Exchange())


async def test_a_guess_that_the_user_contradicts_waits_no_more(session: Session) -> None:
    guess = replace(BY_USER, value="Linz", trust="assistant")
    await take_in(session, guess)
    await take_in(session, BY_USER)

    assert session.facts.review() == []
    assert session.state.user_profile.location == "Graz"
    assert [fact.retired_reason for fact in session.facts] == ["the user says otherwise: Graz"]
    await take_in(session, guess)
    assert session.facts.review() == []


async def test_a_guess_that_the_user_confirms_is_accepted(session: Session) -> None:
    await take_in(session, replace(BY_USER, trust="assistant"))
    await take_in(session, BY_USER)

    assert held(session) == ["The user lives in Graz"]
    assert session.state.user_profile.confidence_scores["location"] == 0.9


async def test_what_the_user_takes_back_is_gone_from_the_facts_as_well(session: Session) -> None:
    await session.facts.learn("The user lives in Graz")
    await take_in(session, BY_USER, replace(BY_USER, value=None, removes=True))

    assert (held(session), session.state.user_profile.location) == ([], None)


# --- what only somebody understands who believes something


async def say(session: Session, *texts: str, found: Extraction | None = None) -> None:
    """Let the user say *texts*, in which an extractor finds nothing, or *found*."""
    for text in texts:
        before = tuple(heard(entry) for entry in await session.last_messages(4))
        entry = await session.messages.user(text)
        await Learner(Silent).take_in(session, found or Extraction(), about=Exchange(user=heard(entry), before=before))


async def test_a_short_correction_puts_the_last_fact_right(session: Session) -> None:
    said = await session.messages.user("The timeout is 10 seconds")
    fact = await session.facts.learn("The timeout is 10 seconds", causes=[said.seq])
    await say(session, "Make that 20 seconds.")

    assert held(session) == ["The timeout is 20 seconds"]
    assert session.head in session.facts.get(fact.fact_id).evidence


async def test_a_short_correction_puts_the_profile_right(session: Session) -> None:
    said = await session.messages.user("I live in Nantes")
    await session.profile.set(location="Nantes", causes=[said.seq])
    await say(session, "typo, Nancy")

    assert session.state.user_profile.location == "Nancy"


async def test_a_question_that_is_answered_is_answered_anew_and_no_other(session: Session) -> None:
    await session.facts.learn("The rate limit is 60 requests per minute")
    await say(session, "They raised the rate limit to 120 requests per minute.", "They raised the rent to 900 EUR.")

    assert held(session) == ["The rate limit was raised to 120 requests per minute."]


async def test_what_is_quoted_or_asked_corrects_nothing(session: Session) -> None:
    await session.facts.learn("The port is 8080")
    await say(session, "> The port is 9090", "Is the port 9090?", "`The port is 9090`")

    assert held(session) == ["The port is 8080"]


async def test_what_was_given_up_leaves_the_profile_and_the_facts(session: Session) -> None:
    await session.profile.set(interests=["skiing", "chess"], occupation="analyst")
    await session.facts.learn("The user works at Novalink")
    await say(session, "I gave up skiing.", "I no longer work at Novalink.", "Ignore what I said about my job.")
    profile = session.state.user_profile

    assert (profile.interests, profile.occupation, held(session)) == (("chess",), None, [])


async def test_of_several_the_one_that_is_denied_goes(session: Session) -> None:
    await session.facts.learn("The user's daughter is 6", about="user")
    await session.facts.learn("The user's daughter is 3", about="user")
    seven = FactStatement(
        content="The user's daughter is 7", slot="user daughter/age", value="7", about="user",
        confidence=0.9, trust="user", evidence=(),
    )  # fmt: skip
    await say(session, "Sorry, my daughter is 7, not 6.", found=Extraction(facts=(seven,)))

    assert held(session) == ["The user's daughter is 3", "The user's daughter is 7"]


# --- beyond the state


async def beyond(session: Session) -> Facts:
    """Return the noun with every fact of the journal at hand, as an index keeps them."""

    async def lookup(*, fact_id: str | None = None, slot: str | None = None) -> Sequence[Fact]:
        facts: dict[str, Fact] = {}
        for entry in await session.store.read(session.id, limit=10_000):
            if isinstance(entry.event, FactLearned) and entry.event.fact_id not in facts:
                facts[entry.event.fact_id] = learned_fact(entry.event, at=entry.at, seq=entry.seq, causes=entry.causes)
            elif isinstance(entry.event, FactLearned | FactRetired) and entry.event.fact_id in facts:
                facts[entry.event.fact_id] = changed_fact(facts[entry.event.fact_id], entry.event, entry)
        return [fact for fact in facts.values() if fact.fact_id == fact_id or (slot and fact.slot == slot)]

    return Facts(session, known=lookup)


async def test_what_fell_out_of_the_state_is_still_known_to_be_retired(session: Session, clock: FakeClock) -> None:
    facts = await beyond(session)
    gone = await facts.learn("The user lives in Paris")
    await facts.retire(gone.fact_id, "the user took it back")
    for number in range(60):
        clock.advance(seconds=1)
        other = await facts.learn(f"Thing {number} is odd")
        await facts.retire(other.fact_id)
    assert facts.find(gone.fact_id) is None

    again = await facts.learn("The user resides in Paris", source="assistant")
    assert (again.fact_id, again.status) == (gone.fact_id, "retired")
    assert (await facts.retire(gone.fact_id)).retired_reason == "the user took it back"
    assert [fact.fact_id for fact in await facts.history("user/location")] == [gone.fact_id]


async def test_a_fact_beyond_the_state_is_replaced_and_learned_anew(session: Session) -> None:
    facts = await beyond(session)
    old = await facts.learn("The user lives in Paris", confidence=0.3)
    for number in range(100):
        await facts.learn(f"Thing {number} is odd", confidence=0.9)
    assert facts.find(old.fact_id) is None

    same = await facts.learn("The user lives in Paris", confidence=1.0)
    assert (same.fact_id, facts.find(old.fact_id)) == (old.fact_id, same)
    new = await facts.learn("The user moved to Berlin", confidence=1.0)
    assert [(one.fact_id, one.superseded_by) for one in await facts.history(new.fact_id)] == [
        (new.fact_id, None),
        (old.fact_id, new.fact_id),
    ]


async def test_a_fact_beyond_the_state_can_be_changed(session: Session) -> None:
    facts = await beyond(session)
    said = await session.messages.user("Tea is hot")
    old = await facts.learn("Tea is hot", confidence=0.1, causes=[said.seq])
    for number in range(100):
        await facts.learn(f"Thing {number} is odd", confidence=0.9)

    assert (await facts.verify(old.fact_id)).verdict == "supported"
    assert (await facts.reinforce(old.fact_id, source="tool")).sources == ("conversation", "tool")
    assert (await facts.retire(old.fact_id, "cold")).retired_reason == "cold"
    with pytest.raises(NotFoundError, match="fact-0"):
        await facts.retire("fact-0")


# --- review, use, importance, pruning


async def test_the_most_important_candidate_is_reviewed_first(session: Session, clock: FakeClock) -> None:
    await session.facts.learn("Tea is hot", status="candidate", confidence=0.6, source="assistant")
    await session.facts.learn("Port 80 is open", status="candidate", confidence=0.6, scope="project")
    clock.advance(seconds=60 * DAY)
    await session.facts.learn("The sky is blue", status="candidate", confidence=0.5)

    assert [fact.content for fact in session.facts.review()] == ["The sky is blue", "Port 80 is open", "Tea is hot"]
    assert len(session.facts.review(limit=1)) == 1


async def test_use_recency_and_the_users_word_make_a_fact_important(session: Session, clock: FakeClock) -> None:
    said = await session.facts.learn("Tea is hot")
    inferred = await session.facts.learn("Port 80 is open", source="assistant")
    await session.facts.used([said.fact_id, said.fact_id])
    used = session.facts.get(said.fact_id)
    now = clock.now()

    assert used.uses == 1
    assert 1 >= importance(used, now) > importance(said, now) > importance(inferred, now) > 0
    assert importance(used, now + timedelta(days=30)) == pytest.approx(importance(used, now) / 2)
    retired = await session.facts.retire(said.fact_id)
    assert importance(retired, now) == 0


async def test_using_nothing_writes_nothing_and_nonsense_is_refused(session: Session) -> None:
    await session.facts.used([])
    with pytest.raises(InvalidInputError, match="list"):
        await session.facts.used("fact-0")
    with pytest.raises(InvalidInputError, match="1,000"):
        await session.facts.used(f"fact-{number}" for number in range(1001))

    assert await kinds(session) == []


async def test_pruning_drops_old_candidates_and_only_proposes_the_rest(session: Session, clock: FakeClock) -> None:
    old = await session.facts.learn("Tea is hot", status="candidate")
    clock.advance(seconds=31 * DAY)
    await session.facts.learn("Milk is cold", status="candidate")
    for number in range(5):
        await session.facts.learn(f"Thing {number} is odd", confidence=0.5 + number / 10)
    pruned = await session.facts.prune(limit=3)

    assert [(fact.fact_id, fact.retired_reason) for fact in pruned.dropped] == [
        (old.fact_id, "nobody accepted it within 30 days")
    ]
    assert [fact.content for fact in pruned.beyond] == ["Thing 1 is odd", "Thing 0 is odd"]
    assert len(session.facts.with_status("active")) == 5
    assert await session.facts.prune() == ((), ())


# --- verification


async def test_a_fact_is_compared_with_the_messages_that_it_rests_on(session: Session) -> None:
    said = await session.messages.user("I live in Lisbon, near the river")
    right = await session.facts.learn("The user lives in Lisbon", confidence=0.5, causes=[said.seq])
    wrong = await session.facts.learn("The office has nine floors", causes=[said.seq])

    supported = await session.facts.verify(right.fact_id)
    missing = await session.facts.verify(wrong.fact_id)
    assert (supported.verdict, missing.verdict) == ("supported", "not_found")
    assert session.facts.get(right.fact_id).confidence == supported.confidence > 0.5
    assert session.facts.get(wrong.fact_id).verified == missing.reason
    with pytest.raises(NotFoundError, match="fact-0"):
        await session.facts.verify("fact-0")


# --- what is refused, and what is private


async def test_a_history_of_nothing_is_refused(session: Session) -> None:
    with pytest.raises(NotFoundError, match="user/shoe size"):
        await session.facts.history("user/shoe size")


async def test_a_fact_without_a_slot_is_its_own_history(session: Session) -> None:
    fact = await session.facts.learn("Tea is hot")

    assert await session.facts.history(fact.fact_id) == [fact]


@pytest.mark.parametrize(
    ("word", "arguments"),
    [("slot", {"slot": " "}), ("value", {"slot": "a/b", "value": ""}), ("zone", {"valid_from": "yesterday"})],
)
async def test_a_slot_a_value_or_a_time_that_cannot_be_used_is_refused(
    session: Session, word: str, arguments: dict[str, str]
) -> None:
    with pytest.raises(InvalidInputError, match=word):
        await session.facts.learn("Tea is hot", **arguments)  # type: ignore[arg-type]  # on purpose
    assert await kinds(session) == []


async def test_what_answers_a_question_about_the_user_is_about_the_user(clock: FakeClock) -> None:
    async with open_store("memory:", clock=clock) as store:
        options = SessionOptions(clock=clock, keeps_profile=lambda: False)
        session = await Session.create(store, "s", options=options)
        paris = await session.facts.learn("The user lives in Paris")
        await session.facts.learn("The user lives in Rome")
        waiting = await session.facts.learn("The user's name is Lena", status="candidate")
        await session.facts.activate(waiting.fact_id)

        assert session.facts.get(paris.fact_id).status == "retired"
        assert session.state.user_profile.name == "Lena"
        assert "Rome" not in repr(await store.read("s"))
        assert "Lena" not in repr(await store.read("s"))


async def test_the_journal_tells_the_same_story(session: Session) -> None:
    first = await session.facts.learn("The user lives in Paris")
    await session.facts.learn("The user lives in Rome")
    await session.facts.used([first.fact_id])
    await session.facts.verify(first.fact_id)

    assert session.state == replay(await session.store.read("s"))
    assert session.facts.get(first.fact_id).evidence[0] == Seq(2)

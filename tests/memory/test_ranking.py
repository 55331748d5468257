"""What answers a question comes first, and says why."""

import logging
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sojourn.errors import EmbeddingError
from sojourn.memory.index.document import Document, Hit, Part, SessionKey, Where
from sojourn.memory.index.protocol import SearchIndex
from sojourn.memory.index.question import read_question
from sojourn.memory.index.ranking import Candidate, Ranking, Reach, rarity
from sojourn.memory.index.search import Search
from sojourn.memory.index.sqlite_index import SqliteIndex
from sojourn.model.ids import DEFAULT_TENANT, Seq, SessionId

np: Any = pytest.importorskip("numpy")

START = datetime(2024, 3, 1, 9, tzinfo=UTC)
EVERYWHERE = Where(everyone=True)
TOPICS = (("kiln", "pottery", "clay"), ("boat", "sail", "harbour"), ("bread", "oven", "bake"))


class TopicEmbedder:
    """Knows three topics: a text points to those it has a word of."""

    dimensions = 4

    def __init__(self, name: str = "topics-1", *, broken: bool = False) -> None:
        self.name = name
        self.asked: list[str] = []
        self._broken = broken

    def embed(self, texts: Sequence[str]) -> Any:
        if self._broken:
            raise EmbeddingError("the model is not there")
        self.asked += texts
        rows = np.array([[*(any(word in text.lower() for word in topic) for topic in TOPICS), 0.1] for text in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def talk(*texts: str | tuple[str, str], session: str = "s1", start: datetime = START) -> list[Document]:
    """Return messages one minute apart, each a text or (speaker, text)."""
    return [
        Document(
            session_id=SessionId(session),
            seq=Seq(place + 1),
            kind="message",
            text=text if isinstance(text, str) else text[1],
            at=start + timedelta(minutes=place),
            role="user" if place % 2 == 0 else "assistant",
            speaker=None if isinstance(text, str) else text[0],
            place=place,
        )
        for place, text in enumerate(texts)
    ]


def ranked(question: str, documents: Sequence[Document], **options: Any) -> list[str]:
    asked = read_question(question)
    ranking = Ranking(asked, rarities=[1.0] * len(asked.terms), **options)
    found = ranking.rank([Candidate(document=document) for document in documents], limit=50)
    return [one.document.text for one in found]


@pytest.fixture
async def index(anyio_backend: str) -> AsyncIterator[SearchIndex]:
    async with SqliteIndex(None, tenant=DEFAULT_TENANT) as opened:
        yield opened


async def tell(index: SearchIndex, documents: Sequence[Document], *embedders: TopicEmbedder) -> None:
    for session in dict.fromkeys(document.session_id for document in documents):
        own = [document for document in documents if document.session_id == session]
        assert await index.add(
            SessionKey(session_id=session), after=Seq(0), through=Seq(max(one.seq for one in own)), documents=own
        )
    for embedder in embedders:
        waiting = await index.without_vectors(embedder.name, 1000)
        await index.add_vectors(embedder.name, [(one.number, embedder.embed([one.text])) for one in waiting])


def texts(hits: Sequence[Hit]) -> list[str]:
    return [hit.document.text for hit in hits]


# --- the order


def test_more_of_the_question_is_better() -> None:
    documents = [*talk("A red door."), *talk("A red boat.", session="s2"), *talk("A plum.", session="s3")]

    assert ranked("red boat", documents)[0] == "A red boat."


def test_an_answer_follows_the_question_that_it_answers() -> None:
    documents = talk("Hello there.", "Where do you keep the boat?", "Down by the mill, under a tarp.", "I see.", "Bye.")

    assert ranked("Where is the boat kept?", documents)[1] == "Down by the mill, under a tarp."


def test_what_follows_a_long_silence_answers_nothing() -> None:
    asked, answer = talk("Where is the boat?", "Under a tarp.")
    late = talk("x", "Much later.", session="s2", start=START + timedelta(days=2))[1]
    beside, apart = Candidate(document=answer), Candidate(document=late)
    first = talk("Where is the boat?", session="s2")[0]
    ranking = Ranking(read_question("Where is the boat?"), rarities=[1.0])

    judged = {
        one.candidate.document.text: one
        for one in ranking.judge([Candidate(document=asked), Candidate(document=first), beside, apart])
    }

    assert judged["Under a tarp."].previous is not None
    assert judged["Much later."].previous is None


def test_whom_the_question_names_is_preferred() -> None:
    documents = talk(("Olga", "I bake bread."), ("Piet", "I bake bread."))

    order = Ranking(read_question("bread"), rarities=[1.0], speakers=["Piet"]).rank(
        [Candidate(document=document) for document in documents], limit=2
    )

    assert [one.document.speaker for one in order] == ["Piet", "Olga"]
    assert "said by Piet" in order[0].reasons


def test_a_question_for_a_time_prefers_what_speaks_of_one() -> None:
    documents = [*talk("We sailed."), *talk("We sailed last Friday.", session="s2"), *talk("Hm.", session="s3")]

    assert ranked("When did you sail?", documents)[0] == "We sailed last Friday."


def test_what_was_said_in_the_time_that_is_named_is_preferred() -> None:
    old = talk("We sailed.", session="s2", start=datetime(2021, 6, 3, tzinfo=UTC))
    documents = [*talk("We sailed."), *old]

    found = Ranking(read_question("sailing in June 2021"), rarities=[1.0] * 3).rank(
        [Candidate(document=document) for document in documents], limit=1
    )

    assert found[0].document == old[0]
    assert "from 2021-06-03" in found[0].reasons


def test_of_equals_the_newest_comes_first() -> None:
    documents = [
        *talk("Blue heron.", session="s1", start=START),
        *talk("Blue heron.", session="s2", start=START + timedelta(days=9)),
    ]
    candidates = [Candidate(document=document) for document in documents]
    ranking = Ranking(read_question("blue heron"), rarities=[1.0, 1.0])

    there, back = ranking.rank(candidates, limit=2), ranking.rank(candidates[::-1], limit=2)

    assert [one.document.session_id for one in there] == ["s2", "s1"]
    assert there == back


def test_what_is_not_eligible_helps_its_neighbours_and_is_not_shown() -> None:
    documents = talk("Where is the boat?", "Under a tarp.")
    candidates = [Candidate(document=documents[0], eligible=False), Candidate(document=documents[1])]

    found = Ranking(read_question("boat"), rarities=[1.0]).rank(candidates, limit=10)

    assert [one.document.text for one in found] == ["Under a tarp."]
    assert found[0].reasons == ("answers a question that matches",)


def test_scores_are_between_0_and_1_and_fall() -> None:
    scores = [
        one.score
        for one in Ranking(read_question("red boat"), rarities=[2.0, 3.0]).rank(
            [Candidate(document=one) for one in talk("A red boat.", "A boat.", "Nothing?")], limit=3
        )
    ]

    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)


def test_without_candidates_there_is_nothing() -> None:
    assert ranked("anything", []) == []


def test_the_nearest_has_all_of_the_meaning_and_the_last_none() -> None:
    reach = Reach(best=0.8, last=0.2)

    assert reach.share(0.8) == pytest.approx(1)
    assert reach.share(0.2) == pytest.approx(0)
    assert reach.share(-0.9) == -1


def test_a_rare_word_tells_more() -> None:
    assert rarity(100, 1) > rarity(100, 50) > rarity(100, 100) > 0


# --- over an index


@pytest.mark.anyio
async def test_words_are_found_without_any_model(index: SearchIndex) -> None:
    await tell(index, talk("The kiln is broken.", "Call the shop.", "Lovely weather."))

    hits = await Search(index).find("broken kiln", EVERYWHERE)

    assert texts(hits)[0] == "The kiln is broken."
    assert hits[0].reasons[0] == "words: broken kiln"
    assert [hits[0].snippet[start:end] for start, end in hits[0].highlights] == ["kiln", "broken"]


@pytest.mark.anyio
async def test_meaning_finds_what_words_do_not(index: SearchIndex) -> None:
    embedder = TopicEmbedder()
    other = talk("We sail tomorrow.", "Fine.", session="s2")
    await tell(index, [*talk("I made a bowl of clay.", "Nice."), *other], embedder)

    hits = await Search(index, [embedder]).find("pottery", EVERYWHERE)

    assert texts(hits)[0] == "I made a bowl of clay."
    assert any(reason.startswith("meaning ") for reason in hits[0].reasons)


def shelves() -> list[Document]:
    """Return three talks: of a bowl, of something else, and of what is like a bowl without a word in common."""
    said = {"s1": "I sold a bowl, all clay.", "s2": "We sail at noon.", "s3": "The kiln gave us a fine jug."}
    return [document for session, text in said.items() for document in talk(text, session=session)]


@pytest.mark.anyio
async def test_who_asks_how_many_finds_what_is_like_the_best_hit(index: SearchIndex) -> None:
    embedder = TopicEmbedder()
    await tell(index, shelves(), embedder)

    hits = await Search(index, [embedder]).find("How many bowls sold?", EVERYWHERE)

    assert texts(hits) == ["I sold a bowl, all clay.", "The kiln gave us a fine jug.", "We sail at noon."]
    assert "like the best hits" in hits[1].reasons
    assert "like the best hits" not in hits[2].reasons


@pytest.mark.anyio
async def test_who_asks_for_one_thing_does_not_get_what_is_only_like_it(index: SearchIndex) -> None:
    embedder = TopicEmbedder()
    await tell(index, shelves(), embedder)

    hits = await Search(index, [embedder]).find("Which bowl sold?", EVERYWHERE)

    assert texts(hits) == ["I sold a bowl, all clay.", "We sail at noon.", "The kiln gave us a fine jug."]
    assert not any("like the best hits" in hit.reasons for hit in hits)


@pytest.mark.anyio
async def test_what_waits_to_be_embedded_is_not_taken_to_be_unlike(index: SearchIndex) -> None:
    embedder = TopicEmbedder()
    await tell(index, shelves(), embedder)
    tail = talk("I sold another bowl at the fair.", session="s4")

    hits = await Search(index, [embedder]).find("How many bowls have I sold?", EVERYWHERE, tail=tail)

    assert set(texts(hits)[:2]) == {"I sold a bowl, all clay.", "I sold another bowl at the fair."}


@pytest.mark.anyio
async def test_how_many_is_asked_of_an_empty_index(index: SearchIndex) -> None:
    assert await Search(index, [TopicEmbedder()]).find("How many bowls have I sold?", EVERYWHERE) == []


@pytest.mark.anyio
async def test_the_name_of_a_speaker_is_not_embedded(index: SearchIndex) -> None:
    embedder = TopicEmbedder()
    await tell(index, talk(("Olga", "I bake bread."), ("Piet", "Good.")), embedder)
    embedder.asked.clear()

    await Search(index, [embedder]).find("What does Olga bake?", EVERYWHERE)

    assert embedder.asked == ["What does bake?"]


@pytest.mark.anyio
async def test_search_goes_on_by_words_when_a_model_fails_and_says_so_once(
    index: SearchIndex, caplog: pytest.LogCaptureFixture
) -> None:
    await tell(index, talk("The kiln is broken."), TopicEmbedder("topics-broken"))
    search = Search(index, [TopicEmbedder("topics-broken", broken=True)])

    with caplog.at_level(logging.WARNING):
        first = await search.find("kiln", EVERYWHERE)
        second = await search.find("kiln", EVERYWHERE)

    assert texts(first) == texts(second) == ["The kiln is broken."]
    assert len([record for record in caplog.records if "topics-broken" in record.getMessage()]) == 1


@pytest.mark.anyio
async def test_what_is_not_indexed_yet_is_found_beside_the_rest(index: SearchIndex) -> None:
    await tell(index, talk("A boat came in.", "Good."))
    tail = talk("The old boat sank in the harbour.", session="s2")

    hits = await Search(index).find("old boat harbour", EVERYWHERE, tail=tail)

    assert texts(hits)[0] == "The old boat sank in the harbour."
    assert "A boat came in." in texts(hits)


@pytest.mark.anyio
async def test_what_is_in_the_tail_and_in_the_index_is_found_once(index: SearchIndex) -> None:
    documents = talk("A boat came in.")
    await tell(index, documents)

    assert texts(await Search(index).find("boat", EVERYWHERE, tail=documents)) == ["A boat came in."]


@pytest.mark.anyio
async def test_only_the_tail_is_enough(index: SearchIndex) -> None:
    hits = await Search(index, [TopicEmbedder()]).find("boat", EVERYWHERE, tail=talk("A boat came in."))

    assert texts(hits) == ["A boat came in."]


@pytest.mark.anyio
async def test_neighbours_outside_of_where_are_never_shown(index: SearchIndex) -> None:
    await tell(index, talk("Hello.", "The boat is ready.", "A secret.", "More secrets."))
    where = Where(parts=(Part(session_id=SessionId("s1"), last=Seq(2)),))

    assert set(texts(await Search(index).find("boat", where))) == {"Hello.", "The boat is ready."}


@pytest.mark.anyio
async def test_neighbours_of_another_role_are_not_shown(index: SearchIndex) -> None:
    await tell(index, talk("The boat is ready.", "Thanks."))

    hits = await Search(index).find("boat", Where(everyone=True, roles=("user",)))

    assert texts(hits) == ["The boat is ready."]


@pytest.mark.anyio
async def test_facts_are_ranked_in_the_same_list(index: SearchIndex) -> None:
    fact = Document(
        session_id=SessionId("s1"), seq=Seq(9), kind="fact", text="The boat is called Heron.", at=START, fact_id="f1"
    )
    await tell(index, [*talk("Hello.", "Is the boat dry?", "Yes."), fact])

    hits = await Search(index).find("What is the boat called?", EVERYWHERE)

    assert hits[0].document.fact_id == "f1"
    assert "Is the boat dry?" in texts(hits)


@pytest.mark.anyio
async def test_what_was_said_in_the_time_that_is_named_is_found_among_many(index: SearchIndex) -> None:
    then = talk("The boat, the boat.", "Aye.", session="s2", start=datetime(2021, 6, 3, tzinfo=UTC))
    await tell(index, [*talk(*["The old boat leaks again."] * 200), *then])

    hits = await Search(index).find("Which old boat leaks in June 2021?", EVERYWHERE, limit=2)

    assert hits[0].document.session_id == "s2"


@pytest.mark.anyio
async def test_identifiers_are_found_within_longer_ones(index: SearchIndex) -> None:
    await tell(index, talk("Set gateway_max_retry_count to 5.", "Done."))

    hits = await Search(index).find("max_retry_count", EVERYWHERE)

    assert texts(hits)[0] == "Set gateway_max_retry_count to 5."


@pytest.mark.anyio
@pytest.mark.parametrize("question", ["", "🎉", "\x00", "' OR 1=1 --", 'NEAR("a', "*", "word " * 10_000, "\ud800"])
async def test_any_question_is_survived(index: SearchIndex, question: str) -> None:
    await tell(index, talk("A word.", "Another."))

    hits = await Search(index).find(question, EVERYWHERE)

    assert len(hits) <= 2


@pytest.mark.anyio
async def test_a_question_of_many_words_is_answered_by_the_rarest(index: SearchIndex) -> None:
    await tell(index, talk("The heron stood still.", session="s1"))
    many = " ".join(f"w{chr(97 + n % 26)}{chr(97 + n // 26)}x" for n in range(60))

    hits = await Search(index).find(f"heron {many}", EVERYWHERE)

    assert texts(hits) == ["The heron stood still."]


@pytest.mark.anyio
async def test_no_more_than_the_limit_is_returned(index: SearchIndex) -> None:
    await tell(index, talk(*[f"Boat number {number}." for number in range(30)]))

    assert len(await Search(index).find("boat", EVERYWHERE, limit=7)) == 7
    assert await Search(index).find("boat", EVERYWHERE, limit=0) == []

"""Every search index finds the same: by words, by parts of words, and only where it is told to look."""

import itertools
import random
from dataclasses import dataclass

import pytest

from sojourn.memory.index.document import Document, DocumentKind, Part, SessionKey, Where
from sojourn.memory.index.protocol import SearchIndex
from sojourn.model.ids import Seq, SessionId
from tests.memory.index_talk import (
    EVERYWHERE,
    MODEL,
    at,
    embed,
    fact,
    fact_document,
    fact_row,
    holding,
    key,
    learn,
    matching,
    message,
    near,
    tell,
    unit,
)

pytestmark = pytest.mark.anyio


# --- by words


async def test_nothing_is_found_in_an_empty_index(index: SearchIndex) -> None:
    assert await matching(index, "giraffe") == []
    assert await holding(index, "giraffe_id") == []
    assert await index.frequencies(["giraffe"]) == (0, [0])


async def test_words_are_found_in_any_form_and_case(index: SearchIndex) -> None:
    await tell(index, "We were DEPLOYING three services", "the weather is fine", "Ein Café in Zürich")

    assert await matching(index, "deployed") == ["We were DEPLOYING three services"]
    assert await matching(index, "Service") == ["We were DEPLOYING three services"]
    assert await matching(index, "cafe", "zurich") == ["Ein Café in Zürich"]
    assert await matching(index, "café") == ["Ein Café in Zürich"]


async def test_a_word_is_not_found_inside_another_word(index: SearchIndex) -> None:
    await tell(index, "a category of things")

    assert await matching(index, "cat") == []


async def test_a_word_with_a_star_stands_for_all_that_begin_so(index: SearchIndex) -> None:
    await tell(index, "the deployment failed", "we deployed it", "a depot by the sea")

    assert set(await matching(index, "deplo*")) == {"the deployment failed", "we deployed it"}
    assert set(await matching(index, "deployment*")) >= {"the deployment failed"}
    assert len(await matching(index, "dep*")) == 3
    assert await matching(index, "*") == []


async def test_a_word_of_several_tokens_is_a_phrase(index: SearchIndex) -> None:
    await tell(index, "New York is large", "York has a new wall", "new-york")

    assert set(await matching(index, "New York")) == {"New York is large", "new-york"}
    assert set(await matching(index, "new-york")) == {"New York is large", "new-york"}
    assert await matching(index, "York has a new") == ["York has a new wall"]


async def test_a_document_with_more_of_the_words_comes_first(index: SearchIndex) -> None:
    await tell(index, "the giraffe ate", "the okapi ate", "the giraffe met the okapi", "nothing of interest")

    assert (await matching(index, "giraffe", "okapi"))[0] == "the giraffe met the okapi"
    assert len(await matching(index, "giraffe", "okapi")) == 3


async def test_a_rare_word_weighs_more_than_a_common_one(index: SearchIndex) -> None:
    await tell(index, *(f"report number {number} on the weather" for number in range(20)), "zebra crossing here")
    await tell(index, "the weather report")

    assert (await matching(index, "weather", "zebra"))[0] == "zebra crossing here"


async def test_a_short_text_comes_before_a_long_one_with_the_same_word(index: SearchIndex) -> None:
    filler = " ".join(f"filler{number}" for number in range(200))
    await tell(index, f"giraffe {filler}", "a giraffe", f"{filler} without it")

    assert await matching(index, "giraffe") == ["a giraffe", f"giraffe {filler}"]


async def test_a_word_said_often_counts_more_than_one_said_once(index: SearchIndex) -> None:
    await tell(index, "giraffe and lion and zebra and ibis", "giraffe and giraffe and giraffe and ibis", "a day out")

    assert (await matching(index, "giraffe"))[0] == "giraffe and giraffe and giraffe and ibis"


async def test_scores_are_positive_even_for_words_that_every_document_holds(index: SearchIndex) -> None:
    await tell(index, "tea one", "tea two", "tea three")

    found = await index.match(["tea"], EVERYWHERE, 10)

    assert len(found) == 3
    assert all(one.score > 0 for one in found)


async def test_words_that_everybody_says_do_not_bring_documents_when_rarer_ones_do(index: SearchIndex) -> None:
    await tell(index, *(f"the answer is {number}" for number in range(30)), "the giraffe is tall")

    assert await matching(index, "the", "giraffe", "is", limit=50) == ["the giraffe is tall"]


async def test_stop_words_alone_are_found_all_the_same(index: SearchIndex) -> None:
    await tell(index, "to be or not to be", "something else entirely")

    assert await matching(index, "to", "be", "or", "not") == ["to be or not to be"]
    assert await matching(index, "to be or not to be") == ["to be or not to be"]


async def test_a_limit_gives_the_best(index: SearchIndex) -> None:
    await tell(index, *(f"giraffe and filler {number}" for number in range(8)), "giraffe okapi", "a day", "a night")

    assert await matching(index, "giraffe", "okapi", limit=1) == ["giraffe okapi"]
    assert len(await index.match(["giraffe"], EVERYWHERE, 3)) == 3
    assert await index.match(["giraffe"], EVERYWHERE, 0) == []


@pytest.mark.parametrize(
    "words",
    [
        [],
        [""],
        ["   "],
        ["?!"],
        ["***"],
        ['"'],
        ["'", "''"],
        ["(", ")", "&", "|", "!", "<->", ":*", ":"],
        ["\0"],
        ["\ufeff\ufffe"],
        ["👩‍👩‍👧"],
        ["%s", "%(x)s", "%"],
        ["-"],
        ["\\"],
    ],
    ids=repr,
)
async def test_what_is_no_word_finds_no_giraffe(words: list[str], index: SearchIndex) -> None:
    await tell(index, "a giraffe")

    assert await matching(index, *words) == []
    assert await index.match_parts(words, EVERYWHERE, 10) == []
    assert (await index.frequencies(words)) == (1, [0] * len(words))


@pytest.mark.parametrize(
    "word",
    [
        "giraffe OR okapi",
        "NOT giraffe",
        "NEAR(giraffe okapi)",
        "giraffe & !okapi",
        "col:giraffe",
        '"giraffe',
        "giraffe'; DROP TABLE search_documents; --",
        "giraffe <-> okapi",
        "^giraffe",
        "giraffe:*B",
        "giraffe\0okapi",
    ],
)
async def test_operators_in_a_word_are_only_words(word: str, index: SearchIndex) -> None:
    await tell(index, "a giraffe", "an okapi")

    found = await matching(index, word)

    assert set(found) <= {"a giraffe"}
    assert await matching(index, word, "okapi") in (["an okapi"], ["an okapi", *found], [*found, "an okapi"])


async def test_ten_thousand_words_are_answered(index: SearchIndex) -> None:
    await tell(index, "a giraffe", "an okapi")

    assert await matching(index, "giraffe", *(f"word{number}" for number in range(10_000))) == ["a giraffe"]
    assert len(await index.match(["giraffe"] * 10_000, EVERYWHERE, 10)) == 1
    assert await index.match(["word " * 10_000], EVERYWHERE, 10) == []
    assert await index.match(["x" * 100_000], EVERYWHERE, 10) == []


async def test_how_often_words_stand_is_counted_in_documents(index: SearchIndex) -> None:
    await tell(index, "tea and tea", "Teas of India", "coffee", "green tea ceremony")

    total, counts = await index.frequencies(["tea", "COFFEE", "milk", "green tea", "cof*"])

    assert total == 4
    assert counts == [3, 1, 0, 1, 1]


# --- by parts of words


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("call getUserName() first", "UserName"),
        ("call getUserName() first", "getusername"),
        ("the variable max_retry_count is 3", "retry_count"),
        ("the variable max_retry_count is 3", "max_retry"),
        ("see src/app/main_window.py for it", "main_window"),
        ("see src/app/main_window.py for it", "app/main_window.py"),
        ("see src/app/main_window.py for it", "src/app"),
        ("error E4021-B happened", "E4021"),
        ("visit https://shop.example/cart?id=77", "shop.example/cart"),
        ("version v2.31.0rc1 is out", "31.0rc1"),
        ("私は東京都に住んでいます", "東京都"),
        ("私は東京都に住んでいます", "東京"),
        ("我喜欢喝绿茶", "绿茶"),
        ("我喜欢喝绿茶", "喜欢"),
        ("ฉันอยู่ที่กรุงเทพมหานคร", "กรุงเทพ"),
        ("コーヒーを飲みたい", "コーヒー"),
        ("한국어를 공부합니다", "한국어"),
    ],
)
async def test_a_part_of_a_word_is_found(text: str, part: str, index: SearchIndex) -> None:
    await tell(index, "nothing to see here", text, "这里什么都没有 and other_things/too")

    assert await holding(index, part) == [text]


async def test_a_document_with_more_of_the_parts_comes_first(index: SearchIndex) -> None:
    await tell(index, "open main_window.py", "open other_file.py", "main_window.py and other_file.py")

    found = await holding(index, "main_window", "other_file")

    assert found[0] == "main_window.py and other_file.py"
    assert len(found) == 3
    assert await holding(index, "main_window", "other_file", limit=1) == found[:1]


async def test_a_part_is_found_only_where_all_of_it_stands(index: SearchIndex) -> None:
    await tell(index, "the max_retry_total is 3", "京都の東")

    assert await holding(index, "max_retry_count") == []
    assert await holding(index, "東京都") == []


@pytest.mark.parametrize("part", ["%", "_", "a%b_c", "'", '"', "\\", "mix_%", "x" * 50_000, "ab\0cd_e", "👩‍👩‍👧"])
async def test_odd_parts_are_only_parts(part: str, index: SearchIndex) -> None:
    await tell(index, "the max_retry_count is 3")

    assert await holding(index, part) == []


async def test_what_was_said_with_emoji_is_found(index: SearchIndex) -> None:
    await tell(index, "🎉 the launch_party was great 🎉👩‍👩‍👧")

    assert await matching(index, "launch_party") == ["🎉 the launch_party was great 🎉👩‍👩‍👧"]
    assert await holding(index, "launch_party") == ["🎉 the launch_party was great 🎉👩‍👩‍👧"]


# --- where


@dataclass(frozen=True)
class Placed:
    """A document and the session that it stands in."""

    owner: SessionKey
    document: Document


OWNERS = (
    key("a", user_id="ada", project="tea", tags=("red", "blue")),
    key("b", user_id="bob", project="tea", tags=("red",)),
    key("c", user_id="ada"),
    key("n", project="tea", tags=("blue",)),
    key("trash", user_id="ada", project="tea", tags=("red",), hidden=True),
    key("ab", user_id="ad"),
)
ROLES = ("user", "assistant", "tool")


async def fill(index: SearchIndex) -> list[Placed]:
    """Put three messages and a fact into each of several sessions; every one speaks of a giraffe_id."""
    everything: list[Placed] = []
    for owner in OWNERS:
        name = owner.session_id
        told = [
            message(f"giraffe_id {name}{seq}", seq=seq, session_id=name, role=ROLES[seq - 1]) for seq in range(1, 4)
        ]
        known = fact(f"giraffe_id {name}4", seq=4)
        told.append(fact_document(known, seq=4, session_id=name))
        assert await index.add(owner, after=Seq(0), through=Seq(4), documents=told, facts=[fact_row(known, owner)])
        everything += (Placed(owner, document) for document in told)
    await embed(index, {one.document.text: unit(1, 0.1) for one in everything})
    return everything


def allows(where: Where, one: Placed) -> bool:
    """Tell whether *one* may be found, as the words of `Where` have it."""
    owner, document = one.owner, one.document
    if where.parts is None:
        whose = (where.everyone or owner.user_id == where.user_id) and not owner.hidden
    else:
        whose = any(
            part.session_id == owner.session_id
            and part.first <= document.seq
            and (part.last is None or document.seq <= part.last)
            for part in where.parts
        )
    return (
        whose
        and where.project in (None, owner.project)
        and (where.tag is None or where.tag in owner.tags)
        and document.kind in where.kinds
        and (not where.roles or document.role in where.roles)
        and (where.since is None or document.at >= where.since)
        and (where.until is None or document.at <= where.until)
    )


def part(session_id: str, first: int = 1, last: int | None = None) -> Part:
    return Part(session_id=SessionId(session_id), first=Seq(first), last=None if last is None else Seq(last))


PARTS: tuple[tuple[Part, ...] | None, ...] = (
    None,
    (),
    (part("a", last=2), part("b", 3)),
    (part("a", 2, 3), part("a", 4, 4), part("trash")),
    (part("nowhere"), part("n", 9)),
)


KINDS: tuple[tuple[DocumentKind, ...], ...] = (("message", "fact"), ("message",), ("fact",), ())


def every_where() -> list[Where]:
    """Return some of all combinations of all conditions, the same ones each time."""
    combined = [
        Where(
            parts=parts, user_id=user_id, everyone=everyone, project=project, tag=tag, kinds=kinds, roles=roles,
            since=since, until=until,
        )
        for parts, (user_id, everyone), project, tag, kinds, roles, since, until in itertools.product(
            PARTS,
            (("ada", False), ("bob", False), (None, False), (None, True), ("ada", True), ("x", False)),
            (None, "tea"),
            (None, "red", "blu"),
            KINDS,
            ((), ("user",), ("assistant", "tool"), ("nobody",)),
            (None, at(2)),
            (None, at(3)),
        )
    ]  # fmt: skip
    simple = [where for where in combined if sum(bool(value) for value in where.to_dict().values()) <= 3]
    rng = random.Random(7)
    return [*rng.sample(simple, min(len(simple), 60)), *rng.sample(combined, 60)]


async def test_every_way_of_looking_finds_exactly_what_stands_where_it_looks(index: SearchIndex) -> None:
    everything = await fill(index)

    for where in every_where():
        allowed = {one.document.text for one in everything if allows(where, one)}
        assert set(await matching(index, "giraffe_id", where=where, limit=100)) == allowed, where
        assert set(await holding(index, "giraffe_id", where=where, limit=100)) == allowed, where
        assert set(await near(index, 1, 0, where=where, limit=100)) == allowed, where


async def test_a_user_never_finds_what_another_said(index: SearchIndex) -> None:
    await fill(index)

    for user_id, names in (("ada", {"a", "c"}), ("bob", {"b"}), ("ad", {"ab"}), (None, {"n"}), ("", set[str]())):
        where = Where(user_id=user_id)
        for found in (
            await index.match(["giraffe_id"], where, 100),
            await index.match_parts(["giraffe_id"], where, 100),
            await index.nearest(MODEL, unit(1, 0)[0], where, 100),
        ):
            stored = await index.documents([one.number for one in found])
            assert {one.document.session_id for one in stored} == names


async def test_a_fork_reads_its_beginning_from_another_session(index: SearchIndex) -> None:
    await tell(index, "giraffe one", "giraffe two", "giraffe three", owner=key("parent", user_id="ada"))
    forked = [message("giraffe four", seq=3, session_id="fork")]
    await index.add(key("fork", user_id="ada"), after=Seq(0), through=Seq(3), documents=forked)

    where = Where(parts=(part("parent", last=2), part("fork", 3)))

    assert set(await matching(index, "giraffe", where=where)) == {"giraffe one", "giraffe two", "giraffe four"}


async def test_a_small_session_is_found_among_many_louder_ones(index: SearchIndex) -> None:
    loud = [message(f"giraffe giraffe {number}", seq=number, session_id="loud") for number in range(1, 1001)]
    await index.add(key("loud"), after=Seq(0), through=Seq(1000), documents=loud)
    await tell(index, "once, long ago, there was somewhere a giraffe", owner=key("small"))
    await index.add_vectors(
        MODEL,
        [(one.number, unit(1, 0.001 * place)) for place, one in enumerate(await index.without_vectors(MODEL, 2000))],
    )
    where = Where(parts=(part("small"),))

    assert await matching(index, "giraffe", where=where, limit=5) == ["once, long ago, there was somewhere a giraffe"]
    assert await near(index, 1, 1, where=where, limit=5) == ["once, long ago, there was somewhere a giraffe"]


async def test_sessions_leave_the_trash_and_are_found_again(index: SearchIndex) -> None:
    await tell(index, "a giraffe", owner=key(user_id="ada"))

    await index.update_session(key(user_id="ada", hidden=True))
    assert await matching(index, "giraffe", where=Where(user_id="ada")) == []
    assert await matching(index, "giraffe") == []

    await index.update_session(key(user_id="ada"))
    assert await matching(index, "giraffe", where=Where(user_id="ada")) == ["a giraffe"]


async def test_facts_and_messages_are_found_together(index: SearchIndex) -> None:
    await tell(index, "my kettle is blue")
    await learn(index, fact("The user's kettle is blue."))

    assert set(await matching(index, "kettle")) == {"my kettle is blue", "The user's kettle is blue."}

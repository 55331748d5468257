"""Facts are listed, added, put right, retired, brought back, reviewed and explained by hand."""

from pathlib import Path

import pytest

import sojourn
from sojourn.engine.session import Session
from sojourn.model.events import Span
from sojourn.model.message import Message
from tests.cli.seeded import seed, visit
from tests.cli.typed import Type, Typed


async def _learned(_: sojourn.Sojourn, session: Session) -> None:
    said = Message(role="user", content="By the way, prod runs behind nginx. And hello.")
    seq = (await session.messages.add(said)).seq
    span = Span(seq=seq, start=12, end=34)
    await session.facts.learn("prod runs behind nginx", causes=[seq], spans=[span], scope="project")
    await session.facts.learn("uses iOS 12", status="candidate", source="assistant", confidence=0.55)
    await session.facts.learn("the tests take an hour", source="user")
    await session.facts.learn("the cache runs on Redis", status="candidate", source="assistant", confidence=0.6)


@pytest.fixture
def known(folder: Path) -> Path:
    """A project whose last session knows two facts and doubts two."""
    seed(folder, _learned)
    return folder


def contents(listed: Typed) -> list[str]:
    return [fact["content"] for fact in listed.data["facts"]]


# --- list


def test_facts_that_hold_are_listed_and_the_others_when_asked(known: Path, type_: Type) -> None:
    listed = type_("facts", "ls", "--json")

    assert listed.answer["command"] == "facts ls"
    assert contents(listed) == ["prod runs behind nginx", "the tests take an hour"]
    assert listed.data["counts"] == {"active": 2, "candidate": 2, "retired": 0}
    assert contents(type_("facts", "ls", "--status", "candidate", "--json")) == [
        "uses iOS 12",
        "the cache runs on Redis",
    ]
    assert len(contents(type_("facts", "ls", "--status", "all", "--json"))) == 4
    assert "2 candidates to look at" in type_("facts", "ls").err


def test_a_fact_has_the_same_number_in_every_list(known: Path, type_: Type) -> None:
    def numbers(*words: str) -> dict[str, int]:
        return {one["content"]: one["number"] for one in type_("facts", "ls", *words, "--json").data["facts"]}

    everything = numbers("--status", "all")

    assert everything == {
        "prod runs behind nginx": 1,
        "uses iOS 12": 2,
        "the tests take an hour": 3,
        "the cache runs on Redis": 4,
    }
    assert numbers("--search", "hour") == {"the tests take an hour": 3}


def test_a_search_lists_what_shares_a_word(known: Path, type_: Type) -> None:
    assert contents(type_("facts", "ls", "--search", "behind which server does prod run", "--json")) == [
        "prod runs behind nginx"
    ]
    nothing = type_("facts", "ls", "--search", "zebra")
    assert (nothing.code, nothing.out) == (0, "")
    assert "no such facts" in nothing.err


def test_what_the_project_shares_is_listed_with_where_it_comes_from(known: Path, type_: Type) -> None:
    async def nothing(_: sojourn.Sojourn, __: Session) -> None: ...

    seed(known, nothing, title="Another")

    assert contents(type_("facts", "ls", "--json")) == []
    shared = type_("facts", "ls", "--scope", "project", "--json")
    assert contents(shared) == ["prod runs behind nginx"]
    assert len(shared.data["facts"][0]["sessions"]) == 1
    assert type_("facts", "ls", "--scope", "project", "--status", "retired").code == 2
    assert "share no such facts" in type_("facts", "ls", "--scope", "user").err


@pytest.mark.parametrize("columns", ["40", "100"])
def test_no_line_is_wider_than_the_terminal(
    known: Path, type_: Type, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)

    lines = type_("facts", "ls", "--status", "all").lines

    assert len(lines) == 5
    assert max(map(len, lines)) <= int(columns)


# --- add


def test_an_added_fact_is_the_users_and_sure(known: Path, type_: Type) -> None:
    added = type_("facts", "add", "the API is frozen until May", "--tag", "release", "--from", "2")

    assert added.code == 0
    (fact,) = type_("facts", "ls", "--search", "frozen API", "--json").data["facts"]
    assert (fact["fact_id"], fact["sources"], fact["confidence"]) == (added.lines[0], ["user"], 1.0)
    assert (fact["tags"], 2 in fact["evidence"]) == (["release"], True)


def test_a_new_answer_takes_the_place_of_the_old_one(known: Path, type_: Type) -> None:
    type_("facts", "add", "The deadline is Friday")

    added = type_("facts", "add", "The deadline is Monday")

    assert "in place of: The deadline is Friday" in added.err
    assert contents(type_("facts", "ls", "--search", "deadline", "--json")) == ["The deadline is Monday"]


def test_what_is_known_is_not_added_twice(known: Path, type_: Type) -> None:
    again = type_("facts", "add", "Prod runs behind nginx.", "--json")

    assert again.data["known"] is True
    assert len(contents(type_("facts", "ls", "--json"))) == 2


def test_what_tells_about_you_is_refused_until_you_agree(known: Path, type_: Type) -> None:
    refused = type_("facts", "add", "The user lives in Lisbon", "--scope", "user")

    assert refused.code == 2
    assert "sojourn profile keep yes" in refused.err
    assert len(contents(type_("facts", "ls", "--status", "all", "--json"))) == 4
    type_("profile", "keep", "yes")
    assert type_("facts", "add", "The user lives in Lisbon", "--scope", "user").code == 0
    assert "The user lives in Lisbon" in contents(type_("facts", "ls", "--json"))
    type_("profile", "keep", "no")
    assert type_("facts", "add", "The user lives in Porto").code == 2
    assert "The user lives in Lisbon" in contents(type_("facts", "ls", "--json"))


@pytest.mark.parametrize("text", ["I live in Porto", "I'm a carpenter", "The user's name is Ada"])
def test_a_sentence_about_yourself_is_known_as_one(known: Path, type_: Type, text: str) -> None:
    assert type_("facts", "add", text).code == 2

    type_("profile", "keep", "yes")
    assert type_("facts", "add", text, "--json").data["fact"]["about"] == "user"
    assert type_("facts", "add", "It is about nobody", "--json").data["fact"]["about"] is None


@pytest.mark.parametrize("text", ["", "   ", "x" * 10_001])
def test_a_text_that_is_no_fact_changes_nothing(known: Path, type_: Type, text: str) -> None:
    assert type_("facts", "add", text).code == 2
    assert len(contents(type_("facts", "ls", "--status", "all", "--json"))) == 4


# --- put right


def test_a_fact_is_named_by_number_id_piece_or_words(known: Path, type_: Type) -> None:
    (fact,) = type_("facts", "ls", "--search", "hour", "--json").data["facts"]
    whole = fact["fact_id"]

    for name in ("3", whole, whole.removeprefix("fact-"), whole[5:10], "The tests take an HOUR", "an hour"):
        assert type_("facts", "show", name, "--json").data["fact"]["fact_id"] == whole


def test_an_edited_fact_keeps_its_id_and_is_accepted(known: Path, type_: Type) -> None:
    edited = type_("facts", "edit", "2", "uses iOS 17", "--json")

    (fact,) = edited.data["facts"]
    assert (fact["content"], fact["status"], fact["confidence"]) == ("uses iOS 17", "active", 1.0)
    assert "uses iOS 17" in contents(type_("facts", "ls", "--json"))


def test_a_retired_fact_is_kept_and_not_learned_again(known: Path, type_: Type) -> None:
    retired = type_("facts", "retire", "1", "3", "--reason", "wrong")

    assert (retired.code, "2 facts retired" in retired.err) == (0, True)
    assert contents(type_("facts", "ls", "--json")) == []
    assert "(retired: wrong)" in type_("facts", "ls", "--status", "retired").out

    async def learned_again(_: sojourn.Sojourn, session: Session) -> None:
        assert (await session.facts.learn("prod runs behind nginx")).status == "retired"

    visit(known, type_("show", "--json").data["session"]["session_id"], learned_again)
    refused = type_("facts", "add", "prod runs behind nginx")
    assert refused.code == 4
    assert "facts restore" in refused.err


def test_a_restored_fact_holds_again(known: Path, type_: Type) -> None:
    type_("facts", "retire", "1")

    type_("facts", "restore", "1")

    assert "prod runs behind nginx" in contents(type_("facts", "ls", "--json"))


def test_a_shared_fact_is_put_right_where_it_was_learned(known: Path, type_: Type) -> None:
    async def nothing(_: sojourn.Sojourn, __: Session) -> None: ...

    seed(known, nothing, title="Another")

    assert type_("facts", "retire", "prod runs behind nginx").code == 0
    assert contents(type_("facts", "ls", "--scope", "project", "--json")) == []


def test_of_several_names_one_that_is_unknown_stops_all(known: Path, type_: Type) -> None:
    missing = type_("facts", "retire", "1", "nothing such", "--json")

    assert (missing.code, missing.answer["command"], missing.error["kind"]) == (3, "facts retire", "NotFoundError")
    assert len(contents(type_("facts", "ls", "--json"))) == 2


def test_a_piece_of_an_id_that_names_none_or_is_too_short_is_not_found(known: Path, type_: Type) -> None:
    assert type_("facts", "show", "0").code == 3
    assert type_("facts", "show", "5").code == 3
    assert type_("facts", "show", "fact-").code == 3


# --- review


def test_candidates_are_listed_the_most_important_first(known: Path, type_: Type) -> None:
    review = type_("facts", "review", "--json")

    assert [fact["content"] for fact in review.data["waiting"]] == ["the cache runs on Redis", "uses iOS 12"]
    assert "2 candidates left" in type_("facts", "review").err


def test_candidates_are_accepted_and_retired_by_name(known: Path, type_: Type) -> None:
    done = type_("facts", "review", "--accept", "4", "--retire", "2", "--json").data

    assert [fact["content"] for fact in done["accepted"]] == ["the cache runs on Redis"]
    assert [fact["content"] for fact in done["retired"]] == ["uses iOS 12"]
    assert done["waiting"] == []
    assert "nothing waits" in type_("facts", "review").err


def test_a_candidate_is_not_both_accepted_and_retired(known: Path, type_: Type) -> None:
    assert type_("facts", "review", "--accept", "2", "--retire", "2").code == 2
    assert len(type_("facts", "review", "--json").data["waiting"]) == 2


# --- why


def test_the_words_behind_a_fact_are_quoted(known: Path, type_: Type) -> None:
    told = type_("facts", "why", "1")

    assert "[2] user said" in told.out
    assert "“prod runs behind nginx”" in told.out
    assert "hello" not in told.out
    data = type_("facts", "why", "1", "--json").data
    assert data["quotes"][0]["words"] == ["prod runs behind nginx"]
    assert data["entries"][-1]["causes"] == [2]


def test_a_fact_that_fell_out_of_the_state_is_found_by_its_id(folder: Path, type_: Type) -> None:
    first: list[str] = []

    async def many(_: sojourn.Sojourn, session: Session) -> None:
        first.append((await session.facts.learn("zebra crossing 0 is closed", confidence=0.5)).fact_id)
        for number in range(1, 104):
            await session.facts.learn(f"zebra crossing {number} is closed", confidence=0.9)

    seed(folder, many)

    listed = type_("facts", "--json").data
    assert (len(listed["facts"]), listed["older"]) == (100, 4)
    assert first[0] not in [fact["fact_id"] for fact in listed["facts"]]
    assert "4 facts of less worth" in type_("facts").err
    assert type_("facts", "show", first[0], "--json").data["fact"]["content"] == "zebra crossing 0 is closed"
    assert type_("facts", "retire", first[0], "--json").data["facts"][0]["status"] == "retired"
    assert type_("facts", "why", first[0]).code == 0


def test_a_name_that_fits_several_facts_lists_them(known: Path, type_: Type) -> None:
    several = type_("facts", "retire", "runs")

    assert several.code == 2
    assert "names 2 facts" in several.err
    assert "prod runs behind nginx" in several.err
    assert "the cache runs on Redis" in several.err


def test_a_fact_is_shown_with_its_use_and_what_held_before(known: Path, type_: Type) -> None:
    async def used(_: sojourn.Sojourn, session: Session) -> None:
        await session.facts.learn("The deadline is Friday", tags=["release"])
        fact = await session.facts.learn("The deadline is Monday", tags=["release"])
        await session.facts.used([fact.fact_id])
        await session.facts.verify(fact.fact_id)

    visit(known, type_("show", "--json").data["session"]["session_id"], used)

    shown = type_("facts", "show", "The deadline is Monday")
    assert "used 1 time · #release" in shown.out
    assert "checked:" in shown.out
    assert "The deadline is Friday" in shown.out
    assert "holds instead; it is kept" in shown.out


def test_a_fact_that_is_named_twice_is_changed_once(known: Path, type_: Type) -> None:
    assert "1 fact retired" in type_("facts", "retire", "1", "prod runs behind nginx").err

"""The life of sessions: names, trash, branches, and bringing them home."""

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec import structs

import sojourn
from sojourn import events
from sojourn.engine.app import Sojourn
from sojourn.engine.merge import Strategy
from sojourn.engine.project import find_project, name_project
from sojourn.engine.settings import Settings
from sojourn.errors import AlreadyExistsError, CorruptError, ForksExistError, InvalidInputError, SessionNotFoundError
from sojourn.store.protocol import SessionQuery
from sojourn.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


def holds(folder: Path, content: bytes) -> bool:
    """Tell whether *content* stands in any file below *folder*."""
    return any(content in file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(tick=0.001)


@pytest.fixture
async def app(clock: FakeClock) -> AsyncIterator[Sojourn]:
    settings = Settings(keep_profile="yes", retention_days=30)
    async with sojourn.open("memory:", settings=settings, clock=clock) as opened:
        yield opened


async def test_a_session_is_begun_once_and_opened_as_the_same_object(app: Sojourn) -> None:
    created = await app.sessions.create("s", user_id="ada", title="Plans", tags=["a", "a", "b"])

    assert created.state.title == "Plans"
    assert created.state.tags == ("a", "b")
    assert await app.sessions.open("s") is created
    assert await app.sessions.get_or_create("s") is created
    with pytest.raises(AlreadyExistsError):
        await app.sessions.create("s")


async def test_the_last_session_is_remembered_per_project_and_a_stale_pointer_ignored(app: Sojourn) -> None:
    await app.sessions.create("here")
    await app.sessions.create("there")
    await app.sessions.switch("here")
    await app.sessions.switch("there", project="p")
    here, there = await app.sessions.last(), await app.sessions.last(project="p")
    assert here is not None
    assert there is not None
    assert (here.id, there.id) == ("here", "there")

    await app.sessions.delete("here")
    assert await app.sessions.last() is None
    assert await app.sessions.last(project="unknown") is None


async def test_a_question_in_passing_is_used_last_but_not_what_is_talked_about(app: Sojourn) -> None:
    for name in ("asked first", "talk", "asked", "asked again"):
        await app.sessions.create(name.replace(" ", "-"))
    await app.sessions.switch("asked-first", in_passing=True)
    before = await app.sessions.last(talked=True)
    await app.sessions.switch("talk")
    for name in ("asked", "asked-again"):
        await app.sessions.switch(name, in_passing=True)

    used, talked = await app.sessions.last(), await app.sessions.last(talked=True)

    assert before is None
    assert used is not None
    assert talked is not None
    assert (used.id, talked.id) == ("asked-again", "talk")


async def test_a_users_title_is_never_replaced_by_another(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await app.sessions.title_from("s", "Hi! Can you help me to fix the flaky login tests in CI? They fail.")
    assert session.state.title == "Fix the flaky login tests"

    await app.sessions.rename("s", "Agent's idea", source="agent")
    await app.sessions.rename("s", "Mine")
    await app.sessions.rename("s", "Agent again", source="agent")
    await app.sessions.title_from("s", "Something else")
    assert session.state.title == "Mine"


async def test_a_deleted_session_is_in_the_trash_and_comes_back(app: Sojourn) -> None:
    await app.sessions.create("s")
    await app.sessions.delete("s")
    assert (await app.sessions.list()).rows == ()
    with pytest.raises(SessionNotFoundError, match="trash"):
        await app.sessions.open("s")

    await app.sessions.restore("s")
    assert (await app.sessions.open("s")).id == "s"
    await app.sessions.purge("s")
    with pytest.raises(SessionNotFoundError):
        await app.sessions.open("s")


async def test_an_archived_session_is_listed_when_asked_for(app: Sojourn) -> None:
    await app.sessions.create("s")
    await app.sessions.archive("s")

    assert (await app.sessions.list()).rows == ()
    assert [row.header.session_id for row in (await app.sessions.list(SessionQuery(archived=True))).rows] == ["s"]
    await app.sessions.unarchive("s")
    assert len((await app.sessions.list()).rows) == 1


async def test_too_many_tags_are_refused_and_change_nothing(app: Sojourn) -> None:
    session = await app.sessions.create("s", tags=["kept"])
    with pytest.raises(InvalidInputError, match="at most 100"):
        await app.sessions.tag("s", add=[f"t{i}" for i in range(10_000)])
    await app.sessions.tag("s", add=["new"], remove=["kept"])

    assert session.state.tags == ("new",)


async def test_rewinding_puts_a_fork_in_the_sessions_place(app: Sojourn) -> None:
    session = await app.sessions.create("s", title="Trip")
    kept = await session.messages.user("to Rome")
    await session.messages.user("no, to Paris")
    rewound = await app.sessions.rewind("s", at=kept.seq)

    assert (await app.sessions.open("s")).id == rewound.id
    assert (await app.sessions.open("s", exact=True)).state.conversation.message_count == 2
    assert rewound.state.conversation.message_count == 1
    assert rewound.state.title == "Trip"


async def test_rewinding_does_not_take_back_the_title_and_the_tags(app: Sojourn) -> None:
    session = await app.sessions.create("s", title="Draft", tags=["old", "both"])
    kept = await session.messages.user("to Rome")
    await app.sessions.rename("s", "Trip")
    await app.sessions.tag("s", add=["new"], remove=["old"])
    rewound = await app.sessions.rewind("s", at=kept.seq)

    assert (rewound.state.title, rewound.state.tags) == ("Trip", ("both", "new"))


async def test_a_tree_may_be_hundreds_of_forks_deep(app: Sojourn) -> None:
    await app.sessions.create("f0")
    for number in range(1, 500):
        await app.store.fork_session(f"f{number - 1}", f"f{number}")
    branch, depth = await app.sessions.tree("f0"), 0
    while branch.forks:
        branch, depth = branch.forks[0], depth + 1

    assert (branch.header.session_id, depth) == ("f499", 499)


async def test_the_tree_shows_forks_of_forks(app: Sojourn) -> None:
    await app.sessions.create("root")
    await app.sessions.fork("root", "a")
    await app.sessions.fork("a", "b")
    tree = await app.sessions.tree("root")

    assert [branch.header.session_id for branch in tree.forks] == ["a"]
    assert [branch.header.session_id for branch in tree.forks[0].forks] == ["b"]
    assert [header.session_id for header in await app.sessions.branches("root")] == ["a"]
    with pytest.raises(ForksExistError, match="a"):
        await app.sessions.purge("root")


async def test_forking_beyond_the_head_is_refused(app: Sojourn) -> None:
    await app.sessions.create("s")
    with pytest.raises(InvalidInputError, match="cannot fork at 99"):
        await app.sessions.fork("s", "f", at=99)
    assert await app.store.find_session("f") is None


async def test_a_subagents_session_is_nested_under_its_callers(app: Sojourn) -> None:
    await app.sessions.create("caller")
    await app.sessions.create("helper", parent="caller")

    assert [header.session_id for header in await app.sessions.children("caller")] == ["helper"]
    with pytest.raises(SessionNotFoundError):
        await app.sessions.create("orphan", parent="nobody")


async def test_what_only_a_branch_learned_comes_home(app: Sojourn) -> None:
    ours = await app.sessions.create("ours")
    await ours.variables.set("region", "eu")
    theirs = await app.sessions.fork("ours", "theirs")
    await theirs.variables.set("region", "us")
    await theirs.append(events.FactLearned(fact_id="f", content="The limit is 100", tags=("api",)))
    await theirs.working_set.decide("use SQLite")
    await theirs.append(events.ProfileUpdated(fields={"interests": ["chess"]}))
    await ours.append(events.ProfileUpdated(fields={"interests": ["tea"]}))
    result = await app.sessions.merge("ours", "theirs")

    assert result.merged
    assert result.conflicts == ()
    assert ours.variables["region"] == "us"
    assert ours.state.knowledge_base.facts["f"].tags == ("api",)
    assert [decision.text for decision in ours.state.working_set.decisions] == ["use SQLite"]
    assert ours.state.user_profile.interests == ("tea", "chess")
    merged = [entry for entry in await app.store.read("ours") if isinstance(entry.event, events.BranchMerged)]
    assert ours.state.knowledge_base.facts["f"].evidence[0] == merged[0].seq
    assert (await app.sessions.merge("ours", "theirs")).brought == ()


@pytest.mark.parametrize(
    ("strategy", "expected"), [("ours", "Ada"), ("theirs", "Bea"), ("newest", "Bea"), ("most_confident", "Ada")]
)
async def test_a_conflict_is_decided_by_the_strategy(app: Sojourn, strategy: Strategy, expected: str) -> None:
    ours = await app.sessions.create("ours")
    theirs = await app.sessions.fork("ours", "theirs")
    await ours.append(events.ProfileUpdated(fields={"name": "Ada"}, confidence=0.9))
    await theirs.append(events.ProfileUpdated(fields={"name": "Bea"}, confidence=0.6))
    result = await app.sessions.merge("ours", "theirs", strategy=strategy)

    assert [(one.component, one.name) for one in result.conflicts] == [("user_profile", "name")]
    assert ours.state.user_profile.name == expected


async def test_a_fact_that_a_branch_put_back_comes_home_as_a_candidate(app: Sojourn) -> None:
    ours = await app.sessions.create("ours")
    fact = await ours.facts.learn("The server runs on port 80")
    theirs = await app.sessions.fork("ours", "theirs")
    await theirs.facts.put_back(fact.fact_id)
    await app.sessions.merge("ours", "theirs")

    assert [one.content for one in (await app.sessions.open("ours")).facts.review()] == ["The server runs on port 80"]


async def test_a_merge_that_must_ask_changes_nothing_until_it_is_answered(app: Sojourn) -> None:
    ours = await app.sessions.create("ours")
    theirs = await app.sessions.fork("ours", "theirs")
    await ours.focus.set("task", "t1")
    await theirs.focus.set("task", "t2")
    head = ours.head
    asked = await app.sessions.merge("ours", "theirs")
    assert not asked.merged
    assert ours.head == head

    [conflict] = asked.conflicts
    answered = await app.sessions.merge("ours", "theirs", resolutions={conflict.key: "theirs"})
    assert answered.merged
    assert ours.state.focus_id == "t2"


async def test_a_session_is_not_merged_into_itself_or_into_a_stranger(app: Sojourn) -> None:
    await app.sessions.create("one")
    await app.sessions.create("other")
    for stranger in ("one", "other"):
        with pytest.raises(InvalidInputError):
            await app.sessions.merge("one", stranger)


async def test_branches_are_compared_by_what_they_hold(app: Sojourn) -> None:
    ours = await app.sessions.create("ours")
    theirs = await app.sessions.fork("ours", "theirs")
    await theirs.variables.set("x", 1)
    await ours.messages.user("hello")
    found = await app.sessions.compare("ours", "theirs")

    assert (found.our_entries, found.their_entries) == (1, 2)
    assert [(one.name, one.ours, one.theirs) for one in found.differences] == [("x", None, 1)]


async def test_idle_sessions_are_closed_and_stay_stored(app: Sojourn, clock: FakeClock) -> None:
    old = await app.sessions.create("old")
    clock.advance(seconds=29 * 60)
    await app.sessions.create("young")
    clock.advance(seconds=2 * 60)

    assert await app.sessions.expire_idle() == 1
    reopened = await app.sessions.open("old")
    assert reopened is not old
    assert reopened.state == old.state


async def test_retention_proposes_first_and_spares_what_others_read(app: Sojourn, clock: FakeClock) -> None:
    for name in ("kept", "old", "base"):
        await app.sessions.create(name)
    await app.sessions.fork("base", "fork")
    await app.sessions.archive("old")
    await app.sessions.archive("base")
    assert await app.sessions.prune() == ()

    clock.advance(seconds=31 * 86_400)
    assert [header.session_id for header in await app.sessions.prune()] == ["old"]
    assert await app.store.find_session("old") is not None
    await app.sessions.prune(dry_run=False)
    assert await app.store.find_session("old") is None
    assert await app.store.find_session("base") is not None


async def test_what_was_thrown_away_lately_can_be_taken_out_for_as_long(app: Sojourn, clock: FakeClock) -> None:
    for name in ("thrown", "shelved"):
        await app.sessions.create(name)
    clock.advance(seconds=365 * 86_400)
    await app.sessions.delete("thrown")
    await app.sessions.archive("shelved")

    clock.advance(seconds=29 * 86_400)
    assert [header.session_id for header in await app.sessions.prune()] == ["shelved"]

    clock.advance(seconds=2 * 86_400)
    assert {header.session_id for header in await app.sessions.prune()} == {"thrown", "shelved"}


async def test_without_the_users_word_nothing_about_him_is_written(tmp_path: Path) -> None:
    async with sojourn.open(tmp_path / "s.db") as app:
        session = await app.sessions.create("s")
        await session.append(events.ProfileUpdated(fields={"name": "Zerubbabel"}))
        await session.append(events.FactLearned(fact_id="f", content="Zerubbabel keeps bees", about="user"))
        await session.messages.user("hello")

        assert session.state.user_profile.name == "Zerubbabel"
        assert "f" in session.state.knowledge_base.facts
        assert (await app.sessions.open("s")).state == session.state
    assert not holds(tmp_path, b"Zerubbabel")


async def test_a_saved_file_holds_nothing_that_is_known_in_memory_only(tmp_path: Path) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create("s")
        await session.profile.set(name="Zerubbabel")
        await session.facts.learn("Zerubbabel keeps bees", about="user")
        await session.save(tmp_path / "s.json")

        assert session.state.user_profile.name == "Zerubbabel"
        assert not holds(tmp_path, b"Zerubbabel")


async def test_what_is_known_in_memory_only_is_explained_by_what_it_came_from() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create("s")
        said = await session.messages.user("I am Ada")
        await session.messages.user("something else")
        await session.profile.set(name="Ada", causes=[said.seq])
        await session.profile.set(location="Lisbon")

        assert [quote.text for quote in (await session.why("name")).quotes] == ["I am Ada"]
        assert (await session.why("location")).quotes == ()
        with pytest.raises(InvalidInputError, match="entries of the session"):
            await session.profile.set(age=36, causes=[99])
        assert session.state.user_profile.age is None


async def test_once_the_user_agrees_what_is_known_is_kept(tmp_path: Path) -> None:
    async with sojourn.open(tmp_path / "s.db") as app:
        session = await app.sessions.create("s")
        await session.append(events.ProfileUpdated(fields={"name": "Ada"}))
        await app.answer_keep_profile(keep=True)
        await session.append(events.ProfileUpdated(fields={"age": 36}))

    async with sojourn.open(tmp_path / "s.db") as app:
        profile = (await app.sessions.open("s")).state.user_profile
        assert (app.keeps_profile, profile.name, profile.age) == (True, "Ada", 36)


async def test_what_could_not_be_written_is_still_known() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create("s")
        await session.profile.set(name="Ada")
        await app.store.purge_session("s")
        with pytest.raises(SessionNotFoundError):
            await session.keep_profile()

        assert session.state.user_profile.name == "Ada"


def test_a_project_stays_the_same_when_its_folder_moves(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    first.mkdir()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(first)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    (first / "src").mkdir()
    before = find_project(first / "src")
    first.rename(second)
    after = find_project(second)

    assert before.id == after.id
    assert (before.name, after.name) == ("one", "two")
    assert name_project(second, "mine") == find_project(second / "src")
    assert find_project(tmp_path).id.startswith("path-")


async def test_a_session_that_is_used_is_not_idle(app: Sojourn, clock: FakeClock) -> None:
    used = await app.sessions.create("used")
    clock.advance(seconds=29 * 60)
    await used.messages.user("still here")
    clock.advance(seconds=29 * 60)
    await app.sessions.create("other")

    assert await app.sessions.open("used") is used


async def test_sessions_that_supersede_each_other_are_named_and_not_followed_for_ever(app: Sojourn) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        await app.sessions.create(one)
        await app.store.append(one, [events.SessionSuperseded(by=other)])  # type: ignore[arg-type]  # an id

    with pytest.raises(CorruptError, match="superseded by itself"):
        await app.sessions.open("a")
    assert (await app.sessions.open("a", exact=True)).id == "a"


async def test_a_journal_from_elsewhere_is_checked_like_any_other(app: Sojourn) -> None:
    await app.sessions.create("s")
    entries = await app.store.read("s")
    bad = structs.replace(entries[0], event=events.SessionCreated(title="nul\0"), payload='{"kind":"session_created"}')

    with pytest.raises(InvalidInputError, match="NUL"):
        await app.store.import_session("copy", [bad])
    assert await app.store.find_session("copy") is None


@pytest.mark.anyio
async def test_a_title_that_was_made_of_a_message_is_forgotten_with_it(app: sojourn.Sojourn) -> None:
    session = await app.sessions.create("named-after")
    said = await session.messages.user("The password is swordfish.")
    await app.sessions.rename(session.id, "Password is swordfish", source="auto", causes=[said.seq])

    await session.forget("message", said.seq)

    assert session.state.title is None
    assert (await app.store.get_session(session.id)).header.title is None

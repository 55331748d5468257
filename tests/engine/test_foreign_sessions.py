"""What was allowed in a session that comes from a file is asked about again."""

from pathlib import Path

import pytest

import sojourn
from sojourn.agent.permissions.gate import NOBODY_TO_ASK, PermissionGate
from sojourn.agent.permissions.verdicts import Approval
from sojourn.desk.importing.bundles import BundleKeeper
from sojourn.engine.foreign import asking_again
from sojourn.engine.session import Session
from sojourn.model.events import AllowanceGranted, AllowanceWithdrawn, SessionTagged, TurnStarted
from sojourn.store import Store
from sojourn.testing.factories import make_journal
from sojourn.testing.fingerprint import read_all
from tests.agent.approval_kit import TRUSTED, Human, admit, call, wish

pytestmark = pytest.mark.anyio


async def _exported(session: Session, path: Path) -> Path:
    await session.save(path)
    return path


async def _keep(store: Store, path: Path, *, new_ids: bool = False) -> tuple[str, str]:
    kept = await BundleKeeper(store, dry_run=False, new_ids=new_ids).keep(path)
    return kept.session_id, kept.action


async def test_a_tool_that_was_allowed_elsewhere_asks_here(tmp_path: Path) -> None:
    async with sojourn.open("memory:") as app:
        theirs = await app.sessions.create("s")
        await theirs.allowances.grant("write_file")
        await theirs.allowances.grant("bash")
        file = await _exported(theirs, tmp_path / "s.json")

        beside, _ = await _keep(app.store, file, new_ids=True)
        for came in (await app.sessions.open(beside), await app.sessions.load(file, session_id="loaded")):
            await wish(came, call())

            assert came.allowances.list() == ()
            assert await admit(PermissionGate(came, TRUSTED), call()) == NOBODY_TO_ASK
        assert [one.tool for one in theirs.allowances.list()] == ["write_file", "bash"]


async def test_an_answer_that_was_given_elsewhere_does_not_let_a_call_run_here(tmp_path: Path) -> None:
    async with sojourn.open("memory:") as app:
        theirs = await app.sessions.create("s")
        await theirs.append(TurnStarted(turn_id="one"))
        await wish(theirs, call())
        assert await admit(PermissionGate(theirs, TRUSTED, approver=Human(Approval.ONCE)), call()) is None

        came = await app.sessions.load(await _exported(theirs, tmp_path / "s.json"), session_id="t")

        assert theirs.state.conversation.open_calls
        assert came.state.conversation.open_calls == ()


async def test_a_question_that_nobody_answered_is_still_one(tmp_path: Path) -> None:
    async with sojourn.open("memory:") as app:
        theirs = await app.sessions.create("s")
        await wish(theirs, call())
        raised = await theirs.interrupts.clarify("which file?")

        came = await app.sessions.load(await _exported(theirs, tmp_path / "s.json"), session_id="t")

        assert came.head == theirs.head
        assert [one.interrupt_id for one in came.interrupts.pending()] == [raised.interrupt_id]


async def test_what_has_grown_brings_no_allowance(tmp_path: Path) -> None:
    async with sojourn.open("memory:") as there, sojourn.open("memory:") as here:
        theirs = await there.sessions.create("s")
        await _keep(here.store, await _exported(theirs, tmp_path / "one.json"))
        await theirs.allowances.grant("bash")
        grown = await _exported(theirs, tmp_path / "two.json")

        assert await _keep(here.store, grown) == ("s", "grown")
        assert (await here.sessions.open("s")).allowances.list() == ()
        assert await _keep(here.store, grown) == ("s", "same")


async def test_what_has_grown_too_much_to_be_stored_at_once_is_left_if_it_allows_tools(tmp_path: Path) -> None:
    async with sojourn.open("memory:") as there, sojourn.open("memory:") as here:
        theirs = await there.sessions.create("s")
        await _keep(here.store, await _exported(theirs, tmp_path / "one.json"))
        await theirs.allowances.grant("bash")
        for start in range(0, 1_200, 600):
            await theirs.append(*(SessionTagged(added=(f"t{number}",)) for number in range(start, start + 600)))
        grown = await _exported(theirs, tmp_path / "two.json")

        assert await _keep(here.store, grown) == ("s", "left")
        beside, action = await _keep(here.store, grown, new_ids=True)
        assert action == "added"
        assert (await here.sessions.open(beside)).allowances.list() == ()
        assert len(await read_all(here.store, "s")) == 1


def test_what_was_allowed_here_stays_allowed() -> None:
    entries = make_journal(
        [AllowanceGranted(tool="mine", scope="session"), AllowanceGranted(tool="theirs", scope="session")]
    )

    assert [entry.event for entry in asking_again(entries, after=2)] == [AllowanceWithdrawn(tool="theirs")]
    assert asking_again(entries, after=3) == ()
    assert asking_again(()) == ()

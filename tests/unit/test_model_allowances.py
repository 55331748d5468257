"""What tools may do without asking again is a fold of what was granted and withdrawn."""

from sojourn.model.allowances import MAX_ALLOWANCES, Allowance, Allowances
from sojourn.model.events import AllowanceGranted, AllowanceScope, AllowanceWithdrawn, Event
from sojourn.model.ids import Seq
from sojourn.model.state import replay
from sojourn.testing.factories import make_journal, noted


def fold(*events: Event) -> Allowances:
    state = replay(make_journal(events))
    assert state is not None
    return state.allowances


def after(*events: Event) -> tuple[tuple[str, str, str | None], ...]:
    return tuple((one.tool, one.scope, one.path) for one in fold(*events).granted)


def granted(tool: str, path: str | None = None, *, folder: bool = False) -> AllowanceGranted:
    scope: AllowanceScope = "session" if path is None else "folder" if folder else "file"
    return AllowanceGranted(tool=tool, scope=scope, path=path)


def test_what_is_granted_holds_and_knows_where_it_was_said() -> None:
    assert fold(noted(1), granted("w", "/a")).granted == (Allowance(tool="w", scope="file", path="/a", seq=Seq(3)),)


def test_the_same_again_is_one_and_the_newest() -> None:
    assert after(granted("w"), granted("r"), granted("w")) == (("r", "session", None), ("w", "session", None))


def test_a_file_and_a_folder_of_one_path_are_two() -> None:
    assert len(after(granted("w", "/a"), granted("w", "/a", folder=True))) == 2


def test_withdrawing_a_path_ends_what_is_for_it_and_nothing_else() -> None:
    events = [
        granted("w", "/a"),
        granted("w", "/a", folder=True),
        granted("w", "/ab"),
        granted("w"),
        granted("r", "/a"),
    ]
    assert after(*events, AllowanceWithdrawn(tool="w", path="/a")) == (
        ("w", "file", "/ab"),
        ("w", "session", None),
        ("r", "file", "/a"),
    )


def test_withdrawing_without_a_path_ends_all_of_the_tool() -> None:
    events = [granted("w", "/a"), granted("w"), granted("r")]
    assert after(*events, AllowanceWithdrawn(tool="w")) == (("r", "session", None),)
    assert after(AllowanceWithdrawn(tool="w")) == ()


def test_past_the_limit_the_oldest_has_to_be_asked_for_again() -> None:
    names = [f"tool {number}" for number in range(MAX_ALLOWANCES + 5)]
    assert [tool for tool, _, _ in after(*map(granted, names))] == names[5:]


def test_other_events_change_nothing() -> None:
    allowances = Allowances()
    [_, entry] = make_journal([noted(1)])
    assert allowances.apply(entry) is allowances

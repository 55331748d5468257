"""The frame that benchmarks report through: what programs read from it, what it says of a target, what is measured."""

import io
import json
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.agent_talk import history, turns
from benchmarks.report import (
    Figure,
    Report,
    Table,
    Target,
    disk_directory,
    filesystem_of,
    format_bytes,
    format_seconds,
    parse_arguments,
    publish,
    scratch,
)
from sojourn.context.tokens import BpeCounter

FAST = Figure(name="fast", value=1.5, meaning="how fast", target=Target(relation="<=", bound=2))
SLOW = Figure(name="slow", value=1.5, meaning="how slow", target=Target(relation=">=", bound=2))
UNKNOWN = Figure(name="unknown", value=None, meaning="cannot be told here", target=Target(relation="<=", bound=2))


def make_report(*, quick: bool = True) -> Report:
    table = Table(title="a table", columns=("", "time"), rows=[("ours", "1 us"), ("theirs", "20 us")], notes=("so",))
    return Report(
        benchmark="example",
        quick=quick,
        figures=[FAST, SLOW, UNKNOWN],
        tables=[table],
        detail={"rounds": 3},
        machine={"python": "3"},
    )


def test_the_last_line_for_programs_is_one_json_object() -> None:
    stdout = io.StringIO()
    publish(make_report(), as_json=True, stdout=stdout)

    assert json.loads(stdout.getvalue().splitlines()[-1]) == {
        "benchmark": "example",
        "quick": True,
        "figures": {"fast": 1.5, "slow": 1.5, "unknown": None},
        "detail": {"machine": {"python": "3"}, "rounds": 3},
    }


def test_people_read_aligned_columns_and_whether_targets_are_met() -> None:
    stdout = io.StringIO()
    publish(make_report(quick=False), as_json=False, stdout=stdout)
    lines = stdout.getvalue().splitlines()

    assert lines[0] == "example: a full run"
    assert "  fast      1.50    <= 2      met  how fast" in lines
    assert "  slow      1.50    >= 2  not met  how slow" in lines
    assert "  unknown      -    <= 2           cannot be told here" in lines
    assert lines[-4:] == ["           time", "  ours     1 us", "  theirs  20 us", "  so"]


def test_only_a_terminal_gets_colour() -> None:
    assert "\x1b[" not in make_report().to_text()
    assert "\x1b[31mnot met\x1b[0m" in make_report().to_text(colour=True)


@pytest.mark.parametrize(
    ("figure", "verdict"),
    [(FAST, "met"), (SLOW, "not met"), (UNKNOWN, ""), (Figure(name="free", value=1.0, meaning="no target"), "")],
)
def test_a_figure_says_whether_its_target_is_met(figure: Figure, verdict: str) -> None:
    assert figure.verdict == verdict


def test_files_go_to_the_folder_that_was_asked_for_or_to_a_disk(tmp_path: Path) -> None:
    asked = parse_arguments("an example", ["--quick", "--json", "--dir", str(tmp_path)])
    default = parse_arguments("an example", [])

    assert (asked.quick, asked.as_json, asked.directory) == (True, True, tmp_path)
    assert (default.quick, default.as_json, default.directory) == (False, False, disk_directory())


def test_scratch_files_are_removed(tmp_path: Path) -> None:
    with scratch(tmp_path) as folder:
        (folder / "large.db").touch()

    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/mounts").exists(), reason="only Linux lists its mounts there")
def test_a_folder_in_memory_is_told_from_a_disk() -> None:
    assert filesystem_of(Path("/proc")) == "proc"
    assert filesystem_of(Path.cwd()) != "proc"


def test_units_follow_the_size_of_a_number() -> None:
    assert [format_seconds(value) for value in (None, 12e-6, 1.5e-3, 0.25)] == ["-", "12 us", "1.50 ms", "250 ms"]
    assert [format_bytes(value) for value in (None, 609, 15_500, 3_000_000)] == ["-", "609 B", "15.1 KiB", "2.9 MiB"]


def test_every_agent_hears_the_same_history_which_ends_with_an_answer() -> None:
    said = history(100)

    assert said == history(100) == history(2_000)[:100]
    assert len({one.text for one in said}) == len(said) == 100
    assert [one.kind for one in said[4:8]] == ["user", "call", "result", "assistant"]
    assert said[5].call == said[6].call
    assert {history(size)[-1].kind for size in (100, 2_000, 10_000)} == {"assistant"}


def test_messages_of_a_history_are_as_long_as_those_of_real_sessions() -> None:
    tokens = sorted(BpeCounter().count(one.text) for one in history(400) if one.kind != "call")

    assert tokens[0] >= 40
    assert 100 <= tokens[len(tokens) // 2] <= 200
    assert 350 <= tokens[-1] <= 420


def test_a_turn_of_the_agent_benchmark_calls_as_many_tools_as_it_should() -> None:
    plain, calling = next(turns(tools=0)), list(islice(turns(tools=5), 2))

    assert plain.calls == ()
    assert [len(turn.calls) for turn in calling] == [5, 5]
    assert set(calling[0].found) == {subject for _, subject in calling[0].calls}
    assert not {name for name, _ in calling[0].calls} & {name for name, _ in calling[1].calls}

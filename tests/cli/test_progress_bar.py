"""A bar tells a person how far long work has come, and is never in the way of a program."""

import io

import click
import pytest

from sojourn.cli.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watch(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make stderr a terminal. (In a test, not in a fixture: pytest sets stderr anew in between.)"""
    found = Terminal()
    monkeypatch.setattr("sys.stderr", found)
    monkeypatch.setenv("TERM", "xterm")
    return found


def drawn(terminal: Terminal) -> list[str]:
    return terminal.getvalue().split("\r\x1b[K")[1:]


def test_a_terminal_sees_how_far_it_is_and_then_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watch(monkeypatch)
    with progress("importing", total=4) as bar:
        bar.advance()
        bar.advance(3)

    lines = drawn(terminal)
    assert lines[0] == "importing [....................]   0%"
    assert lines[1] == "importing [#####...............]  25%"
    assert lines[2] == "importing [####################] 100%"
    assert lines[-1] == ""


def test_work_without_a_known_end_is_counted_until_the_end_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watch(monkeypatch)
    with progress("reading") as bar:
        bar.advance(1_200)
        bar.reach(1_500, total=3_000)

    assert drawn(terminal)[:2] == ["reading …", "reading 1,200"]
    assert "50%" in drawn(terminal)[2]


def test_the_same_line_is_not_drawn_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watch(monkeypatch)
    with progress("importing", total=1_000_000) as bar:
        for _ in range(1_000):
            bar.advance()

    assert len(drawn(terminal)) == 2


def test_a_label_cannot_act_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watch(monkeypatch)
    with progress("evil\x1b[2J", total=1):
        pass

    assert "\x1b[2J" not in terminal.getvalue()


def test_work_that_fails_leaves_a_clean_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watch(monkeypatch)

    def fail() -> None:
        with progress("importing", total=2) as bar:
            bar.advance()
            raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        fail()

    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_pipe_and_a_dumb_terminal_see_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = watch(monkeypatch)
    monkeypatch.setenv("TERM", "dumb")
    with progress("importing", total=2) as bar:
        bar.advance()
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    with progress("importing", total=2) as bar:
        bar.advance()

    assert bar.done == 1
    assert terminal.getvalue() + pipe.getvalue() + capsys.readouterr().out == ""


def test_who_asks_for_json_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watch(monkeypatch)
    asked = click.Context(click.Command("import"))
    asked.params["as_json"] = True
    with asked.scope(), progress("importing", total=2) as bar:
        bar.advance()

    assert terminal.getvalue() == ""


def test_nothing_is_drawn_while_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watch(monkeypatch)
    with progress("indexing", total=0):
        pass

    assert terminal.getvalue() == ""

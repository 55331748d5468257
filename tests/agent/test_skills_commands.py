"""Running commands: what is told of them, and that nothing of them stays."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from sojourn.agent.skills.builtin.commands import Commands
from sojourn.agent.skills.builtin.environment import shown_environment
from sojourn.agent.skills.builtin.page import MAX_CHARS
from sojourn.agent.skills.builtin.roots import Roots
from sojourn.agent.skills.skill import Skill, ToolResult, traits_of

pytestmark = pytest.mark.anyio


def skill(folder: Path, environment: dict[str, str] | None = None) -> Skill:
    return Commands(Roots.of([folder]), environment=environment).skills()[0]


async def run(root: Path, command: Any, **arguments: Any) -> ToolResult:
    return await skill(root).execute(command=command, **arguments)


@contextmanager
def held_pipe(folder: Path) -> Iterator[int]:
    """A pipe `held` that programs can open for writing; reading from it waits until the last of them is gone."""
    os.mkfifo(folder / "held")
    reading = os.open(folder / "held", os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield reading
    finally:
        os.close(reading)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def all_gone(reading: int) -> bytes:
    os.set_blocking(reading, True)
    return await anyio.to_thread.run_sync(lambda: b"".join(iter(lambda: os.read(reading, 100), b"")))


async def test_a_line_goes_through_the_shell_and_a_list_does_not(tmp_path: Path) -> None:
    line = await run(tmp_path, "echo one; echo two >&2; echo $((1 + 2))")
    words = await run(tmp_path, ["echo", "$HOME", "; ls"])

    assert line.output == "one\ntwo\n3\n[exit code 0]"
    assert line.data == {"exit_code": 0, "output": "one\ntwo\n3", "timed_out": False}
    assert words.output == "$HOME ; ls\n[exit code 0]"


async def test_a_command_that_fails_is_an_error_with_its_output(tmp_path: Path) -> None:
    failed = await run(tmp_path, "echo no; exit 3")
    killed = await run(tmp_path, "kill -9 $$")

    assert failed.error == "no\n[exit code 3]"
    assert killed.error == "[ended by SIGKILL]"
    assert "No such file" in (await run(tmp_path, ["no-such-program"])).error


async def test_a_command_runs_in_a_folder_inside_the_roots(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "file").touch()

    assert (await run(tmp_path, "pwd", folder="in")).data["output"] == str((tmp_path / "in").resolve())
    assert "outside the folders" in (await run(tmp_path, "pwd", folder="..")).error
    assert "is no folder" in (await run(tmp_path, "pwd", folder="file")).error


@pytest.mark.parametrize("command", ["", "  ", [], [""], "a\0b", ["echo", "\0"]])
async def test_what_is_no_command_is_refused(tmp_path: Path, command: object) -> None:
    assert "the command" in (await run(tmp_path, command)).error


@pytest.mark.parametrize("seconds", [0, -1, 301, "soon"])
async def test_a_time_out_of_bounds_is_refused(tmp_path: Path, seconds: object) -> None:
    assert "the argument timeout does not fit" in (await run(tmp_path, "true", timeout=seconds)).error


async def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    with held_pipe(tmp_path) as reading:
        result = await run(tmp_path, "echo begun; (sleep 600 & sleep 600) > held", timeout=0.3)

        assert result.error == "begun\n[ended after 0.3 seconds: it took too long]"
        assert await all_gone(reading) == b""


async def test_a_program_that_will_not_listen_is_ended_too(tmp_path: Path) -> None:
    with held_pipe(tmp_path) as reading:
        result = await run(tmp_path, "trap '' TERM; echo deaf; while :; do sleep 1; done > held", timeout=0.3)

        assert "deaf" in result.error
        assert await all_gone(reading) == b""


async def test_what_a_command_leaves_behind_is_ended(tmp_path: Path) -> None:
    with held_pipe(tmp_path) as reading:
        result = await run(tmp_path, "sleep 600 > held & echo done")

        assert result.output == "done\n[exit code 0]\n[it left programs running: they were ended]"
        assert await all_gone(reading) == b""


@pytest.mark.skipif(shutil.which("setsid") is None, reason="needs the program setsid")
async def test_a_program_that_left_its_group_is_not_waited_for(tmp_path: Path) -> None:
    result = await run(tmp_path, "setsid sleep 5 & echo done")

    assert result.data["output"] == "done"


@pytest.mark.parametrize("native", [True, False], ids=["task", "scope"])
async def test_a_cancel_ends_the_command_and_all_that_it_started(tmp_path: Path, *, native: bool) -> None:
    with held_pipe(tmp_path) as reading:
        command = "trap '' TERM; (while :; do sleep 1; done) > held & echo begun > begun; wait"
        os.mkfifo(tmp_path / "begun")

        async def begun() -> None:
            await anyio.to_thread.run_sync((tmp_path / "begun").read_text)

        if native:
            task = asyncio.ensure_future(run(tmp_path, command))
            await begun()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run, tmp_path, command)
                await begun()
                tasks.cancel_scope.cancel()

        assert await all_gone(reading) == b""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files by what Linux tells")
async def test_many_commands_at_once_all_answer_and_leave_nothing_open(tmp_path: Path) -> None:
    await run(tmp_path, "true")
    before = open_files()
    results = await asyncio.gather(*(run(tmp_path, f"echo {number}; exit {number % 2}") for number in range(30)))

    assert [result.data["output"] for result in results] == [str(number) for number in range(30)]
    assert [result.success for result in results] == [True, False] * 15
    assert open_files() <= before


async def test_a_giant_output_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    result = await run(tmp_path, "echo first; yes ärger | head -c 5000000; echo; echo last")

    assert result.output.startswith("first\n")
    assert result.output.endswith("last\n[exit code 0]")
    assert "bytes left out ...]" in result.output
    assert "�" not in result.output
    assert len(result.output) < MAX_CHARS + 200


async def test_bytes_that_are_no_text_can_be_shown(tmp_path: Path) -> None:
    result = await run(tmp_path, r"printf 'caf\351 \000 \377\n'")

    assert result.data["output"] == "caf� \0 �"


async def test_a_command_gets_no_input_and_no_terminal(tmp_path: Path) -> None:
    assert (await run(tmp_path, "cat; test -t 0 || echo none")).data["output"] == "none"


async def test_a_command_sees_no_secrets(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "COLOUR": "red", "OPENAI_API_KEY": "sk-1", "DB_PASSWORD": "p"}
    result = await skill(tmp_path, environment).execute(command="env")

    assert "COLOUR=red" in result.output
    assert "sk-1" not in result.output
    assert "DB_PASSWORD" not in result.output


def test_what_is_secret_by_name_or_value_is_left_out() -> None:
    kept = {
        "PATH": "/bin",
        "HOME": "/h",
        "PWD": "/h",
        "SSH_AUTH_SOCK": "/s",
        "LANG": "C",
        "KEYBOARD": "us",
        "URL": "http://h/",
    }
    secret = [
        "ANTHROPIC_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "token", "MY_SECRET_THING",
        "PGPASSWORD", "DB_PASS", "SIGNING_KEY", "APIKEY", "GOOGLE_APPLICATION_CREDENTIALS", "NPM_AUTH", "KEY",
    ]  # fmt: skip
    by_value = {"DATABASE_URL": "postgresql://me:hunter2@db/x", "THING": "ghp_" + "a1" * 18}
    shown = shown_environment({**kept, **dict.fromkeys(secret, "x"), **by_value})

    assert kept.items() <= shown.items()
    assert not {*secret, *by_value} & set(shown)


def test_the_skill_says_that_it_runs_commands_and_keeps_its_own_time(tmp_path: Path) -> None:
    traits = traits_of(skill(tmp_path))

    assert traits.runs_commands
    assert not traits.reads_only
    assert traits.path_arguments == ("folder",)
    assert traits.timeout is not None
    assert traits.timeout > 300

"""Running a command that the model writes."""

import os
import signal
from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta

from sojourn.agent.skills.builtin import process
from sojourn.agent.skills.builtin.environment import shown_environment
from sojourn.agent.skills.builtin.page import MAX_CHARS
from sojourn.agent.skills.builtin.roots import Roots
from sojourn.agent.skills.builtin.text_file import in_words
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.skill import TIMEOUT, Skill, SkillTraits, ToolResult
from sojourn.errors import InvalidInputError

MAX_TIMEOUT: Final = 300.0
_SHELL: Final = "/bin/sh"
Seconds = Annotated[float, Meta(gt=0, le=MAX_TIMEOUT)]


class Commands:
    """Commands in folders inside some roots. What they are told of the environment has no secrets in it."""

    def __init__(self, roots: Roots, *, environment: Mapping[str, str] | None = None) -> None:
        """Run commands with *environment*, or with this process's own."""
        self._roots = roots
        self._environment = environment

    def skills(self) -> tuple[Skill, ...]:
        """Return the skill that runs commands."""
        # It keeps its own time, and needs a while to end what it started.
        traits = SkillTraits(timeout=MAX_TIMEOUT + 15, runs_commands=True, path_arguments=("folder",))
        return (skill_of(self.run_command, traits=traits),)

    async def run_command(self, command: str | list[str], folder: str = ".", timeout: Seconds = TIMEOUT) -> ToolResult:  # noqa: ASYNC109 - the model says how long
        """Run a command and return what it writes. It gets no input, and nothing that it starts goes on after it.

        Args:
            command: a line for the shell, or a list of a program and its arguments, which no shell reads.
            folder: where to run it; the working folder unless given.
            timeout: seconds after which it is ended, at most 300.
        """
        arguments = [_SHELL, "-c", command] if isinstance(command, str) else command
        if not arguments or not arguments[-1 if isinstance(command, str) else 0].strip():
            raise InvalidInputError("the command is empty")
        if any("\0" in part for part in arguments):
            raise InvalidInputError("the command holds a NUL, which no program can be given")
        where = self._roots.inside(folder)
        with in_words(where):
            if not where.is_dir():
                raise InvalidInputError(f"{folder!r:.200} is no folder")
        environment = shown_environment(os.environ if self._environment is None else self._environment)
        with in_words(arguments[0]):
            finished = await process.run(
                arguments, folder=where, environment={**environment, "PWD": str(where)}, seconds=timeout, most=MAX_CHARS
            )
        return _result(finished, timeout)


def _result(finished: process.Finished, seconds: float) -> ToolResult:
    """Return what the model is told. A command that fails is an error, so that nothing that builds on it runs."""
    output = finished.output.rstrip("\n")
    if finished.timed_out:
        end = f"[ended after {seconds:g} seconds: it took too long]"
    elif finished.code < 0:
        end = f"[ended by {_signal_name(-finished.code)}]"
    else:
        end = f"[exit code {finished.code}]"
    if finished.left_running:
        end += "\n[it left programs running: they were ended]"
    text = f"{output}\n{end}" if output else end
    data = {"exit_code": finished.code, "output": output, "timed_out": finished.timed_out}
    if finished.code or finished.timed_out:
        return ToolResult(error=text, data=data)
    return ToolResult(output=text, data=data)


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"

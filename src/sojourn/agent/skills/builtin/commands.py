"""Running a command that the model writes."""

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec
from anyio import to_thread
from msgspec import Meta

from sojourn.agent.skills.builtin import process
from sojourn.agent.skills.builtin.environment import shown_environment
from sojourn.agent.skills.builtin.page import MAX_CHARS
from sojourn.agent.skills.builtin.roots import Roots
from sojourn.agent.skills.builtin.text_file import in_words
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import TIMEOUT, Skill, SkillTraits, ToolResult
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError

MAX_TIMEOUT: Final = 300.0
_LONGEST: Final = 30_000
"""Characters of a variable; a system refuses to start a program that is given too much."""
_SHELL: Final = "/bin/sh"
Seconds = Annotated[float, Meta(gt=0, le=MAX_TIMEOUT)]


class Commands:
    """Commands in folders inside some roots. What they are told of the environment has no secrets in it."""

    def __init__(
        self, roots: Roots, *, environment: Mapping[str, str] | None = None, services: ServiceContainer | None = None
    ) -> None:
        """Run commands with *environment*, or with this process's own, and the variables of the session if any."""
        self._roots = roots
        self._services = services
        self._environment = environment

    def skills(self) -> tuple[Skill, ...]:
        """Return the skill that runs commands."""
        # It keeps its own time, and needs a while to end what it started.
        traits = SkillTraits(
            timeout=MAX_TIMEOUT + 15, runs_commands=True, path_arguments=("folder",), literal_arguments=("command",)
        )
        return (skill_of(self.run_command, traits=traits, services=self._services),)

    async def run_command(
        self,
        command: str | list[str],
        folder: str = ".",
        timeout: Seconds = TIMEOUT,  # noqa: ASYNC109 - the model says how long
        session: Session | None = None,
    ) -> ToolResult:
        """Run a command and return what it writes. It gets no input, and nothing that it starts goes on after it.

        The session's variables are in its environment: "$name" in the shell, within quotes.

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
        where = await to_thread.run_sync(self._folder, folder)
        own = shown_environment(os.environ if self._environment is None else self._environment)
        environment = {**({} if session is None else _values(session)), **own, "PWD": str(where)}
        with in_words(arguments[0]):
            finished = await process.run(
                arguments, folder=where, environment=environment, seconds=timeout, most=MAX_CHARS
            )
        return _result(finished, timeout)

    def _folder(self, path: str) -> Path:
        folder = self._roots.inside(path)
        with in_words(folder):
            if not folder.is_dir():
                raise InvalidInputError(f"{path!r:.200} is no folder")
        return folder


def _values(session: Session) -> dict[str, str]:
    """Return the session's variables as a program can be given them, the longest left out.

    In the environment a value is only a value; written into the command's line, a shell would run what is in it.
    """
    texts = {
        name: value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for name, value in session.variables.to_dict().items()
        if name.isidentifier() and name.isascii()
    }
    return {name: text for name, text in texts.items() if len(text) <= _LONGEST and "\0" not in text}


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

"""Functions as skills: what a model is told of them, what they accept, and what becomes of what they return."""

import dataclasses
import threading
from collections.abc import Awaitable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import msgspec
import pytest

from sojourn import Session, open_store
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.skills.docstring import read_docstring
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import SkillTraits, ToolResult, traits_of
from sojourn.errors import InvalidInputError, NotFoundError

pytestmark = pytest.mark.anyio


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Tree(msgspec.Struct):
    name: str
    branches: list["Tree"] = []


def draw(
    points: list[Point],
    *,
    colour: Literal["red", "blue"] = "red",
    width: Annotated[int, msgspec.Meta(ge=1, le=9, description="How wide.")] = 1,
    title: str = None,  # type: ignore[assignment]  # noqa: RUF013 - people write this
    labels: dict[str, str] = {"a": "b"},  # noqa: B006 - never changed
    tree: Tree | None = None,
) -> str:
    """Draw a line.

    It goes through all points.

    Args:
        points: where it
            goes: in order
        colour (str): which colour
        width: never shown, the annotation says it already

    Returns:
        What was drawn.
    """
    return f"{points} {colour} {width} {title} {labels} {tree}"


def test_a_schema_says_types_defaults_limits_choices_and_what_the_docstring_says() -> None:
    skill = skill_of(draw)
    properties = skill.parameters["properties"]

    assert skill.name == "draw"
    assert skill.description == "Draw a line.\n\nIt goes through all points."
    assert skill.parameters["required"] == ["points"]
    assert "additionalProperties" not in skill.parameters, "the agent's own arguments may stand beside"
    assert properties["points"]["description"] == "where it goes: in order"
    assert properties["colour"] == {
        "enum": ["blue", "red"], "default": "red", "description": "which colour", "type": "string",
    }  # fmt: skip
    assert properties["width"] == {
        "description": "How wide.", "type": "integer", "minimum": 1, "maximum": 9, "default": 1,
    }  # fmt: skip
    assert {"type": "null"} in properties["title"]["anyOf"]
    assert properties["labels"]["default"] == {"a": "b"}
    assert set(skill.parameters["$defs"]) == {"Point", "Tree"}


async def test_arguments_become_what_the_function_takes() -> None:
    result = await skill_of(draw).execute(
        points=[{"x": 1}, {"x": 2, "y": 3}], width="4", tree={"name": "t", "branches": [{"name": "u"}]}
    )

    assert result.output == (
        "[Point(x=1, y=0), Point(x=2, y=3)] red 4 None {'a': 'b'}"
        " Tree(name='t', branches=[Tree(name='u', branches=[])])"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "the argument `points` is missing"),
        ({"points": [], "q": 1}, "there is no argument `q`"),
        ({"points": "all"}, "the argument points does not fit: expected `array`"),
        ({"points": [{"x": []}]}, "the argument points[0].x does not fit: expected `int`"),
        ({"points": [], "colour": "green"}, "use one of 'blue', 'red'"),
        ({"points": [], "width": 10}, "the argument width does not fit: expected `int` <= 9"),
    ],
)
async def test_arguments_that_do_not_fit_are_one_sentence_for_the_model(arguments: dict[str, Any], told: str) -> None:
    result = await skill_of(draw).execute(**arguments)

    assert not result.success
    assert told in result.error
    assert "\n" not in result.error


async def test_a_long_wrong_value_is_not_repeated_to_the_model() -> None:
    result = await skill_of(draw).execute(points=[], colour="x" * 1_000_000)

    assert len(result.error) < 1_000


async def test_a_default_that_can_change_is_new_for_each_call() -> None:
    def gather(found: list[int] = []) -> int:  # noqa: B006 - that is what is tested
        found.append(1)
        return len(found)

    skill = skill_of(gather)

    assert [(await skill.execute()).data for _ in range(3)] == [1, 1, 1]


async def test_what_is_no_text_is_json_and_data() -> None:
    def when() -> dict[str, object]:
        return {"at": datetime(2030, 1, 1, tzinfo=UTC), "points": [Point(1)], "none": None}

    result = await skill_of(when).execute()

    assert result.output == '{"at":"2030-01-01T00:00:00Z","points":[{"x":1,"y":0}],"none":null}'
    assert result.data == {"at": "2030-01-01T00:00:00Z", "points": [{"x": 1, "y": 0}], "none": None}


async def test_a_result_is_itself_and_nothing_is_done() -> None:
    def refuse() -> ToolResult:
        return ToolResult(error="no")

    def act() -> None: ...

    def find() -> str | None:
        return None

    assert await skill_of(refuse).execute() == ToolResult(error="no")
    assert (await skill_of(act).execute()).output == "Done."
    assert (await skill_of(find).execute()).output == "null"


async def test_a_result_that_is_no_json_is_an_error_that_says_so() -> None:
    def lock() -> object:
        return threading.Lock()

    result = await skill_of(lock).execute()

    assert "lock ran, but its result, a lock, is no JSON" in result.error


async def test_half_characters_in_a_result_do_not_reach_the_journal() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store)
        result = await skill_of(lambda: "a\ud800b", name="odd").execute()
        await session.messages.user(result.text)

        assert result.output == "a?b"


async def test_data_that_no_variable_can_hold_is_left_out() -> None:
    def odd() -> ToolResult:
        return ToolResult(output="fine", data=["\ud800"])

    assert await skill_of(odd).execute() == ToolResult(output="fine")


async def test_what_a_function_finds_wrong_is_an_error_and_other_exceptions_rise() -> None:
    def wrong() -> str:
        raise InvalidInputError("give another")

    async def missing() -> str:
        raise NotFoundError("fact 'x'")

    def broken() -> str:
        raise RuntimeError("boom")

    assert (await skill_of(wrong).execute()).error == "wrong: give another"
    assert "fact 'x'" in (await skill_of(missing).execute()).error
    with pytest.raises(RuntimeError, match="boom"):
        await skill_of(broken).execute()


async def test_a_plain_function_runs_on_a_thread_and_an_async_one_on_the_loop() -> None:
    def plain() -> bool:
        return threading.current_thread() is threading.main_thread()

    async def loop() -> bool:
        return threading.current_thread() is threading.main_thread()

    assert (await skill_of(plain).execute()).data is False
    assert (await skill_of(loop).execute()).data is True


async def test_a_plain_function_is_left_alone_on_a_cancel() -> None:
    started, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        started.set()
        go_on.wait(30)

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(skill_of(slow).execute)
            await anyio.to_thread.run_sync(started.wait)
            scope.cancel()
    go_on.set()

    assert scope.cancelled_caught


async def test_what_only_the_agent_has_is_filled_in_and_hidden_from_the_model() -> None:
    async def whose(
        question: str, session: Session, services: ServiceContainer, token: CancellationToken | None = None
    ) -> str:
        """Tell.

        Args:
            question: what
            session: not for models
        """
        return f"{question} {session.id} {services.get('colour')} {token}"

    async with open_store("memory:") as store:
        services = ServiceContainer({"colour": "red", "session": await Session.create(store, "s1")})
        skill = skill_of(whose, services=services)
        hidden = await skill.execute(question="who?", session="mine")
        result = await skill.execute(question="who?")

    assert list(skill.parameters["properties"]) == ["question"]
    assert result.output == "who? s1 red None"
    assert "there is no argument `session`" in hidden.error


async def test_a_skill_that_needs_a_session_says_so_where_there_is_none() -> None:
    def need(session: Session) -> str:
        return session.id

    assert "works only in an agent that has a session" in (await skill_of(need).execute()).error


def test_functions_that_no_model_can_call_are_refused() -> None:
    def many(*things: int) -> None: ...

    def any_name(**things: int) -> None: ...

    def private(_inner: int) -> None: ...

    def odd(lock: threading.Event) -> None: ...

    for function in (many, any_name, private, odd):
        with pytest.raises(InvalidInputError, match=function.__name__):
            skill_of(function)
    with pytest.raises(InvalidInputError, match="1 to 64 letters"):
        skill_of(lambda: 1)


async def test_a_method_and_an_object_that_can_be_called_are_skills_too() -> None:
    class Greeter:
        def greet(self, name: str) -> str:
            """Say hello."""
            return f"hello {name}"

        async def __call__(self, name: str) -> str:
            return f"bye {name}"

    assert (await skill_of(Greeter().greet).execute(name="Ada")).output == "hello Ada"
    assert (await skill_of(Greeter(), name="leave").execute(name="Ada")).output == "bye Ada"


async def test_paths_are_texts_for_the_model() -> None:
    def parent(path: Path, others: list[Path] | None = None) -> Path:
        return path.parent

    skill = skill_of(parent)

    assert skill.parameters["properties"]["path"] == {"type": "string"}
    assert (await skill.execute(path="a/b", others=["c"])).data == "a"
    assert "the argument path does not fit: expected `str`" in (await skill.execute(path=3)).error


async def test_a_plain_function_around_an_async_one_is_awaited() -> None:
    async def inner() -> str:
        return "inner"

    def outer() -> Awaitable[str]:
        return inner()

    assert (await skill_of(outer).execute()).output == "inner"


async def test_an_argument_called_self_is_refused_like_any_other() -> None:
    assert "there is no argument `self`" in (await skill_of(draw).execute(points=[], self=1)).error


def test_traits_may_depend_on_the_arguments() -> None:
    calm, careful = SkillTraits(reads_only=True), SkillTraits(needs_approval=True)
    skill = skill_of(draw, traits=careful, traits_for=lambda arguments: careful if arguments.get("hard") else calm)

    assert traits_of(skill) == careful
    assert traits_of(skill, {}) == calm
    assert traits_of(skill, {"hard": True}) == careful


def test_a_docstring_without_sections_is_all_description() -> None:
    assert read_docstring(None) == ("", {})
    assert read_docstring("One.\n\n    Two: not a section.\n") == ("One.\n\nTwo: not a section.", {})
    assert read_docstring("One.\n\nArgs:\n    *a: x\n\n    b: y\nAfter.") == ("One.", {"a": "x", "b": "y"})

"""The skills of an agent: registering, finding, switching off, and sources that come and go."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest

from sojourn.agent.skills.registry import SkillRegistry
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult, traits_of
from sojourn.errors import AlreadyExistsError, InvalidInputError

pytestmark = pytest.mark.anyio


class Echo:
    """A skill by hand."""

    description = "Says it again."
    parameters: dict[str, Any] = {"type": "object", "properties": {}}
    traits = SkillTraits(reads_only=True)

    def __init__(self, name: str = "echo", answer: str = "echo") -> None:
        self._name = name
        self.answer = answer

    @property
    def name(self) -> str:
        return self._name

    async def execute(self, **arguments: Any) -> ToolResult:
        return ToolResult(output=self.answer)


class Shelf:
    """A source whose skills change."""

    def __init__(self, name: str, *skills: Skill) -> None:
        self._name = name
        self.offered: Sequence[Skill] = skills

    @property
    def name(self) -> str:
        return self._name

    def skills(self) -> Sequence[Skill]:
        return self.offered


class Broken(Shelf):
    def skills(self) -> Sequence[Skill]:
        raise ConnectionError("gone")


async def answered(registry: SkillRegistry, name: str) -> str:
    skill = registry.get(name)
    assert skill is not None
    return (await skill.execute()).output


async def test_a_skill_a_name_with_a_factory_and_a_function_can_all_be_registered() -> None:
    """NEXUS3's page registers a skill, its code a name and a factory: both work."""
    registry = SkillRegistry()
    registry.register(Echo())
    registry.register("later", lambda services: Echo("later", services.require("word")))
    registry.services.register("word", "now")

    def plain() -> str:
        return "plain"

    registry.register(plain)

    assert registry.names == ("echo", "later", "plain")
    assert [await answered(registry, name) for name in registry.names] == ["echo", "now", "plain"]
    assert len(registry) == 3
    assert "later" in registry
    assert registry.get("other") is None


async def test_a_factory_is_called_once_when_it_is_needed_and_anew_when_it_is_registered_again() -> None:
    made: list[str] = []
    services = ServiceContainer()
    registry = SkillRegistry(services)

    def factory(given: ServiceContainer) -> Skill:
        assert given is services
        made.append("made")
        return Echo("any other name")

    registry.register("x", factory)
    assert not made
    first = registry.get("x")
    assert registry.get("x") is first
    assert first is not None
    assert first.name == "x"
    registry.register("x", factory)
    registry.definitions()

    assert made == ["made", "made"]


async def test_functions_are_registered_by_decorating_them() -> None:
    registry = SkillRegistry(ServiceContainer({"word": "hello"}))

    @registry.skill
    def greet(name: str, services: ServiceContainer) -> str:
        """Say hello."""
        return f"{services.get('word')} {name}"

    @registry.skill(name="leave", traits=SkillTraits(needs_approval=True))
    async def bye() -> str:
        return "bye"

    found = registry.get("greet")
    leaving = registry.get("leave")
    assert found is not None
    assert leaving is not None
    assert (await found.execute(name="Ada")).output == greet("Ada", registry.services) == "hello Ada"
    assert traits_of(leaving).needs_approval


def test_definitions_are_told_in_our_form_and_in_the_shared_one() -> None:
    registry = SkillRegistry()
    registry.register(Echo())

    assert [one.name for one in registry.definitions()] == ["echo"]
    assert registry.get_definitions() == [
        {
            "type": "function",
            "function": {
                "name": "echo",
                "description": "Says it again.",
                "parameters": {"type": "object", "properties": {}},
            },
        }
    ]


def test_a_skill_that_is_switched_off_is_not_told_and_not_found() -> None:
    registry = SkillRegistry()
    registry.register(Echo("a"))
    registry.register(Echo("b"))
    registry.disable("a")

    assert [one.name for one in registry.definitions()] == ["b"]
    assert registry.get("a") is None
    assert registry.names == ("a", "b")
    assert [skill.name for skill in registry] == ["a", "b"]
    assert not registry.is_enabled("a")
    assert registry.toggle("a")
    assert registry.is_enabled("a")
    assert not registry.toggle("a")
    assert registry.disabled == {"a"}
    registry.enable("a")
    assert registry.get("a") is not None
    assert not registry.is_enabled("nobody")


def test_what_was_registered_can_be_taken_away() -> None:
    registry = SkillRegistry()
    registry.register(Echo())

    assert registry.unregister("echo")
    assert not registry.unregister("echo")
    assert registry.get("echo") is None


async def test_the_first_owner_of_a_name_has_it_and_the_second_is_found_by_its_source() -> None:
    registry = SkillRegistry()
    registry.register(Echo("a", "mine"))
    registry.add_source(Shelf("one", Echo("a", "one's a"), Echo("b", "one's b")))
    registry.add_source(Shelf("two", Echo("b", "two's b"), Echo("c", "two's c")))

    assert registry.names == ("a", "one__a", "b", "two__b", "c")
    assert await answered(registry, "a") == "mine"
    assert await answered(registry, "one__a") == "one's a"
    assert await answered(registry, "b") == "one's b"
    assert await answered(registry, "two__b") == "two's b"
    assert await answered(registry, "two__c") == "two's c"
    assert [skill.name for skill in registry] == list(registry.names)


async def test_a_source_may_offer_other_skills_later_and_go() -> None:
    registry, shelf = SkillRegistry(), Shelf("one", Echo("a"))
    registry.add_source(shelf)
    shelf.offered = (Echo("b"), Echo("c"))

    assert registry.names == ("b", "c")
    assert registry.sources == (shelf,)
    assert registry.remove_source("one")
    assert not registry.remove_source("one")
    assert not registry.names


def test_a_source_that_fails_takes_no_other_skill_with_it(caplog: pytest.LogCaptureFixture) -> None:
    registry = SkillRegistry()
    registry.add_source(Broken("gone"))
    registry.add_source(Shelf("here", Echo("a")))

    with caplog.at_level(logging.ERROR):
        assert registry.names == ("a",)
    assert "source of skills gone failed" in caplog.text


async def test_switching_off_a_sources_skill_holds_for_each_of_its_names() -> None:
    registry = SkillRegistry()
    registry.add_source(Shelf("one", Echo("a")))
    registry.disable("a")

    assert registry.get("a") is None
    assert registry.get("one__a") is None


async def test_a_sources_names_are_made_to_fit_and_its_traits_stay() -> None:
    registry = SkillRegistry()
    registry.add_source(Shelf("one", Echo("files.read/all"), Echo("x" * 200), Echo("")))

    assert registry.names[0] == "files_read_all"
    assert all(1 <= len(name) <= 64 for name in registry.names)
    assert len(set(registry.names)) == 3
    found = registry.get("files_read_all")
    assert found is not None
    assert traits_of(found).reads_only
    assert traits_of(found, {}).reads_only


def test_bad_names_and_things_that_are_no_skills_are_refused() -> None:
    registry = SkillRegistry()
    registry.add_source(Shelf("one"))

    for bad in ("", "a b", "a.b", "x" * 65, "ä"):
        with pytest.raises(InvalidInputError, match="1 to 64 letters"):
            registry.register(Echo(bad))
        with pytest.raises(InvalidInputError, match="a source's name"):
            registry.add_source(Shelf(bad))
    with pytest.raises(InvalidInputError, match="needs a factory"):
        registry.register("x")  # type: ignore[call-overload]  # that is what is tested
    with pytest.raises(InvalidInputError, match="neither a skill nor a function"):
        registry.register(3)  # type: ignore[call-overload]  # that is what is tested
    with pytest.raises(InvalidInputError, match="give an object of it"):
        registry.register(Echo)
    with pytest.raises(AlreadyExistsError):
        registry.add_source(Shelf("one"))
    assert not registry.names


def test_services_are_kept_by_name() -> None:
    services = ServiceContainer({"a": 1})
    services.register("b", 2)

    assert services.names == ("a", "b")
    assert services.get("a") == services.require("a") == 1
    assert services.get("c") is None
    assert services.get("c", 3) == 3
    assert services.has("b")
    with pytest.raises(KeyError, match="no service 'c'"):
        services.require("c")
    assert services.unregister("b") == 2
    assert services.unregister("b") is None
    services.clear()
    assert not services.names

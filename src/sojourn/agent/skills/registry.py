"""The skills of one agent: what it was given, what sources offer, and which of them are switched off.

What is registered here comes first, then the sources in the order in which they were added: of two skills of one name
the first has it, and the other is called `source__name`. The order is always the same, because providers cache what a
model is told of its tools.
"""

import inspect
import logging
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar, overload

from sojourn.agent.skills.function import TraitsFor, skill_of
from sojourn.agent.skills.names import check_skill_name, fitting_name, qualified_name
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult, definition_of, traits_of
from sojourn.agent.skills.source import SkillSource
from sojourn.errors import AlreadyExistsError, InvalidInputError
from sojourn.providers.protocol import ToolDefinition

_log = logging.getLogger(__name__)
SkillFactory = Callable[[ServiceContainer], Skill]
Function = TypeVar("Function", bound=Callable[..., Any])


class _Offer(NamedTuple):
    """What a source offers: what it is called here, and how it is always found."""

    name: str
    qualified: str
    skill: Skill


class SkillRegistry:
    """Holds skills by name. Lives as long as its agent; it may change between two calls of a model."""

    def __init__(self, services: ServiceContainer | None = None) -> None:
        """Hold nothing yet; *services* is handed to factories, and fills what functions ask the agent for."""
        self._services = services if services is not None else ServiceContainer()
        self._own: dict[str, SkillFactory] = {}
        self._made: dict[str, Skill] = {}
        self._sources: dict[str, SkillSource] = {}
        self._off: set[str] = set()

    def __repr__(self) -> str:
        return f"SkillRegistry({', '.join(self.names)})"

    @property
    def services(self) -> ServiceContainer:
        """What the skills may need."""
        return self._services

    # --- what is in it

    @overload
    def register(self, skill: Skill | Callable[..., Any], /) -> None: ...

    @overload
    def register(self, name: str, factory: SkillFactory, /) -> None: ...

    def register(self, skill: Any, factory: SkillFactory | None = None, /) -> None:
        """Add a skill, a function as one, or a name and what makes the skill when it is first needed.

        One of that name that was registered before is replaced. A factory is called once, with the services.

        Raises:
            InvalidInputError: the name cannot be used, or this is nothing that a model can call.
        """
        if isinstance(skill, str):
            if not callable(factory):
                raise InvalidInputError(f"register({skill!r:.80}): a name needs a factory that makes the skill")
            self._add(skill, factory)
        elif factory is not None:
            raise InvalidInputError("register: give a skill or a function alone, or a name and a factory")
        else:
            made = self._skill(skill)
            self._add(made.name, lambda _: made)

    def _skill(self, given: Any) -> Skill:
        if inspect.isclass(given):
            raise InvalidInputError(f"register({given.__name__}): give an object of it, or a name and a factory")
        if callable(getattr(given, "execute", None)):
            skill: Skill = given
            return skill
        if callable(given):
            return skill_of(given, services=self._services)
        raise InvalidInputError(f"register: {given!r:.80} is neither a skill nor a function")

    def _add(self, name: str, factory: SkillFactory) -> None:
        self._own[check_skill_name(name)] = factory
        self._made.pop(name, None)

    @overload
    def skill(self, function: Function, /) -> Function: ...

    @overload
    def skill(
        self,
        function: None = None,
        /,
        *,
        name: str | None = None,
        traits: SkillTraits | None = None,
        traits_for: TraitsFor | None = None,
    ) -> Callable[[Function], Function]: ...

    def skill(
        self,
        function: Any = None,
        /,
        *,
        name: str | None = None,
        traits: SkillTraits | None = None,
        traits_for: TraitsFor | None = None,
    ) -> Any:
        """Register a function by decorating it, `@registry.skill` or `@registry.skill(name=...)`; it stays as it is.

        The arguments, and the errors, are those of `skill_of`.
        """

        def registered(decorated: Function) -> Function:
            made = skill_of(decorated, name=name, traits=traits, traits_for=traits_for, services=self._services)
            self.register(made)
            return decorated

        return registered if function is None else registered(function)

    def unregister(self, name: str) -> bool:
        """Take away what was registered under *name*; tell whether there was anything. Sources keep theirs."""
        self._made.pop(name, None)
        return self._own.pop(name, None) is not None

    def add_source(self, source: SkillSource) -> None:
        """Offer what *source* offers, now and later.

        Raises:
            InvalidInputError: its name cannot be used.
            AlreadyExistsError: there is a source of this name.
        """
        if check_skill_name(source.name, "a source's name") in self._sources:
            raise AlreadyExistsError(f"source of skills {source.name!r}")
        self._sources[source.name] = source

    def remove_source(self, name: str) -> bool:
        """Offer no more what the source of this name offers; tell whether there was one."""
        return self._sources.pop(name, None) is not None

    @property
    def sources(self) -> tuple[SkillSource, ...]:
        """Where skills come from besides, in order."""
        return tuple(self._sources.values())

    # --- asking for it

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._offered()

    def __iter__(self) -> Iterator[Skill]:
        """Yield every skill, also those that are switched off."""
        for name in tuple(self._own):
            yield self._own_skill(name)
        yield from self._offered().values()

    @property
    def names(self) -> tuple[str, ...]:
        """What every skill is called, also those that are switched off."""
        return (*self._own, *self._offered())

    def get(self, name: str) -> Skill | None:
        """Return the skill of this name, unless there is none or it is switched off.

        A source's skill is also found as `source__name`, whatever else it is called.
        """
        if name in self._off:
            return None
        return self._own_skill(name) if name in self._own else self._from_source(name)

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Return the skills that are switched on, as a model is told of them."""
        return tuple(definition_of(skill) for skill in self if skill.name not in self._off)

    def get_definitions(self) -> list[dict[str, Any]]:
        """Return the same in the function-calling format that many providers share."""
        return [{"type": "function", "function": one.to_dict()} for one in self.definitions()]

    # --- switching on and off

    def enable(self, name: str) -> None:
        """Tell models of the skill of this name (again)."""
        self._off.discard(name)

    def disable(self, name: str) -> None:
        """Tell no model of the skill of this name, and do not find it; it may be one that comes later."""
        self._off.add(check_skill_name(name))

    def toggle(self, name: str) -> bool:
        """Switch a skill off if it is on, and on if it is off; return whether it is on now."""
        if name in self._off:
            self.enable(name)
        else:
            self.disable(name)
        return name not in self._off

    def is_enabled(self, name: str) -> bool:
        """Tell whether there is a skill of this name, and it is switched on."""
        return name not in self._off and name in self

    @property
    def disabled(self) -> frozenset[str]:
        """What is switched off, be it here now or not."""
        return frozenset(self._off)

    # --- within

    def _own_skill(self, name: str) -> Skill:
        if name not in self._made:
            self._made[name] = _called(self._own[name](self._services), name)
        return self._made[name]

    def _offered(self) -> dict[str, Skill]:
        """Return what the sources offer now, by the name that each skill has here."""
        return {one.name: _called(one.skill, one.name) for one in self._offers()}

    def _offers(self) -> list[_Offer]:
        offers: list[_Offer] = []
        taken = set(self._own)
        for source in self._sources.values():
            for skill in _skills_of(source):
                qualified = qualified_name(source.name, skill.name)
                free = next((name for name in (fitting_name(skill.name), qualified) if name not in taken), None)
                if free is None:
                    _log.warning("source %s offers %s more than once: only the first counts", source.name, skill.name)
                else:
                    offers.append(_Offer(free, qualified, skill))
                    taken.add(free)
        return offers

    def _from_source(self, name: str) -> Skill | None:
        offers = self._offers()
        exact = (one for one in offers if one.name == name)
        found = next(exact, None) or next((one for one in offers if one.qualified == name), None)
        return None if found is None or found.name in self._off else _called(found.skill, name)


def _skills_of(source: SkillSource) -> list[Skill]:
    try:
        return list(source.skills())
    except Exception:  # noqa: BLE001 - a source may be anybody's code, and the other skills must still work
        _log.exception("source of skills %s failed: its skills are left out", source.name)
        return []


def _called(skill: Skill, name: str) -> Skill:
    return skill if skill.name == name else _Renamed(skill, name)


class _Renamed:
    """A skill under another name."""

    def __init__(self, skill: Skill, name: str) -> None:
        self._skill = skill
        self._name = name

    def __repr__(self) -> str:
        return f"{self._skill!r} as {self._name}"

    @property
    def name(self) -> str:
        return self._name

    @property
    def description(self) -> str:
        return self._skill.description

    @property
    def parameters(self) -> dict[str, Any]:
        return self._skill.parameters

    @property
    def traits(self) -> SkillTraits:
        return traits_of(self._skill)

    def traits_for(self, arguments: dict[str, Any]) -> SkillTraits:
        return traits_of(self._skill, arguments)

    async def execute(self, /, **arguments: Any) -> ToolResult:
        return await self._skill.execute(**arguments)

"""A team: a commander who hands tasks out, and specialists who do them, in one session and within one budget."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken, cancelled_by
from sojourn.agent.events import ContentChunk, ModelAnswered, SessionCancelled, SessionCompleted, SessionWaiting
from sojourn.agent.gate import Gate
from sojourn.agent.guard import SECURITY, InputGuard
from sojourn.agent.settings import AgentSettings
from sojourn.agent.skills.offered import HasServices, Skills
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import Skill
from sojourn.context.budget import ARMY, Limits
from sojourn.context.fence import fenced
from sojourn.context.tokens import CharacterCounter
from sojourn.engine.app import Sojourn
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.session import Session
from sojourn.errors import BudgetExceededError, InvalidInputError, ModelError
from sojourn.model.events import UsageRecorded
from sojourn.model.message import Message
from sojourn.model.value import Value
from sojourn.providers.protocol import ModelRequest, Provider, ToolDefinition

COMMANDER: Final = "commander"
ROUTE_TOKENS: Final = 300
UNPARSED: Final = "fallback: could not parse routing"
AT_LIMIT: Final = "Stopped after reaching max tool-use turns."
CANCELLED: Final = " [cancelled]"
_ROUTE: Final = {
    "type": "object",
    "properties": {"agent": {"type": "string"}, "task": {"type": "string"}, "reason": {"type": "string"}},
    "required": ["agent", "task", "reason"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Specialist:
    """One member of a team.

    Attributes:
        name: how the commander calls it.
        purpose: what it is good at, in a line.
        instructions: its system prompt.
        skills: the names of the skills that it may use; None for all.
        provider: its own model; None for the team's.
    """

    name: str
    purpose: str
    instructions: str
    skills: frozenset[str] | None = None
    provider: Provider | None = None


SPECIALISTS: Final = (
    Specialist(
        name="developer",
        purpose="writes, reads and runs code",
        instructions="You are a software developer. Make the smallest change that does the job, and check it.",
    ),
    Specialist(
        name="researcher",
        purpose="finds things out and says where they stand",
        instructions="You are a researcher. Find out what is asked, say where it stands, and say what you do not know.",
    ),
    Specialist(
        name="writer",
        purpose="writes and edits text",
        instructions="You are a writer. Write plainly, for the reader that is named, and no longer than is needed.",
    ),
    Specialist(
        name="analyst",
        purpose="works with data and numbers",
        instructions="You are an analyst. Show the numbers, how they lead to the answer, and how sure it is.",
    ),
)
COMMANDING: Final = "You lead a team. What you are asked, you answer yourself, briefly."


class Route(Value, frozen=True, kw_only=True):
    """Who does what, and why."""

    agent: str
    task: str
    reason: str = ""


class AgentResult(Value, frozen=True, kw_only=True):
    """What came of a task. A failure says in *content* what went wrong.

    If a human has to allow something first, *content* is what he is asked, and the metadata has its `interrupt_id`.
    """

    success: bool
    content: str
    tokens_used: int = 0
    metadata: dict[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamSettings:
    """How a team works.

    Attributes:
        specialists: who is in it, besides the commander.
        instructions: the commander's system prompt.
        limits: what all of them may spend together.
        guard: checks what is asked before a model sees it; None checks nothing.
        settings: how the agents behave.
    """

    specialists: Sequence[Specialist] = SPECIALISTS
    instructions: str = COMMANDING
    limits: Limits = ARMY
    guard: InputGuard | None = field(default_factory=InputGuard)
    settings: AgentSettings = field(default_factory=AgentSettings)


class Team:
    """A router and specialists over one session. Lives as long as the session is open."""

    def __init__(
        self,
        provider: Provider,
        session: Session,
        *,
        app: Sojourn | None = None,
        skills: Skills | None = None,
        gate: Gate | None = None,
        settings: TeamSettings | None = None,
    ) -> None:
        """Work in *session* with *provider*.

        Raises:
            InvalidInputError: two members have one name.
        """
        self._provider = provider
        self._session = session
        self._app = app
        self._skills = skills
        self._gate = gate
        self._settings = settings or TeamSettings()
        commander = Specialist(
            name=COMMANDER, purpose="answers what needs none of them", instructions=self._settings.instructions
        )
        members = (commander, *self._settings.specialists)
        self._members = {one.name: one for one in members}
        if len(self._members) < len(members):
            raise InvalidInputError("the members of a team have different names, and none is called commander")
        self.budget = SessionBudget(session, self._settings.limits)

    def __repr__(self) -> str:
        return f"Team({', '.join(self._members)})"

    @property
    def members(self) -> tuple[Specialist, ...]:
        """Who is in it, the commander first."""
        return tuple(self._members.values())

    async def route(self, text: str) -> Route:
        """Ask the commander who should do what; what cannot be read goes to the commander himself.

        Raises:
            BudgetExceededError: asking would cost more than is left.
            ModelError: the model failed.
        """
        listed = "\n".join(f"- {one.name}: {one.purpose}" for one in self.members)
        request = ModelRequest(
            system=(
                "You hand tasks to a team. Answer with one JSON object and nothing else, with the keys agent (one of"
                f" the names), task (what it should do) and reason (why it).\n{listed}"
            ),
            messages=(Message(role="user", content=fenced("request", text, origin="what the user asks")),),
            max_tokens=ROUTE_TOKENS,
            schema=_ROUTE,
        )
        counter = CharacterCounter()
        self.budget.check_run_budget(counter.count(request.system) + counter.count(text) + ROUTE_TOKENS)
        complete = await self._provider.complete(request)
        usage = self._session.models.priced(complete.usage)
        await self.budget.record(UsageRecorded.of(usage, purpose="reasoning"))
        return self._read_route(complete.message.text, text)

    def _read_route(self, answer: str, text: str) -> Route:
        start, end = answer.find("{"), answer.rfind("}")
        try:
            route = msgspec.json.decode(answer[start : end + 1], type=Route)
        except msgspec.DecodeError:
            return Route(agent=COMMANDER, task=text, reason=UNPARSED)
        if route.agent not in self._members:
            return Route(agent=COMMANDER, task=text, reason=UNPARSED)
        return route

    async def dispatch(self, text: str, *, cancel_token: CancellationToken | None = None) -> AgentResult:
        """Have *text* done by whoever it is for. What a model or a budget does wrong is not raised: the result says it.

        Raises:
            InvalidInputError: nothing was said.
        """
        if not text.strip():
            raise InvalidInputError("say what is to be done: the task is empty")
        if self._settings.guard is not None:
            blocked = await self._settings.guard.blocks(self._session, text)
            if blocked is not None:
                return AgentResult(success=False, content=blocked, metadata={"blocked": SECURITY})
        before = self.budget.spent
        self.budget.begin_run()
        route, failure = None, CANCELLED
        try:
            with cancelled_by(*(() if cancel_token is None else (cancel_token,))):
                route = await self.route(text)
        except (BudgetExceededError, ModelError) as error:
            failure = str(error)
        if route is None:
            return AgentResult(success=False, content=failure, tokens_used=self.budget.spent.since(before).tokens)
        result = await self.run(route.agent, text, task=route.task, reason=route.reason, cancel_token=cancel_token)
        return replace(result, tokens_used=self.budget.spent.since(before).tokens)

    async def run(
        self,
        name: str,
        text: str,
        *,
        task: str | None = None,
        reason: str = "",
        cancel_token: CancellationToken | None = None,
    ) -> AgentResult:
        """Let the member *name* answer *text*; *task* is what the commander makes of it.

        Raises:
            InvalidInputError: there is no such member, or nothing was said.
        """
        member = self._members.get(name)
        if member is None:
            raise InvalidInputError(f"the team has {', '.join(self._members)}, got {name!r:.50}")
        before = self.budget.spent
        metadata: dict[str, Any] = {"agent": name, "reason": reason}
        turn = _Heard()
        try:
            agent = self._agent(member, text if task is None else task, asked=text)
            async with aclosing(agent.run_turn(text, cancel_token=cancel_token)) as events:
                async for event in events:
                    turn.hear(event)
        except (BudgetExceededError, ModelError) as error:
            spent = self.budget.spent.since(before).tokens
            return AgentResult(success=False, content=str(error), tokens_used=spent, metadata=metadata)
        if turn.waits_for is not None:
            metadata["interrupt_id"] = turn.waits_for
        return AgentResult(
            success=turn.success,
            content=turn.content,
            tokens_used=self.budget.spent.since(before).tokens,
            metadata=metadata,
        )

    def _agent(self, member: Specialist, task: str, *, asked: str) -> Agent:
        instructions = member.instructions
        if task != asked:
            instructions = f"{instructions}\n\nYour task now: {task}"
        return Agent(
            member.provider or self._provider,
            session=self._session,
            skills=_Allowed(self._skills, member.skills) if self._skills is not None else None,
            instructions=instructions,
            app=self._app,
            gate=self._gate,
            settings=self._settings.settings,
            limits=self._settings.limits,
            name=member.name,
        )


class _Heard:
    """What one turn said. Lives for the turn."""

    def __init__(self) -> None:
        self.success = False
        self.waits_for: str | None = None
        self._pieces: list[str] = []
        self._halted = False

    def hear(self, event: object) -> None:
        match event:
            case ContentChunk(text=text):
                self._pieces.append(text)
            case ModelAnswered(message=message) if message.tool_calls:
                self._pieces.clear()  # what is said beside calls is not the answer
            case SessionCompleted(halted_at_limit=halted):
                self._halted, self.success = halted, not halted
            case SessionCancelled():
                self._pieces.append(CANCELLED)
            case SessionWaiting(interrupt=interrupt):
                self._pieces = [interrupt.question or ""]
                self.waits_for = interrupt.interrupt_id

    @property
    def content(self) -> str:
        return AT_LIMIT if self._halted else "".join(self._pieces)


class _Allowed:
    """The skills that one member may use."""

    def __init__(self, skills: Skills, names: frozenset[str] | None) -> None:
        self._skills = skills
        self._names = names
        self.services = skills.services if isinstance(skills, HasServices) else ServiceContainer()

    def get(self, name: str) -> Skill | None:
        return self._skills.get(name) if self._names is None or name in self._names else None

    def definitions(self) -> tuple[ToolDefinition, ...]:
        offered = self._skills.definitions()
        return tuple(one for one in offered if self._names is None or one.name in self._names)

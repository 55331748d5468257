"""Learning from what was said: each message is read once, behind the turn, and what it states is appended.

What the user states is taken as true if it is sure enough; what is less sure, or what the assistant or a tool says
about the user, becomes a candidate that waits for a review. An extractor that fails or hangs is reported; the message
is stored already, and the next one is read as usual.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import anyio.to_thread
from msgspec.structs import replace

from sojourn.engine.correcting import correct
from sojourn.engine.session import Session
from sojourn.errors import ExtractionError, SojournError
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.statement import (
    ACCEPTED,
    Exchange,
    Extraction,
    FactStatement,
    Heard,
    ProfileStatement,
    Statement,
    TaskStatement,
    Trust,
)
from sojourn.memory.facts.judging import meant
from sojourn.memory.facts.slots import is_exclusive
from sojourn.memory.facts.values import same_value
from sojourn.model.entry import Entry
from sojourn.model.events import (
    FactScope,
    IntentClassified,
    MessageAdded,
    ProfileFieldRemoved,
    ProfileUpdated,
    TopicChanged,
)
from sojourn.model.ids import Seq
from sojourn.model.profile import LISTS, accepted_fields
from sojourn.model.wording import coverage, terms

_log = logging.getLogger(__name__)
TIME_LIMIT: Final = 60.0
"""Seconds that an extractor may take for one message."""
BEFORE: Final = 4
"""How many earlier messages an extractor sees, to understand an answer."""
INJECTED: Final = "injected"
"""The key in a message's metadata under which stand the (start, end) of what Sojourn itself put into its text."""
_MAX_CONTENT: Final = 1_000
_SOURCES: Final[dict[Trust, str]] = {"user": "conversation", "assistant": "assistant", "external": "tool"}
"""Where a fact came from: what the user said weighs more than what the assistant or a tool says."""

FailureHandler = Callable[[str, Exception], None]
_LABELS: Final = {
    "name": "The user's name is {}",
    "age": "The user is {} years old",
    "location": "The user lives in {}",
    "occupation": "The user's occupation is {}",
    "expertise_level": "The user's expertise is {}",
    "communication_style": "The user prefers {} answers",
    "current_project": "The user works on {}",
    "programming_languages": "The user programs in {}",
    "frameworks": "The user uses the framework {}",
    "interests": "The user is interested in {}",
    "project_tech_stack": "The user's project uses {}",
}


def log_failure(what: str, error: Exception) -> None:
    """Write to the log what could not be learned, and why."""
    _log.warning("%s failed, and nothing was learned by it: %s", what, error, exc_info=error)


class Learner:
    """Reads messages and appends what they state. Lives as long as its app.

    *make_extractor* is called when the first message is to be read, on a thread: a grammar takes a moment to load.
    """

    def __init__(
        self,
        make_extractor: Callable[[], StateExtractor],
        *,
        time_limit: float = TIME_LIMIT,
        on_failure: FailureHandler = log_failure,
    ) -> None:
        self._make_extractor = make_extractor
        self._extractor: StateExtractor | None = None
        self._time_limit = time_limit
        self._on_failure = on_failure

    async def read(self, session: Session, entries: Sequence[Entry]) -> None:
        """Read the messages among *entries*, which follow each other in the session's journal."""
        messages = [entry for entry in entries if isinstance(entry.event, MessageAdded)]
        if not messages:
            return
        earlier = await session.store.last_messages(session.id, BEFORE, before=messages[0].seq)
        talk = [heard(entry) for entry in (*earlier, *messages)]
        for place in range(len(earlier), len(talk)):
            one, before = talk[place], tuple(talk[max(place - BEFORE, 0) : place])
            if one.role != "system" and one.text.strip():
                await self.learn(session, _exchange(one, before))

    async def learn(self, session: Session, exchange: Exchange) -> Extraction:
        """Read one exchange and append what it states; return that."""
        try:
            found = await self._extract(exchange)
        except Exception as error:  # noqa: BLE001 - an extractor may be anybody's code; the exchange is stored
            self._on_failure("extracting what was said", error)
            return Extraction()
        await self.take_in(session, found, about=exchange)
        return found

    async def take_in(self, session: Session, found: Extraction, *, about: Exchange) -> None:
        """Append what was *found*: profile, facts, decisions, tasks, files, topic, intent, in this order.

        A statement that cannot be taken in is reported, and the others are taken in all the same.
        """
        for take in _takes(session, found, about):
            try:
                await take()
            except SojournError as error:
                self._on_failure("taking in what was said", error)

    async def _extract(self, exchange: Exchange) -> Extraction:
        if self._extractor is None:
            self._extractor = await anyio.to_thread.run_sync(self._make_extractor)  # nobody stands still meanwhile
        try:
            async with asyncio.timeout(self._time_limit):
                found = await self._extractor.extract(exchange)
        except TimeoutError as error:
            raise ExtractionError(f"it took more than {self._time_limit:g} s") from error
        if not isinstance(found, Extraction):
            raise ExtractionError(f"it returned {type(found).__name__}, not an Extraction")
        return found


def _takes(session: Session, found: Extraction, about: Exchange) -> Iterator[Callable[[], Awaitable[object]]]:
    """Yield what takes in each statement, in the order in which they are taken in."""
    for stated in found.profile:
        yield partial(_take_profile, session, stated)
    for fact in found.facts:
        yield partial(_take_fact, session, fact)
    yield partial(correct, session, about, found)
    for decision in found.decisions:
        if _is_to_be_noted(decision):
            yield partial(session.working_set.decide, decision.text, causes=_causes(decision))
    for task in found.tasks:
        if _is_to_be_noted(task):
            yield partial(_take_task, session, task)
    for file in found.files:
        if file.action != "mentioned" and file.confidence >= ACCEPTED:
            touch = session.working_set.touch_file
            yield partial(touch, file.path, action=file.action, causes=_causes(file))
    yield partial(_take_thread, session, found, about)


def heard(entry: Entry) -> Heard:
    """Return the message in *entry* as an extractor sees it."""
    assert isinstance(entry.event, MessageAdded)  # noqa: S101 - callers choose messages
    message = entry.event.message
    marked = message.metadata.get(INJECTED)
    injected = tuple(
        (int(span[0]), int(span[1]))
        for span in (marked if isinstance(marked, list | tuple) else ())
        if isinstance(span, list | tuple) and len(span) == 2 and all(isinstance(edge, int) for edge in span)
    )
    return Heard(role=message.role, text=message.text, seq=entry.seq, injected=injected)


def _exchange(one: Heard, before: tuple[Heard, ...]) -> Exchange:
    if one.role == "user":
        return Exchange(user=one, before=before)
    if one.role == "assistant":
        return Exchange(assistant=one, before=before)
    return Exchange(tools=(one,), before=before)


def exchanges_of(entries: Iterable[Entry]) -> list[Exchange]:
    """Put the messages among *entries* together that belong together: what the user said, and all that answers it."""
    found: list[Exchange] = []
    for entry in entries:
        if not isinstance(entry.event, MessageAdded):
            continue
        one = heard(entry)
        if one.role == "system" or not one.text.strip():
            continue
        if one.role == "user" or not found:
            found.append(Exchange())
        last = found[-1]
        if one.role == "user":
            found[-1] = replace(last, user=one)
        elif one.role == "tool":
            found[-1] = replace(last, tools=(*last.tools, one))
        elif last.assistant is None:
            found[-1] = replace(last, assistant=one)
        else:
            found.append(Exchange(assistant=one))
    return found


def _is_to_be_noted(statement: Statement) -> bool:
    """Tell whether a decision or a task is noted: it cannot wait for a review, so it must be sure and not a tool's."""
    return statement.trust != "external" and statement.confidence >= ACCEPTED


def _causes(statement: Statement) -> tuple[Seq, ...]:
    return tuple(dict.fromkeys(span.seq for span in statement.evidence if span.seq))


async def _take_profile(session: Session, stated: ProfileStatement) -> None:
    profile, causes = session.state.user_profile, _causes(stated)
    if stated.removes:
        if stated.trust == "user":
            await _settle(session, stated)
            if profile.holds(stated.field, stated.value):
                await session.append(ProfileFieldRemoved(field=stated.field, value=stated.value), causes=causes)
        return
    fields = accepted_fields({stated.field: [stated.value] if stated.field in LISTS else stated.value})
    if not fields or stated.value is None:
        return
    if stated.accepted:
        await _settle(session, stated)
    if profile.holds(stated.field, stated.value):
        return
    if not stated.accepted:
        if profile.held_before(stated.field, stated.value):
            return  # the user put another value in its place: nobody else's word brings it back
        await session.facts.learn(
            _LABELS[stated.field].format(stated.value),
            source=_SOURCES[stated.trust],
            confidence=stated.confidence,
            scope="user",
            status="candidate",
            about="user",
            slot=f"user/{stated.field}",
            value=str(stated.value),
            spans=stated.evidence,
            causes=causes,
        )
        return
    events: list[ProfileFieldRemoved | ProfileUpdated] = []
    if stated.former is not None and stated.field in LISTS and profile.holds(stated.field, stated.former):
        events.append(ProfileFieldRemoved(field=stated.field, value=stated.former))
    events.append(ProfileUpdated(fields=fields, confidence=stated.confidence, spans=stated.evidence))
    await session.append(*events, causes=causes)


async def _settle(session: Session, stated: ProfileStatement) -> None:
    """Bring facts about a field of the profile into line with what the user says of it: he is right."""
    for fact in session.state.knowledge_base.facts.values():
        if fact.status == "retired" or fact.slot != f"user/{stated.field}" or fact.value is None:
            continue
        same = stated.value is None or same_value(str(stated.value), fact.value)
        gone = same if stated.removes else not same and stated.field not in LISTS
        if gone:
            reason = "the user took it back" if stated.removes else f"the user says otherwise: {stated.value}"
            await session.facts.retire(fact.fact_id, reason, causes=_causes(stated))
        elif same and fact.status == "candidate":
            await session.facts.activate(fact.fact_id, causes=_causes(stated))


async def _take_fact(session: Session, fact: FactStatement) -> None:
    if fact.removes:
        if fact.trust == "user":
            await _retire(session, fact)
        return
    await session.facts.learn(
        fact.content[:_MAX_CONTENT],
        source=_SOURCES[fact.trust],
        confidence=fact.confidence,
        scope=_scope(session, fact),
        status="active" if fact.accepted else "candidate",
        tags=fact.tags,
        about=fact.about,
        slot=fact.slot,
        value=fact.value,
        spans=fact.evidence,
        causes=_causes(fact),
    )


def _scope(session: Session, fact: FactStatement) -> FactScope:
    """Return where a fact holds: what is true of the work is so in every session of the project."""
    shared = fact.scope == "session" and fact.about is None and session.state.header.project is not None
    return "project" if shared else fact.scope


async def _retire(session: Session, fact: FactStatement) -> None:
    """Retire what the user takes back: what fills the slot, else the facts that hold every word of what he names."""
    asked = terms(fact.content)
    facts = session.state.knowledge_base.facts.values()
    slot = meant(fact.slot, facts) if fact.slot else None
    for known in facts:
        if known.status == "retired":
            continue
        named = known.slot == slot if slot else coverage(asked, known.content) == 1.0
        if slot and fact.value and known.value and not is_exclusive(slot):
            named = named and same_value(fact.value, known.value)
        if named:
            await session.facts.retire(known.fact_id, "the user took it back", causes=_causes(fact))


async def _take_task(session: Session, task: TaskStatement) -> None:
    if not task.done:
        await session.working_set.open_task(task.text, causes=_causes(task))
        return
    asked = terms(task.text)
    for known in session.state.working_set.open_tasks:
        if coverage(terms(known.text), task.text) >= 0.6 or coverage(asked, known.text) == 1.0:
            await session.working_set.close_task(known.task_id, causes=_causes(task))
            return


async def _take_thread(session: Session, found: Extraction, about: Exchange) -> None:
    seqs = [one.seq for one in (about.user, about.assistant, *about.tools) if one is not None and one.seq]
    state = session.state.interaction_context
    if found.topic and found.topic != state.current_topic:
        await session.append(TopicChanged(topic=found.topic), causes=seqs)
    if found.intent is not None and about.user is not None:
        judged = IntentClassified(
            intent=found.intent.type, confidence=found.intent.confidence, details=found.intent.details
        )
        # A message that is read once more after a crash is not counted twice.
        key = f"intent/{about.user.seq}" if about.user.seq else None
        await session.append(judged, causes=seqs, key=key)

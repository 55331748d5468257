"""What a live session's next context is made of: gathered here, built by `context.builder`.

However long the history is, only as much of it is read as the budget can hold: the last messages, which are kept from
one context to the next, and what a search finds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import anyio.to_thread

from sojourn.context.builder import ContextBuilder, turn_at_hand
from sojourn.context.context import Context
from sojourn.context.costs import Costs
from sojourn.context.inputs import Inputs, Retrieved, Retriever
from sojourn.context.known_talk import KnownTalk
from sojourn.context.models import ModelCatalog
from sojourn.context.talk import Line, groups
from sojourn.context.tokens import Calibration, CharacterCounter, TokenCounter, counter_for
from sojourn.context.tool_results import shown
from sojourn.engine.live import Live
from sojourn.engine.nouns.research import ResearchNoun
from sojourn.engine.recall.memory import Memory
from sojourn.engine.recent import MAX_MESSAGES
from sojourn.errors import InvalidInputError
from sojourn.memory.index.document import Hit
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded, UsageRecorded
from sojourn.model.ids import Seq, SessionId
from sojourn.model.knowledge import Fact
from sojourn.model.state import SessionState
from sojourn.model.value import Value
from sojourn.store.protocol import Store

FOUND: Final = 60
"""How many old messages and facts are looked for: more than fit into a context of a few thousand tokens."""
NEIGHBOURED: Final = 3
"""Of the best messages found, so many bring what was said just before and after."""
_BESIDE: Final = 0.2
"""What a neighbour is worth, compared with what it stands beside."""
_STEADY: Final = 3
"""What is found at place n (0, 1, 2 ...) is worth 3 / (n + 3). The score of a search says how likely a message is part
of the answer, which is little for each of many: the place spreads the budget over them better."""
_SOON: Final = 8
"""So many entries after another, something counts as what came next."""
_LOOSE: Final = 1.25
"""So many times what may be needed is kept before it is cut: what begins as before need not be looked at again."""
_FEW: Final = 8
"""So many messages are asked for first: mostly no more are new."""
_PAGE: Final = 200
_LONG: Final = 1_500
"""Of a longer message only the stretch that fits the question is shown."""
_ASKED: Final = 300
"""Characters at the beginning of a question, and at its end, that are looked for: between them stands what was pasted,
and what people want to know is said before or after it."""
_ROUGHLY: Final = CharacterCounter()
_WORTH_COUNTING: Final = 0.03
"""By so much a correction must differ from the one in use: with another, all that was said is counted anew."""


class MemoryRetriever:
    """Finds old messages and facts of one session, through the memory of its app. Lives for one context."""

    def __init__(
        self, memory: Memory, session_id: SessionId, store: Store, *, before: Seq | None = None, after: int = 0
    ) -> None:
        """Look at what was said *before* that entry only: while a question is worked on, it finds the same.

        Facts are found wherever they stand; messages only *after* an entry.
        """
        self._memory = memory
        self._session_id = session_id
        self._store = store
        self._before = before
        self._after = after

    async def retrieve(self, question: str, *, limit: int) -> Sequence[Retrieved]:
        """Return what fits *question* best, the best first, and last what else stands beside the very best."""
        hits = await self._memory.search(_asked(question), session_id=self._session_id, limit=limit, whole=_LONG)
        hits = [hit for hit in hits if self._is_shown(hit.document.seq, is_fact=hit.document.fact_id is not None)]
        found = [_retrieved(hit, place) for place, hit in enumerate(hits)]
        spoken = [(hit.document, one) for hit, one in zip(hits, found, strict=True) if one.fact_id is None]
        places = {document.place for document, _ in spoken}
        known = {one.seq for one in found}
        for document, one in spoken[:NEIGHBOURED]:
            place = document.place
            if place is None or {place - 1, place + 1} <= places:
                continue  # the search has found its neighbours, too: no need to look
            for entry in await self._beside(one.seq):
                if entry.seq not in known and self._is_shown(entry.seq):
                    known.add(entry.seq)
                    found += _neighbour(entry, one)
        return found

    def _is_shown(self, seq: Seq, *, is_fact: bool = False) -> bool:
        return (self._before is None or seq < self._before) and (is_fact or seq > self._after)

    async def _beside(self, seq: Seq) -> list[Entry]:
        """Return the message before entry *seq*, and the one after it if it follows soon."""
        before = await self._store.last_messages(self._session_id, 1, before=seq)
        after = await self._store.read(self._session_id, after=seq, limit=_SOON)
        return [*before, *[entry for entry in after if isinstance(entry.event, MessageAdded)][:1]]


class _Found(Value, frozen=True, kw_only=True):
    """What was found for a question that stands at entry *asked_at*, or was not appended yet at *head*."""

    question: str
    asked_at: Seq | None
    head: Seq
    retrieved: tuple[Retrieved, ...]

    def is_of_turn(self, asked_at: Seq | None) -> bool:
        """Tell whether the question at entry *asked_at* is this one."""
        if asked_at is None or self.asked_at is not None:
            return asked_at is not None and asked_at == self.asked_at
        return self.head < asked_at <= self.head + _SOON


class Contexts:
    """Builds the contexts of one session. Lives as long as the session is open.

    It remembers the last context, to keep its beginning, the messages that it read, and how far the numbers of
    providers are from estimates.
    """

    def __init__(self, *, brief: bool = False) -> None:
        """Count contexts that fit in any case roughly, if it is *brief*: to load a tokenizer takes a while."""
        self._brief = brief
        self._lines: tuple[Line, ...] = ()
        self._last: Context | None = None
        self._found: _Found | None = None
        self._windows: dict[str, int | None] = {}
        self._calibrations: dict[str, Calibration] = {}
        self._asked: tuple[str, int] | None = None
        self._counters: dict[str | None, tuple[float, TokenCounter]] = {}
        self._loaded: set[str] = set()
        self._known: KnownTalk | None = None

    def forget(self) -> None:
        """Keep nothing of what was said: some of it was forgotten."""
        self._lines, self._last, self._found, self._known = (), None, None, None

    async def window(self, model: str | None, models: ModelCatalog) -> int | None:
        """Return how many tokens *model* takes. A large table may be loaded when it is first met, on a thread."""
        if model is None:
            return None
        if model not in self._windows:
            self._windows[model] = await anyio.to_thread.run_sync(models.window, model)
        return self._windows[model]

    def counter(self, model: str | None) -> TokenCounter:
        """Return the best counter for *model*, corrected by what its provider reported in this session."""
        calibration = self._calibrations.get(model) if model is not None else None
        factor = calibration.factor if calibration is not None else 1.0
        known = self._counters.get(model)
        if known is None or abs(known[0] - factor) >= _WORTH_COUNTING:
            known = self._counters[model] = (factor, counter_for(model, calibration))
        return known[1]

    def follow(self, entries: Iterable[Entry]) -> None:
        """Learn from what a provider reports for the last context."""
        for entry in entries:
            event = entry.event
            if isinstance(event, UsageRecorded) and event.purpose == "conversation" and self._asked is not None:
                model, estimated = self._asked
                # A provider may answer with the name of the exact version.
                if event.model == model or (event.model or "").startswith(f"{model}-"):
                    reported = event.input_tokens + event.cache_creation_tokens + event.cache_read_tokens
                    known = self._calibrations.get(model, Calibration())
                    self._calibrations[model] = known.with_call(estimated=estimated, reported=reported)
                    self._asked = None

    async def build(
        self,
        session: Live,
        question: str,
        builder: ContextBuilder,
        *,
        system: str = "",
        model: str | None = None,
        memory: Memory | None = None,
        remember: bool = True,
    ) -> Context:
        """Return the context for *question*, or for the one that waits; *memory* is where to look for more.

        Without *remember* somebody only looks: the next one is built as if this had not been.
        """
        if not isinstance(question, str) or not isinstance(system, str):
            raise InvalidInputError(
                f"a question and the instructions are texts, got {question!r:.50} and {system!r:.50}"
            )
        allowed = builder.tokens_allowed()
        rough = self._brief and await _fits(session, f"{system}{question}", allowed)
        if rough:
            builder = replace(builder, counter=_ROUGHLY)
        elif model is not None and model not in self._loaded:  # it may have a table to load
            await anyio.to_thread.run_sync(builder.counter.count, model)
            self._loaded.add(model)
        known = self._known
        if known is None or known.costs.counter is not builder.counter:
            known = KnownTalk(builder.counter)
            self._known = known if remember else self._known
        recent = await self._recent(session, allowed, known.costs)
        question = question if question.strip() else _open_question(recent)
        if builder.strategy == "middle_out":
            recent = await self._with_first(session, recent)
        state = session.state
        asked_at = next((line.seq for line in recent[turn_at_hand(recent, question) :]), None)
        inputs = Inputs(
            state=state,
            question=question,
            system=system,
            recent=recent,
            retrieved=await self._look(session, question, asked_at, memory, remember=remember),
            shared=await _shared(memory, state),
            research=await _research(session),
        )
        context = builder.build(inputs, previous=self._last, known=known)
        if not remember:
            return context
        self._last = context
        known.costs.keep(recent)
        if model is not None and not rough:
            # What was corrected already must not be corrected once more.
            factor, _ = self._counters.get(model, (1.0, builder.counter))
            self._asked = (model, round(context.tokens.count / factor))
        return context

    async def _look(
        self, session: Live, question: str, asked_at: Seq | None, memory: Memory | None, *, remember: bool
    ) -> tuple[Retrieved, ...]:
        """Return what is found for *question*; while it is worked on, what was found for it first."""
        if memory is None or not question.strip() or _is_first(session.state, asked_at):
            return ()
        known = self._found
        if known is not None and known.question == question and known.is_of_turn(asked_at):
            return known.retrieved
        head, cleared = session.state.head, session.state.conversation.cleared_through
        retriever: Retriever = MemoryRetriever(memory, session.id, session.store, before=asked_at, after=cleared)
        retrieved = tuple(await retriever.retrieve(question, limit=FOUND))
        if remember:
            self._found = _Found(question=question, asked_at=asked_at, head=head, retrieved=retrieved)
        return retrieved

    # --- the last messages

    async def _recent(self, session: Live, tokens: int, costs: Costs) -> tuple[Line, ...]:
        """Return the last messages of the window, oldest first, that may fit into *tokens*."""
        conversation = session.state.conversation
        start, count = conversation.window_start, conversation.window_messages
        lines: list[Line] = []
        last = (self._lines[-1].seq or 0) if self._lines else 0
        for wanted in (_FEW, MAX_MESSAGES) if self._lines else (MAX_MESSAGES,):
            newest = await session.last_messages(min(count, wanted)) if count else []
            if newest and newest[0].seq <= last:  # what follows the messages that it knows is among them
                lines = [*self._lines, *_lines(entry for entry in newest if entry.seq > last)]
                break
            lines = _lines(newest)
        first = _first_needed(lines, tokens, costs)
        while first is None and lines and len(lines) < count and (lines[0].seq or 0) > start:
            page = _lines(await session.store.last_messages(session.id, _PAGE, before=lines[0].seq))
            if not page:
                break
            lines = [*page, *lines]
            first = _first_needed(lines, tokens, costs)
        needed = lines[first:]
        if needed and (needed[0].seq or 0) <= start:
            needed = [line for line in needed if (line.seq or 0) > start]
        self._lines = tuple(needed)
        return self._lines

    async def _with_first(self, session: Live, recent: tuple[Line, ...]) -> tuple[Line, ...]:
        """Return *recent* with the first thing that was said in the window before it."""
        conversation = session.state.conversation
        first = max(conversation.window_start, (conversation.first_message or 1) - 1)
        entries = await session.store.read(session.id, after=first, limit=20)
        known = {line.seq for line in recent}
        beginning = groups(_lines(entries))[:1]
        return (*[line for group in beginning for line in group if line.seq not in known], *recent)


async def _fits(session: Live, text: str, tokens: int) -> bool:
    """Tell whether *text* and what was said take no more than half of *tokens*, however they are counted.

    No token is less than a byte. The other half is more than what is known ever takes beside a short talk.
    """
    count = session.state.conversation.window_messages
    if count > MAX_MESSAGES or session.state.conversation.window_start:
        return False
    said = [entry.payload for entry in await session.last_messages(count)] if count else []
    return 2 * sum(len(one.encode("utf-8", "surrogatepass")) for one in (text, *said)) <= tokens


def _is_first(state: SessionState, asked_at: Seq | None) -> bool:
    """Tell whether nothing was said or learned before the question at entry *asked_at*: then nothing can be found."""
    first = state.conversation.first_message
    return asked_at is not None and asked_at == first and state.knowledge_base.learned_count == 0


def _asked(question: str) -> str:
    """Return what of *question* is looked for."""
    if len(question) <= 2 * _ASKED:
        return question
    return f"{question[:_ASKED].rpartition(' ')[0]} {question[-_ASKED:].partition(' ')[2]}"


def _first_needed(lines: Sequence[Line], tokens: int, costs: Costs) -> int | None:
    """Return a place from which on *lines* cost at least *tokens*; None if all of them cost less.

    If they do not cost much more, it is the first. Else it is a user's message, if one is near: a tool's result alone,
    long as it may be, is no talk.
    """
    all_cost = costs.of(lines)
    if all_cost < tokens:
        return None
    if all_cost < _LOOSE * tokens:
        return 0
    left = tokens
    beyond = 0
    for place in range(len(lines) - 1, -1, -1):
        left -= costs(lines[place].message)
        beyond += left <= 0
        if beyond > _PAGE or (beyond and lines[place].message.role == "user"):
            return place
    return None


def _lines(entries: Iterable[Entry]) -> list[Line]:
    return [
        Line(message=shown(entry.event.message), seq=entry.seq)
        for entry in entries
        if isinstance(entry.event, MessageAdded)
    ]


def _open_question(recent: Sequence[Line]) -> str:
    """Return what the user said last, if nothing was answered since."""
    for line in reversed(recent):
        if line.message.role == "user":
            return line.message.text
        if line.message.role == "assistant" and not line.message.tool_calls:
            break
    return ""


async def _shared(memory: Memory | None, state: SessionState) -> tuple[Fact, ...]:
    """Return what the user's other sessions, and those of the project, know that holds here too.

    It is looked up every time: what another session forgets must be gone at once.
    """
    if memory is None:
        return ()
    found = list(await memory.user_facts(state.user_id))
    if state.project is not None:
        found += await memory.project_facts(state.project, user_id=state.user_id)
    return tuple({one.fact.fact_id: one.fact for one in found}.values())


async def _research(session: Live) -> tuple[str, ...]:
    """Return the research that is going on: in the detail that its strategy can use, and in one line."""
    if session.state.active_research is None:
        return ()
    active = await ResearchNoun(session).active()
    if active is None:
        return ()
    return active.tracker.to_context_text(), active.tracker.to_minimal_context()


def _retrieved(hit: Hit, place: int) -> Retrieved:
    document = hit.document
    return Retrieved(
        session_id=document.session_id,
        seq=document.seq,
        at=document.at,
        speaker=document.speaker or document.role,
        text=hit.snippet,
        score=_STEADY / (place + _STEADY),
        reason="; ".join(hit.reasons) or "fits the question",
        fact_id=document.fact_id,
    )


def _neighbour(entry: Entry, one: Retrieved) -> list[Retrieved]:
    if not isinstance(entry.event, MessageAdded):
        return []
    message = entry.event.message
    if message.role == "system" or not message.text.strip() or len(message.text) > _LONG:
        return []
    return [
        Retrieved(
            session_id=entry.session_id,
            seq=entry.seq,
            at=entry.at,
            speaker=message.name or message.role,
            text=message.text,
            score=one.score * _BESIDE,
            reason=f"beside entry {one.seq}, which fits",
        )
    ]

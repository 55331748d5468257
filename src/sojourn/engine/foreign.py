"""A journal that comes from a file: what somebody allowed there is allowed nobody here.

A session remembers which tools may run without asking, and which call was agreed to. Whoever was handed the file said
none of that, so behind its entries stand others that take it back. What is asked about next is asked here.
"""

from collections.abc import Iterator, Sequence

from sojourn.engine.repair import closing_events
from sojourn.model.allowances import Allowances
from sojourn.model.codec import CODEC
from sojourn.model.conversation import Conversation
from sojourn.model.entry import Draft, Entry
from sojourn.model.events import AllowanceGranted, AllowanceWithdrawn, InterruptResolved
from sojourn.model.ids import Seq
from sojourn.model.state import replay


def asking_again(entries: Sequence[Entry], *, after: int = 0) -> tuple[Entry, ...]:
    """Return what to store behind *entries*, a whole journal, so that nothing runs by what was allowed in it.

    What was allowed up to entry *after* was allowed here, and stays. Nothing, if nothing was allowed.
    """
    found: list[Entry] = []
    for draft in (*_withdrawals(entries, after), *_endings(entries, after)):
        encoded = CODEC.encode(draft.event)
        found.append(
            Entry(
                session_id=entries[-1].session_id,
                seq=Seq(entries[-1].seq + len(found) + 1),
                at=entries[-1].at,  # taking something in is no activity of the session
                event=encoded.event,
                causes=draft.causes,
                payload=encoded.payload,
                version=encoded.version,
            )
        )
    return tuple(found)


def _withdrawals(entries: Sequence[Entry], after: int) -> Iterator[Draft]:
    allowances = Allowances()
    for entry in entries:
        if isinstance(entry.event, AllowanceGranted | AllowanceWithdrawn):
            allowances = allowances.apply(entry)
    granted = [one for one in allowances.granted if one.seq > after]
    for tool in dict.fromkeys(one.tool for one in granted):
        yield Draft(event=AllowanceWithdrawn(tool=tool), causes=tuple(one.seq for one in granted if one.tool == tool))


def _endings(entries: Sequence[Entry], after: int) -> Iterator[Draft]:
    """Yield what closes calls that did not begin yet, if something was answered that may have been about them."""
    answered = next((one.seq for one in reversed(entries) if isinstance(one.event, InterruptResolved)), 0)
    if answered <= after:
        return
    talk = Conversation()
    for entry in entries:
        talk = talk.apply(entry)
    waiting = [call.asked_at for call in talk.open_calls if not call.started]
    turn = () if talk.turn is None else (talk.turn.started_at,)
    if not waiting or answered < min(*waiting, *turn, answered + 1):
        return
    state = replay(entries)
    if state is not None:
        yield from (Draft(event=event) for event in closing_events(state))

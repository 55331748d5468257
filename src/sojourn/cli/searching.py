"""`sojourn search`: find what was said, in the sessions of a project or in all of them."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.output import Dim, Strong
from sojourn.cli.place import Place
from sojourn.cli.progress import progress
from sojourn.cli.transcript import message_data, message_of
from sojourn.clock import SystemClock
from sojourn.desk.periods import period
from sojourn.desk.references import short
from sojourn.desk.wording import ago, one_line
from sojourn.errors import CorruptError
from sojourn.memory.index.document import Hit
from sojourn.store.protocol import Store

if TYPE_CHECKING:  # it comes with the app, when the command runs
    from sojourn.engine.recall.memory import Memory

_ROLES: Final = ("user", "assistant", "tool")
_MOST_AROUND: Final = 20
_MOST: Final = 1000


@click.command("search")
@click.argument("words", metavar="WORDS...", nargs=-1, required=True)
@click.option("--all", "-a", "everywhere", is_flag=True, help="In every project, not only in this one.")
@click.option("--session", "-s", "reference", metavar="SESSION", help="Only in this session.")
@click.option("--role", "roles", type=click.Choice(_ROLES), multiple=True, help="Only what this role said.")
@click.option("--tag", metavar="TAG", help="Only in sessions with this tag.")
@click.option("--since", metavar="AGE", help="Only what was said since then: 7d, 2w or 12h ago.")
@click.option("-C", "around", metavar="N", type=click.IntRange(0, _MOST_AROUND), default=0, help="Messages around it.")
@click.option("-n", "number", metavar="N", type=click.IntRange(1, _MOST), default=10, help="How many; 10.")
@click.option("--meaning", is_flag=True, help="Search by meaning, too, if a model for it is installed.")
@on_store
async def search(
    place: Place,
    *,
    words: tuple[str, ...],
    everywhere: bool,
    reference: str | None,
    roles: tuple[str, ...],
    tag: str | None,
    since: str | None,
    around: int,
    number: int,
    meaning: bool,
) -> Result:
    """Find WORDS in what was said, the best first: words, "a phrase", or the beginning of a word as in micro*."""
    if everywhere and reference is not None:
        raise click.UsageError("a session is one place: give --session or --all, not both")
    if not " ".join(words).strip(' *"'):
        raise click.UsageError("say what to look for: a word, or a phrase in quotes")
    now = SystemClock().now()
    after = now - period(since) if since is not None else None
    async with place.app(meaning=meaning) as app:
        trouble = await _catch_up(app.memory)
        within = (await place.find(app.store, reference)).session_id if reference is not None else None
        project = None if everywhere or within is not None else (await place.project()).id
        hits = await app.memory.search(
            " ".join(words),
            session_id=within,
            everyone=True,
            project=project,
            tag=tag,
            kinds=("message",),
            roles=roles,
            since=after,
            limit=number,
            by_words=not meaning,
        )
        found = [await _found(app.store, hit, around) for hit in hits]
    lines = [line for one in found for line in _lines(one, now)]
    where = "" if everywhere or within is not None else " in this project; --all looks into every project"
    notes = [] if found else [f"nothing was found{where}"]
    return Result(data={"hits": found}, lines=lines, notes=notes, trouble=trouble)


async def _catch_up(memory: "Memory") -> CorruptError | None:
    """Index what is not indexed yet; return what was in the way, if a session is damaged: the others are searched."""
    with progress("indexing what was said", total=0) as bar:
        try:
            await memory.catch_up(on_progress=lambda done, total: bar.reach(done, total=total))
        except CorruptError as error:
            return error
    return None


async def _found(store: Store, hit: Hit, around: int) -> dict[str, Any]:
    """Return a hit for programs, with the messages around it."""
    document = hit.document
    header = (await store.get_session(document.session_id)).header
    data = {
        "session_id": document.session_id,
        "title": header.title,
        "seq": document.seq,
        "role": document.role,
        "at": document.at.isoformat(),
        "score": hit.score,
        "snippet": hit.snippet,
        "highlights": msgspec.to_builtins(hit.highlights),
    }
    if not around:
        return data
    before = await store.last_messages(document.session_id, around, before=document.seq)
    after = [
        entry for entry in await store.read(document.session_id, after=document.seq, limit=200) if message_of(entry)
    ]
    for name, entries in (("before", before), ("after", after[:around])):
        said = [
            message_data(entry, message, "names") for entry in entries if (message := message_of(entry)) is not None
        ]
        data[name] = [one for one in said if one is not None]
    return data


def _lines(found: dict[str, Any], now: datetime) -> list[str]:
    when = ago(datetime.fromisoformat(found["at"]), now)
    lines: list[str] = [Strong(f"{short(found['session_id'])}  {one_line(found['title'] or 'no title')}")]
    lines += [
        Dim(f"  [{one['seq']}] {one['role']}: {one_line(one.get('text', ''))}") for one in found.get("before", ())
    ]
    lines.append(f"  [{found['seq']}] {found['role']}, {when}: {found['snippet']}")
    lines += [Dim(f"  [{one['seq']}] {one['role']}: {one_line(one.get('text', ''))}") for one in found.get("after", ())]
    return lines

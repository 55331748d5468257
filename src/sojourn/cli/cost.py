"""`sojourn cost`: what was spent on models, and on which. What nobody knows the price of is named, never guessed."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final, get_args

import click

from sojourn.cli.frame import Result, on_store
from sojourn.cli.output import Strong
from sojourn.cli.place import Place
from sojourn.cli.progress import progress
from sojourn.cli.tables import Column, table
from sojourn.clock import SystemClock
from sojourn.desk.figures import amount, sparkline
from sojourn.desk.periods import period
from sojourn.desk.references import short
from sojourn.desk.spending import By, Group, Spending, Sum, read_session_spending, read_spending
from sojourn.desk.wording import count, money, one_line
from sojourn.engine.project import Project
from sojourn.model.header import SessionHeader
from sojourn.store.all_sessions import all_sessions
from sojourn.store.protocol import SessionQuery

_DAYS: Final = 60
"""Days that the line of bars shows, at most."""
_COLUMNS: Final = (
    Column("cost", number=True),
    Column("in", number=True, may_go=True),
    Column("cache read", number=True, may_go=True),
    Column("cache write", number=True, may_go=True),
    Column("out", number=True, may_go=True),
    Column("cached", number=True, may_go=True),
    Column("calls", number=True, may_go=True),
)


@click.command("cost")
@click.argument("reference", metavar="[SESSION]", required=False)
@click.option("--by", "what", type=click.Choice(get_args(By)), default="model", help="What the sums are listed by.")
@click.option("--since", metavar="AGE", help="Only what was spent since then: 30d, 4w or 12h ago.")
@click.option("--all", "-a", "everywhere", is_flag=True, help="In every project, not only in this one.")
@on_store
async def cost(place: Place, *, reference: str | None, what: By, since: str | None, everywhere: bool) -> Result:
    """Show what SESSION spent on models, or all sessions of this project: archived, thrown away and rewound ones too.

    Each call counts once, in the session in which it was made, and not again in its forks. By project, the sums are
    those of every project.
    """
    if reference is not None and everywhere:
        raise click.UsageError("a session is one place: name one or give --all, not both")
    now = SystemClock().now()
    after = now - period(since) if since is not None else None
    everywhere = everywhere or what == "project"
    header, nested = None, tuple[SessionHeader, ...]()
    async with place.store() as store:
        if reference is not None:
            header = await place.find(store, reference)
            spent = _later(await read_session_spending(store, header.session_id), after)
            below = SessionQuery(parent=header.session_id, archived=None, trashed=None)
            headers = [row.header async for row in all_sessions(store, below)]
            nested = tuple(one for one in headers if one.cost_micros or one.total_tokens)
        else:
            project = None if everywhere else (await place.project()).id
            with progress("reading what was spent") as bar:
                spent = await read_spending(
                    store, project=project, since=after, on_progress=lambda done, total: bar.reach(done, total=total)
                )
    groups = spent.by(what)
    here = await place.project() if what == "project" else None
    return Result(
        data={
            "session_id": header.session_id if header is not None else None,
            "since": after.isoformat() if after is not None else None,
            "currency": "USD",
            "total": asdict(spent.total),
            "unpriced": spent.unpriced,
            "by": what,
            "groups": [{"key": group.key, "name": group.name, **asdict(group.sum)} for group in groups],
            "unreadable": list(spent.unreadable),
            "nested": [one.session_id for one in nested],
        },
        lines=list(_lines(spent, groups, what, since=since, now=now, here=here)),
        notes=[*_notes(spent, header, everywhere=everywhere), *_nested_notes(nested)],
    )


def _later(spent: Spending, after: datetime | None) -> Spending:
    if after is None:
        return spent
    return Spending(calls=tuple(call for call in spent.calls if call.at >= after), zone=spent.zone)


def _lines(
    spent: Spending, groups: list[Group], what: By, *, since: str | None, now: datetime, here: Project | None
) -> Iterator[str]:
    total = spent.total
    if not total.calls:
        return
    told = [_cost(total), count(total.calls, "call"), f"{amount(total.tokens)} tokens"]
    told += [f"the last {since}"] if since is not None else []
    yield Strong(" · ".join([*told, _bars(spent, now)]).removesuffix(" · "))
    columns = (*_COLUMNS, Column(what)) if what != "day" else (Column(what), *_COLUMNS)
    rows = [[*_cells(group.sum), _name(group, what, here)] for group in groups]
    yield from table(columns, [[row[-1], *row[:-1]] if what == "day" else row for row in rows])


def _bars(spent: Spending, now: datetime) -> str:
    """Return how the cost went up and down, day by day; nothing, if it was all on one day."""
    last = now.astimezone(spent.zone).date()
    first = min(call.at.astimezone(spent.zone).date() for call in spent.calls)
    days = min(_DAYS, (last - first) // timedelta(days=1) + 1)
    if days < 2:
        return ""
    return sparkline([one.cost_micros or 0 for one in spent.per_day(last=last, days=days)])


def _cells(total: Sum) -> list[str]:
    cached = total.cache_share
    return [
        _cost(total),
        amount(total.input_tokens),
        amount(total.cache_read_tokens),
        amount(total.cache_creation_tokens),
        amount(total.output_tokens),
        f"{cached:.0%}" if cached is not None else "",
        f"{total.calls:,}",
    ]


def _cost(total: Sum) -> str:
    """Return what calls cost, as far as that is known."""
    if total.unpriced == total.calls:
        return "unpriced"
    return f"{money(total.cost_micros)}{'+' if total.unpriced else ''}"


def _name(group: Group, what: By, here: Project | None) -> str:
    """Return what people call a group: of this project its folder, too, for an id tells them nothing."""
    name = one_line(group.name)
    if here is not None and group.key == here.id:
        return f"{name}  {one_line(here.name)}, here"
    return f"{short(group.key)}  {name}" if what == "session" and group.key != group.name else name


def _nested_notes(nested: tuple[SessionHeader, ...]) -> Iterator[str]:
    if nested:
        spent = money(sum(header.cost_micros for header in nested))
        yield f"its agents spent {spent} more, in {count(len(nested), 'session')}: {', '.join(map(_short, nested[:5]))}"


def _short(header: SessionHeader) -> str:
    return short(header.session_id)


def _notes(spent: Spending, header: SessionHeader | None, *, everywhere: bool) -> Iterator[str]:
    if not spent.calls:
        where = "" if everywhere or header is not None else " in this project; --all looks into every project"
        yield f"nothing was spent{where}"
    for model, calls in spent.unpriced.items():
        yield f"nobody knows the price of {one_line(model)}: {count(calls, 'call')} not counted"
    if header is not None and header.forked_from is not None:
        yield f"without what came before the fork: that is part of {short(header.forked_from)}"
    for session_id in spent.unreadable:
        yield f"{short(session_id)} is damaged, and not counted: sojourn doctor says more"

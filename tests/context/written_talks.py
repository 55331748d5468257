"""Talks as people have them with an assistant, and what each of them settled."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sojourn.context.talk import Line
from sojourn.model.message import Message, Role


class Talk(NamedTuple):
    """What was said; what must survive a summary; and what should."""

    name: str
    said: Sequence[tuple[Role, str]]
    settled: Sequence[str]
    mentioned: Sequence[str] = ()


def lines_of(said: Iterable[tuple[Role, str]]) -> list[Line]:
    """Return messages as a summariser gets them."""
    return [Line(message=Message(role=role, content=text)) for role, text in said]


_TIDY = (
    "Software projects usually have many moving parts, and it is good to keep them tidy. There is a lot of writing"
    " about that, and opinions differ. Whatever you do, a small step at a time tends to work better than a large one."
)
_FOOD = (
    "Food brings people together, and every region has its own way of doing it. There are many cuisines to look at, and"
    " each of them has its charm. A little planning makes an evening pleasant for everybody."
)
_TRAVEL = (
    "Travelling is a pleasure if one takes the time for it. Most places are nicest outside of the holidays. A good pair"
    " of shoes is worth more than a large suitcase, as people like to say."
)
_ADVICE = (
    "In general there are several approaches, and each has advantages and disadvantages that depend on the situation."
    " It often helps to write things down before starting."
)
_PATIENCE = (
    "Plants are living things and react slowly, so patience is a virtue. Many gardeners swear by their own methods,"
    " which do not always agree."
)

TALKS = (
    Talk(
        "migration",
        (
            (
                "user",
                "I want to move our invoice service from Flask to FastAPI. It runs on a server with 2 GB of memory.",
            ),
            ("assistant", f"Happy to help! You could do it route by route, or all at once. {_TIDY}"),
            ("user", "Route by route. We decided not to touch the PDF rendering, it is too fragile."),
            ("assistant", f"Understood. I will leave it alone and begin with the health check. {_TIDY}"),
            ("user", "What about the database? We have PostgreSQL 14 with about 300 tables."),
            ("assistant", f"You might use an asynchronous driver. For example, several exist. {_TIDY}"),
            ("user", "Let's go with psycopg 3 instead of asyncpg, because our administrator knows it."),
            ("assistant", f"Great choice. I changed app/db.py to open a pool of 10 connections. {_TIDY}"),
            ("user", "The deadline is 14 March, and there must never be more than 5 minutes of downtime."),
            ("assistant", f"Noted. {_TIDY}"),
            ("user", "Actually, make the pool 4 connections, the server is too small."),
            ("assistant", "Changed: the pool in app/db.py has 4 connections now."),
            ("user", "Thanks! We still have to find out who renews the certificate."),
            ("assistant", "Good point. I have no way to know that."),
        ),
        ("invoice service from Flask to FastAPI", "PDF rendering", "psycopg 3", "14 March", "pool 4", "certificate"),
        ("PostgreSQL 14", "app/db.py", "5 minutes"),
    ),
    Talk(
        "dinner",
        (
            ("user", "Hi! I'm planning a birthday dinner for my mother on Saturday, 12 guests."),
            ("assistant", f"How lovely! Birthdays are a wonderful occasion. {_FOOD}"),
            ("user", "My brother is allergic to peanuts, and two guests are vegetarian."),
            ("assistant", f"Good to know. A menu could have several courses. {_FOOD}"),
            ("user", "We'll go with Italian. The budget is 400 euros."),
            ("assistant", f"Italian it is. Perhaps begin with bruschetta, then a risotto, then tiramisu. {_FOOD}"),
            ("user", "Risotto yes, tiramisu no: my mother wants a lemon cake."),
            ("assistant", f"A lemon cake then. Shall we plan for wine as well? {_FOOD}"),
            ("user", "Yes, but no more than 6 bottles. I still need to book a table for the children at Nonna Rosa."),
            ("assistant", "Six bottles at most. You could call them in the afternoon."),
        ),
        ("birthday dinner", "allergic to peanuts", "Italian", "400 euros", "6 bottles", "Nonna Rosa"),
        ("vegetarian", "lemon cake", "12 guests"),
    ),
    Talk(
        "bug",
        (
            ("user", "Our nightly export crashes since Tuesday. Can you find out why?"),
            ("assistant", f"I will look at the logs first. {_TIDY}"),
            ("tool", "2026-02-03 02:00:11 start\n2026-02-03 02:00:12 reading\n2026-02-03 02:03:40 killed by signal 9"),
            ("assistant", f"It was killed by signal 9, which often means that memory ran out. {_TIDY}"),
            ("user", "Nothing changed on our side, as far as I know."),
            (
                "assistant",
                f"The root cause is that export/rows.py reads all rows at once since commit 4be19aa. {_TIDY}",
            ),
            ("user", "Ah. Don't revert it, the other change in there is needed."),
            ("assistant", f"Then I can read in batches. Should I use batches of 500 rows? {_TIDY}"),
            ("user", "Yes."),
            ("assistant", f"Done: export/rows.py reads 500 rows at a time now, and the tests pass. {_TIDY}"),
            ("user", "Good. Let's keep the old log level. Next step is to tell the data team."),
            ("assistant", "I can draft a message to them whenever you like."),
        ),
        ("nightly export crashes", "export/rows.py", "Don't revert it", "500 rows", "log level", "tell the data team"),
        ("signal 9", "4be19aa"),
    ),
    Talk(
        "journey",
        (
            ("user", "Help me plan ten days in Portugal in October with my two kids, 4 and 9."),
            ("assistant", f"What a nice idea! {_TRAVEL}"),
            ("user", "We can't drive, nobody has a licence. Trains only."),
            ("assistant", f"There are good lines between the larger cities. {_TRAVEL}"),
            ("user", "We'll start in Porto and end in Lisbon. Flights are booked: 4 October, TP 551."),
            ("assistant", f"In between, Coimbra or Aveiro could be a stop. {_TRAVEL}"),
            ("user", "We agreed on Aveiro rather than Coimbra, because of the boats."),
            ("assistant", f"The boats are fun for children. How many nights should it be? {_TRAVEL}"),
            ("user", "Two nights in Aveiro, at most 120 euros each."),
            ("assistant", f"Noted. Shall I look for a room with a kitchen? {_TRAVEL}"),
            ("user", "No, breakfast is enough. The little one must sleep at noon every day."),
            ("assistant", f"Then mornings are for walking. {_TRAVEL}"),
            ("user", "Not decided yet whether we do Sintra. Remind me later."),
            ("assistant", "I will."),
        ),
        ("ten days in Portugal", "Porto and end in Lisbon", "Aveiro rather than Coimbra", "Sintra"),
        ("Trains only", "TP 551", "120 euros", "sleep at noon"),
    ),
    Talk(
        "thesis",
        (
            ("user", "I'm writing my thesis about how sparrows nest in cities. My supervisor is Dr. Lindqvist."),
            ("assistant", f"That sounds interesting. {_TIDY}"),
            ("user", "The data are 214 nests in 9 districts, collected from April to July."),
            ("assistant", f"A mixed model might fit. Alternatively, you could compare the districts pairwise. {_TIDY}"),
            (
                "user",
                "Dr. Lindqvist rejected pairwise tests. So we chose a mixed model with district as random effect.",
            ),
            ("assistant", f"That is sensible. Which distance measure do you have? {_TIDY}"),
            ("user", "Distance to the nearest park, in metres. 11 nests have none, those must be left out."),
            ("assistant", f"So 203 nests remain. {_TIDY}"),
            ("user", "Correct. I switched to R 4.3 because the lab computer has no Python."),
            ("assistant", f"Fine, the package for that is available there. {_TIDY}"),
            ("user", "The chapter is due on 2 May. It's still unclear whether the map goes into the appendix."),
            ("assistant", "We can leave a place for it in both."),
        ),
        ("sparrows nest", "rejected pairwise", "mixed model with district", "R 4.3", "due on 2 May", "appendix"),
        ("214 nests", "11 nests", "Lindqvist"),
    ),
    Talk(
        "gardener",
        (
            ("user", "My tomato plants have yellow leaves at the bottom. What should I do?"),
            ("assistant", f"That can have many causes. {_PATIENCE}"),
            ("user", "They stand in pots of 10 litres on the south balcony."),
            ("assistant", f"Pots dry out quickly. {_PATIENCE}"),
            ("user", "I water them every evening, about half a litre each."),
            (
                "assistant",
                f"It sounds like a lack of nitrogen. You could use nettle manure or a bought feed. {_PATIENCE}",
            ),
            ("user", "Nettle manure smells too much, the neighbours complained last year. I'll take the bought one."),
            ("assistant", f"Fine. Use 5 ml per litre, and never at noon. {_PATIENCE}"),
            ("user", "Also my basil died."),
            ("assistant", f"Basil dislikes cold nights below 10 degrees. {_PATIENCE}"),
            ("user", "Then basil stays inside until June. Should I cut the lower tomato leaves?"),
            ("assistant", f"Yes, remove those that are yellow, with clean scissors. {_PATIENCE}"),
            ("user", "I have to ask my sister whether she can water them in August."),
            ("assistant", "Good idea to ask early."),
        ),
        (
            "tomato plants have yellow leaves",
            "bought one",
            "basil stays inside",
            "sister",
        ),
        (
            "5 ml per litre",
            "10 litres",
        ),
    ),
    Talk(
        "api",
        (
            ("user", "We need rate limiting on the public API before the launch on 1 September."),
            ("assistant", f"There are token buckets, leaky buckets and fixed windows. {_ADVICE}"),
            ("user", "Token bucket, per API key. 600 requests per minute for paying customers, 60 for free ones."),
            ("assistant", f"I would keep the counters in Redis. {_ADVICE}"),
            ("user", "No Redis, ops refuses to run another service. Use the existing PostgreSQL."),
            (
                "assistant",
                f"That adds a write per request. An in-memory bucket with a sync every second would help. {_ADVICE}",
            ),
            ("user", "OK do that. It's fine if we are off by a few percent."),
            (
                "assistant",
                f"I added middleware/ratelimit.py with tests; 14 pass, 1 fails: test_burst_refill. {_ADVICE}",
            ),
            ("user", "What's wrong with it?"),
            (
                "assistant",
                f"The clock in the test runs backwards. I replaced it with a fake one, and all 15 pass now. {_ADVICE}",
            ),
            ("user", "Great. Responses over the limit get 429 with Retry-After, not 503."),
            ("assistant", f"Changed to 429 with a Retry-After header. {_ADVICE}"),
            ("user", "Health checks are exempt. And someone has to update the docs, probably Mirela."),
            ("assistant", "Noted, health checks skip the limiter."),
        ),
        (
            "1 September",
            "Token bucket",
            "No Redis",
            "429",
            "Health checks are exempt",
        ),
        (
            "600 requests",
            "middleware/ratelimit.py",
            "Mirela",
            "existing PostgreSQL",
        ),
    ),
    Talk(
        "move",
        (
            ("user", "We're moving from Graz to Linz at the end of May and I'm overwhelmed."),
            ("assistant", f"A list helps. {_ADVICE}"),
            ("user", "The new flat has 68 square metres, third floor, no lift."),
            ("assistant", f"Then heavy furniture is a question. {_ADVICE}"),
            ("user", "The piano goes to my cousin. We sell the big wardrobe."),
            ("assistant", f"Two fewer heavy things. {_ADVICE}"),
            ("user", "Movers quoted 1,450 euros, another one 1,900 with packing."),
            ("assistant", f"Packing yourself saves money but takes about four days. {_ADVICE}"),
            ("user", "We take the cheaper one and pack ourselves."),
            ("assistant", f"Then order about 60 boxes. {_ADVICE}"),
            ("user", "My partner's contract starts on 2 June so we can't be late."),
            ("assistant", f"I would plan the move for 28 May. {_ADVICE}"),
            ("user", "28 May works. The internet has to be ordered four weeks before, I keep forgetting that."),
            ("assistant", f"So by 30 April. {_ADVICE}"),
            ("user", "And I don't know yet what to do with the cat on that day."),
            ("assistant", "A friend's flat might be calmer for it."),
        ),
        (
            "Graz to Linz",
            "piano goes to my cousin",
            "sell the big wardrobe",
            "cheaper one",
            "28 May",
            "2 June",
            "cat",
        ),
        (
            "internet",
            "no lift",
        ),
    ),
)

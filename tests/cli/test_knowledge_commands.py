"""What is known about a person, what is in focus, what is researched, and why it is believed, seen and said by hand."""

from pathlib import Path

import pytest

import sojourn
from sojourn.engine.session import Session
from sojourn.model.events import UsageRecorded
from sojourn.model.message import Message
from tests.cli.seeded import seed, visit
from tests.cli.typed import Type


async def _nothing(_: sojourn.Sojourn, __: Session) -> None:
    """Leave the session as it is."""


async def _told(_: sojourn.Sojourn, session: Session) -> None:
    said = await session.messages.add(Message(role="user", content="My name is Ada, I write Rust."))
    await session.profile.set(name="Ada", programming_languages=["Rust"], source="conversation", causes=[said.seq])
    await session.working_set.decide("use Postgres", causes=[said.seq])
    await session.entities.reference("file", "auth.py", title="the login")
    await session.focus.remember("They look at the login.")


@pytest.fixture
def told(folder: Path) -> str:
    """A session in which somebody told who he is; its id."""
    return seed(folder, _told)


# --- profile


def test_each_value_is_shown_with_where_it_comes_from(told: str, type_: Type) -> None:
    shown = type_("profile", "show")

    assert [line.split() for line in shown.lines[1:]] == [
        ["name", "[3]", "0.80", "conversation", "just", "now", "Ada"],
        ["programming_languages", "[3]", "0.80", "conversation", "just", "now", "Rust"],
    ]
    data = type_("profile", "show", "--json").data
    assert (data["profile"]["name"], data["profile"]["age"]) == ("Ada", None)
    assert data["origins"]["name"]["seq"] == 3


def test_nothing_about_you_is_set_until_you_agree(told: str, type_: Type) -> None:
    refused = type_("profile", "set", "name", "Grace")

    assert (refused.code, "profile keep yes" in refused.err) == (2, True)
    assert type_("profile", "unset", "name").code == 2
    assert type_("profile", "show", "--json").data["profile"]["name"] == "Ada"


def test_values_are_set_replaced_and_remembered(told: str, type_: Type) -> None:
    assert (type_("profile", "keep").out, type_("profile", "keep", "yes").out) == ("no\n", "yes\n")

    type_("profile", "set", "name", "Grace", "Hopper")
    type_("profile", "set", "age", "36")
    type_("profile", "set", "programming_languages", "COBOL", "rust")

    data = type_("profile", "show", "--json").data
    assert (data["profile"]["name"], data["profile"]["age"]) == ("Grace Hopper", 36)
    assert data["profile"]["programming_languages"] == ["Rust", "COBOL"]
    assert data["former"][0]["value"] == "Ada"
    assert "name: Ada" in type_("profile", "show").out


def test_a_value_is_taken_out_of_a_list_or_cleared(told: str, type_: Type) -> None:
    type_("profile", "keep", "yes")
    type_("profile", "set", "interests", "sailing", "chess")

    type_("profile", "unset", "interests", "sailing")
    [former] = type_("profile", "unset", "name").lines
    assert former.endswith("  name: Ada")

    profile = type_("profile", "show", "--json").data["profile"]
    assert (profile["interests"], profile["name"]) == (["chess"], None)
    again = type_("profile", "unset", "name", "--json")
    assert (again.code, again.data["removed"]) == (0, False)


@pytest.mark.parametrize("words", [("shoe_size", "43"), ("age", "old"), ("age", "151"), ("name", " "), ("name",)])
def test_what_no_profile_holds_is_refused(told: str, type_: Type, words: tuple[str, ...]) -> None:
    type_("profile", "keep", "yes")

    assert type_("profile", "set", *words).code == 2


def test_the_answer_whether_to_keep_a_profile_lasts(folder: Path, type_: Type) -> None:
    assert type_("profile", "keep", "--json").data == {"keep": False}
    assert not (folder / "home").exists()

    type_("profile", "keep", "yes")
    assert type_("profile", "keep", "--json").data == {"keep": True}
    assert type_("profile", "keep", "no").out == "no\n"
    assert type_("profile", "keep", "--json").data == {"keep": False}
    assert type_("profile", "keep", "maybe").code == 2


def test_what_the_configuration_says_about_profiles_goes_before(told: str, type_: Type) -> None:
    type_("config", "set", "keep_profile", "no")

    assert type_("profile", "keep").out == "no\n"
    refused = type_("profile", "keep", "yes")
    assert (refused.code, "keep_profile = no" in refused.err) == (2, True)
    assert type_("profile", "set", "name", "Grace").code == 2

    type_("config", "set", "keep_profile", "yes")
    assert type_("profile", "set", "name", "Grace").code == 0


# --- focus


def test_a_goal_in_words_is_in_focus_and_seen_by_a_model(told: str, type_: Type) -> None:
    assert type_("focus", "set", "fix login on iOS").out == "task fix login on iOS\n"

    shown = type_("focus", "show", "--json").data
    assert shown["focus"] == {"type": "task", "id": None, "context": {"label": "fix login on iOS"}}
    assert "Focus: task fix login on iOS" in type_("context", "--bare", "--why", "focus").out


def test_a_thing_is_in_focus_by_type_and_id(told: str, type_: Type) -> None:
    type_("focus", "set", "entity", "T-17", "--label", "The login")

    assert type_("focus", "show").lines[0] == "entity T-17 The login"
    assert "file auth.py  the login" in type_("focus", "show").out
    assert "They look at the login." in type_("focus", "show").out


def test_a_focus_is_cleared(told: str, type_: Type) -> None:
    type_("focus", "set", "planning")

    cleared = type_("focus", "clear", "--json").data

    assert cleared["focus"] == {"type": "general", "id": None, "context": {}}
    assert type_("focus", "show").lines[0] == "nothing in particular"


@pytest.mark.parametrize("words", [("shoe", "43"), (" ",), ("task", "x" * 201), ("a goal", "--label", "b"), ()])
def test_what_cannot_be_in_focus_is_refused(told: str, type_: Type, words: tuple[str, ...]) -> None:
    assert type_("focus", "set", *words).code == 2
    assert type_("focus", "show").lines[0] == "nothing in particular"


# --- research


def test_a_research_goes_on_step_by_step_until_its_findings_are_facts(told: str, type_: Type) -> None:
    begun = type_("research", "start", "Which cache fits?", "measure Redis", "measure memory")
    type_("research", "add", "ask the team", "--after", "1")
    type_("research", "complete", "1", "--found", "Redis answers in 2 ms")
    type_("research", "step", "step_1", "in_progress")
    type_("research", "note", "nobody measured memory", "--kind", "gap")

    shown = type_("research", "show")
    assert shown.lines[0] == "Which cache fits?"
    assert [line[:4] for line in shown.lines if line[1:3] in (" 1", " 2", " 3")] == ["✔ 1.", "○ 2.", "◌ 3."]
    assert "gap: nobody measured memory" in shown.out
    data = type_("research", "show", begun.lines[0][:9], "--json").data["research"]
    assert (data["statistics"]["plan_steps"], data["statistics"]["plan_steps_completed"]) == (3, 1)

    ended = type_("research", "end", "Redis")
    assert "1 fact learned" in ended.err
    assert "Redis answers in 2 ms" in type_("facts", "ls", "--status", "all").out
    assert "Which cache fits?" in type_("research", "show").out
    assert "no research is going on" in type_("research", "show").err
    assert "answer: Redis" in type_("research", "show", begun.lines[0]).out


def test_a_step_can_be_added_to_a_research_without_a_plan(told: str, type_: Type) -> None:
    type_("research", "start", "Which cache fits?")

    added = type_("research", "add", "measure Redis", "--json").data

    assert [step["description"] for step in added["research"]["plan"]["steps"]] == ["measure Redis"]


def test_a_new_research_ends_the_one_before(told: str, type_: Type) -> None:
    type_("research", "start", "Which cache fits?")

    assert "ended without an answer: Which cache fits?" in type_("research", "start", "Which queue?").err


@pytest.mark.parametrize(
    "words",
    [("add", "a step"), ("complete", "1"), ("note", "x"), ("end",), ("show", "query_none"), ("step", "1", "failed")],
)
def test_without_a_research_there_is_nothing_to_work_on(told: str, type_: Type, words: tuple[str, ...]) -> None:
    assert type_("research", *words).code == 3


def test_a_step_that_is_not_there_is_not_found(told: str, type_: Type) -> None:
    type_("research", "start", "Which cache fits?", "one")

    assert type_("research", "complete", "2").code == 3
    assert type_("research", "add", "two", "--after", "9").code == 3
    assert type_("research", "step", "1", "undone").code == 2


# --- why


@pytest.mark.parametrize("thing", ["name", "use Postgres"])
def test_what_is_believed_leads_to_the_words_that_were_said(told: str, type_: Type, thing: str) -> None:
    why = type_("why", thing)

    assert "[2] user said" in why.out
    assert "“My name is Ada, I write Rust.”" in why.out
    assert "← from 2" in why.out


def test_an_entry_is_explained_by_its_number_and_a_fact_by_its_words(told: str, folder: Path, type_: Type) -> None:
    async def learned(_: sojourn.Sojourn, session: Session) -> None:
        await session.facts.learn("Ada writes Rust", causes=[2])

    visit(folder, told, learned)

    assert type_("why", "2", "--json").data["quotes"][0]["text"] == "My name is Ada, I write Rust."
    fact = type_("why", "ada writes rust", "--json").data
    assert [entry["kind"] for entry in fact["entries"]] == ["message_added", "fact_learned"]
    assert fact["fact"]["content"] == "Ada writes Rust"
    assert type_("why", fact["fact"]["fact_id"][5:11], told, "--json").data["subject"] == "Ada writes Rust"


def test_of_a_message_it_is_said_what_came_of_it(told: str, type_: Type) -> None:
    derived = type_("why", "2", "--json").data["derived"]

    assert [(one["seq"], one["kind"]) for one in derived] == [(3, "profile_updated"), (4, "decision_made")]
    assert "  [4] decision made: use Postgres" in type_("why", "2").lines
    assert type_("why", "3", "--json").data["derived"] == []


def test_a_field_goes_before_a_fact_that_has_its_name_in_it(told: str, folder: Path, type_: Type) -> None:
    async def learned(_: sojourn.Sojourn, session: Session) -> None:
        await session.facts.learn("the name of the boat is secret")

    visit(folder, told, learned)

    assert type_("why", "name", "--json").data["subject"] == "name: Ada"
    assert type_("why", "boat", "--json").data["subject"] == "the name of the boat is secret"


@pytest.mark.parametrize("thing", ["zebra", "", "99", "0", "age"])
def test_what_nobody_believes_is_not_found(told: str, type_: Type, thing: str) -> None:
    assert type_("why", thing).code == 3


# --- every command


@pytest.mark.parametrize(
    "words",
    [
        ("facts", "ls"), ("facts", "review"), ("profile", "show"), ("focus", "show"), ("research", "show"),
        ("why", "x"), ("forget", "message", "1"), ("context",), ("compact",),
    ],
)  # fmt: skip
def test_without_a_session_nothing_is_made(folder: Path, type_: Type, words: tuple[str, ...]) -> None:
    missing = type_(*words, "--json")

    assert (missing.code, missing.error["kind"]) == (3, "SessionNotFoundError")
    assert missing.answer["command"] == " ".join(words[:2] if words[0] != "why" else words[:1])
    assert not (folder / "home").exists()


HOSTILE = "evil\x1b[2J\x9b31m\u202etext\nError: gone"


async def _hostile(_: sojourn.Sojourn, session: Session) -> None:
    said = await session.messages.add(Message(role="user", content=HOSTILE))
    await session.facts.learn(HOSTILE, causes=[said.seq], tags=[HOSTILE])
    await session.profile.set(name=HOSTILE, source=HOSTILE)
    await session.focus.set("task", HOSTILE, context={"label": HOSTILE, "more": [HOSTILE]})
    await session.entities.reference(HOSTILE, HOSTILE, title=HOSTILE)
    await (await session.research.start(HOSTILE)).add_insight("knowledge_gaps", HOSTILE)
    await session.append(UsageRecorded(model=HOSTILE, input_tokens=1))


@pytest.mark.parametrize(
    "words",
    [
        ("facts",), ("facts", "show", "1"), ("facts", "why", "1"), ("profile",), ("focus",), ("research",),
        ("why", "name"), ("why", "2"), ("forget", "message", "2"), ("context", "--bare"), ("cost",),
        ("context", "--bare", "--payload", "openai-chat"),
    ],
)  # fmt: skip
def test_stored_text_can_neither_act_nor_pass_for_a_line(folder: Path, type_: Type, words: tuple[str, ...]) -> None:
    seed(folder, _hostile)

    shown = type_(*words)

    assert shown.code == 0
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown.out + shown.err)
    assert not any(line.startswith("Error: gone") for line in (*shown.lines, *shown.err.splitlines()))


def test_what_is_known_is_kept_alike_in_every_kind_of_store(anywhere: Path, type_: Type) -> None:
    type_("new", "Notes")
    fact = type_("facts", "add", "prod runs behind nginx", "--scope", "project").lines[0]
    type_("facts", "add", "the tests take an hour")
    type_("facts", "retire", "2")
    type_("focus", "set", "fix login")
    type_("research", "start", "Which cache?", "measure it")
    type_("research", "complete", "1", "--found", "Redis is fast")
    type_("research", "end", "Redis")

    assert [one["status"] for one in type_("facts", "--status", "all", "--json").data["facts"]] == [
        "active", "retired", "active",
    ]  # fmt: skip
    assert "nginx" in type_("facts", "--scope", "project").out
    assert type_("why", fact, "--json").data["entries"][0]["kind"] == "fact_learned"
    assert "fix login" in type_("context", "--bare", "--why", "focus").out
    assert type_("forget", "fact", "1", "--yes").code == 0
    assert "nginx" not in type_("facts", "--status", "all").out
    assert type_("facts", "--scope", "project", "--json").data["facts"] == []
    assert type_("compact").code == type_("cost").code == 0


def test_attempts_at_a_question_are_shown_with_how_they_went(folder: Path, type_: Type) -> None:
    async def tried(_: sojourn.Sojourn, session: Session) -> None:
        research = await session.research.start("Which cache fits?")
        await research.start_attempt("direct")
        await research.end_attempt("too thin", quality_score=0.2)

    seed(folder, tried)

    assert "tried direct, escalated, scored 0.20: too thin" in type_("research").out


def test_an_entry_that_was_forgotten_says_so(told: str, type_: Type) -> None:
    type_("forget", "message", "2", "--yes")

    assert "a message added stood here, and was forgotten" in type_("why", "2").out

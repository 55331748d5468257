"""What people state about themselves, read by grammar: fields, facts, corrections, and all that states nothing."""

import random

import pytest

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.profile import assistant_statements, profile_statements, statements, user_facts
from sojourn.memory.extraction.rules.reading import read
from sojourn.memory.extraction.statement import Heard, ProfileStatement
from sojourn.model.ids import Seq
from sojourn.model.profile import LISTS, SCALARS


def heard(text: str) -> Heard:
    """Return a message; one that begins with "A: " is the assistant's."""
    if text.startswith("A: "):
        return Heard(role="assistant", text=text[3:])
    return Heard(role="user", text=text)


def profile(text: str, *before: str) -> tuple[ProfileStatement, ...]:
    return profile_statements(read(heard(text)), tuple(map(heard, before)))


def fields(text: str, *before: str) -> dict[str, object]:
    """Return the values that are stated, by field; several of one field as a list."""
    found: dict[str, object] = {}
    for said in profile(text, *before):
        if not said.removes:
            values = found.get(said.field)
            found[said.field] = (
                said.value if values is None else [*(values if isinstance(values, list) else [values]), said.value]
            )
    return found


def facts(text: str) -> set[tuple[str | None, str | None]]:
    return {(fact.slot, fact.value) for fact in user_facts(read(heard(text)))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My name is Ana.", {"name": "Ana"}),
        ("i am bob , nice to meet you .", {"name": "Bob"}),
        ("Hi! I'm Zoe.", {"name": "Zoe"}),
        ("people call me Mo", {"name": "Mo"}),
        ("this is Marta from Acme", {"name": "Marta"}),
        ("Hi, Zoe here!", {"name": "Zoe"}),
        ("Can it wait?\n\nThanks,\nIngrid", {"name": "Ingrid"}),
        ("omar is my name . what is yours ?", {"name": "Omar"}),
        ("I'm 31, not 30.", {"age": 31}),
        ("I live in Paris, Texas", {"location": "Paris, Texas"}),
        ("i just moved to porto from lyon", {"location": "Porto"}),
        ("i'm from germany but i live in spain now", {"location": "Spain"}),
        ("it is windy here in chicago !", {"location": "Chicago"}),
        ("I'm a nurse, what should I ask?", {"occupation": "nurse"}),
        ("As a nurse, I work nights.", {"occupation": "nurse"}),
        ("I work for Siemens", {"occupation": "works for Siemens"}),
        ("i own a bakery", {"occupation": "owns a bakery"}),
        ("I like tea, chess and hiking", {"interests": ["tea", "chess", "hiking"]}),
        ("I'm a big fan of jazz", {"interests": "jazz"}),
        ("what is your favorite color ? mine is blue .", {"interests": "blue"}),
        ("I'm a complete beginner at programming.", {"expertise_level": "beginner"}),
        ("I've been coding for 15 years.", {"expertise_level": "expert"}),
        ("Please keep your answers short.", {"communication_style": "concise"}),
        ("No code please, just describe it.", {"communication_style": "no code"}),
        ("I mostly code in Python and Go.", {"programming_languages": ["Python", "Go"]}),
        ("I use React and Django.", {"frameworks": ["React", "Django"]}),
        ("Our stack is Django and Postgres.", {"project_tech_stack": ["Django", "PostgreSQL"]}),
        ("I'm building a budgeting app in Rust.", {"current_project": "budgeting app", "project_tech_stack": "Rust"}),
    ],
)
def test_a_field_is_read(text: str, expected: dict[str, object]) -> None:
    assert fields(text) == expected


def test_several_fields_share_a_subject() -> None:
    assert fields("I'm Ana, 31, and live in Oslo.") == {"name": "Ana", "age": 31, "location": "Oslo"}


@pytest.mark.parametrize(
    "text",
    [
        "I'm fine, thanks.", "I'm from the future.", "I'm Batman", "I'm hungry", "I am a bit tired", "I'm a fan",
        "am I a teacher?", "where do I live?", "Is my name Bob?", "What's my name?", "Call me tomorrow",
        "My name is on the list", "I'm not Bob", "I go by bus", "I'm in a meeting", "I live in fear", "I work hard",
        "I wish I lived in Rome", "If I lived in Rome I'd be happy", "Pretend you are a pirate and I'm your captain.",
        "Suppose I'm a lawyer living in Paris.", 'My boss said "I am a genius and I live in Rome"', "She is a nurse",
        "He said he lives in Rome", "I'm visiting Paris", "I was in Paris", "I'm looking for a nurse", "I love it",
        "I like your idea", "I'd like a table for two", "I'm 5 minutes late", "I'm 90 percent done", "My son is 9",
        "Translate: I am a teacher and I live in Rome.", "```\nI am Bob\n```", "> I live in Rome",
        "As an AI language model, I like to help and I live in the cloud.", "I'm working on it", "Write a short story",
    ],
)  # fmt: skip
def test_what_states_nothing_about_the_user_fills_no_field(text: str) -> None:
    assert profile(text) == ()


def test_others_are_facts_at_most() -> None:
    text = "my brother is a doctor, my friend lives in Paris"

    assert profile(text) == ()
    assert facts(text) == {("user brother/occupation", "doctor"), ("user friend/location", "Paris")}


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("My wife's name is Ana.", "user wife/name", "Ana"),
        ("I have a dog named Rex.", "user dog/name", "Rex"),
        ("I have two kids", "user/number of children", "2"),
        ("I'm allergic to peanuts", "user/allergies", "peanuts"),
        ("I'm vegetarian.", "user/diet", "vegetarian"),
        ("I don't like cilantro", "user/dislikes", "cilantro"),
        ("My birthday is on May 3rd.", "user/birthday", "May 3rd"),
        ("I speak Dutch", "user/languages", "Dutch"),
        ("I drive a blue Honda", "user/vehicle", "blue Honda"),
        ("My time zone is CET.", "user/time zone", "CET"),
        ("I want to be a pilot", "user/career goal", "pilot"),
        ("I'd love to live in Kyoto.", "user/wish to live in", "Kyoto"),
        ("I work for Siemens", "user/employer", "Siemens"),
    ],
)
def test_what_is_no_field_is_a_fact_of_the_user(text: str, slot: str, value: str) -> None:
    assert (slot, value) in facts(text)


def test_a_fact_can_be_understood_alone() -> None:
    (fact,) = user_facts(read(heard("My wife Ana loves the sea.")))

    assert fact.content == "The user's wife is called Ana"
    assert (fact.about, fact.scope, fact.trust) == ("user", "user", "user")


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("I don't like tea", "interests", "tea"),
        ("I'm not a teacher", "occupation", "teacher"),
        ("I used to live in Rome", "location", "Rome"),
        ("I no longer live in Rome", "location", "Rome"),
        ("I quit my job", "occupation", None),
        ("forget my name", "name", None),
        ("Please delete what I said about my job", "occupation", None),
        ("Forget that I live in Rome", "location", "Rome"),
    ],
)
def test_what_does_not_hold_any_more_is_removed(text: str, field: str, value: str | None) -> None:
    assert [(said.field, said.value) for said in profile(text) if said.removes] == [(field, value)]
    assert fields(text) == {}


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("Ana", "A: What's your name?", {"name": "Ana"}),
        ("Lisbon, Portugal", "A: And where do you live?", {"location": "Lisbon, Portugal"}),
        ("31", "A: How old are you?", {"age": 31}),
        ("a nurse", "A: What do you do for a living?", {"occupation": "nurse"}),
        ("Kotlin and Swift", "A: Which languages do you use?", {"programming_languages": ["Kotlin", "Swift"]}),
        ("intermediate I guess", "A: What's your experience level?", {"expertise_level": "intermediate"}),
        ("rather not say", "A: What's your name?", {}),
        ("why do you ask?", "A: How old are you?", {}),
    ],
)
def test_an_answer_is_read_with_its_question(text: str, question: str, expected: dict[str, object]) -> None:
    assert fields(text, question) == expected


@pytest.mark.parametrize(
    ("text", "before", "field", "value", "former"),
    [
        ("no, I'm 31, not 30", ("I'm 30",), "age", 31, 30),
        ("no, 31", ("I'm 30", "A: So you're 30."), "age", 31, 30),
        ("actually it's Lena, not Lina", ("A: Nice to meet you, Lina!",), "name", "Lena", "Lina"),
        ("I meant Porto", ("I live in Lisbon",), "location", "Porto", "Lisbon"),
        ("I moved to Berlin from Rome", (), "location", "Berlin", "Rome"),
    ],
)
def test_a_correction_names_what_it_replaces(
    text: str, before: tuple[str, ...], field: str, value: object, former: object
) -> None:
    (said,) = profile(text, *before)

    assert (said.field, said.value, said.former, said.removes) == (field, value, former, False)


def test_taking_back_removes_what_the_user_said_last() -> None:
    (said,) = profile("scratch that", "I live in Lisbon")

    assert (said.field, said.value, said.removes) == ("location", "Lisbon", True)


def test_a_correction_of_something_else_changes_no_field() -> None:
    assert profile("no, the blue one", "I'm Ana", "A: Hi Ana, the red one?") == ()


def test_evidence_is_the_words_of_the_original_text() -> None:
    text = "Hello!  I’m   Ana — and I live in New  York."

    found = profile_statements(read(Heard(role="user", text=text, seq=Seq(7))))

    assert [(said.value, said.evidence[0].seq) for said in found] == [("Ana", 7), ("New York", 7)]
    assert [text[said.evidence[0].start : said.evidence[0].end] for said in found] == [
        "I’m   Ana",
        "I live in New  York",
    ]


def test_what_the_assistant_says_of_the_user_is_never_accepted() -> None:
    about = assistant_statements(read(heard("A: You're Ana, right? Since you live in Oslo, your wife Eva may come.")))

    assert {(said.field, said.value) for said in about.profile} == {("name", "Ana"), ("location", "Oslo")}
    assert all(said.trust == "assistant" and not said.accepted for said in (*about.profile, *about.facts))


def test_what_the_assistant_says_of_itself_is_nothing_about_the_user() -> None:
    about = assistant_statements(read(heard("A: I'm Robo, I live in the cloud and I like your idea.")))

    assert (about.profile, about.facts) == ((), ())


def test_confidences_are_frequencies_and_fields_are_known() -> None:
    about = statements(read(heard("I'm Ana, I love jazz, I'm reading a novel, I work at a bank and I have two kids.")))

    assert {said.field for said in about.profile} <= {*SCALARS, *LISTS}
    assert all(0.5 < said.confidence < 1 for said in (*about.profile, *about.facts))


def test_random_words_never_fail() -> None:
    generator = random.Random(3)
    vocabulary = sorted(
        words(
            "i i'm im my me we am was have had not no never used to from in at the a an is are name age 31 call "
            "live work as like love nurse rome ana and , . ? ! ( ) forget job wife dog favorite color blue python "
            "use built with project here this where who born may 3rd years old new york going want would if moved "
            "left than what 's - / 🙂"
        )
    )
    for _ in range(2_000):
        text = " ".join(generator.choices(vocabulary, k=generator.randint(1, 25)))
        about = statements(
            read(heard(text)), (heard("A: What's your name?"), heard("I live in Rome"), heard("A: Where do you live?"))
        )

        for said in (*about.profile, *about.facts):
            assert text[said.evidence[0].start : said.evidence[0].end]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I tend bar on weekends", "tends bar"),
        ("we lack nurses at my hospital", "works at a hospital"),
        ("when I'm not working at Costco I paint", "works at Costco"),
        ("If I didn't work in a bank I'd dye my hair", "works in a bank"),
        ("I have to work at a bakery to pay the rent", "works at a bakery"),
        ("my job is starbucks , it is fine", "works at starbucks"),
        ("I got a job guarding the door at a club", "works at a club"),
        ("I just started working online", "works online"),
        ("I work from home", "works from home"),
        ("working 40 hours in a bank is tiring", "works in a bank"),
        ("i want out of this warehouse job", "warehouse job"),
        ("being a baker is my job", "baker"),
        ("I am a retired old lady", "retired"),
        ("I cut hair for a living", "cut hair"),
        ("i just got hired at costco", "works at costco"),
        ("I drive for uber", "works for uber"),
        ("I wait tables", "wait tables"),
        ("I serve in the navy", "in the navy"),
        ("I joined the army", "in the army"),
        ("I run my own business", "runs their own business"),
    ],
)
def test_work_that_is_taken_as_known_is_read(text: str, expected: str) -> None:
    assert fields(text).get("occupation") == expected


@pytest.mark.parametrize(
    "text",
    [
        "my favorite restaurant closed",
        "my insurance company is slow",
        "I dream of a job where I can work from home",
        "if I worked at Costco I would be rich",
        "I did not work at Costco",
        "some day I will set up my clinic",
    ],
)
def test_workplaces_that_are_not_the_users_are_no_occupation(text: str) -> None:
    assert "occupation" not in fields(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("chess is my life", "chess"),
        ("my dogs are my world", "dogs"),
        ("swimming is what I do", "swimming"),
        ("I whittle spoons to relax", "whittle spoons"),
        ("we saw coldplay last night , i was so happy", "coldplay"),
        ("each year I go to Disneyland", "Disneyland"),
        ("I go to concerts", "concerts"),
        ("I always wear purple", "wear purple"),
        ("I snack on pretzels", "pretzels"),
        ("I can't live without tacos", "tacos"),
        ("i just got back from a run", "run"),
        ("do you like jazz like I do?", "jazz"),
        ("I am a mother of two who loves volcanoes", "volcanoes"),
        ("Is it odd that I like fog?", "fog"),
        ("we have pandas at the zoo here. I love them", "pandas"),
        ("the best band ever is Muse", "Muse"),
        ("I love my family", "family"),
        ("any hobbies ? mine is archery", "archery"),
        ("I fell in love with the Alps", "Alps"),
    ],
)
def test_what_somebody_enjoys_is_read_without_a_verb_of_liking(text: str, expected: str) -> None:
    found = fields(text).get("interests")
    assert found == expected or (isinstance(found, list) and expected in found)


@pytest.mark.parametrize(
    "text",
    [
        "I have two cats",
        "my dog is sick today",
        "spiders scare me, and so do dogs",
        "do you like jazz?",
        "I wear glasses every day",
        "my neighbour goes to concerts",
        "I gave up potato chips",
        "this is what I do: open the file, then read it",
    ],
)
def test_what_is_only_had_or_shunned_or_asked_is_no_interest(text: str) -> None:
    assert "interests" not in fields(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Kansas on a farm", "farm in Kansas"),
        ("I live on an island in Greece", "island in Greece"),
        ("i may live in norway but i hate the cold", "Norway"),
        ("if I weren't in Oslo, I would surf", "Oslo"),
        ("I moved in with my sister in Lyon", "Lyon"),
        ("this Texas heat is killing me", "Texas"),
        ("I am well. It is a lovely night in Vermont", "Vermont"),
        ("hello from Denver! I am new", "Denver"),
        ("I have never left Ohio", "Ohio"),
        ("i call denver home", "Denver"),
        ("i am originally from peru but now in chile", "Chile"),
        ("me and my wife live in Kentucky", "Kentucky"),
        ("I'm a Texas girl", "Texas"),
        ("I live two hours from Lyon", "two hours from Lyon"),
        ("my Chicago apartment is tiny", "Chicago"),
        ("I'm stationed in Germany", "Germany"),
        ("I go to school in Ohio", "Ohio"),
        ("I love the beaches in my flat in phoenix", "Phoenix"),
    ],
)
def test_homes_that_are_said_in_passing_are_read(text: str, expected: str) -> None:
    assert fields(text).get("location") == expected


@pytest.mark.parametrize(
    "text",
    [
        "if I lived in Oslo, I would ski",
        "is it a lovely night in Vermont?",
        "I just got a letter from Denver",
        "how far is it from Rome?",
        "this Texas company is huge",
        "I may live in Norway one day",
    ],
)
def test_places_that_are_only_spoken_of_are_no_home(text: str) -> None:
    assert "location" not in fields(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I did Java for ten years", "Java"),
        ("I wrote Go for six years", "Go"),
        ("I do Python", "Python"),
        ("I used Java once", None),
        ("I did Java at school", None),
    ],
)
def test_a_language_of_many_years_is_still_known(text: str, expected: str | None) -> None:
    assert fields(text).get("programming_languages") == expected


def test_a_name_of_several_words_is_liked_as_a_whole() -> None:
    (said,) = [said for said in profile("I love Rick and Morty") if said.field == "interests"]
    assert said.value == "Rick and Morty"
    assert said.confidence >= 0.9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jazz calms me", "jazz"),
        ("shopping makes me happy", "shopping"),
        ("I do photography when I can", "photography"),
        ("my only vice is ice cream", "ice cream"),
        ("I hang out with my friends", "hang out with my friends"),
        ("I doodle birds all day", "doodle birds"),
        ("my favorite film to watch on rainy days is Casablanca", "Casablanca"),
    ],
)
def test_habits_and_what_cheers_are_interests(text: str, expected: str) -> None:
    found = fields(text).get("interests")
    assert found == expected or (isinstance(found, list) and expected in found)

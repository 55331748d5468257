"""How a message is taken apart: what is hidden, where sentences and clauses lie, and what each clause is."""

import random
import string

import pytest

from sojourn.memory.extraction.rules.reading import Clause, Reading, read
from sojourn.memory.extraction.rules.reading_mask import MAX_PROSE
from sojourn.memory.extraction.statement import Heard


def reading(text: str, *, injected: tuple[tuple[int, int], ...] = ()) -> Reading:
    return read(Heard(role="user", text=text, injected=injected))


def clause(text: str, words: str) -> Clause:
    """Return the clause of *text* that begins with *words*."""
    found = reading(text)
    return next(item for item in found.clauses if found.original(item.start, item.end).startswith(words))


def shown(text: str) -> str:
    return " ".join(reading(text).prose.replace("\ufffc", " ").split())


def test_sentences_carry_their_place_in_the_original_text() -> None:
    text = "I'm Ana. I live in Oslo!"

    found = reading(text)

    assert [found.original(item.start, item.end) for item in found.sentences] == ["I'm Ana", "I live in Oslo"]


def test_detached_punctuation_reads_as_attached_does() -> None:
    found = reading("i am bob , nice to meet you . what is your name ?")

    assert [sentence.mark for sentence in found.sentences] == [".", "?"]
    assert found.original(found.clauses[0].start, found.clauses[0].end) == "i am bob ,"


@pytest.mark.parametrize(
    "text", ["Dr. Berg lives near St. Olav.", "I use app.py v1.2 and node.js.", "It costs 3.50 today."]
)
def test_a_full_stop_within_words_ends_no_sentence(text: str) -> None:
    assert len(reading(text).sentences) == 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Look:\n```\nI am Bob\n```\nI agree", "Look: I agree"),
        ("> I live in Rome\nI do not", "I do not"),
        ("I ran `I am root` there", "I ran there"),
        ("2026-01-02 10:11:12 I am a log line\nI wonder why", "I wonder why"),
        ('Traceback (most recent call last):\n  File "a.py", line 3\nI give up', "I give up"),
        ("diff --git a/x b/x\n+I am added\n-I am gone\n\nI changed it", "I changed it"),
        ('He wrote "I am the best cook in the whole town" to me', "He wrote to me"),
        ("Hello\nOn Mon, Jan 5, Ana wrote:\nI live in Rome", "Hello"),
        ("Please translate this: I am a teacher and I live in Rome.", "Please translate this:"),
        ("host: a\nport: 1\nname: Bob\nI edited it", "I edited it"),
    ],
)  # fmt: skip
def test_what_the_writer_did_not_say_is_hidden(text: str, left: str) -> None:
    assert shown(text) == left


def test_a_short_title_in_quotes_stays() -> None:
    assert "Dune" in shown('I love "Dune"')


def test_injected_text_is_not_read() -> None:
    text = "Recalled: I live in Rome. Thanks"

    found = reading(text, injected=((0, 25),))

    assert found.words == {"thanks"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("am I a teacher?", "am I"),
        ("where do i live", "where"),
        ("I'm a nurse, what should I ask?", "what"),
        ("do you think i am a nurse ?", "i am"),
        ("I live in Rome?", "I live"),
        ("How old was I when I moved to Rome?", "when I moved"),
    ],
)
def test_a_question_is_told_from_a_statement(text: str, words: str) -> None:
    assert clause(text, words).is_question


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm a nurse, what should I ask?", "I'm"),
        ("how are you i am bob", "i am"),
        ("i live in texas , you ?", "i live"),
        ("i work at a bank do you have a job ?", "i work"),
    ],
)
def test_a_statement_beside_a_question_stays_a_statement(text: str, words: str) -> None:
    assert clause(text, words).is_stated


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("If I lived in Rome, I'd be happy", "If I"),
        ("Suppose I'm a lawyer", "I'm"),
        ("Imagine I am a doctor and I live in Oslo", "and I live"),
        ("I would live in Rome", "I would"),
        ("Let's say I'm 64", "I'm"),
    ],
)
def test_suppositions_are_hypothetical(text: str, words: str) -> None:
    assert clause(text, words).is_hypothetical


def test_the_month_of_may_supposes_nothing() -> None:
    assert not clause("My birthday is in May", "My").is_hypothetical


def test_what_somebody_else_says_is_reported() -> None:
    assert clause("my boss says i am lazy", "i am").is_reported
    assert not clause("I told you I am tired", "I am").is_reported


def test_a_clause_without_a_subject_goes_on_with_the_last_one() -> None:
    assert clause("I am tired, going home", "going").person == "i"
    assert clause("she is tired , going home", "going").person == "third"


def test_tense_is_that_of_the_clause() -> None:
    assert clause("i used to live in rome but now i am in oslo", "i used").tense == "past"
    assert clause("i used to live in rome but now i am in oslo", "but now").tense == "present"
    assert clause("I will move to Oslo", "I will").tense == "future"


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "...", "?!", "\x00\x01\x02" * 50, "🙂" * 40, "İstanbul’da yaşıyorum", "我叫小明。"]
)
def test_any_text_can_be_read(text: str) -> None:
    found = reading(text)

    assert all(0 <= item.start < item.end <= len(text) for item in found.clauses)


def test_random_text_never_fails_and_keeps_its_offsets() -> None:
    generator = random.Random(7)
    alphabet = string.ascii_letters + " .,;:!?'\"`>-\n\t()[]{}I i my am" + "é漢🙂\ufffc"
    for _ in range(300):
        text = "".join(generator.choices(alphabet, k=generator.randint(1, 200)))

        found = reading(text)

        assert len(found.prose) <= len(text)
        assert all(text[token.start : token.end] for sentence in found.sentences for token in sentence.tokens)


def test_of_a_huge_message_only_the_beginning_is_read() -> None:
    found = reading("I like tea and talk on and on. " * 40_000)

    assert len(found.prose) <= MAX_PROSE


@pytest.mark.parametrize(
    "piece", ["`", '"', "I ", "i am, ", "> ", "translate: ", "((((", "a" * 50, "\n", "key: value\n"]
)
def test_repetition_is_read_in_one_pass(piece: str) -> None:
    found = reading(piece * (400_000 // len(piece)))

    assert len(found.prose) <= 200_000

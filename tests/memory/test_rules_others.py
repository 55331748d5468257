"""What is said of other people, and corrections that point at them."""

import pytest

from sojourn.memory.extraction.rules.extractor import RulesExtractor
from sojourn.memory.extraction.statement import Exchange, Extraction, Heard
from sojourn.memory.facts.correcting import Believed, put_right


def read(text: str) -> Extraction:
    return RulesExtractor().read(Exchange(user=Heard(role="user", text=text)))


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("Nora works at Calder now.", "nora/employer", "Calder"),
        ("Tomas moved to Ostrava.", "tomas/location", "Ostrava"),
        ("Priya lives in Leeds.", "priya/location", "Leeds"),
    ],
)
def test_what_is_said_of_a_named_person_is_a_fact_about_that_person(text: str, slot: str, value: str) -> None:
    found = read(text)
    assert [(fact.slot, fact.value, fact.about) for fact in found.facts] == [(slot, value, None)]
    assert found.profile == ()


@pytest.mark.parametrize(
    "text",
    [
        "Does Nora work at Calder?",
        "If Nora works at Calder, call her.",
        "Kubernetes works at scale.",
        "This works in Safari.",
        'He said "Nora works at Calder".',
    ],
)
def test_questions_suppositions_and_things_say_nothing_of_people(text: str) -> None:
    assert read(text).facts == ()


def test_a_quotation_in_single_quotes_is_not_the_users_word() -> None:
    assert read("In the story the hero says 'My name is Finn'.").profile == ()
    assert [one.value for one in read("I'm Ana, and I don't eat the boys' cake.").profile] == ["Ana"]


def test_marriages_and_moves_are_read() -> None:
    assert [fact.content for fact in read("I got married last week!").facts] == ["The user is married"]
    assert [one.value for one in read("We've since moved to Cardiff.").profile] == ["Cardiff"]
    assert [fact.value for fact in read("My dog's name is Bruno.").facts] == ["Bruno"]


def test_a_name_is_put_right_where_somebody_is_called_by_it() -> None:
    latest = [
        Believed("a", "The user lives in Berlin", "Berlin"),
        Believed("b", "The user's dog is called Bruno", "Bruno"),
    ]
    corrected = put_right("Correction, his name is Bruce.", latest)
    assert corrected is not None
    assert (corrected.key, corrected.text) == ("b", "The user's dog is called Bruce")
    assert put_right("his name is Bruce", latest) is None

"""How a profile grows, what it ignores, and how it reads."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from sojourn.model import events as ev
from sojourn.model.profile import LISTS, MAX_ITEMS, SCALARS, FieldOrigin, UserProfile, accepted_fields
from sojourn.model.state import replay
from sojourn.testing.factories import make_journal


def profile_after(*events: ev.Event) -> UserProfile:
    state = replay(make_journal(events))
    assert state is not None
    return state.user_profile


def updated(**fields: Any) -> ev.ProfileUpdated:
    return ev.ProfileUpdated(fields=fields)


def test_lists_grow_without_duplicates_and_scalars_are_replaced() -> None:
    profile = profile_after(
        updated(name="Alice", interests=["chess", "tea"]), updated(name="Alicia", interests=["Tea", "go"])
    )

    assert (profile.name, profile.interests) == ("Alicia", ("chess", "tea", "go"))


def test_a_single_value_joins_a_list() -> None:
    assert profile_after(updated(frameworks="React")).frameworks == ("React",)


@pytest.mark.parametrize("empty", [None, "", "  ", 0, [], {}, False])
def test_an_empty_value_changes_nothing(empty: object) -> None:
    before = updated(name="Alice", age=30, interests=["tea"])

    assert profile_after(before, updated(name=empty, age=empty, interests=empty)) == profile_after(before)


def test_unknown_fields_and_bookkeeping_are_never_written() -> None:
    profile = profile_after(
        updated(name="Alice"),
        updated(hat="bowler", confidence_scores={"name": 0.0}, origins={}, updated_at="never", __class__="x"),
    )

    assert profile.confidence_scores == {"name": 0.8}
    assert profile == profile_after(updated(name="Alice"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ["a", "b"]),
        ("name", True),
        ("name", "x" * 1_000_000),
        ("age", "thirty"),
        ("age", 30.5),
        ("age", -1),
        ("age", 2**100),
        ("location", float("inf")),
        ("interests", {"a": 1}),
    ],
)
def test_a_value_of_another_type_or_size_is_ignored(field: str, value: object) -> None:
    assert accepted_fields({field: value}) == {}


@pytest.mark.parametrize(("given", "age"), [(30, 30), ("30", 30), (30.0, 30)])
def test_an_age_is_a_whole_number_however_it_is_written(given: object, age: int) -> None:
    assert accepted_fields({"age": given}) == {"age": age}


def test_a_list_keeps_the_newest_fifty() -> None:
    profile = profile_after(updated(interests=[f"thing {number}" for number in range(MAX_ITEMS + 10)]))

    assert profile.interests[0] == "thing 10"
    assert len(profile.interests) == MAX_ITEMS


@pytest.mark.parametrize("field", [*SCALARS, *LISTS])
def test_any_field_is_information_and_can_be_read(field: str) -> None:
    profile = profile_after(updated(**{field: 42 if field == "age" else "forty-two"}))

    assert profile.has_information()
    assert ("42" if field == "age" else "forty-two") in profile.to_context_text()


def test_a_whole_profile_reads_as_one_line_for_each_field() -> None:
    profile = profile_after(
        updated(
            name="Alice",
            age=30,
            location="Oslo",
            occupation="engineer",
            expertise_level="expert",
            programming_languages=["Python", "Go"],
            frameworks=["React"],
            interests=["tea"],
            current_project="chat\napp",
            project_tech_stack=["React", "Node"],
            communication_style="concise",
        )
    )

    assert profile.to_context_text().splitlines() == [
        "User's name: Alice",
        "Age: 30",
        "Location: Oslo",
        "Occupation: engineer",
        "Technical expertise: expert",
        "Familiar with: Python, Go",
        "Frameworks: React",
        "Interests: tea",
        "Current project: chat app",
        "Project stack: React, Node",
        "Prefers concise communication",
    ]


def test_nothing_known_reads_as_nothing() -> None:
    assert not UserProfile().has_information()
    assert UserProfile().to_context_text() == ""


def test_each_field_knows_how_sure_it_is_and_where_it_came_from() -> None:
    told = ev.ProfileUpdated(fields={"name": "Alice"}, confidence=1.0, source="user")
    profile = profile_after(updated(name="Al", age=30), told)

    assert profile.confidence_scores == {"name": 1.0, "age": 0.8}
    origin = profile.origins["name"]
    assert origin == FieldOrigin(confidence=1.0, source="user", seq=origin.seq, at=profile.updated_at)
    assert [(former.value, former.valid_to) for former in profile.history("name")] == [("Al", profile.updated_at)]


def test_what_is_removed_is_gone_with_its_origin() -> None:
    start = updated(name="Alice", interests=["Tea", "chess"])
    one_left = profile_after(start, ev.ProfileFieldRemoved(field="interests", value="tea"))
    none_left = profile_after(start, ev.ProfileFieldRemoved(field="interests"), ev.ProfileFieldRemoved(field="name"))

    assert one_left.interests == ("chess",)
    assert "interests" in one_left.origins
    assert none_left.confidence_scores == {}
    assert not none_left.has_information()


def test_a_scalar_is_removed_by_value_only_if_it_has_that_value() -> None:
    start = updated(name="Alice")

    assert profile_after(start, ev.ProfileFieldRemoved(field="name", value="Bob")).name == "Alice"
    assert profile_after(start, ev.ProfileFieldRemoved(field="name", value="alice")).name is None


def test_a_profile_is_json_and_comes_back_equal() -> None:
    at = datetime(2030, 1, 1, tzinfo=UTC)
    origin = FieldOrigin.from_dict({"confidence": 0.8, "source": "user", "seq": 2})
    profile = UserProfile().update_from_dict({"name": "Alice", "interests": ["tea"]}, origin=origin, at=at)

    assert UserProfile.from_dict(json.loads(json.dumps(profile.to_dict()))) == profile

"""An agent hands on less than it has, whatever it asks for."""

from pathlib import Path
from typing import Any

import pytest

from sojourn.agent.permissions.ceilings import for_child
from sojourn.agent.permissions.levels import CEILINGS, MAX_DEPTH, Level
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.presets import preset
from sojourn.agent.permissions.rules import ANY_SKILL, SkillRule
from sojourn.agent.skills.skill import SkillTraits
from sojourn.errors import InvalidInputError

LEVELS: list[Level] = ["yolo", "trusted", "sandboxed"]
HERE = Path("/home/agent")


@pytest.mark.parametrize("parent", LEVELS)
@pytest.mark.parametrize("child", LEVELS)
def test_a_child_gets_a_lower_level_than_its_parent(parent: Level, child: Level) -> None:
    if child in CEILINGS[parent]:
        made = for_child(Permissions(level=parent), cwd=HERE, level=child)
        assert (made.level, made.depth) == (child, 1)
    else:
        with pytest.raises(InvalidInputError):
            for_child(Permissions(level=parent), cwd=HERE, level=child)


def test_without_a_level_a_child_gets_the_next_lower_one() -> None:
    assert for_child(preset("yolo"), cwd=HERE).level == "trusted"
    assert for_child(preset("trusted"), cwd=HERE).level == "sandboxed"
    with pytest.raises(InvalidInputError, match="a sandboxed agent may not start others"):
        for_child(preset("sandboxed"), cwd=HERE)


def test_agents_are_five_deep_and_no_deeper() -> None:
    assert for_child(Permissions(level="yolo", depth=MAX_DEPTH - 1), cwd=HERE).depth == MAX_DEPTH == 5
    with pytest.raises(InvalidInputError, match="5 deep"):
        for_child(Permissions(level="yolo", depth=MAX_DEPTH), cwd=HERE)


def test_a_sandboxed_child_gets_its_own_folder() -> None:
    assert for_child(Permissions(), cwd=HERE).allowed_paths == ("/home/agent",)
    assert for_child(Permissions(), cwd=HERE, child_cwd=HERE / "sub").allowed_paths == ("/home/agent/sub",)
    with pytest.raises(InvalidInputError, match="cannot hand on /home"):
        for_child(Permissions(allowed_paths=("work",)), cwd=HERE, child_cwd=Path("/home"))


def test_a_trusted_child_gets_its_parents_paths_as_they_are_seen_from_there() -> None:
    made = for_child(Permissions(level="yolo", allowed_paths=("work",)), cwd=HERE, child_cwd=Path("/elsewhere"))
    assert made.allowed_paths == ("/home/agent/work",)


@pytest.mark.parametrize("asked", [["work/../.."], ["/home/agent/workshop"], ["work/in", "/"], "work"])
def test_a_child_gets_no_path_that_its_parent_has_not(asked: Any) -> None:
    with pytest.raises(InvalidInputError):
        for_child(Permissions(allowed_paths=("work",)), cwd=HERE, allowed_paths=asked)


def test_a_child_may_get_fewer_paths_or_none() -> None:
    parent = Permissions(allowed_paths=("work",))
    assert for_child(parent, cwd=HERE, allowed_paths=["work/in"]).allowed_paths == ("/home/agent/work/in",)
    assert for_child(parent, cwd=HERE, allowed_paths=[]).allowed_paths == ()


def test_what_a_parents_rule_forbids_or_asks_stays_so() -> None:
    rules = {
        "off": SkillRule(enabled=False),
        "asks": SkillRule(requires_confirmation=True),
        "quick": SkillRule(timeout=5),
        "narrow": SkillRule(allowed_paths=("/home/agent/work/in", "/other")),
    }
    parent = Permissions(allowed_paths=("work",), rules=rules)
    wanted = {
        "off": SkillRule(enabled=True),
        "asks": SkillRule(requires_confirmation=False),
        "quick": SkillRule(timeout=50),
    }
    made = for_child(parent, cwd=HERE, allowed_paths=["work"], rules=wanted)
    assert made.rules["off"].enabled is False
    assert made.rules["asks"].requires_confirmation is True
    assert made.rules["quick"].timeout == 5
    assert made.rules["narrow"].allowed_paths == ("/home/agent/work/in",)
    with pytest.raises(InvalidInputError):
        for_child(parent, cwd=HERE, allowed_paths=["work"], rules={"narrow": SkillRule(allowed_paths=("work/out",))})


def test_a_rule_for_all_others_binds_the_rules_of_a_child() -> None:
    parent = Permissions(rules={ANY_SKILL: SkillRule(enabled=False), "read": SkillRule(enabled=True)})
    made = for_child(parent, cwd=HERE, rules={"write": SkillRule(enabled=True)})
    assert made.rule_for("write").enabled is False
    assert made.rule_for("anything").enabled is False
    shut = for_child(parent, cwd=HERE, rules={ANY_SKILL: SkillRule(enabled=False)})
    assert shut.rule_for("read").enabled is False


def test_a_parent_that_has_to_ask_cannot_open_a_skill_to_its_child() -> None:
    sends = SkillTraits()
    opened = {"send": SkillRule(enabled=True)}
    child = for_child(Permissions(), cwd=HERE, rules=opened)
    assert type(child.decide("send", sends, {}, cwd=HERE)).__name__ == "Refused"
    inherited = for_child(Permissions(rules={"send": SkillRule(timeout=9)}), cwd=HERE)
    assert type(inherited.decide("send", sends, {}, cwd=HERE)).__name__ == "Refused"
    free = for_child(preset("yolo"), cwd=HERE, level="sandboxed", rules=opened)
    assert type(free.decide("send", sends, {}, cwd=HERE)).__name__ == "Allowed"


@pytest.mark.parametrize(
    ("above", "own", "result"),
    [
        (None, "parent", "parent"),
        ("family", None, "family"),
        ("family", "children", "children"),
        ("parent", "parent", "parent"),
        (("a", "b"), ("b", "c"), ("b",)),
        ((), ("a",), ()),
    ],
)
def test_a_child_reaches_nobody_that_its_parent_may_not(above: Any, own: Any, result: Any) -> None:
    parent = Permissions(rules={"send": SkillRule(allowed_targets=above)})
    made = for_child(parent, cwd=HERE, rules={"send": SkillRule(allowed_targets=own)})
    assert made.rules["send"].allowed_targets == result


@pytest.mark.parametrize(("above", "own"), [("parent", "family"), ("parent", ("a",)), (("a",), "children")])
def test_targets_that_cannot_be_compared_are_refused(above: Any, own: Any) -> None:
    parent = Permissions(rules={"send": SkillRule(allowed_targets=above)})
    with pytest.raises(InvalidInputError, match="not within"):
        for_child(parent, cwd=HERE, rules={"send": SkillRule(allowed_targets=own)})

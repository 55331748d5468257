"""What a level and its rules allow, refuse and ask about."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.presets import PRESETS, from_environment, preset
from sojourn.agent.permissions.rules import ANY_SKILL, HITL_REQUIRED_ACTIONS, SkillRule
from sojourn.agent.permissions.verdicts import Approval, Ask, Refused, Verdict
from sojourn.agent.skills.skill import SkillTraits
from sojourn.errors import InvalidInputError
from sojourn.model.allowances import Allowance
from sojourn.model.ids import Seq

READS = SkillTraits(reads_only=True, path_arguments=("path",))
WRITES = SkillTraits(path_arguments=("path",))
RUNS = SkillTraits(runs_commands=True, path_arguments=("folder",))
THINKS = SkillTraits(reads_only=True)
SENDS = SkillTraits()
ALL = (READS, WRITES, RUNS, THINKS, SENDS)

YOLO = Permissions(level="yolo")
TRUSTED = Permissions(level="trusted", allowed_paths=("work",))
SANDBOXED = Permissions(level="sandboxed", allowed_paths=("work",))


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path


def decide(
    permissions: Permissions, traits: SkillTraits, cwd: Path, path: Any = "work/a", name: str = "tool"
) -> Verdict:
    arguments = {argument: path for argument in traits.path_arguments if path is not None}
    return permissions.decide(name, traits, arguments, cwd=cwd)


def kind(verdict: Verdict) -> str:
    return type(verdict).__name__


# --- levels


@pytest.mark.parametrize(
    ("permissions", "inside", "outside"),
    [
        (YOLO, ["Allowed"] * 5, ["Allowed"] * 5),
        (TRUSTED, ["Allowed", "Ask", "Ask", "Allowed", "Ask"], ["Allowed", "Refused", "Refused", "Allowed", "Ask"]),
        (
            SANDBOXED,
            ["Allowed", "Allowed", "Refused", "Refused", "Refused"],
            ["Refused", "Refused", "Refused", "Refused", "Refused"],
        ),
    ],
    ids=["yolo", "trusted", "sandboxed"],
)
def test_each_level_has_its_meaning(permissions: Permissions, inside: list[str], outside: list[str], cwd: Path) -> None:
    assert [kind(decide(permissions, traits, cwd)) for traits in ALL] == inside
    assert [kind(decide(permissions, traits, cwd, "elsewhere/a")) for traits in ALL] == outside


@pytest.mark.parametrize("traits", [READS, WRITES, THINKS, SENDS])
def test_a_skill_that_says_it_needs_approval_is_asked_about_at_every_level_but_yolo(
    traits: SkillTraits, cwd: Path
) -> None:
    needy = SkillTraits(reads_only=traits.reads_only, path_arguments=traits.path_arguments, needs_approval=True)
    unasked = SkillRule(enabled=True, requires_confirmation=False)
    for permissions in (TRUSTED, SANDBOXED):
        rules = msgspec.structs.replace(permissions, rules={"tool": unasked})
        assert kind(decide(rules, needy, cwd)) == "Ask"
    assert kind(decide(YOLO, needy, cwd)) == "Allowed"


def test_none_is_everywhere_and_an_empty_list_is_nowhere(cwd: Path) -> None:
    everywhere, nowhere = Permissions(allowed_paths=None), Permissions(allowed_paths=())
    assert kind(decide(everywhere, WRITES, cwd, "/etc/x")) == "Ask"
    assert decide(nowhere, WRITES, cwd) == Refused(reason="Tool 'tool' may not run here: no path is allowed to it.")
    assert kind(decide(Permissions(level="sandboxed", allowed_paths=()), READS, cwd)) == "Refused"
    assert kind(decide(Permissions(level="sandboxed", allowed_paths=None), WRITES, cwd, "/etc/x")) == "Allowed"


def test_a_skill_that_names_no_path_works_in_the_working_folder(cwd: Path) -> None:
    verdict = decide(Permissions(), RUNS, cwd, None)
    assert isinstance(verdict, Ask)
    assert verdict.paths == verdict.folders == (str(cwd),)
    assert kind(decide(TRUSTED, RUNS, cwd, None)) == "Refused"
    assert kind(decide(SANDBOXED, READS, cwd, None)) == "Refused"
    assert kind(decide(SANDBOXED, READS, cwd / "work", None)) == "Refused"
    assert kind(decide(Permissions(level="sandboxed", allowed_paths=(".",)), READS, cwd, None)) == "Allowed"


def test_every_path_of_a_call_counts(cwd: Path) -> None:
    moves = SkillTraits(path_arguments=("source", "target"))
    inside, outside = {"source": "work/a", "target": "work/b"}, {"source": "work/a", "target": "/tmp/b"}  # noqa: S108
    assert kind(SANDBOXED.decide("move", moves, inside, cwd=cwd)) == "Allowed"
    assert kind(SANDBOXED.decide("move", moves, outside, cwd=cwd)) == "Refused"
    many = {"source": ["work/a", "work/b", "elsewhere"]}
    assert kind(SANDBOXED.decide("move", moves, many, cwd=cwd)) == "Refused"


@pytest.mark.parametrize("path", [7, {"a": 1}, ["work/a", None], "work/\0", "~nobody-of-this-name/x", "work/\ud800"])
def test_what_is_no_path_is_refused_and_not_guessed(path: Any, cwd: Path) -> None:
    for permissions in (YOLO, TRUSTED, SANDBOXED):
        verdict = decide(permissions, WRITES, cwd, path)
        assert isinstance(verdict, Refused)
        assert "cannot be judged" in verdict.reason


# --- tricks with paths


@pytest.mark.parametrize(
    "path",
    ["work/../secret", "workshop/a", "work/../work2/a", "../x", "/etc/passwd", "work/link/a", "work/to_file", "~/x"],
)
def test_no_path_leads_out_of_the_sandbox(path: str, cwd: Path) -> None:
    (cwd / "secret").mkdir()
    (cwd / "secret" / "file").touch()
    (cwd / "work" / "link").symlink_to(cwd / "secret")
    (cwd / "work" / "to_file").symlink_to("../secret/file")
    assert kind(decide(SANDBOXED, READS, cwd, path)) == "Refused"
    assert kind(decide(SANDBOXED, WRITES, cwd, path)) == "Refused"


def test_a_link_into_the_sandbox_is_inside(cwd: Path) -> None:
    (cwd / "door").symlink_to(cwd / "work")
    assert kind(decide(SANDBOXED, WRITES, cwd, "door/a")) == "Allowed"
    through = Permissions(level="sandboxed", allowed_paths=("door",))
    assert kind(decide(through, WRITES, cwd, "work/a")) == "Allowed"


def test_links_in_a_circle_are_refused(cwd: Path) -> None:
    (cwd / "work" / "one").symlink_to(cwd / "work" / "two")
    (cwd / "work" / "two").symlink_to(cwd / "work" / "one")
    (cwd / "work" / "up").symlink_to(cwd)
    assert kind(decide(SANDBOXED, READS, cwd, "work/up/secret")) == "Refused"
    assert kind(decide(SANDBOXED, READS, cwd, "work/one/../../secret")) == "Refused"


# --- rules


def test_a_skill_that_is_switched_off_is_off_at_every_level(cwd: Path) -> None:
    rules = {"tool": SkillRule(enabled=False)}
    for permissions in (YOLO, TRUSTED, SANDBOXED):
        verdict = decide(msgspec.structs.replace(permissions, rules=rules), READS, cwd)
        assert verdict == Refused(reason="Tool 'tool' is switched off in this session.")


def test_a_rule_opens_a_skill_without_paths_to_a_sandbox_but_never_commands(cwd: Path) -> None:
    rules = {"tool": SkillRule(enabled=True)}
    permissions = msgspec.structs.replace(SANDBOXED, rules=rules)
    assert [kind(decide(permissions, traits, cwd)) for traits in (THINKS, SENDS, RUNS)] == [
        "Allowed",
        "Allowed",
        "Refused",
    ]
    unopened = msgspec.structs.replace(SANDBOXED, rules={"tool": SkillRule(timeout=5)})
    assert kind(decide(unopened, THINKS, cwd)) == "Refused"


def test_a_rule_has_paths_of_its_own(cwd: Path) -> None:
    rules = {"tool": SkillRule(allowed_paths=("elsewhere",)), "never": SkillRule(allowed_paths=())}
    for permissions in (YOLO, TRUSTED, SANDBOXED):
        ruled = msgspec.structs.replace(permissions, rules=rules)
        assert kind(decide(ruled, READS, cwd, "elsewhere/a")) == "Allowed"
        assert kind(decide(ruled, READS, cwd, "work/a")) == "Refused"
        assert kind(decide(ruled, READS, cwd, "work/a", name="never")) == "Refused"
        assert kind(decide(ruled, THINKS, cwd, name="never")) == "Refused"


def test_a_rule_says_whether_to_ask(cwd: Path) -> None:
    rules = {"asks": SkillRule(requires_confirmation=True), "free": SkillRule(requires_confirmation=False)}
    trusted = msgspec.structs.replace(TRUSTED, rules=rules)
    assert kind(decide(trusted, READS, cwd, name="asks")) == "Ask"
    assert kind(decide(trusted, WRITES, cwd, name="free")) == "Allowed"
    assert kind(decide(trusted, WRITES, cwd, "outside", name="free")) == "Refused"
    sandboxed = msgspec.structs.replace(SANDBOXED, rules=rules)
    assert kind(decide(sandboxed, WRITES, cwd, name="asks")) == "Ask"


def test_the_rule_for_all_others_is_for_those_without_one(cwd: Path) -> None:
    permissions = Permissions(rules={ANY_SKILL: SkillRule(enabled=False), "tool": SkillRule(timeout=3)})
    assert kind(decide(permissions, READS, cwd)) == "Allowed"
    assert kind(decide(permissions, READS, cwd, name="another")) == "Refused"
    assert permissions.timeout_for("tool", READS) == 3
    assert permissions.timeout_for("another", READS) == READS.timeout


@pytest.mark.parametrize(
    ("targets", "reached"),
    [
        (None, {"mother", "son", "stranger"}),
        ((), set()),
        ("parent", {"mother"}),
        ("children", {"son"}),
        ("family", {"mother", "son"}),
        (("stranger",), {"stranger"}),
    ],
)
def test_a_rule_says_which_agents_a_skill_may_reach(targets: Any, reached: set[str]) -> None:
    permissions = Permissions(rules={"send": SkillRule(allowed_targets=targets)})
    may = {
        name
        for name in ("mother", "son", "stranger")
        if permissions.may_reach("send", name, parent="mother", children=["son"])
    }
    assert may == reached


def test_an_agent_without_a_parent_has_none_to_reach() -> None:
    permissions = Permissions(rules={"send": SkillRule(allowed_targets="parent")})
    assert not permissions.may_reach("send", "anybody")


# --- allowances


def allowing(scope: Any, path: Path | None = None, tool: str = "tool") -> list[Allowance]:
    return [Allowance(tool=tool, scope=scope, path=None if path is None else str(path), seq=Seq(1))]


@pytest.mark.parametrize(
    ("scope", "place", "path", "result"),
    [
        ("session", None, "a", "Allowed"),
        ("file", "a/b", "a/b", "Allowed"),
        ("file", "a/b", "a/b/c", "Ask"),
        ("file", "a/b", "a/bc", "Ask"),
        ("folder", "a/b", "a/b", "Allowed"),
        ("folder", "a/b", "a/b/c/d", "Allowed"),
        ("folder", "a/b", "a/bc", "Ask"),
        ("folder", "a/b", "a/b/../c", "Ask"),
        ("folder", "a/b", "a", "Ask"),
        ("file", None, "a", "Ask"),
        ("folder", None, "a", "Ask"),
    ],
)
def test_an_allowance_covers_what_it_names(scope: str, place: str | None, path: str, result: str, cwd: Path) -> None:
    allowances = allowing(scope, None if place is None else cwd / place)
    verdict = Permissions().decide("tool", WRITES, {"path": path}, allowances=allowances, cwd=cwd)
    assert kind(verdict) == result
    other = Permissions().decide("other", WRITES, {"path": path}, allowances=allowances, cwd=cwd)
    assert kind(other) == "Ask"


def test_an_allowance_does_not_follow_a_link_out_of_its_folder(cwd: Path) -> None:
    (cwd / "work" / "link").symlink_to("/etc")
    allowances = allowing("folder", cwd / "work")
    verdict = Permissions().decide("tool", WRITES, {"path": "work/link/x"}, allowances=allowances, cwd=cwd)
    assert kind(verdict) == "Ask"


def test_each_path_of_a_call_needs_an_allowance(cwd: Path) -> None:
    traits = SkillTraits(path_arguments=("source", "target"))
    arguments = {"source": "a/x", "target": "b/x"}
    one, both = allowing("folder", cwd / "a"), [*allowing("folder", cwd / "a"), *allowing("folder", cwd / "b")]
    assert kind(Permissions().decide("tool", traits, arguments, allowances=one, cwd=cwd)) == "Ask"
    assert kind(Permissions().decide("tool", traits, arguments, allowances=both, cwd=cwd)) == "Allowed"


def test_an_allowance_for_a_path_is_none_for_a_skill_without_paths(cwd: Path) -> None:
    allowances = allowing("folder", Path("/"))
    assert kind(Permissions().decide("tool", SENDS, {}, allowances=allowances, cwd=cwd)) == "Ask"


# --- questions


def test_a_question_says_what_is_wanted_and_offers_what_fits(cwd: Path) -> None:
    file, folder = cwd / "work" / "a", cwd / "work"
    written = decide(TRUSTED, WRITES, cwd)
    assert written == Ask(
        question=f"Tool 'tool' wants to change {file}. Allow it?",
        options=tuple(Approval),
        paths=(str(file),),
        folders=(str(folder),),
    )
    command = decide(TRUSTED, RUNS, cwd, "work")
    assert isinstance(command, Ask)
    assert command.question == f"Tool 'tool' wants to run a command in {folder}. Allow it?"
    assert Approval.FILE not in command.options
    assert command.folders == (str(folder),)
    sent = decide(TRUSTED, SENDS, cwd)
    assert isinstance(sent, Ask)
    assert sent.question == "Tool 'tool' wants to run. Allow it?"
    assert {Approval.FILE, Approval.FOLDER}.isdisjoint(sent.options)


def test_a_call_on_many_paths_is_allowed_once_or_always(cwd: Path) -> None:
    verdict = decide(Permissions(), WRITES, cwd, [f"work/{number}" for number in range(9)])
    assert isinstance(verdict, Ask)
    assert verdict.question.endswith("and 4 more. Allow it?")
    assert (len(verdict.paths), verdict.folders) == (9, ())
    assert {Approval.FILE, Approval.FOLDER}.isdisjoint(verdict.options)


# --- presets, and what cannot be


def test_presets_are_there_by_name(cwd: Path) -> None:
    assert {name: preset(name).level for name in PRESETS} == {
        "yolo": "yolo",
        "trusted": "trusted",
        "sandboxed": "sandboxed",
        "hitl": "trusted",
    }
    assert kind(decide(preset("sandboxed"), WRITES, cwd)) == "Allowed"
    assert kind(decide(preset("sandboxed"), WRITES, cwd, "../x")) == "Refused"
    with pytest.raises(InvalidInputError, match="presets are yolo"):
        preset("god")


def test_the_human_in_the_loop_preset_asks_about_the_dangerous_actions_only(cwd: Path) -> None:
    assert HITL_REQUIRED_ACTIONS == ("file_delete", "git_push", "shell_exec", "package_install", "file_rename")
    for name in HITL_REQUIRED_ACTIONS:
        assert kind(decide(preset("hitl"), WRITES, cwd, name=name)) == "Ask"
    assert kind(decide(preset("hitl"), WRITES, cwd, name="file_write")) == "Allowed"
    needy = SkillTraits(needs_approval=True)
    assert kind(decide(preset("hitl"), needy, cwd, name="git_clone")) == "Ask"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ["Ask", "Allowed", "Allowed"]),
        ({"APPROVAL_ENABLED": "false"}, ["Allowed", "Allowed", "Allowed"]),
        ({"APPROVAL_REQUIRE_TOOLS": "true"}, ["Ask", "Ask", "Ask"]),
        (
            {"APPROVAL_REQUIRE_TOOLS": "1", "APPROVAL_TOOL_WHITELIST": "read, shell_exec,"},
            ["Allowed", "Ask", "Allowed"],
        ),
        ({"APPROVAL_TOOL_WHITELIST": "shell_exec"}, ["Ask", "Allowed", "Allowed"]),
        ({"HITL_REQUIRED_ACTIONS": "write"}, ["Allowed", "Ask", "Allowed"]),
        ({"HITL_REQUIRED_ACTIONS": "", "APPROVAL_ENABLED": " "}, ["Allowed", "Allowed", "Allowed"]),
    ],
)
def test_the_environment_says_what_is_asked_about(environment: dict[str, str], expected: list[str], cwd: Path) -> None:
    permissions = from_environment(environment)
    named = [("shell_exec", RUNS), ("write", WRITES), ("read", READS)]
    assert [kind(decide(permissions, traits, cwd, name=name)) for name, traits in named] == expected


def test_a_switch_in_the_environment_is_on_or_off() -> None:
    with pytest.raises(InvalidInputError, match="APPROVAL_ENABLED is true or false, got 'maybe'"):
        from_environment({"APPROVAL_ENABLED": "maybe"})


@pytest.mark.parametrize(
    "make",
    [
        lambda: Permissions(level="god"),  # type: ignore[arg-type]
        lambda: Permissions(allowed_paths="work"),  # type: ignore[arg-type]
        lambda: Permissions(depth=6),
        lambda: Permissions(depth=-1),
        lambda: SkillRule(allowed_paths=(1,)),  # type: ignore[arg-type]
        lambda: SkillRule(timeout=0),
        lambda: SkillRule(timeout=float("nan")),
        lambda: SkillRule(allowed_targets="friends"),  # type: ignore[arg-type]
    ],
)
def test_what_makes_no_sense_is_refused_at_once(make: Any) -> None:
    with pytest.raises(InvalidInputError):
        make()


def test_permissions_are_json_and_come_back(cwd: Path) -> None:
    rules = {"send": SkillRule(allowed_targets="family"), "write": SkillRule(allowed_paths=(), timeout=2.5)}
    permissions = Permissions(level="sandboxed", allowed_paths=("a",), rules=rules, depth=2)
    assert Permissions.from_dict(permissions.to_dict()) == permissions
    wrongs: list[dict[str, Any]] = [{"level": "god"}, {"alowed_paths": []}, {"rules": {"x": {"enabled": "yes"}}}]
    for wrong in wrongs:
        with pytest.raises(msgspec.ValidationError):
            Permissions.from_dict(wrong)

"""The skills that come with Sojourn, in the hands of an agent."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import sojourn
from sojourn import Message, Session
from sojourn.agent.agent import Agent
from sojourn.agent.settings import AgentSettings
from sojourn.agent.skills.builtin.roots import Roots
from sojourn.agent.skills.builtin.standard import standard_skills
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.agent.skills.services import ServiceContainer
from sojourn.providers.protocol import ModelRequest
from sojourn.providers.scripted import Reply, ScriptedProvider
from tests.agent.agent_kit import calling, listed, said

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    async with sojourn.open("memory:", embedders=()) as app:
        yield await app.sessions.create()


async def talk(session: Session, folder: Path, *replies: Reply) -> list[Message]:
    """Let a model that says *replies* answer one question, and return all that was said."""
    registry = SkillRegistry(ServiceContainer({"session": session}))
    for skill in standard_skills(registry.services, roots=Roots.of([folder])):
        registry.register(skill)
    agent = Agent(ScriptedProvider(replies), session=session, skills=registry)
    await listed(agent.run_turn("go on"))
    return await said(session)


def results(messages: list[Message]) -> list[str]:
    return [message.text for message in messages if message.role == "tool"]


async def test_a_result_goes_from_skill_to_skill_in_a_variable(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("price: $5 and $$")
    messages = await talk(
        session,
        tmp_path,
        calling(("read_file", {"path": "a.txt", "_output": "text"})),
        calling(("write_file", {"path": "b.txt", "content": "$text"})),
        calling(("remember", {"fact": "The file says: $text"})),
        "done",
    )

    assert (tmp_path / "b.txt").read_text() == "price: $5 and $$"
    assert messages[-1].text == "done"
    assert session.variables["text"] == "price: $5 and $$"
    assert "The file says: price: $5 and $$" in {fact.content for fact in session.facts}


async def test_what_stands_in_a_variable_is_never_run_by_a_shell_nor_put_into_a_script(
    session: Session, tmp_path: Path
) -> None:
    await session.variables.set("text", "a; touch broken")
    await session.variables.set("PATH", "/nowhere")
    messages = await talk(
        session,
        tmp_path,
        calling(("write_file", {"path": "script.sh", "content": 'echo "$text" $$\n'})),
        calling(("edit_file", {"path": "script.sh", "old": "$$", "new": "$text"})),
        calling(("run_command", {"command": 'echo "$text"; echo $text; ls'})),
        "done",
    )

    assert (tmp_path / "script.sh").read_text() == 'echo "$text" a; touch broken\n', "alone, it is the value"
    assert results(messages)[-1] == "a; touch broken\na; touch broken\nscript.sh\n[exit code 0]"


async def test_a_model_reads_on_where_a_result_was_cut(session: Session, tmp_path: Path) -> None:
    def long() -> str:
        return "".join(f"{number:05} " for number in range(8_000))

    registry = SkillRegistry(ServiceContainer({"session": session}))
    for skill in standard_skills(registry.services, roots=Roots.of([])):
        registry.register(skill)
    registry.register(long)

    def read_on(request: ModelRequest) -> Message:
        shown = request.messages[-1].text
        call_id = shown.rpartition('call_id="')[2].partition('"')[0]
        offset = int(shown.rpartition("offset=")[2].split()[0].strip("]"))
        return calling(("read_more", {"call_id": call_id, "offset": offset}))

    provider = ScriptedProvider([calling(("long", {})), read_on, "done"])
    roomy = AgentSettings(context_tokens=32_000)
    await listed(Agent(provider, session=session, skills=registry, settings=roomy).run_turn("go on"))
    whole, rest = results(await said(session))

    shown = provider.requests[1].messages[-1].text.partition("\n[...")[0]
    assert shown + rest.partition("\n[characters")[0] == whole == long()


async def test_the_question_stays_when_a_result_fills_the_whole_context(session: Session) -> None:
    registry = SkillRegistry()
    registry.skill(name="long")(lambda: "x y " * 100_000)
    provider = ScriptedProvider([calling(("long", {})), "done"])
    small = AgentSettings(context_tokens=1_000)
    await listed(Agent(provider, session=session, skills=registry, settings=small).run_turn("go on"))

    assert [message.role for message in provider.requests[1].messages] == ["user", "assistant", "tool"]
    assert provider.requests[1].messages[0].text == "go on"


async def test_a_fact_that_was_learned_in_a_turn_can_be_forgotten_for_good_in_it(
    session: Session, tmp_path: Path
) -> None:
    fact = await session.facts.learn("The code of the door is 4711.", source="user")
    messages = await talk(
        session,
        tmp_path,
        calling(("remember", {"fact": "The shed is green."})),
        calling(("forget", {"fact": fact.fact_id, "for_good": True})),
        calling(("recall", {"question": "shed"})),
        "done",
    )
    again = await Session.open(session.store, session.id)

    assert messages[-1].text == "done"
    assert "green" in results(messages)[-1]
    assert session.facts.find(fact.fact_id) is None
    assert again.state == session.state


async def test_a_failing_command_keeps_what_builds_on_it_from_running(session: Session, tmp_path: Path) -> None:
    await talk(
        session,
        tmp_path,
        calling(("run_command", {"command": "exit 1"}), ("write_file", {"path": "deployed", "content": "yes"})),
        "done",
    )

    assert not (tmp_path / "deployed").exists()


ODD: tuple[object, ...] = (
    None,
    True,
    -1,
    10**30,
    1.5,
    [],
    [None],
    {},
    {"a": []},
    "",
    "\ud800",
    "\0",
    "x" * 200_000,
    "../" * 2_000,
)


async def test_no_argument_however_odd_makes_a_skill_raise(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    usual: dict[str, Any] = {
        "path": "a.txt", "to": "b.txt", "content": "c", "old": "a", "new": "b", "pattern": "a", "command": ["true"],
        "url": "http://127.0.0.1:1/", "fact": "The sky is blue.", "question": "sky", "focus_type": "task",
        "name": "n", "value": 1, "call_id": "c",
    }  # fmt: skip
    services = ServiceContainer({"session": session})
    for skill in standard_skills(services, roots=Roots.of([tmp_path])):
        needed = {name: usual[name] for name in skill.parameters["required"]}
        for name in (*skill.parameters["properties"], "no_such_argument"):
            for value in ODD:
                result = await skill.execute(**{**needed, name: value})
                assert len(result.text.encode()) < 100_000

    assert not (tmp_path.parent / "b.txt").exists()


async def test_wrong_arguments_are_told_to_the_model_and_the_turn_goes_on(session: Session, tmp_path: Path) -> None:
    messages = await talk(
        session,
        tmp_path,
        calling(("read_file", {"path": 5})),
        calling(("read_file", {"file": "x"})),
        calling(("read_file", {"path": "../x"})),
        "sorry",
    )

    assert [text.startswith("read_file: ") for text in results(messages)] == [True, True, True]
    assert messages[-1].text == "sorry"

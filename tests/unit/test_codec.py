"""Between events and stored text: nothing is changed on the way, nothing unreadable is let in, old text is lifted."""

import sys
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given, settings
from msgspec import Raw

from sojourn.errors import CorruptError, InvalidEventError, TooLargeError
from sojourn.model import events as ev
from sojourn.model.codec import CODEC, MAX_EVENT_BYTES, Codec
from sojourn.model.events import KINDS, Event, EventBase, UnknownEvent, kind_of
from sojourn.model.message import MediaPart, Message
from sojourn.testing.factories import NEWER_TOPIC, PROVIDER_JSON, UNKNOWN, one_of_each, said
from sojourn.testing.strategies import events, structs


def nested(depth: int) -> Any:
    value: Any = None
    for _ in range(depth):
        value = [value]
    return value


def test_there_is_a_sample_of_every_kind() -> None:
    own = {"session_created", "session_forked", "forgotten"}

    assert {kind_of(event) for event in one_of_each()} == set(KINDS) - own


@pytest.mark.parametrize("event", one_of_each(), ids=kind_of)
def test_an_event_is_read_back_as_it_was(event: Event) -> None:
    encoded = CODEC.encode(event)

    assert CODEC.decode(encoded.kind, encoded.version, encoded.payload) == event
    assert encoded.event == event
    assert "\n" not in encoded.payload


@settings(max_examples=600)
@given(events())
def test_any_event_is_read_back_as_it_was(event: Event) -> None:
    encoded = CODEC.encode(event)

    assert encoded.event == CODEC.decode(encoded.kind, encoded.version, encoded.payload) == event
    assert CODEC.encode(encoded.event).payload == encoded.payload


@pytest.mark.parametrize("cls", KINDS.values(), ids=KINDS)
def test_every_field_of_every_kind_survives(cls: type[EventBase]) -> None:
    @settings(max_examples=25)
    @given(structs(cls))
    def survives(event: Any) -> None:
        encoded = CODEC.encode(event)

        assert encoded.event == event
        assert (encoded.kind, encoded.version) == (kind_of(event), 1)

    survives()


def test_the_payload_names_its_kind_and_leaves_defaults_out() -> None:
    assert CODEC.encode(ev.TurnEnded(turn_id="t")).payload == '{"kind":"turn_ended","turn_id":"t"}'


def test_an_event_in_the_journal_shares_nothing_with_the_callers() -> None:
    value = {"list": [1]}
    encoded = CODEC.encode(ev.VariableSet(name="v", value=value))
    value["list"].append(2)

    assert encoded.event == ev.VariableSet(name="v", value={"list": [1]})


# --- provider JSON


def with_raw(text: str | bytes) -> ev.MessageAdded:
    return ev.MessageAdded(message=Message(role="assistant", content="x").with_raw(text))


def test_provider_json_is_kept_to_the_letter() -> None:
    encoded = CODEC.encode(with_raw(PROVIDER_JSON))

    assert f'"raw":{PROVIDER_JSON}' in encoded.payload


def test_line_breaks_in_provider_json_go_and_nothing_else_does() -> None:
    encoded = CODEC.encode(with_raw('{\n  "n": 1.00000000000000000001,\r\n  "n": 1E400, "t": "a\\nb  c"\n}'))

    assert encoded.payload.endswith('"raw":{"n":1.00000000000000000001,"n":1E400,"t":"a\\nb  c"}}}')


@pytest.mark.parametrize(
    "text",
    ["", "NaN", "{", "{'a': 1}", "1 2", '1,"partial":true', '1}},{"a":{"b":1', b'{"a":"\xff"}', '{"a":"\\ud800"}'],
)
def test_provider_json_that_is_not_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(InvalidEventError):
        CODEC.encode(with_raw(text))


# --- what a newer Sojourn wrote


def test_an_unknown_kind_is_kept_to_the_letter() -> None:
    encoded = CODEC.encode(UNKNOWN)

    assert encoded.kind == "dream_had"
    assert encoded.payload == bytes(UNKNOWN.payload).decode()
    assert encoded.event == UNKNOWN


def test_unknown_fields_stay_in_the_payload() -> None:
    encoded = CODEC.encode(NEWER_TOPIC)

    assert encoded.payload == bytes(NEWER_TOPIC.payload).decode()
    assert encoded.event == ev.TopicChanged(topic="sheep")


def test_a_newer_version_of_a_known_kind_is_an_unknown_event() -> None:
    payload = '{"kind":"topic_changed","topics":["a"]}'

    assert CODEC.decode("topic_changed", 2, payload) == UnknownEvent(kind="topic_changed", payload=Raw(payload))


@pytest.mark.parametrize("kind", ["topic_changed", "dream_had"])
def test_a_payload_of_another_kind_is_refused(kind: str) -> None:
    disguised = UnknownEvent(kind=kind, payload=Raw('{"kind":"session_trashed"}'))

    with pytest.raises(InvalidEventError, match=f"{kind}: its payload names the kind session_trashed"):
        CODEC.encode(disguised)


@pytest.mark.parametrize("payload", ["1", "[]", "{}", '{"kind":7}'])
def test_a_payload_without_a_kind_is_refused(payload: str) -> None:
    with pytest.raises(InvalidEventError, match="a payload without a kind"):
        CODEC.encode(UnknownEvent(kind="dream_had", payload=Raw(payload)))


# --- upcasters


def lift_subject(old: dict[str, Any]) -> dict[str, Any]:
    """Version 1 called the topic a subject."""
    return {"kind": "topic_changed", "topic": old["subject"]}


def lift_topic(old: dict[str, Any]) -> dict[str, Any]:
    """Version 2 had topics with a number sign."""
    return {**old, "topic": old["topic"].removeprefix("#")}


LIFTING = Codec({("topic_changed", 1): lift_subject, ("topic_changed", 2): lift_topic})


def test_an_old_version_is_lifted_one_version_at_a_time() -> None:
    one = LIFTING.decode("topic_changed", 1, '{"kind":"topic_changed","subject":"#tea"}')
    two = LIFTING.decode("topic_changed", 2, '{"kind":"topic_changed","topic":"#tea"}')
    three = LIFTING.decode("topic_changed", 3, '{"kind":"topic_changed","topic":"#tea"}')

    assert one == two == ev.TopicChanged(topic="tea")
    assert three == ev.TopicChanged(topic="#tea")


def test_events_are_written_in_the_newest_version() -> None:
    assert LIFTING.encode(ev.TopicChanged(topic="tea")).version == 3
    assert LIFTING.encode(ev.TurnStarted(turn_id="t")).version == 1


def test_a_kind_that_is_no_more_is_lifted_to_its_successor() -> None:
    codec = Codec({("subject_changed", 1): lift_subject})

    assert codec.decode("subject_changed", 1, '{"kind":"subject_changed","subject":"tea"}') == ev.TopicChanged(
        topic="tea"
    )


def test_a_lifted_event_must_be_valid() -> None:
    codec = Codec({("topic_changed", 1): lift_subject})

    with pytest.raises(CorruptError, match="a stored topic_changed cannot be read"):
        codec.decode("topic_changed", 1, '{"kind":"topic_changed","subject":{"#":1}}')


@pytest.mark.parametrize("subject", ["", '"subject":{"#":1}', '"subject":null'])
def test_an_old_event_that_cannot_be_lifted_is_damage(subject: str) -> None:
    payload = '{"kind":"topic_changed",' + (subject or '"other":1') + "}"

    with pytest.raises(CorruptError, match=r"a stored topic_changed of version . cannot be lifted"):
        LIFTING.decode("topic_changed", 1, payload)


def test_provider_json_and_bytes_survive_the_lifting_of_their_message() -> None:
    codec = Codec({("message_added", 1): lambda old: {**old, "message": {**old["message"], "role": "user"}}})
    part = '{"type":"media","media_type":"image/png","data":"AP8Q"}'
    old = f'{{"kind":"message_added","message":{{"role":"human","content":[{part}],"raw":{PROVIDER_JSON}}}}}'

    event = codec.decode("message_added", 1, old)

    image = MediaPart(media_type="image/png", data=b"\x00\xff\x10")
    assert event == ev.MessageAdded(message=Message(role="user", content=(image,)).with_raw(PROVIDER_JSON))


# --- what is refused


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(
    ("event", "where"),
    [
        (lambda x: ev.VariableSet(name="v", value=x), "variable_set.value"),
        (lambda x: ev.VariableSet(name="v", value={"a": [1, {"b": (x,)}]}), "variable_set.value.a.b"),
        (lambda x: ev.ToolRan(call_id="c", name="n", seconds=x), "tool_ran.seconds"),
        (lambda x: ev.FactLearned(fact_id="f", content="c", confidence=x), "fact_learned.confidence"),
        (
            lambda x: ev.MessageAdded(message=Message(role="user", metadata={"m": x})),
            "message_added.message.metadata.m",
        ),
        (lambda x: ev.TurnEnded(turn_id="t", seconds=x), "turn_ended.seconds"),
    ],
)
def test_numbers_that_json_has_not_are_refused_and_named(event: Any, where: str, number: float) -> None:
    with pytest.raises(InvalidEventError, match=f"{where}: {number} is not a JSON number"):
        CODEC.encode(event(number))


@pytest.mark.parametrize(
    "event",
    [
        said("\ud800"),
        ev.VariableSet(name="\udfff", value=1),
        ev.VariableSet(name="v", value={"\ud800": 1}),
        ev.VariableSet(name="v", value=["\ud83d", "\ude00"]),
    ],
)
def test_lone_surrogates_are_refused(event: Event) -> None:
    with pytest.raises(InvalidEventError, match="surrogates not allowed"):
        CODEC.encode(event)


@pytest.mark.parametrize(
    ("event", "complaint"),
    [
        (ev.TokenBudgetSet(limit=cast(Any, "12")), r"Expected `int \| null`, got `str`"),
        (ev.TopicChanged(topic=cast(Any, 12)), r"Expected `str \| null`, got `int`"),
        (ev.FactLearned(fact_id="f", content="c", confidence=1.5), "Expected `float` <= 1.0"),
        (ev.FactLearned(fact_id="f", content="c", confidence=-0.1), "Expected `float` >= 0.0"),
        (ev.UsageRecorded(input_tokens=-1), "Expected `int` >= 0"),
        (ev.UsageRecorded(output_tokens=10**12 + 1), "Expected `int` <= 1000000000000"),
        (ev.UsageRecorded(input_tokens=cast(Any, 1.5)), "Expected `int`, got `float`"),
        (ev.ToolRan(call_id="c", name="n", seconds=1.1e12), "Expected `float` <= 1000000000000.0"),
        (ev.MessageAdded(message=Message(role=cast(Any, "robot"))), "Invalid enum value 'robot'"),
        (ev.MessageAdded(message=cast(Any, "hello")), "Expected `object`, got `str`"),
        (ev.InterruptRaised(interrupt_id="i", interrupt=cast(Any, "maybe")), "Invalid enum value 'maybe'"),
        (ev.SessionTagged(added=cast(Any, "tag")), "Expected `array`, got `str`"),
        (ev.VariableSet(name="v", value=object()), "Encoding objects of type object is unsupported"),
        (ev.VariableSet(name="v", value={"a": 1j}), "Encoding objects of type complex is unsupported"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_and_named(event: Event, complaint: str) -> None:
    with pytest.raises(InvalidEventError, match=complaint) as caught:
        CODEC.encode(event)

    assert "damaged" not in str(caught.value)


def test_json_100_000_levels_deep_is_refused() -> None:
    deep_text = "[" * 100_000 + "]" * 100_000

    for event in (
        ev.VariableSet(name="v", value=nested(100_000)),
        UnknownEvent(kind="dream_had", payload=Raw(deep_text)),
        with_raw(deep_text),
    ):
        with pytest.raises(InvalidEventError, match="recursion"):
            CODEC.encode(event)


def test_stored_text_100_000_levels_deep_is_damage() -> None:
    with pytest.raises(CorruptError):
        CODEC.decode("variable_set", 1, '{"kind":"variable_set","name":"v","value":' + "[" * 100_000)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("topic_changed", ""),
        ("topic_changed", "null"),
        ("topic_changed", '{"kind":"topic_changed"'),
        ("topic_changed", '{"topic":"no kind"}'),
        ("topic_changed", '{"kind":"no such kind"}'),
        ("turn_started", '{"kind":"turn_started"}'),
        ("dream_had", "{"),
        ("dream_had", ""),
    ],
)
def test_stored_text_that_is_no_event_is_damage(kind: str, payload: str) -> None:
    with pytest.raises(CorruptError, match=f"a stored {kind} cannot be read"):
        CODEC.decode(kind, 1, payload)


# --- size


def test_an_event_at_the_limit_is_accepted_and_one_byte_more_is_not() -> None:
    codec = Codec(max_bytes=100)
    room = 100 - len(codec.encode(said("")).payload) - len('"content":"",')

    assert len(codec.encode(said("x" * room)).payload) == 100
    with pytest.raises(TooLargeError, match="message_added: 101 bytes, the limit is 100"):
        codec.encode(said("x" * (room + 1)))


def test_the_limit_counts_bytes_not_characters() -> None:
    with pytest.raises(TooLargeError):
        Codec(max_bytes=100).encode(said("é" * 40))


def test_unknown_kinds_have_the_same_limit() -> None:
    with pytest.raises(TooLargeError):
        Codec(max_bytes=100).encode(
            UnknownEvent(kind="dream_had", payload=Raw('{"kind":"dream_had","x":"' + "x" * 80 + '"}'))
        )


def test_the_limit_is_16_mebibytes() -> None:
    assert MAX_EVENT_BYTES == 16 * 1024 * 1024
    with pytest.raises(TooLargeError):
        CODEC.encode(said("x" * MAX_EVENT_BYTES))


@pytest.mark.parametrize("number", [0, -1, 2**53 + 1, 2**63, 2**64, 10**100, -(10**100)])
def test_whole_numbers_of_any_size_are_kept(number: int) -> None:
    encoded = CODEC.encode(ev.VariableSet(name="v", value=number))

    assert encoded.event == ev.VariableSet(name="v", value=number)


@pytest.mark.parametrize("number", [0.1, -0.0, 1e308, 5e-324, sys.float_info.epsilon])
def test_fractions_are_kept_to_the_last_bit(number: float) -> None:
    event = CODEC.encode(ev.VariableSet(name="v", value=number)).event

    assert isinstance(event, ev.VariableSet)
    assert msgspec.json.encode(event.value) == msgspec.json.encode(number)

"""What a function takes: as a JSON Schema for a model, and as a type that its arguments are checked against.

Both come from the annotations, through msgspec. A parameter that only the agent can fill (its session, its services,
what tells it to stop) is no part of either.
"""

import copy
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePath
from typing import Any, Final, NamedTuple

import msgspec

from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.skills.docstring import read_docstring
from sojourn.agent.skills.services import CANCELLATION, SESSION, ServiceContainer
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError

_ITSELF: Final = ""
_INJECTED: Final[dict[object, str]] = {
    Session: SESSION,
    CancellationToken: CANCELLATION,
    ServiceContainer: _ITSELF,
}
"""The types of parameters that the agent fills, and the service that fills them."""
_REFERENCE: Final = "#/$defs/{name}"
_UNKNOWN: Final = re.compile(r"Object contains unknown field (`.*`)", re.DOTALL)
_SHOWN: Final = 300
"""Characters of a complaint that are told: it may quote what was given."""
_MISSING: Final = re.compile(r"Object missing required field (`.*`)", re.DOTALL)


class Injected(NamedTuple):
    """A parameter that the agent fills."""

    parameter: str
    service: str
    needed: bool

    def found_in(self, services: ServiceContainer, skill: str) -> Any:
        """Return what fills it.

        Raises:
            InvalidInputError: *skill* cannot do without it, and it is not there.
        """
        if self.service == _ITSELF:
            return services
        if self.needed and not services.has(self.service):
            raise InvalidInputError(f"{skill} works only in an agent that has a {self.service}, and this one has none")
        return services.get(self.service)


class Signature(NamedTuple):
    """What a function takes and what is said about it."""

    description: str
    schema: dict[str, Any]
    arguments: type[msgspec.Struct]
    injected: tuple[Injected, ...]
    returns_nothing: bool

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return *arguments* as the types that the function takes, its defaults included.

        A text that spells a number or a truth value is taken for one where that is what is asked for.

        Raises:
            InvalidInputError: they do not fit; the message says which, and what is expected.
        """
        halved = next((name for name, value in arguments.items() if not _is_whole(value)), None)
        if halved is not None:
            raise InvalidInputError(f"the argument {halved!r:.100} holds half a character: write it whole")
        try:
            found = msgspec.convert(dict(arguments), self.arguments, dec_hook=_from_json)
        except msgspec.ValidationError as error:
            try:
                found = msgspec.convert(dict(arguments), self.arguments, strict=False, dec_hook=_from_json)
            except msgspec.ValidationError:
                raise InvalidInputError(_in_words(error, self.schema)) from error
        return {name: getattr(found, name) for name in self.arguments.__struct_fields__}


def read_signature(function: Callable[..., Any]) -> Signature:
    """Return what *function* takes.

    Raises:
        InvalidInputError: a model cannot call it: a parameter has no name to be given by, or a type that is no JSON.
    """
    name = getattr(function, "__name__", repr(function))
    hints = _hints(function, name)
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    injected: list[Injected] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            raise InvalidInputError(f"{name}: parameter {parameter} cannot be given by its name, which a model has to")
        has_default = parameter.default is not parameter.empty
        hint = hints.get(parameter.name, Any)
        if (filler := _filler(hint)) is not None:
            injected.append(Injected(parameter.name, filler, needed=not has_default))
        elif not parameter.name.startswith("_"):
            fields.append(_field(parameter, hint) if has_default else (parameter.name, hint))
        elif not has_default:
            raise InvalidInputError(f"{name}: parameter {parameter.name}: names that begin with _ are the agent's")
    documented = read_docstring(inspect.getdoc(function))
    try:
        struct = msgspec.defstruct(f"{name}_arguments", fields, kw_only=True, forbid_unknown_fields=True)
        schema = _schema(struct, documented.parameters)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name}: a parameter has a type that is no JSON: {error}") from error
    returns_nothing = hints.get("return", Any) is types.NoneType
    return Signature(documented.description, schema, struct, tuple(injected), returns_nothing)


def as_json(value: Any) -> Any:
    """Return as JSON what msgspec does not know.

    Raises:
        TypeError: nobody knows it.
    """
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in it")


def _from_json(kind: type, value: Any) -> Any:
    if isinstance(value, str):
        return kind(value)  # of the types that pass `_json_schema`, all are made of a text
    raise TypeError(f"expected `str`, got `{type(value).__name__}`")


def _json_schema(kind: type) -> dict[str, Any]:
    if issubclass(kind, PurePath):
        return {"type": "string"}
    raise NotImplementedError


def _is_whole(value: Any) -> bool:
    """Tell whether no text in *value* holds half a character, which no file, program or journal takes."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return False
        return True
    if isinstance(value, Mapping):
        return all(_is_whole(key) and _is_whole(inner) for key, inner in value.items())
    return all(map(_is_whole, value)) if isinstance(value, list | tuple) else True


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    target = function.func if isinstance(function, partial) else function
    if not inspect.isroutine(target):
        target = type(target).__call__
    try:
        return typing.get_type_hints(target, include_extras=True)
    except NameError as error:
        raise InvalidInputError(f"{name}: an annotation cannot be read: {error}") from error


def _filler(hint: Any) -> str | None:
    """Return the service that fills a parameter annotated with *hint*; None if a model does."""
    options = typing.get_args(hint) if typing.get_origin(hint) in {types.UnionType, typing.Union} else (hint,)
    return next((service for option in options for kind, service in _INJECTED.items() if option is kind), None)


def _field(parameter: inspect.Parameter, hint: Any) -> tuple[str, Any, Any]:
    if parameter.default is None and hint is not Any:
        hint = hint | None
    if isinstance(parameter.default, list | dict | set | bytearray):
        factory = partial(copy.deepcopy, parameter.default)
        return parameter.name, hint, msgspec.field(default_factory=factory)
    return parameter.name, hint, parameter.default


def _schema(struct: type[msgspec.Struct], said: Mapping[str, str]) -> dict[str, Any]:
    (reference,), components = msgspec.json.schema_components(
        [struct], schema_hook=_json_schema, ref_template=_REFERENCE
    )
    own = components.pop(reference["$ref"].removeprefix(_REFERENCE.format(name="")))
    properties = own.get("properties", {})
    for field in msgspec.structs.fields(struct):
        about = properties[field.name]
        if field.default_factory is not msgspec.NODEFAULT:
            about.setdefault("default", msgspec.to_builtins(field.default_factory(), enc_hook=as_json))
        if field.name in said:
            about.setdefault("description", said[field.name])
        if "enum" in about and all(isinstance(choice, str) for choice in about["enum"]):
            about.setdefault("type", "string")  # some providers want to be told
    # Others are not forbidden: the agent's own, such as `_output`, may stand beside them. Wrong ones are refused later.
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": own.get("required", [])}
    return {**schema, "$defs": components} if components else schema


def _in_words(error: msgspec.ValidationError, schema: Mapping[str, Any]) -> str:
    """Return in one sentence what does not fit."""
    text, _, path = str(error).partition(" - at ")
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."
    place = path.strip("`").removeprefix("$").removeprefix(".")
    known = ", ".join(schema["properties"]) or "none"
    if not place:
        if found := _UNKNOWN.fullmatch(text):
            return f"there is no argument {found[1]}; the arguments are: {known}"
        if found := _MISSING.fullmatch(text):
            return f"the argument {found[1]} is missing; the arguments are: {known}"
        return f"{text}; the arguments are: {known}"
    choices = schema["properties"].get(place, {}).get("enum")
    wanted = f"; use one of {', '.join(map(repr, choices))}" if choices else ""
    return f"the argument {place} does not fit: {text[:1].lower()}{text[1:]}{wanted}"

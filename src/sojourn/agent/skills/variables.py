"""Variables in the arguments of a call: `$name` stands for a value that an earlier call left behind.

Pure functions on what a model wrote. A whole argument `$name` or `${name}` becomes the value itself, with its type;
within a longer text it becomes the value's text. Only the `$` form counts: a text that happens to be a variable's name
is that text. In an argument that is literal (a script, the text of a file) only the whole counts. A dollar before
anything that is no variable stays as it is, so that prices and formulas pass unharmed; `$$name` is how to write `$name`
where `name` is a variable. What was put in is not looked at again.

Keys that begin with `_` speak to the agent, not to the skill: `_output` names the variable that gets the result.
"""

import copy
import re
from collections.abc import Collection, Mapping
from typing import Any, Final

import msgspec

from sojourn.errors import InvalidInputError

OUTPUT: Final = "_output"
"""The argument that names the variable which gets the result."""
MAX_CHARS: Final = 4_000_000
"""Characters, as JSON, that variables may add to the arguments of one call."""
_NAME: Final = re.compile(r"[^\W\d]\w{0,199}")
_REFERENCE: Final = re.compile(r"\$(?P<escaped>\$)?(?:\{(?P<braced>[^{}]{1,200})\}|(?P<bare>[^\W\d]\w*))")


def split_arguments(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments for the skill, and those that speak to the agent; both are copies."""
    own = {key: copy.deepcopy(value) for key, value in arguments.items() if not key.startswith("_")}
    internal = {key: copy.deepcopy(value) for key, value in arguments.items() if key.startswith("_")}
    return own, internal


def stripped(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of *arguments* without those that speak to the agent."""
    return split_arguments(arguments)[0]


def output_name(arguments: Mapping[str, Any]) -> str | None:
    """Return the variable that `_output` names; None if the result goes to none.

    Raises:
        InvalidInputError: that is no name for a variable.
    """
    name = arguments.get(OUTPUT)
    return None if name is None else check_name(name)


def check_name(name: Any) -> str:
    """Return *name* if a variable can be called so: `$name` must be able to refer to it.

    Raises:
        InvalidInputError: it cannot.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidInputError(
            f"a variable's name is a letter or underscore, then letters, digits and underscores, got {name!r:.100}"
        )
    return name


def with_values(
    arguments: Mapping[str, Any], variables: Mapping[str, Any], *, literal: Collection[str] = ()
) -> dict[str, Any]:
    """Return a copy of *arguments* with the values of *variables* put in, in nested lists and objects, too.

    In the arguments that *literal* names, only a text that is a reference and nothing else gets a value.

    Raises:
        InvalidInputError: they grow too large by it.
    """
    filling = _Filling(variables)
    return {key: filling.fill(value, within=key not in literal) for key, value in arguments.items()}


class _Filling:
    """Puts values in. Lives for one call."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self._texts: dict[str, str] = {}
        self._added = 0

    def fill(self, value: Any, *, within: bool) -> Any:
        """Return *value* with variables put in; *within* longer texts, too."""
        if isinstance(value, str):
            return self._filled(value, within=within)
        if isinstance(value, dict):
            return {key: self.fill(inner, within=within) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.fill(inner, within=within) for inner in value]
        return copy.deepcopy(value)

    def _filled(self, text: str, *, within: bool) -> Any:
        if "$" not in text or not self._variables:
            return text
        whole = _REFERENCE.fullmatch(text)
        if whole is not None and not whole["escaped"] and (name := self._known(whole)) is not None:
            self._text(name)
            return copy.deepcopy(self._variables[name])
        return _REFERENCE.sub(self._within, text) if within else text

    def _within(self, reference: re.Match[str]) -> str:
        name = self._known(reference)
        if name is None:
            return reference[0]
        return reference[0][1:] if reference["escaped"] else self._text(name)

    def _known(self, reference: re.Match[str]) -> str | None:
        name = reference["braced"] or reference["bare"]
        return name if name in self._variables else None

    def _text(self, name: str) -> str:
        """Return the variable's text, and count it."""
        if name not in self._texts:
            value = self._variables[name]
            self._texts[name] = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        self._added += len(self._texts[name])
        if self._added > MAX_CHARS:
            raise InvalidInputError(f"the variables make the arguments longer than {MAX_CHARS:,} characters: use fewer")
        return self._texts[name]

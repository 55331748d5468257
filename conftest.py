"""Settings for every test, and the runner that makes the Python examples in README.md and docs/ tests.

The examples of one document run in order, share one namespace and one event loop, and may use `await` at top level.
They run in an empty directory with an empty home, so an example can open a store without touching the reader's own.
"""

import ast
import asyncio
import inspect
import tempfile
from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import settings
from sybil import Example, Sybil
from sybil.integration.pytest import SybilItem
from sybil.parsers.markdown import CodeBlockParser

# A slow machine is not a failing test; pytest-timeout already bounds a test that hangs.
settings.register_profile("sojourn", deadline=None, print_blob=True)
settings.load_profile("sojourn")

RUNNER = "__runner__"
CLEANUP = "__cleanup__"


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run `@pytest.mark.anyio` tests on asyncio, the event loop that Sojourn supports."""
    return "asyncio"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Undo the shuffling of documents: an example builds on the ones above it."""
    examples = [item for item in items if isinstance(item, SybilItem)]
    examples.sort(key=lambda item: (item.path, item.example.line))
    items[:] = [*(item for item in items if not isinstance(item, SybilItem)), *examples]


def open_document(namespace: dict[str, Any]) -> None:
    """Give a document its event loop and a directory and home of its own."""
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="sojourn-docs-"))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.chdir(directory)
        for variable in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            patch.setenv(variable, directory)
        namespace[RUNNER] = stack.enter_context(asyncio.Runner())
        namespace["__name__"] = "__main__"
        namespace[CLEANUP] = stack.pop_all()


def close_document(namespace: dict[str, Any]) -> None:
    """Stop the document's event loop and remove what its examples wrote."""
    namespace[CLEANUP].close()


def run_example(example: Example) -> None:
    """Run one code block, on the document's event loop if the block awaits something."""
    blank_lines = "\n" * (example.line + example.parsed.line_offset)
    code = compile(
        blank_lines + example.parsed,
        example.path,
        "exec",
        flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
        dont_inherit=True,
    )
    outcome = eval(code, example.namespace)
    if inspect.iscoroutine(outcome):
        example.namespace[RUNNER].run(outcome)


pytest_collect_file = Sybil(
    parsers=[CodeBlockParser(language="python", evaluator=run_example)],
    pattern="*.md",
    setup=open_document,
    teardown=close_document,
).pytest()

"""The page of the designs' features tells the truth: each row has a test that exists, or says that it is not yet."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "designs.md"
_REFERENCE = re.compile(r"`((?:tests/|sojourn\.)?[\w./]*)(?:::(\w+))?`")


def rows() -> list[tuple[str, str]]:
    """Return each feature on the page, and what stands in its column for tests."""
    cells = [line.split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    return [(row[0].strip("| "), row[-1].strip("| ")) for row in cells if row[0] != "| feature"]


def functions_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def missing_tests(cell: str) -> list[str]:
    """Return what *cell* refers to that does not exist."""
    missing, path = [], ROOT
    for place, test in _REFERENCE.findall(cell):
        if place.startswith("sojourn."):
            path = ROOT / "src" / (place.replace(".", "/") + ".py")
        elif place:
            path = ROOT / place
        if not path.is_file() or (test and test not in functions_in(path)):
            missing.append(f"{path.relative_to(ROOT)}::{test}")
    return missing


@pytest.mark.parametrize(("feature", "cell"), rows(), ids=[feature[:50] for feature, _ in rows()])
def test_a_feature_has_a_test_or_says_not_yet(feature: str, cell: str) -> None:
    assert "*not yet*" in cell or _REFERENCE.search(cell), feature
    assert missing_tests(cell) == []


def test_all_five_designs_are_on_the_page() -> None:
    headings = re.findall(r"^## (.+)$", PAGE.read_text(), flags=re.MULTILINE)

    assert headings == ["Nexus", "Jeeves L4", "woodwork", "NEXUS3", "AIarmy"]


def test_a_row_that_names_a_test_that_is_not_there_is_found() -> None:
    assert missing_tests("`tests/unit/test_designs_page.py::test_of_nothing`") == [
        "tests/unit/test_designs_page.py::test_of_nothing"
    ]

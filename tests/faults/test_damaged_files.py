"""Damage to the files of a folder is named, stays where it is, and is never handed out as if it had been written."""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from sojourn.errors import CorruptError, InvalidInputError, NewerVersionError, SojournError
from sojourn.store import open_store
from tests.faults.answers import Answers, ask, assert_prefixes, differences, write
from tests.faults.ledger import read_all, turn

FLIPS: Final = 200


@dataclass(frozen=True)
class Written:
    """A folder as it should be, and every answer that a store on it gives."""

    root: Path
    files: dict[Path, bytes]
    answers: Answers

    @property
    def location(self) -> str:
        return f"files:{self.root}"

    def restore(self) -> None:
        """Make the folder again what it was."""
        for path in self.root.rglob("*"):
            if path.is_file() and path not in self.files:
                path.unlink()
        for path, data in self.files.items():
            path.write_bytes(data)

    def journal(self, session: str) -> Path:
        return self.root / "sessions" / session / "journal.jsonl"


@pytest.fixture
async def written(tmp_path: Path) -> Written:
    root = tmp_path / "folder"
    async with open_store(f"files:{root}") as store:
        await write(store)
        answers = await ask(store)
    return Written(root, contents(root), answers)


def contents(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def flip(path: Path, at: int, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


@pytest.mark.anyio
async def test_a_changed_text_in_a_journal_is_named_and_only_its_session_is_stopped(written: Written) -> None:
    journal = written.journal("beta")
    journal.write_bytes(written.files[journal].replace(b"beta-4 1/2 x", b"beta-4 1/2 ?"))
    place = next(entry.seq for entry in written.answers["beta entries"] if "beta-4 1/2" in entry.payload)

    async with open_store(written.location) as store:
        with pytest.raises(CorruptError, match="session=beta"):
            await read_all(store, "beta")
        report = await store.check()
        with pytest.raises(CorruptError):
            await store.append("beta", turn("more"))
        before = await store.read("beta", before=place)
        for other in ("alpha", "gamma"):
            assert await read_all(store, other) == written.answers[f"{other} entries"]
            await store.append(other, turn("more"))

    assert {problem.session_id for problem in report.problems} >= {"beta"}
    assert before == written.answers["beta entries"][: place - 1]


@pytest.mark.anyio
async def test_opening_and_reading_a_damaged_folder_leaves_its_journals_as_they_are(written: Written) -> None:
    journal = written.journal("beta")
    damaged = written.files[journal].replace(b"beta-4 1/2 x", b"beta-4 1/2 ?")
    journal.write_bytes(damaged)

    async with open_store(written.location) as store:
        await ask(store)

    assert journal.read_bytes() == damaged
    for path, data in written.files.items():
        assert path.read_bytes() == data or path == journal or path.name != "journal.jsonl"


@pytest.mark.anyio
@pytest.mark.timeout(300)
@pytest.mark.parametrize("only_journals", [True, False], ids=["journals", "any file"])
async def test_no_single_bit_gives_a_wrong_answer(written: Written, rng: random.Random, only_journals: bool) -> None:
    """Whatever bit is turned: the answers are right, or errors of ours, or the check names what is damaged."""
    files = [path for path, data in written.files.items() if data and (not only_journals or path.suffix == ".jsonl")]
    sizes = [len(written.files[path]) for path in files]
    named = 0
    for _ in range(FLIPS // 2):
        written.restore()
        [path] = rng.choices(files, weights=sizes)
        at, bit = rng.randrange(len(written.files[path])), rng.randrange(8)
        flip(path, at, bit)
        try:
            async with open_store(written.location) as store:
                answers = await ask(store)
                report = await store.check()
        except (CorruptError, InvalidInputError, NewerVersionError):  # config.json may name another program, or version
            continue

        wrong = differences(answers, written.answers)
        where = f"bit {bit} of byte {at} of {path.relative_to(written.root)}"
        assert not (report.ok and wrong), f"{where}: the check finds nothing, and these are wrong: {wrong}"
        assert_prefixes(answers, written.answers)
        named += bool(wrong)
    assert named > 10 or not only_journals


@pytest.mark.anyio
async def test_a_journal_that_was_cut_gives_its_beginning_or_an_error(written: Written, rng: random.Random) -> None:
    """A cut at the end of a line cannot be told from a shorter journal by the journal alone."""
    journal = written.journal("alpha")
    for _ in range(20):
        written.restore()
        journal.write_bytes(written.files[journal][: rng.randrange(len(written.files[journal]))])

        async with open_store(written.location) as store:
            answers = await ask(store)

        assert_prefixes(answers, written.answers)
        assert answers["gamma entries"] == written.answers["gamma entries"]


@pytest.mark.anyio
@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"hello\n", b"[1, 2]\n" * 3], ids=repr)
async def test_a_journal_that_is_none_is_named_and_left_alone(written: Written, content: bytes) -> None:
    journal = written.journal("alpha")
    journal.write_bytes(content)

    async with open_store(written.location) as store:
        answers = await ask(store)
        report = await store.check()

    assert isinstance(answers["alpha state"], SojournError)
    assert "alpha" in {problem.session_id for problem in report.problems}
    assert answers["gamma entries"] == written.answers["gamma entries"]
    assert journal.read_bytes() == content

"""The conversations that retrieval is measured on, read in place as documents, with their questions.

LoCoMo: each turn of each session of a conversation is a document; what a photo shows follows the text. LongMemEval: the
sessions of all questions are one pool, of which each question may look at fifty: its own and others.
"""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sojourn.memory.index.document import Document, Part, SessionKey, Where
from sojourn.model.ids import Seq, SessionId

LOCOMO: Final = "locomo/*.json"
LONGMEMEVAL: Final = "longmemeval/*.json"
CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
POOL: Final = 50
SEED: Final = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One session, as it is indexed."""

    key: SessionKey
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, where to look for its answer, and what holds it: (session, seq) of turns, or sessions."""

    question: str
    where: Where
    evidence: frozenset[tuple[str, int]]
    kind: str
    now: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """Sessions and the questions about them."""

    talks: tuple[Talk, ...]
    asked: tuple[Asked, ...]


def _read(data: Path, pattern: str) -> list[dict[str, Any]]:
    files = sorted(data.glob(pattern))
    if not files:
        raise FileNotFoundError(f"there is no {pattern} in {data}")
    return [entry for file in files for entry in json.loads(file.read_text(encoding="utf-8"))]


def read_locomo(data: Path) -> Conversations:
    """Read the conversations of LoCoMo with all questions that have evidence."""
    talks: list[Talk] = []
    asked: list[Asked] = []
    for number, sample in enumerate(_read(data, LOCOMO)):
        user = f"conversation-{number}"
        turns: dict[str, tuple[str, int]] = {}
        for talk, ids in _locomo_talks(sample["conversation"], user):
            talks.append(talk)
            turns |= {name: (one.session_id, one.seq) for name, one in zip(ids, talk.documents, strict=True)}
        for entry in sample["qa"]:
            named = {name for text in entry["evidence"] for name in re.findall(r"D\d+:\d+", text)}
            evidence = frozenset(turns[name] for name in named if name in turns)
            if evidence:
                kind = CATEGORIES[entry["category"]]
                where = Where(user_id=user)
                asked.append(Asked(question=entry["question"], where=where, evidence=evidence, kind=kind))
    return Conversations(talks=tuple(talks), asked=tuple(asked))


def _locomo_talks(conversation: dict[str, Any], user: str) -> Iterator[tuple[Talk, list[str]]]:
    numbers = sorted(int(match[1]) for key in conversation if (match := re.fullmatch(r"session_(\d+)", key)))
    for number in numbers:
        session = SessionId(f"{user}-{number}")
        at = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        turns = conversation[f"session_{number}"]
        documents = tuple(
            Document(
                session_id=session,
                seq=Seq(place + 1),
                kind="message",
                text=turn["text"] + (f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""),
                at=at,
                role="user",
                speaker=turn["speaker"],
                place=place,
            )
            for place, turn in enumerate(turns)
        )
        key = SessionKey(session_id=session, user_id=user)
        yield Talk(key=key, documents=documents), [turn["dia_id"] for turn in turns]


def read_longmemeval(data: Path, *, every: int = 1) -> Conversations:
    """Read the sessions of LongMemEval and each question that has an answer, with fifty sessions to look at.

    With *every*, only one question in so many is read, with the sessions of those.
    """
    entries = _read(data, LONGMEMEVAL)[::every]
    talks: dict[str, Talk] = {}
    for entry in entries:
        for name, date, turns in zip(
            entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"], strict=True
        ):
            talks.setdefault(name, _longmemeval_talk(name, date, turns))
    names = sorted(talks)
    draw = random.Random(SEED)
    asked = []
    for entry in entries:
        if entry["question_id"].endswith("_abs"):
            continue
        own = set(entry["answer_session_ids"])
        strangers = [name for name in names if name not in own]
        others = draw.sample(strangers, min(len(strangers), POOL - len(own)))
        parts = tuple(Part(session_id=talks[name].key.session_id) for name in (*sorted(own), *others))
        asked.append(
            Asked(
                question=entry["question"],
                where=Where(parts=parts),
                evidence=frozenset((str(talks[name].key.session_id), 0) for name in own),
                kind=entry["question_type"],
                now=_longmemeval_date(entry["question_date"]),
            )
        )
    return Conversations(talks=tuple(talks.values()), asked=tuple(asked))


def _longmemeval_talk(name: str, date: str, turns: list[dict[str, str]]) -> Talk:
    session = SessionId(re.sub(r"[^A-Za-z0-9._-]", "-", name))
    at = _longmemeval_date(date)
    documents = tuple(
        Document(
            session_id=session,
            seq=Seq(place + 1),
            kind="message",
            text=turn["content"],
            at=at,
            role=turn["role"],
            place=place,
        )
        for place, turn in enumerate(turns)
    )
    return Talk(key=SessionKey(session_id=session), documents=documents)


def _longmemeval_date(text: str) -> datetime:
    return datetime.strptime(re.sub(r"\s*\(\w+\)\s*", " ", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)

"""How people say how they want to be answered: "keep answers short", "no code please", "explain step by step"."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.profile_clause import Line
from sojourn.memory.extraction.rules.profile_draft import Draft

TRIGGERS: Final = words(
    "answer answers response responses reply replies explanation explanations brief briefly concise concisely "
    "short shorter succinct terse verbose detailed detail details thorough step-by-step step jargon technical "
    "simple simply plain bullet bullets examples code fluff point casual formal elaborate verbosity layman "
    "layman's eli5 five long longer wordy depth in-depth"
)
_ANSWERS: Final = words(
    "answer answers response responses reply replies explanation explanations messages output outputs it things "
    "everything"
)
_STYLES: Final[dict[str, frozenset[str]]] = {
    "concise": words("short shorter brief concise succinct terse compact crisp snappy minimal one-liners to-the-point"),
    "detailed": words("detailed thorough in-depth comprehensive long longer elaborate exhaustive"),
    "technical": words("technical"),
    "simple": words("simple plain jargon-free beginner-friendly simpler non-technical"),
    "casual": words("casual informal friendly chatty conversational"),
    "formal": words("formal professional"),
    "step by step": words("step-by-step"),
}
_WANTING: Final = words("prefer like want love need appreciate")
_STANDING: Final = words("always generally usually future forward default every whenever")
_INTENSIFIERS: Final = words(
    "very more really super as pretty a bit little nice and much please them so just quite the your my all me "
    "with give keep make"
)


def _draft(line: Line, value: str, family: str, first: int, last: int) -> Draft:
    return Draft(
        field="communication_style",
        value=value,
        family=family,
        start=line.starts[first],
        end=line.ends[min(last, line.end) - 1],
    )


def _style(word: str) -> str | None:
    return next((style for style, names in _STYLES.items() if word in names), None)


def styles(line: Line) -> Iterator[Draft]:
    """Yield the first way of answering that the line asks for."""
    if not _may_ask(line):
        return
    for reader in (_adjective, _manner, _complaint, _without):
        found = next(reader(line), None)
        if found is not None:
            yield found
            return


def _may_ask(line: Line) -> bool:
    """Tell whether the line can speak to the assistant: it is no item of a list, nor deep in a long text."""
    sentences = line.reading.sentences
    if len(sentences) > 6 and line.sentence.start not in {
        sentence.start for sentence in (*sentences[:2], *sentences[-2:])
    }:
        return False
    begins = line.reading.prose[: line.sentence.start].rpartition("\n")[2].strip()
    return not begins[:1].isdigit() and begins[:1] not in {"*", "-", "•", "#"}


def _is_request(line: Line, place: int) -> bool:
    clause = line.clause(place)
    if clause.is_reported or (
        clause.is_hypothetical and "would" not in line.words and "could" not in line.words and "i" not in line.words
    ):
        return False
    if {"not", "never"} & set(line.words[max(0, place - 5) : place]) or line.word(place - 1) == "too":
        return False
    return not clause.is_question or line.words[0] in {"can", "could", "would", "please"}


def _adjective(line: Line) -> Iterator[Draft]:
    """Read "keep answers short", "short answers please", "be concise", "I prefer detailed explanations"."""
    for place, word in enumerate(line.words):
        style = _style(word)
        if style is None or not _is_request(line, place):
            continue
        before = line.words[max(0, place - 7) : place]
        after = line.word(place + 1)
        object_ = next(
            (
                at
                for at in range(place + 1, min(line.end, place + 4))
                if line.words[at] in _ANSWERS - {"it", "things", "everything"}
            ),
            0,
        )
        if object_ and all(
            between in _INTENSIFIERS or _style(between) or between in {",", "and"}
            for between in line.words[place + 1 : object_]
        ):
            asks = (
                set(before) & (_WANTING | words("give use write keep provide me please"))
                or place == 0
                or "please" in line.words
            )
            if asks and not words("wrote gave got story he she they for") & set(before):
                yield _draft(
                    line,
                    style,
                    "style",
                    max(0, place - len(before)) if "i" not in before else line.words.index("i"),
                    object_ + 1,
                )
        elif (
            before
            and before[-1] in {"be", "being"} | _INTENSIFIERS
            and "be" in before
            and not words("to should will must it i they that could might needs")
            & set(before[: before.index("be")][-2:])
        ):
            if line.is_end(place + 1) or after in words("please and with in when from today but here"):
                yield _draft(line, style, "style", place - 1, place + 1)
        elif (
            {"keep", "make"} & set(before)
            and set(before) & _ANSWERS
            and (line.is_end(place + 1) or after in words("please and from but when so"))
        ):
            at = next(at for at in range(place - 1, -1, -1) if line.words[at] in {"keep", "make"})
            if line.word(at - 1) in {
                "",
                "please",
                ",",
                "and",
                "you",
                "to",
                "just",
                "so",
                "but",
                "always",
                ":",
            } and not {"title", "i", "is", "key"} & set(line.words[:place]):
                certain = set(before) & _ANSWERS - {"it"}
                yield _draft(
                    line, style, "style" if certain or _STANDING & set(line.words) else "style_once", at, place + 1
                )


def _manner(line: Line) -> Iterator[Draft]:
    """Read "explain things step by step", "go into detail", "explain like I'm five", "get to the point"."""
    text = " ".join(line.words)
    padded = f" {text} "
    for phrase, style in _PHRASES:
        at = padded.find(phrase)
        if at < 0:
            continue
        place = padded[:at].count(" ")
        last = place + phrase.strip().count(" ") + 1
        if not _is_request(line, min(place, line.end - 1)):
            continue
        if style in {"step by step", "detailed", "simple"} and phrase in _NEED_VERB:
            before = line.words[:place]
            verbs = words("explain walk go answer describe teach guide break do talk prefer like write speak put")
            if not verbs & set(before[-5:]):
                continue
            aimed = [
                word
                for word in before[-4:]
                if word not in verbs
                and word
                not in words(
                    "things everything it me stuff please always to through all your answers i you concepts them "
                    "more can could"
                )
            ]
            named = line.word(last) in words("how what why the a")
            if aimed or named:
                continue
        yield _draft(line, style, "style", max(0, place - 1), last)


_NEED_VERB: Final = frozenset(
    {
        " step by step ",
        " in detail ",
        " in more detail ",
        " in plain english ",
        " in simple terms ",
        " simply ",
        " in depth ",
        " in great detail ",
        " in layman's terms ",
    }
)
_PHRASES: Final = (
    (" step by step ", "step by step"),
    (" in great detail ", "detailed"),
    (" in more detail ", "detailed"),
    (" in detail ", "detailed"),
    (" in depth ", "detailed"),
    (" go into detail ", "detailed"),
    (" as much detail as ", "detailed"),
    (" lots of detail ", "detailed"),
    (" all the details ", "detailed"),
    (" don't skip any details ", "detailed"),
    (" do not skip details ", "detailed"),
    (" get to the point ", "concise"),
    (" getting to the point ", "concise"),
    (" straight to the point ", "concise"),
    (" skip the fluff ", "concise"),
    (" no fluff ", "concise"),
    (" without the fluff ", "concise"),
    (" cut the fluff ", "concise"),
    (" no small talk ", "concise"),
    (" skip the pleasantries ", "concise"),
    (" skip the small talk ", "concise"),
    (" do not ramble ", "concise"),
    (" no long explanations ", "concise"),
    (" skip the long explanations ", "concise"),
    (" no rambling ", "concise"),
    (" one sentence answers ", "concise"),
    (" one-sentence answers ", "concise"),
    (" like i am five ", "simple"),
    (" like i am 5 ", "simple"),
    (" like i am a beginner ", "simple"),
    (" in plain english ", "simple"),
    (" in simple terms ", "simple"),
    (" in layman's terms ", "simple"),
    (" plain language ", "simple"),
    (" simple words ", "simple"),
    (" simple language ", "simple"),
    (" no jargon ", "simple"),
    (" without jargon ", "simple"),
    (" avoid jargon ", "simple"),
    (" skip the jargon ", "simple"),
    (" technical language ", "technical"),
    (" technical terms ", "technical"),
    (" get technical ", "technical"),
    (" use bullet points ", "bullet points"),
    (" in bullet points ", "bullet points"),
    (" bullet points please ", "bullet points"),
    (" with examples ", "with examples"),
    (" give me examples ", "with examples"),
    (" include examples ", "with examples"),
    (" no code please ", "no code"),
    (" please no code ", "no code"),
    (" no code snippets ", "no code"),
    (" without any code ", "no code"),
    (" code only ", "code only"),
    (" just the code ", "code only"),
    (" only the code ", "code only"),
)


def _complaint(line: Line) -> Iterator[Draft]:
    """Read "your answers are too long", "less verbose please", "you're too brief"."""
    for place, word in enumerate(line.words):
        before = line.words[max(0, place - 6) : place]
        about = words("your you answers answer responses explanations replies be less") & set(before)
        if (
            word in words("long verbose wordy lengthy chatty")
            and {"too", "less", "so", "not"} & set(before[-3:])
            and about
            and words("your you answers responses replies less be") & set(before)
        ):
            yield _draft(line, "concise", "style", max(0, place - 2), place + 1)
        elif (
            word in {"short", "brief", "terse", "vague"}
            and line.word(place - 1) == "too"
            and {"your", "you"} & set(before)
        ):
            yield _draft(line, "detailed", "style", max(0, place - 2), place + 1)
        elif word == "verbose" and line.word(place - 1) == "less":
            yield _draft(line, "concise", "style", place - 1, place + 1)


def _without(line: Line) -> Iterator[Draft]:
    """Read "no code", "don't show me code", "do not use jargon"."""
    for place, word in enumerate(line.words):
        before = line.words[max(0, place - 5) : place]
        if (
            word == "code"
            and ("no" in before[-1:] or {"not", "without"} & set(before))
            and words("show write give include no paste send use") & set(before)
        ):
            if not words("i there it has is was have exit error") & set(before) and (
                line.is_end(place + 1)
                or line.word(place + 1) in words("please unless in samples blocks examples snippets just")
            ):
                yield _draft(line, "no code", "style", max(0, place - 2), place + 1)
        elif word == "jargon" and words("not no without avoid skip") & set(before):
            yield _draft(line, "simple", "style", max(0, place - 2), place + 1)

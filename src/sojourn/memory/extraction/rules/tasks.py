"""What remains to be done, and what is finished.

A task is work of the user's: "I need to renew the certificate", "TODO: ...", "remind me to ...". A command to the
assistant is none, for it is done in the answer; neither is a need for help or knowledge ("I need to understand ..."),
nor what a person would have to do in general ("you need to choose a sunny spot"). An assistant's words count when it
says what is left ("you still need to ...") or that something is finished.
"""

import re
from typing import Final

from sojourn.memory.extraction.rules.reading import Reading
from sojourn.memory.extraction.rules.segments import Segment, segments, shown
from sojourn.memory.extraction.statement import TaskStatement, Trust
from sojourn.model.events import Span

_HINTS: Final = frozenset({
    "do",
    "need", "needs", "todo", "to-do", "have", "must", "gotta", "remind", "forget", "next", "step", "steps", "task",
    "tasks", "finished", "done", "complete", "completed", "still", "haven't", "havent", "supposed", "should", "fixed",
    "merged", "deployed", "sent", "wrapped", "submitted", "fixme", "action", "item", "follow", "follow-up",
    "followup", "remaining", "left", "open", "got", "note", "already", "cancel", "x", "hasn't",
})  # fmt: skip
_LEAD: Final = re.compile(
    r"^(?:[-*•>#]+\s+|\d+[.)]\s+)?(?:(?:ok|okay|so|well|yes|yeah|no(?!\s+need)|and|but|also|then|plus|first|right"
    r"|hey|hi|oh|almost|later this week|today|tomorrow"
    r"|tonight|now|anyway|after that|before (?:that|the \w+|i go|we \w+)|this (?:week|morning|afternoon|evening)|btw"
    r"|fyi|sorry|please|by \w+|on \w+day)"
    r"(?:\s*[,:;.!–-]+\s*|\s+))*",
    re.IGNORECASE,
)
_TO_DO: Final = re.compile(
    r"(?:(?:i|we)\s+)?(?P<still>(?:still|also|really|just|only|now)\s+)*(?:(?:need|have|['’]?ve\s+got|got)\s+to"
    r"|gotta|must|need\s+to)\s+(?P<task>.+)"
    r"|(?:i|we)['’]ve\s+(?:still\s+)?(?:got\s+)?to\s+(?P<task2>.+)|(?:i['’]m|i\s+am"
    r"|we['’]re|we\s+are)\s+supposed\s+to\s+(?P<task3>.+)"
    r"|the\s+(?:last|next|first|only|other)\s+thing\s+(?:i|we)\s+(?:still\s+)?(?:need"
    r"|have)\s+to\s+do\s+is\s+(?:to\s+)?(?P<task4>.+)"
    r"|(?:my|our|the)\s+next\s+(?:task|step|job|to-?do)\s+is\s+(?:to\s+)?(?P<task5>.+)|next\s+up\s*(?:is"
    r"|:)\s+(?P<task6>.+)",
    re.IGNORECASE,
)
_REMIND: Final = re.compile(
    r"(?:(?:please|can\s+you|could\s+you)\s+)?(?:remind\s+me(?:\s+\w+){0,2}?\s+to|(?:let['’]?s\s+not|(?:i"
    r"|we)\s+(?:must\s+not|mustn['’]?t|shouldn['’]?t|can['’]?t))\s+forget\s+to"
    r"|(?:please\s+)?(?:do\s+not|don['’]?t)\s+(?:let\s+me\s+)?forget\s+to|note\s+to\s+self\s*:"
    r"|make\s+a\s+note\s+to)\s+(?P<task>.+)",
    re.IGNORECASE,
)
_MARKED: Final = re.compile(
    r"(?:to[ -]?dos?(?:\s+(?:before|for|by)\s+\w+)?|fixme(?:\s+later)?|action\s+items?|follow[ -]?ups?|next\s+steps?"
    r"|open\s+(?:tasks?|items?|points?)"
    r"|still\s+(?:to\s+do|open|missing)|remaining(?:\s+(?:tasks?|work))?"
    r"|left\s+to\s+do|tasks?\s+left|(?:the\s+following\s+)?(?:tasks?|items?)\s+(?:remain|are\s+(?:left|open))"
    r"|what['’]s\s+left(?:\s+to\s+do)?|(?:my|our|the)\s+(?:to-?do"
    r"|task)\s+list(?:\s+for\s+\w+)?)\s*(?::|[-–]\s)\s*(?P<task>.*)",
    re.IGNORECASE,
)
_BOX: Final = re.compile(r"[ \t]*[-*+]\s\[(?P<mark>[ xX])\]\s+(?P<task>\S.*)")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])\s+(?P<task>\S.*)")
_NOT_YET: Final = re.compile(
    r"(?:i|we)\s+(?P<still>still\s+)?(?:haven['’]?t|have\s+not)\s+(?P<verb>\w+)\s+(?P<rest>.+?)(?P<yet>\s+yet)?$",
    re.IGNORECASE,
)
_SHOULD: Final = re.compile(r"(?:i|we)\s+(?:really\s+|probably\s+)?should\s+(?:really\s+)?(?P<task>.+)", re.IGNORECASE)
_WHEN: Final = re.compile(
    r"\b(?:today|tonight|tomorrow|before|by\s+(?:the|\w+day|noon|\d)|this\s+(?:week|weekend|month|afternoon|evening"
    r"|morning)|next\s+(?:week|month)|later|until"
    r"|on\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day|asap|soon)\b",
    re.IGNORECASE,
)
_PAST_DONE: Final = (
    r"(?:finished|completed|done|fixed|deployed|merged|sent|submitted|shipped|released|closed|implemented|resolved"
    r"|wrapped\s+up|written|published|booked"
    r"|uploaded|renewed|migrated|cleaned\s+up|set\s+up|installed|paid|ordered|called|updated|signed|refactored"
    r"|tested|reviewed|pushed)"
)
_DONE: Final = re.compile(
    rf"(?:i|we)(?:['’]ve|\s+have)?\s+(?:(?:just|finally|already|now|also)\s+)*{_PAST_DONE}\s+(?!with\s+(?:you|him"
    rf"|her|them|people|this|that|it)\b)(?P<task>(?:with\s+)?(?:the|my|our|all|your)\s.+)"
    rf"|(?:just|finally|already)\s+{_PAST_DONE}\s+(?P<task2>(?:the|my|our|all|your)\s.+)|(?:i['’]m\s+"
    rf"|i\s+am\s+|we['’]re\s+)?(?:done|finished)\s+(?:with\s+)?(?P<task3>(?:the|my|our)\s.+)",
    re.IGNORECASE,
)
_IS_DONE: Final = re.compile(
    r"(?P<task>(?:the|my|our|your|all(?:\s+the)?|both)?\s*\w[\w\s/'’.-]{2,60}?)\s+(?:is|are|has\s+been|have\s+been"
    r"|was|were)\s+(?:(?:now|finally|already|all|also|fully)\s+)*"
    r"(?:done|finished|complete|completed|fixed|merged|deployed|resolved|implemented|shipped)(?:\s+(?:now|already"
    r"|too|as\s+well))?$",
    re.IGNORECASE,
)
_DROPPED: Final = re.compile(
    r"(?:(?:there['’]?s\s+)?no\s+need\s+to|(?:i|we)\s+(?:don['’]?t|do\s+not|no\s+longer)\s+(?:need"
    r"|have)\s+to)\s+(?P<task>.+?)(?P<more>\s+any\s?(?:more|longer))?$"
    r"|(?:cancel|drop|scratch|remove|close)\s+(?:the\s+)?(?P<task2>.+?)\s+(?:task|to-?do|reminder"
    r"|item)(?:\s+from\s+.+)?$",
    re.IGNORECASE,
)
_NARRATED: Final = re.compile(
    r"\b(?:ago|last\s+(?:night|week|weekend|month|year|one|\w+day)|on\s+(?:january|february|march|april|may|june"
    r"|july|august|september|october|november"
    r"|december|the\s+\d)|loved|enjoyed|chapter|season|book|novel|episode|series|marathon|movie)\b",
    re.IGNORECASE,
)
"""Signs that something is told for its own sake, and not to close a task."""
_NO_WORK: Final = frozenset({
    "know", "understand", "say", "admit", "ask", "think", "go", "leave", "be", "see", "hear", "talk", "tell", "wait",
    "agree", "disagree", "apologize", "apologise", "confess", "mention", "learn", "find", "thank", "disappoint",
    "remember", "figure", "sleep", "eat", "rest", "vent", "clarify", "correct", "stop", "believe", "make", "pee",
    "laugh", "smile", "live", "deal", "come", "work", "have", "get", "stay", "focus", "keep", "feel", "savor",
    "enjoy", "push", "try", "show", "love", "improve", "grow", "remain", "continue", "relax", "slow", "adapt",
    "accept", "trust", "maintain", "balance", "prioritize", "prioritise", "imagine", "address", "invest", "bring",
    "experience", "prepare",
})  # fmt: skip
"""Verbs of what is no task: wishes to know, manners of speaking, leave-taking."""
_WORK_AFTER: Final = re.compile(
    r"(?:(?:tell|do|prepare|improve|address|bring|push|show|continue|keep|take)\s+(?:the|my|our|a|an)\s"
    r"|find\s+(?:the|my"
    r"|a\s+new)\s+\w+\s+(?:before|by)|get\s+(?:the|my|our|a)\s+\w+|make\s+(?:the|a|an)\s+(?:appointment|call|backup"
    r"|list|reservation|payment|video|poster|copy)"
    r"|learn\s+.+\s(?:by|before)|work\s+on\s+(?:the|my|our)|figure\s+out\s+(?:the|my|our)|ask\s+(?!you\b|a\b"
    r"|something\b|about\b|for\b|how\b|what\b|if\b|the\s+following)[a-z]+\s)",
    re.IGNORECASE,
)
_ASKS_HELP: Final = re.compile(r"\b(?:you|help|how|what|any ideas?|suggest|recommend|advice|tips)\b", re.IGNORECASE)
_BASES: Final = {
    "written": "write",
    "done": "do",
    "sent": "send",
    "made": "make",
    "found": "find",
    "bought": "buy",
    "begun": "begin",
    "started": "start",
    "chosen": "choose",
    "read": "read",
    "set": "set",
    "put": "put",
    "paid": "pay",
    "built": "build",
    "gotten": "get",
    "got": "get",
    "heard": "hear",
    "seen": "see",
    "told": "tell",
    "been": "be",
    "had": "have",
    "run": "run",
    "met": "meet",
    "taken": "take",
    "given": "give",
    "drawn": "draw",
    "tried": "try",
    "decided": "decide",
    "merged": "merge",
    "updated": "update",
    "created": "create",
    "configured": "configure",
    "moved": "move",
    "renewed": "renew",
    "removed": "remove",
    "closed": "close",
    "prepared": "prepare",
    "released": "release",
    "used": "use",
    "upgraded": "upgrade",
    "written up": "write",
}
_TRAIL: Final = re.compile(
    r"(?:,?\s+(?:yesterday|now|already|please|thanks|lol|though|so\s.+|because\s.+|but\s.+|if\s.+)|[\s,;:.!]+)$",
    re.IGNORECASE,
)
_NO_ACT: Final = frozenset({
    "thought", "decided", "heard", "seen", "been", "tried", "found", "noticed", "considered", "had", "felt", "met",
    "figured", "experienced", "used", "made",
})  # fmt: skip
_DEFINITE: Final = re.compile(r"\b(?:the|my|our|this|that|his|her|your)\s|[\s(][A-Z]|\d")
_LEFT: Final = re.compile(r"still|what|remaining|left|to-?do|open", re.IGNORECASE)
MAX_LENGTH: Final = 160


def tasks(reading: Reading, *, trust: Trust) -> list[TaskStatement]:
    """Return the tasks that the message opens and closes, in order."""
    if not reading.words & _HINTS and "[ ]" not in reading.heard.text:
        return []
    found = _listed(reading, trust)
    if trust == "assistant" and not found and len(reading.prose) > 4_000:
        return []
    text = shown(reading, quotes=True)
    covered = [(span.start, span.end) for statement in found for span in statement.evidence]
    asks = trust == "user" and any("?" in sentence.mark for sentence in reading.sentences)
    for segment in segments(reading, text):
        if any(start < segment.end and segment.start < end for start, end in covered):
            continue
        said = _LEAD.sub("", " ".join(segment.text.split()))
        statement = _read(said, segment, reading, trust, asks)
        if statement is not None:
            found.append(statement)
    return sorted(found, key=lambda statement: statement.evidence[0].start)


def _read(said: str, segment: Segment, reading: Reading, trust: Trust, asks: bool) -> TaskStatement | None:
    if "?" in segment.sentence.mark and not segment.stated and not _REMIND.match(said):
        return None
    if trust == "assistant":
        return _of_assistant(said, segment, reading)
    if (match := _REMIND.match(said)) and not re.match(r"what|how|why|who", match["task"], re.IGNORECASE):
        if re.search(r"\bremind|note\b", said[: match.start("task")], re.IGNORECASE) or _is_work(match["task"]):
            return _statement(match["task"], segment, reading, trust, confidence=0.93)
        return None
    if match := _DROPPED.match(said):
        if match["task2"] or match["more"]:
            return _statement(match["task"] or match["task2"], segment, reading, trust, confidence=0.8, done=True)
        return None
    if not segment.stated:
        return None
    if match := _NOT_YET.match(said):
        if (match["still"] or match["yet"]) and match["verb"].lower() not in _NO_ACT:
            return _statement(f"{_base(match['verb'])} {match['rest']}", segment, reading, trust, confidence=0.8)
        return None
    if match := _TO_DO.match(said):
        return _open(match, said, segment, reading, asks)
    if (
        (match := _SHOULD.match(said))
        and _WHEN.search(reading.prose[segment.sentence.start : segment.sentence.end])
        and not asks
    ):
        return _statement(match["task"], segment, reading, trust, confidence=0.75) if _is_work(match["task"]) else None
    return _closed(said, segment, reading, trust)


def _of_assistant(said: str, segment: Segment, reading: Reading) -> TaskStatement | None:
    if not segment.stated:
        return None
    if match := re.match(r"(?:you|we)\s+still\s+(?:need|have)\s+to\s+(?P<task>.+)", said, re.IGNORECASE):
        return _statement(match["task"], segment, reading, "assistant", confidence=0.85)
    if (match := _IS_DONE.match(said)) and re.match(r"(?:the|your|all)\s", said, re.IGNORECASE):
        return _statement(match["task"], segment, reading, "assistant", confidence=0.8, done=True)
    if (match := _DONE.match(said)) and said.lower().startswith(("i ", "i've ", "i’ve ")):
        return _statement(_rest(match), segment, reading, "assistant", confidence=0.8, done=True)
    return None


def _open(match: "re.Match[str]", said: str, segment: Segment, reading: Reading, asks: bool) -> TaskStatement | None:
    task = next(group for name, group in match.groupdict().items() if name.startswith("task") and group)
    bare = not re.match(r"(?:i|we|the|my|our|next)\b", said, re.IGNORECASE)
    if bare and not segment.first:
        return None
    named = match["task5"] or match["task6"]
    if (not named and not _is_work(task)) or re.match(r"need\s+to\s+know|you\b", task, re.IGNORECASE):
        return None
    sure = (
        bool(match["still"]) or bool(_WHEN.search(task)) or bool(re.search(r"\b(?:supposed|next|last thing)\b", said))
    )
    general = re.match(r"we\b", said, re.IGNORECASE) and not _DEFINITE.search(task)
    if (asks or general) and not sure:
        return None
    return _statement(task, segment, reading, "user", confidence=0.9 if sure else 0.82)


def _closed(said: str, segment: Segment, reading: Reading, trust: Trust) -> TaskStatement | None:
    if (match := _DONE.match(said)) and not _NARRATED.search(said):
        return _statement(_rest(match), segment, reading, trust, confidence=0.85, done=True)
    if match := _IS_DONE.match(said):
        words = match["task"].lower().split()
        if words[0] in {"it", "that", "this", "what", "everything", "nothing", "who", "when", "if", "well"} or words[
            -1
        ] in {"i", "you", "we"}:
            return None
        return _statement(match["task"], segment, reading, trust, confidence=0.85, done=True)
    return None


def _rest(match: "re.Match[str]") -> str:
    """Return what was finished, with the verb if it says more than "finished"."""
    name, task = next((name, group) for name, group in match.groupdict().items() if group)
    verb = re.search(rf"({_PAST_DONE})\s+$", match.string[: match.start(name)], re.IGNORECASE)
    said = (
        verb.group(1) if verb and not re.match(r"finished|completed|done|wrapped", verb.group(1), re.IGNORECASE) else ""
    )
    return f"{said} {re.sub('^with ', '', task)}".strip()


def _is_work(task: str) -> bool:
    words = re.findall(r"[\w'’-]+", task.lower())
    if not words or (len(words) < 2 and words[0] in _NO_WORK):
        return False
    if _WORK_AFTER.match(task):
        return True
    if words[0] in _NO_WORK or words[0] in {"you", "the", "a", "an", "my", "more", "some", "do", "it"}:
        return False
    return not (_ASKS_HELP.search(task) and not re.match(r"\w+\s+you", task) and "you" in words)


def _base(participle: str) -> str:
    lowered = participle.lower()
    if lowered in _BASES:
        return _BASES[lowered]
    if lowered.endswith("ied"):
        return lowered[:-3] + "y"
    if lowered.endswith("ed"):
        stem = lowered[:-2]
        doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "sl"
        return stem[:-1] if doubled else stem
    return lowered


def _listed(reading: Reading, trust: Trust) -> list[TaskStatement]:
    """Return what stands after "TODO:" or in the list below such a heading, and what check boxes say."""
    found: list[TaskStatement] = []
    place = 0
    heading = False
    source = reading.heard.text[: len(reading.prose)]
    for line in source.splitlines(keepends=True):
        start, place = place, place + len(line)
        shown_line = reading.prose[start:place]
        bare = line.rstrip()
        if box := _BOX.match(bare):
            found.append(_at(box, start, reading, trust, confidence=0.9, done=box["mark"] in "xX"))
            continue
        if heading and (item := _ITEM.match(bare)):
            found.append(_at(item, start, reading, trust, confidence=0.85))
            continue
        if not bare.strip():
            continue
        heading = False
        if not shown_line.strip():
            continue
        for match in _MARKED.finditer(bare):
            before = bare[: match.start()].rstrip()
            if before and before[-1] not in ".!?:;-*#" and not _LEAD.fullmatch(before + " "):
                continue
            inline = match["task"].strip() and match.group().lower().startswith("next step")
            if trust == "assistant" and not inline and not _LEFT.match(match.group()):
                continue
            task = match["task"].strip()
            heading = not task
            if task and "?" not in task:
                found.append(_at(match, start, reading, trust, confidence=0.88))
            break
    return found


def _at(
    match: "re.Match[str]",
    offset: int,
    reading: Reading,
    trust: Trust,
    *,
    confidence: float,
    done: bool = False,
) -> TaskStatement:
    start, end = match.span("task")
    return TaskStatement(
        text=_clean(match["task"]),
        done=done,
        confidence=confidence,
        trust=trust,
        evidence=(Span(seq=reading.heard.seq, start=offset + start, end=offset + end),),
    )


def _clean(task: str) -> str:
    text = " ".join(task.replace("**", "").replace("`", "").split())
    while (shorter := _TRAIL.sub("", text)) != text:
        text = shorter
    return text[:MAX_LENGTH]


def _statement(
    task: str, segment: Segment, reading: Reading, trust: Trust, *, confidence: float, done: bool = False
) -> TaskStatement | None:
    text = _clean(task)
    if not text:
        return None
    return TaskStatement(
        text=text, done=done, confidence=confidence, trust=trust, evidence=(segment.span(reading.heard),)
    )

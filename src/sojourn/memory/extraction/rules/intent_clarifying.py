"""Tells whether a message is about what was just said: it sets it right, or asks what it meant.

Such a message leans on the one before it, and each way of leaning is a phrase of its own: "I meant …", "you
misunderstood", "not the header, the footer", "what do you mean", "I don't follow", "could you say that again". A phrase
counts where the message begins, after the little words that lead into it; a few are so plain that they count anywhere.
"""

import re
from typing import Final

_BEGINNING: Final = 300
"""A longer message has a matter of its own, whatever it begins with."""
_ANYWHERE: Final = 200

_LEAD: Final = (
    r"^(?:(?:no|nope|sorry|wait|hm+|uh|well|actually|ah|oh|oops|ok|okay|but|and|so|then|hang on|hold on"
    r"|my (?:mistake|bad)|i think|i guess|rather)\b[,.:!…\s-]*)*"
)
_VERY: Final = r"(?:(?:a bit|a little|quite|really|fully|still|just|only|also|exactly|entirely|completely|not)\s+)*"
_NOT: Final = r"(?:don['’]?t|do not|didn['’]?t|did not|can['’]?t)"
_BE: Final = r"(?:i['’]?m|i am)"
_YOU: Final = r"you(?:['’]ve| have| must have| seem to have|['’]re| are)?"
_WOULD_YOU: Final = r"(?:can|could|would|will) you (?:please |maybe )?"
_POINTED_AT: Final = (
    r"(?:it|that|this|you|what you|why you|how you|your|the (?:last|first|second|third|previous|\w+ (?:step|point|line"
    r"|part|sentence))|the (?:part|bit|step|point|line|sentence) )\b"
)

_SETS_RIGHT: Final = (
    rf"i {_VERY}mean(?:t)?\b",
    rf"i {_NOT} {_VERY}(?:mean|ask|say)\b",
    rf"(?:i was|i wasn['’]?t|i was not|{_BE}) {_VERY}(?:asking|referring|talking|clear)\b",
    r"i (?:asked|was asking) (?:about|for|whether|if|how)\b",
    r"i should have (?:said|mentioned|been clear|been more|added|explained)",
    r"i (?:phrased|put|worded|explained|expressed|said) (?:it|that|this|myself)\b.{0,20}\b(?:badly|wrong|poorly)",
    r"(?:that|this|it) came out wrong",
    r"what i (?:really |actually )?(?:mean|meant|wanted|want|was (?:after|asking|looking for))\b.{0,12}\b(?:is|was)\b",
    r"(?:my|the) (?:actual |real )?question (?:was|is)\b",
    r"(?:by|with) (?:\W?[\w-]+\W? ){1,3}i mean(?:t)?\b",
    r"when i (?:say|said|write|wrote)\b.{1,40}\bi mean(?:t)?\b",
    r"let me (?:rephrase|clarify|explain|put (?:it|that)|say (?:it|that)|be (?:more )?(?:clear|precise|specific))",
    r"to (?:clarify|be (?:more )?(?:clear|precise|specific|exact))\b",
    r"correction\b",
    r"scratch that\b",
)
_SETS_THE_OTHER_RIGHT: Final = (
    rf"{_YOU} (?:just |completely |totally )?(?:misunder\w+|misread|mix(?:ed|ing) up|missed (?:my|the) point|lost me)",
    rf"{_YOU} confus(?:ed|ing) (?:me|it|the|two)",
    r"you(?:['’]ve)? (?:got|have) (?:me|it|that|this|the \w+) (?:\w+ )?(?:wrong|backwards|mixed up)",
    r"there(?:['’]s| is| must be) (?:a|some) misunderstanding",
    rf"(?:that|this|it)(?:['’]?s| is| was)? ?(?:not|isn['’]?t|wasn['’]?t) {_VERY}what i\b",
    r"(?:no|nope),? (?:the|that) (?:one|ones|other|first|second|third|last|old|older|new|newer|\w+ ones?)\b",
    r"(?:not|the other) (?:that|this|the|those|one|\w+)(?:\s+\w+){0,2}(?:,\s+(?:the|that|but)\b.*|,\s+\w+)?[.!]*$",
)
_ASKS_WHAT_WAS_MEANT: Final = (
    r"(?:what|who|how|where|which(?: (?!do|did)\w+){0,4}) (?:exactly )?(?:do|did) you mean",
    r"(?:what|which)(?: \w+){0,2} (?:do|did) you mean",
    r"(?:do|did) you mean\b",
    r"you mean\b",
    r"are (?:you|we) (?:still )?(?:saying|talking|referring|suggesting)\b",
    r"which (?:\w+ ){1,2}(?:are (?:you|we)|do you|did you)\b",
    r"what(?:['’]s| is| was) that (?:supposed to mean|about)\b",
    r"what was that\b",
    r"what (?:does|did|do) (?:that|this|it|you) mean\b",
    r"what does \W?[\w -]{1,30}\W? mean (?:here|in (?:this|that|your))",
    r"when you (?:say|said|write|wrote|mention\w*)\b",
    r"(?:what|which|who)\b.{1,40}\bin your (?:(?:last|first|second|previous) )?(?:sentence|answer|message|reply)",
    r"in other words\b",
    r"just to (?:be (?:sure|clear)|confirm|clarify)\b",
)
_DID_NOT_UNDERSTAND: Final = (
    rf"i {_VERY}{_NOT} {_VERY}(?:follow\b|(?:understand|get|see|catch) {_POINTED_AT}|understand[.!]*$)",
    rf"{_BE} {_VERY}(?:confused|lost|puzzled|following|sure (?:i (?:understand|follow|get)|what you))",
    r"(?:that|this|it)(?:['’]?s| is| was| went| goes)? (?:\w+ )?(?:unclear|confusing|not clear|over my head)",
)
_ASKS_TO_SAY_IT_AGAIN: Final = (
    rf"{_WOULD_YOU}(?:clarify|elaborate|rephrase|repeat|be (?:a bit )?more (?:specific|precise|clear)|say (?:that|it))",
    rf"{_WOULD_YOU}(?:go (?:over|through)|explain) (?:that|it|this|again|what you|the (?:last|first|second|third))",
    rf"{_WOULD_YOU}put (?:that|it|this) (?:differently|another|in (?:other|simple|plain))",
    r"(?:huh|pardon)\b",
    r"(?:what|which one|come again|sorry|excuse me|once more|again)(?:,? please)?\s*\?*$",
    r"excuse me, (?:what|how)\b",
)
_FROM_THE_BEGINNING: Final = re.compile(
    _LEAD
    + "(?:"
    + "|".join(
        (
            *_SETS_RIGHT,
            *_SETS_THE_OTHER_RIGHT,
            *_ASKS_WHAT_WAS_MEANT,
            *_DID_NOT_UNDERSTAND,
            *_ASKS_TO_SAY_IT_AGAIN,
        )
    )
    + ")",
    re.IGNORECASE,
)
_SAID_INSTEAD: Final = re.compile(
    r"^(?:no|nope|sorry|oops|wait|actually|it['’]?s|i said)\b"
    r".{3,60},\s+not\s+(?:the\s+|a\s+|on\s+)?[\w-]+(?:\s+\w+)?[.!]*$",
    re.IGNORECASE,
)
_PLAIN_ANYWHERE: Final = re.compile(
    r"\bi\s+meant\b|\bnot\s+what\s+i\s+(?:asked|meant|said|wanted)|\bwhat\s+(?:exactly\s+)?(?:do|did)\s+you\s+mean"
    r"|(?<!see )(?<!know )(?<!get )(?<!understand )(?<!guess )\bwhat\s+you\s+mean(?:t)?\b"
    rf"|\bi\s+{_NOT}\s+(?:get|understand|follow)\s+(?:(?:it|that)(?=\s*(?:$|[.,!?;]))|the\s+(?:last|first|second)|what\s+you)"
    r"|\bare\s+you\s+talking\s+about|\bi\s+wasn['’]?t\s+clear|\bis\s+unclear\s+to\s+me",
    re.IGNORECASE,
)


def clarifies_at_once(text: str) -> bool:
    """Tell whether *text*, on one line, begins by setting right what was said or asking what it meant."""
    if len(text) >= _BEGINNING:
        return False
    return _FROM_THE_BEGINNING.match(text[:200]) is not None or _SAID_INSTEAD.match(text) is not None


def clarifies_later(text: str) -> bool:
    """Tell whether *text*, on one line, does so further on."""
    return len(text) < _ANYWHERE and _PLAIN_ANYWHERE.search(text) is not None

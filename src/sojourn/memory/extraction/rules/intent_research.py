"""Tells whether a message asks for research: for many sources, or for depth.

The words of research stand as well in what somebody tells of their own work ("my research on river fish got funded",
"I'll look into that next week"), and in names of what it is for ("a walk for cancer research"). Those ask for nothing.
"""

import re
from typing import Final

_FINDINGS: Final = r"(?:stud(?:y|ies)|papers?|articles?|sources?|statistics|publications?|references|evidence|reports?)"
_SEVERAL: Final = r"(?:(?:several|multiple|many|various|different|all)\s+)?"
_TREATISE: Final = r"(?:overview|analysis|comparison|report|review|survey|study|investigation)"
_CHOICES: Final = (
    r"(?:options|approaches|alternatives|possibilities|ways|solutions|pros\s+and\s+cons|whether|trade-?offs)"
)
_SOUGHT: Final = (
    r"\bresearch\b",
    r"\binvestigat\w+",
    r"\bdeep[ -]dive",
    r"\bin[ -]depth\b",
    r"\blook(?:ing)?\s+(?:into|up)\b",
    r"\blook\s+(?:it|this|that|them|these|those)\s+up\b",
    r"\bdig(?:ging)?\s+(?:into|up|through|around)\b",
    r"\bdo\s+(?:some|a\s+bit\s+of|more)\s+(?:\w+\s+)?digging\b",
    r"\bread\s+up\s+on\b",
    r"\btrack\s+down\s+(?:the|who|where|when)\b",
    r"\btrace\s+(?:back\s+)?(?:the|its|their)\b.{0,30}\b(?:origins?|history|sources?)\b",
    r"\bfind\s+out\s+(?:what|which|who|how|whether|if|when|where|why|about|more|all|everything)\b",
    r"\beverything\s+(?:about|you\s+can\s+(?:find\s+)?(?:about|on)|there\s+is)\b",
    r"\b(?:background|further)\s+(?:reading|information)\s+on\b",
    r"\bliterature(?:\s+review)?\b",
    r"\bstate[ -]of[ -]the[ -]art\b",
    rf"\b(?:gather|collect|compile)\s+(?:\w+\s+){{0,3}}(?:information|data|{_FINDINGS})\b",
    rf"\b(?:find|search(?:\s+for)?|look\s+for|browse|compile)\s+(?:\w+\s+){{0,5}}{_FINDINGS}\b",
    rf"\b(?:check|consult|compare|use|read|go\s+through)\s+(?:the\s+)?{_SEVERAL}(?:{_FINDINGS}|archives?|records)\b",
    rf"\b(?:comprehensive|thorough|detailed|extensive|complete)\s+(?:\w+\s+)?{_TREATISE}\b",
    r"\bmarket\s+(?:analysis|research|study|overview|survey)\b",
    r"\b(?:recent|latest|current|new)\s+(?:papers?|stud(?:y|ies)|findings|evidence|publications|literature)\b",
    r"\b(?:search|browse|scan|scour)\s+(?:the\s+)?(?:web|internet|net|news|online|press)\b",
    r"\bcite\s+(?:your\s+)?(?:sources|studies|papers|them)\b",
    r"\bwith\s+(?:sources|references|citations)\b",
    r"\bwhat(?:['’]s|\s+is)\s+(?:the\s+evidence|known\s+about)\b",
    r"\bstudies\s+(?:say|show|on|about|support)\b",
    rf"\bexplore\s+(?:(?:the|our|different|various|all|possible)\s+)*{_CHOICES}\b",
    r"\balternatives\s+to\b.*\bcompare\b",
    rf"\b(?:analy[sz]e|evaluate|weigh|assess)\s+(?:the\s+)?(?:different\s+)?{_CHOICES}\b",
    r"\bsurvey\s+(?:the|of|all|open)\b",
    r"\bstud(?:y|ying)\s+the\s+(?:effects?|impact|history|causes?|role|influence)\b",
    r"\bcompare\s+.{3,80}\s(?:in\s+(?:depth|detail)|thoroughly|top\s+\w+)",
    r"\bcompare\s+the\s+(?:top|best|leading)\b",
    r"\bconsider\s+.+\s+in\s+detail\b",
)
_RESEARCH: Final = re.compile("|".join(_SOUGHT), re.IGNORECASE)
_TOLD: Final = re.compile(
    r"\b(?:my|our|his|her|their|i|we)\s+(?:\w+\s+)?(?:research|literature|investigat\w+)\b|\bresearch(?:er|ers)\b"
    r"|\b(?:for|of|in|support|fund|funds)\s+(?:\w+\s+)?(?!background|market|more|some)\w+\s+research\b"
    r"|\bi(?:['’]ll|\s+will|\s+might|\s+may|\s+should|['’]m|\s+am|['’]ve\s+been|\s+have\s+been)\s+(?:going\s+to\s+|have\s+to\s+)?"
    r"(?:(?:definitely|also|probably|just|still|now)\s+)*(?:look\w*\s+(?:into|up)|dig\w*|weigh\w*|explor\w+|read\w*\s+up)\b",
    re.IGNORECASE,
)
_ORDERED: Final = re.compile(
    r"(?:(?:i|we)\s+(?:want|need)\s|(?:i|we)(?:['’]d|\s+would)\s+(?:like|love)\s|looking\s+for\s|.{3,80}\bplease$"
    r"|(?:collect|compile|deep|dig|examine|scour|study|survey|trace)\s)",
    re.IGNORECASE,
)


def wishes_research(text: str) -> bool:
    """Tell whether *text*, without what leads into it, begins with a wish or a verb that goes with research."""
    return _ORDERED.match(text) is not None


def asks_for_research(text: str) -> bool:
    """Tell whether *text*, on one line, speaks of research that is to be done. Whether it asks at all is not judged."""
    return _RESEARCH.search(text) is not None and _TOLD.search(text) is None

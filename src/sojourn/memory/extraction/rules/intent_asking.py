"""Tells whether a sentence asks for something to be done, or for an answer.

English asks in three ways: by form ("write …", "how do I …"), by a polite frame around it ("could you …", "I was
wondering if …"), and by naming what is missing ("I need a list of …"). A frame may stand after other clauses ("I'm new
here and was wondering if you could …"). Two things only look like it: a wish ("take care", "have a nice day"), and the
sentence that leaves out its subject, as in a diary ("went to the sea", "love this weather").
"""

import re
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.technical_words import IMPERATIVES

LEAD: Final = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|well|now|and|also|then|alright|great|good|thanks|thank you|cool|yes|yeah|no"
    r"|please|right|first|next|hmm?|quick question|but|sure|perfect|just|go ahead and)\b[\s,:.!–-]*)+",
    re.IGNORECASE,
)
"""Little words before what a sentence is about."""
_OBJECT: Final = (
    r"(?:the|this|that|these|those|it|them|him|her|me|us|my|our|your|a|an|some|any|anything|every|everything|each|all|both"
    r"|one|two|three|four|five|ten|\d+|another|only|whether)"
)
_COULD_YOU: Final = r"(?:can|could|would|will)\s+you\s+(?:(?:please|kindly|also|maybe|perhaps|possibly)\s+)*(?:not\s+)?"
_IF_YOU: Final = r"if\s+you\s+(?:can|could|would|might)\s+(?:(?:please|also|maybe|perhaps|possibly)\s+)*"
_REQUEST: Final = re.compile(
    rf"(?:{_COULD_YOU}(?P<verb>\w+)"
    r"|(?:i\s+(?:want|need)|i['’]d\s+(?:like|love)|i\s+would\s+(?:like|love))\s+you\s+to|would\s+you\s+mind|please\s+\w+"
    r"|let['’]?s\s+(?P<lets>\w+)|let\s+me\s+(?:have|see|know)\b|help\s+me\b|remind\s+me\s+to"
    r"|i\s+need\s+(?:a|an|some)\s+(?:\w+\s+){0,3}(?:for|that|to|which)\b"
    r"|do\s+(?:it|that|this|not|the\s+(?:same|rest|others?|next|first|second|last|following))\b|go\s+(?:ahead|on)\b)",
    re.IGNORECASE,
)
_GIVEN: Final = (
    r"(?:lists?|tables?|summary|summaries|overview|diagram|chart|graph|plot|function|script|program|query|regex"
    r"|expression|command|examples?|samples?|snippet|code|tests?|plan|outline|draft|e-?mails?|letter|text|paragraph"
    r"|story|poem|speech|report|template|versions?|translation|explanation|names?|ideas?|suggestions?|tips?|advice"
    r"|recommendations?|help|guidance|feedback|opinion|answers?|recipes?|breakdown|comparison|picture|image|logo|sketch"
    r"|numbers|steps|instructions|title|headline)"
)
_REQUEST_LATER: Final = re.compile(
    rf"(?:[,;:–—-]\s*|\b(?:and|but|so|then)\s+)(?:{_COULD_YOU}(?P<verb>\w+)|please\s+\w+)"
    rf"|\b(?:wonder\w*|ask|appreciate\s+it|grateful|great|nice|lovely|helpful|thankful|glad)\s+{_IF_YOU}(?P<then>\w+)"
    r"|\bhoping\s+(?:that\s+)?you\s+(?:can|could|would|might)\s+(?P<hoped>\w+)"
    rf"|\band\s+(?:also\s+)?(?:need|could\s+use)\s+(?:a|an|some|more)\s+(?:[\w-]+\s+){{0,2}}?{_GIVEN}\b",
    re.IGNORECASE,
)
_IN_NEED: Final = re.compile(
    r"(?:i|we)(?:(?:\s+(?:also|really|just|still|now|only))*\s+(?:need|want|could\s+(?:really\s+)?use)"
    r"|(?:['’]d|\s+would)\s+(?:like|love))\s+(?:to\s+(?:get|have|see)\s+)?"
    rf"(?:(?:a|an|the|some|more|few|your|that|this|bit|of|\d+|two|three|five|ten)\s+)*(?:[\w-]+\s+){{0,2}}?{_GIVEN}\b",
    re.IGNORECASE,
)
_ABLE: Final = words("be know have think see believe read understand speak hear remember feel handle")
_TALK: Final = words("see talk say assume not go hope face chat wait")
_NOUN_AFTER: Final = re.compile(
    r"\w+\s+(?:is|are|was|were|has|have|keeps?|fails?|works?|went|looks?|seems?|isn['’]?t|doesn['’]?t|can|will)\b",
    re.IGNORECASE,
)
_BARE_VERB: Final = re.compile(
    rf"(?P<verb>[a-z]{{2,}})\s+(?:(?:back|up|down|out|off|over|away|together|through|rid\s+of)\s+)?{_OBJECT}\b",
    re.IGNORECASE,
)
_NO_VERB: Final = words(
    "i you he she we they it who what which when where why how whose is are was were am be been do does did has have "
    "had can could will would shall should may might must not no yes if in on at by to for from of with without about "
    "after before since during through under over between like near than until despite into as and but or so because "
    "while though although unless that this these those there here then now just also only even maybe perhaps still "
    "again once sometimes usually often always never ever soon later today tomorrow yesterday tonight well actually "
    "quite such half both all every each some any many much more most less too very really almost nearly around good "
    "bad nice great sorry happy glad sad sure fine ok okay wow oh ah thanks thank except plus minus besides monday "
    "tuesday wednesday thursday friday saturday sunday went got saw made found spent bought took came left met ate "
    "drank felt heard lost won sold told thought knew gave ran said sat slept spoke wrote woke wore began broke built "
    "caught drove fell flew forgot grew kept paid rode sang sent swam taught tore understood love hate hope think "
    "guess wish miss enjoy feel need want know mean believe doubt bet prefer suppose see hear seem"
)
"""Words before an object that make no request: pronouns, little words, and verbs of a sentence without its subject."""
_NO_REQUEST_ENDING: Final = ("ed", "ing", "s", "ly")
_NOT_TO: Final = re.compile(r"(?:don['’]?t|do\s+not)\s+(?P<verb>[a-z]+)\b", re.IGNORECASE)
_EVER_TO: Final = re.compile(r"(?:never|always)\s+(?P<verb>[a-z]+)\b", re.IGNORECASE)
_DO_A_THING: Final = re.compile(r"do\s+(?:a|an|another|some|more|as|your\s+best)\b", re.IGNORECASE)
_NO_ORDER: Final = words(
    "you i we they know think care mind worry get understand have want like need believe feel see mean remember"
)
"""What follows "don't" where "I" is left out, where it comforts, or where it asks."""
_WISH: Final = re.compile(
    r"(?:take\s+care|take\s+your\s+time|have\s+(?:a|an|fun)\b|sleep\s+(?:well|tight)|enjoy\b|good\s+luck"
    r"|stay\s+(?:safe|well|healthy|warm)|keep\s+(?:it\s+up|up\s+the)|keep\s+in\s+touch|never\s+mind|no\s+need|come\s+on"
    r"|(?:talk|speak|see|chat|catch|write)\s+(?:to\s+|with\s+|up\s+)?(?:you|ya|u|soon|later|tomorrow)\b|wait\s+and\s+see"
    r"|go\s+figure|count\s+me\s+in|look\s+at\s+you|rest\s+well|get\s+well)",
    re.IGNORECASE,
)
_ASKING: Final = re.compile(
    r"(?:what|what['’]?s|whats|why|how|how['’]?s|when|where|where['’]?s|who|who['’]?s|whose|which|is|isn['’]?t|are"
    r"|aren['’]?t|am|was|were|do|does|doesn['’]?t|did|didn['’]?t|don['’]?t\s+you|can|could|can['’]?t|should|shouldn['’]?t"
    r"|would|will|won['’]?t|has|have\s+(?:you|we|i|they)|had\s+(?:you|we|i|they|he|she)|may|any\s+(?:idea|ideas|tips"
    r"|thoughts|chance|suggestions|way|clue|recommendations)|anyone|in\s+which|for\s+which|at\s+what|to\s+what|by\s+how"
    r"|wonder(?:ing)?|do\s+you\s+know)\b",
    re.IGNORECASE,
)
_ASKING_LATER: Final = re.compile(
    r"\b(?:i\s+wonder|wondering|(?:always|often)\s+wondered|curious)\s+(?:if|whether|what|how|why|when|where|who|which"
    r"|about|to\s+know)\b"
    r"|\b(?:i['’]d|i\s+would|we['’]d)\s+(?:also\s+|really\s+)?(?:like|love)\s+to\s+(?:know|hear|learn|understand|ask)\b"
    r"|\bi\s+want(?:ed)?\s+to\s+(?:know|ask)\b"
    r"|\b(?:looking|searching)\s+for\s+(?:[\w-]+\s+){0,3}(?:advice|recommendations?|tips|help|information|info|ideas"
    r"|suggestions|resources|guidance|inspiration|recipes|ways)\b",
    re.IGNORECASE,
)
_STATED_WH: Final = re.compile(
    r"(?:what|how)\s+(?:a|an)\s+\w+(?:\s+\w+){0,3}[!.]?$|when\s+(?:i|we|he|she|they|the)\s.+,", re.IGNORECASE
)


def is_command(text: str) -> bool:
    """Tell whether the sentence *text*, without what leads into it, asks for something to be done."""
    if _WISH.match(text):
        return False
    if request := _REQUEST.match(text):
        verb, lets = (request["verb"] or "").lower(), (request["lets"] or "").lower()
        return verb not in _ABLE and lets not in _TALK
    if later := _REQUEST_LATER.search(text):
        asked = later["verb"] or later["then"] or later["hoped"] or ""
        return asked.lower() not in _ABLE
    return _IN_NEED.match(text) is not None or _is_imperative(text)


def is_question(text: str) -> bool:
    """Tell whether the sentence *text*, without what leads into it, asks for an answer; its mark is not looked at."""
    if _STATED_WH.match(text):
        return False
    return _ASKING.match(text) is not None or _ASKING_LATER.search(text) is not None


def _is_imperative(text: str) -> bool:
    """Tell whether *text* begins with a verb that orders: a known one, or any before its object."""
    if order := _NOT_TO.match(text):
        return order["verb"].lower() not in _NO_ORDER
    if order := _EVER_TO.match(text):
        return order["verb"].lower() in IMPERATIVES
    first = re.match(r"[A-Za-z]+(?!['’])", text)
    word = first.group().lower() if first else ""
    if word == "do":
        return _DO_A_THING.match(text) is not None
    if word in IMPERATIVES:
        return not _NOUN_AFTER.match(text)
    bare = _BARE_VERB.match(text)
    if bare is None or _NOUN_AFTER.match(text):
        return False
    return word not in _NO_VERB and not word.endswith(_NO_REQUEST_ENDING)

"""The words that `slots` reads by: what can be asked of a thing, who can be asked about, and what has many answers.

An attribute is exclusive unless it is named in `LISTS`: a thing has one port, and a person likes many things.
"""

import re
from typing import Final, Literal

Kind = Literal["number", "date", "name"]
"""What an answer looks like: it holds a number, or a date or a time, or it is a name rather than an adjective."""

HEADS: Final[dict[str, Kind]] = {
    **dict.fromkeys(
        (
            "port", "version", "limit", "quota", "timeout", "threshold", "size", "length", "count", "capacity",
            "budget", "price", "cost", "fee", "salary", "rent", "ttl", "interval", "retention", "age", "height",
            "weight", "temperature", "duration", "frequency", "rate", "delay", "latency", "phone number", "speed",
            "ip address", "number", "score", "percentage", "headcount", "retries", "replicas", "workers", "dose",
        ),
        "number",
    ),
    **dict.fromkeys(
        (
            "deadline", "due date", "release date", "launch date", "start date", "end date", "birthday",
            "anniversary", "start time", "end time", "expiry date", "departure", "arrival", "wedding date", "exam date",
            "date of birth", "date", "kickoff", "go live",
        ),
        "date",
    ),
    **dict.fromkeys(
        (
            "name", "username", "email", "email address", "address", "host", "hostname", "url", "base url", "endpoint",
            "branch", "region", "time zone", "location", "capital", "owner", "lead", "manager", "hometown",
            "nickname", "employer", "occupation", "job", "job title", "role", "nationality", "native language",
            "default", "codename", "title", "license", "primary key", "theme", "database", "license plate", "surname",
            "current project", "expertise level", "communication style", "ceo", "cto", "product owner", "domain",
        ),
        "name",
    ),
}  # fmt: skip
"""What a thing can be asked for, singular, and what its answer looks like."""

MODIFIERS: Final = frozenset({
    "rate", "max", "maximum", "min", "minimum", "default", "daily", "hourly", "weekly", "monthly", "yearly", "annual",
    "upload", "download", "request", "connection", "pool", "batch", "page", "retry", "read", "write", "token", "memory",
    "file", "body", "payload", "cache", "query", "total", "average", "idle", "base", "public", "private", "admin",
    "debug", "main", "production", "staging", "test", "new", "current", "hard", "soft", "time", "response", "message",
    "window", "context", "concurrency", "thread", "worker", "queue", "favorite", "first", "last", "full", "middle",
    "work", "home", "final", "submission", "shoe", "screen", "font", "line", "tab", "indent", "refresh",
    "polling", "log", "backup", "renewal", "burst", "speed", "data", "storage", "disk", "heap", "listening",
})  # fmt: skip
"""Words before a head that belong to the attribute: "API | max upload size"."""

DROPPED_MODIFIERS: Final = frozenset({"new", "current", "listening"})
"""Modifiers that ask for nothing else: the new limit is the limit."""

LISTS: Final = frozenset({
    "interests", "dislikes", "uses", "languages", "visited", "allergies", "programming languages", "frameworks",
    "project tech stack", "hobbies", "skills", "preferences", "pets", "children", "friends", "siblings", "plays",
    "knows", "owns", "studies", "supports", "depends on", "tags", "requires", "instruments", "sports", "likes",
    "programming_languages", "project_tech_stack", "origin", "health", "vehicle", "degree", "education", "goals",
})  # fmt: skip
"""Attributes that have many answers at a time."""

ALIASES: Final[dict[str, str]] = {
    "max": "maximum",
    "min": "minimum",
    "favourite": "favorite",
    "colour": "color",
    "licence": "license",
    "timezone": "time zone",
    "limits": "limit",
    "versions": "version",
    "ports": "port",
    "e-mail": "email",
    "hometown": "hometown",
    "centre": "center",
    "rates": "rate",
    "job": "occupation",
    "profession": "occupation",
    "time-out": "timeout",
    "programme": "program",
    "neighbour": "neighbor",
    "mom": "mother",
    "mum": "mother",
    "dad": "father",
}
"""Other spellings of a word, so that two spellings are one question."""

ONE_RELATION: Final = frozenset({
    "wife", "husband", "partner", "spouse", "girlfriend", "boyfriend", "fiance", "fiancee", "fiancé", "fiancée",
    "mother", "father", "mom", "mum", "dad", "boss", "manager", "landlord", "supervisor",
})  # fmt: skip
"""Those of whom one has one."""

MANY_RELATIONS: Final = frozenset({
    "sister", "brother", "son", "daughter", "child", "kid", "baby", "cousin", "aunt", "uncle", "niece", "nephew",
    "grandmother", "grandfather", "grandma", "grandpa", "friend", "colleague", "coworker", "co-worker", "neighbor",
    "roommate", "flatmate", "dog", "cat", "puppy", "kitten", "parrot", "rabbit", "hamster", "horse", "pet", "teacher",
    "doctor", "client", "customer", "teammate", "mentor", "parent", "sibling", "grandson", "granddaughter",
})  # fmt: skip
"""Those of whom one may have several, so that another name is another one and not a correction."""

EVENTS: Final = frozenset({
    "meeting", "call", "demo", "launch", "release", "interview", "appointment", "flight", "exam", "party", "wedding",
    "standup", "stand-up", "review", "kickoff", "workshop", "presentation", "deadline", "dinner", "concert", "trip",
    "lesson", "training", "conference", "retro", "retrospective", "sync", "webinar", "race", "marathon", "surgery",
})  # fmt: skip
"""What is held on a day, at a time."""

JOBS: Final = frozenset({
    "accountant", "actor", "actress", "administrator", "advisor", "analyst", "architect", "artist", "assistant",
    "attorney", "author", "baker", "banker", "barber", "barista", "bartender", "biologist", "bookkeeper", "builder",
    "butcher", "carpenter", "cashier", "chef", "chemist", "cleaner", "clerk", "coach", "composer", "consultant", "cook",
    "counselor", "dancer", "dentist", "designer", "developer", "dietitian", "director", "doctor", "driver",
    "economist", "editor", "electrician", "engineer", "entrepreneur", "farmer", "firefighter", "fisherman", "florist",
    "founder", "freelancer", "gardener", "geologist", "guide", "hairdresser", "historian", "illustrator", "instructor",
    "interpreter", "janitor", "journalist", "judge", "lawyer", "lecturer", "librarian", "linguist", "manager",
    "mathematician", "mechanic", "midwife", "musician", "nanny", "nurse", "nutritionist", "officer", "optician",
    "painter", "paramedic", "pastor", "pharmacist", "photographer", "physician", "physicist", "physiotherapist",
    "pianist", "pilot", "plumber", "poet", "policeman", "politician", "postman", "principal", "producer", "professor",
    "programmer", "psychiatrist", "psychologist", "realtor", "receptionist", "recruiter", "reporter", "researcher",
    "sailor", "salesperson", "scientist", "sculptor", "secretary", "singer", "soldier", "statistician", "student",
    "surgeon", "surveyor", "tailor", "teacher", "technician", "tester", "therapist", "trader", "trainer", "translator",
    "tutor", "vet", "veterinarian", "waiter", "waitress", "welder", "writer", "zoologist", "cto", "ceo", "cfo",
    "intern", "apprentice", "blogger", "curator", "auditor", "broker", "planner", "operator", "controller", "owner",
})  # fmt: skip
"""The last word of an occupation."""

DIETS: Final = frozenset({"vegetarian", "vegan", "pescatarian", "pescetarian", "flexitarian", "omnivore"})
MARITAL: Final = frozenset({"married", "single", "divorced", "engaged", "widowed", "separated"})

PROGRAMMING: Final = frozenset({
    "python", "java", "javascript", "typescript", "go", "golang", "rust", "c", "c++", "c#", "ruby", "php", "swift",
    "kotlin", "scala", "haskell", "elixir", "erlang", "clojure", "perl", "lua", "r", "julia", "dart", "fortran",
    "cobol", "ocaml", "zig", "sql", "bash", "matlab", "f#", "objective-c",
})  # fmt: skip

NOT_PLACES: Final = frozenset({
    "marketing", "sales", "engineering", "finance", "support", "management", "research", "operations", "legal",
    "production", "staging", "github", "gitlab", "slack", "teams", "discord", "python", "rust", "linux", "mac",
    "windows", "kubernetes", "aws", "azure", "gcp", "postgresql", "postgres", "mysql", "sqlite", "fear", "peace",
    "hope", "harmony", "poverty", "luxury", "town", "office", "house", "bed", "it", "there", "here", "him", "her",
    "product", "design", "hr", "accounting", "data", "tears", "denial", "debt",
})  # fmt: skip
"""What somebody moves to, or lives in, that is not a place."""

DEMONYM: Final = re.compile(
    r"(?:ish|ese|[^lrts]ian|ean|ch|tch|rman|ican|swiss|czech|thai|greek|persian|russian|italian|austrian|iraqi|israeli"
    r"|muslim|hindu|buddhist|christian|catholic)$",
    re.IGNORECASE,
)
"""How a word ends that says from where, or of which faith, somebody is, and not what somebody is called."""

STATES: Final = frozenset({
    "open", "closed", "up", "down", "broken", "slow", "fast", "ready", "done", "good", "bad", "wrong", "right", "fine",
    "ok", "okay", "great", "nice", "important", "unknown", "missing", "available", "unavailable", "required",
    "optional", "empty", "full", "easy", "hard", "high", "low", "large", "small", "correct", "incorrect", "valid",
    "invalid", "public", "private", "clear", "unclear", "flexible", "fixed", "tight", "strict", "late", "early",
    "different", "same", "new", "old", "happy", "sad", "tired", "busy", "free", "here", "there", "gone", "set",
    "changed", "updated", "not", "very", "so", "too", "quite", "really", "still", "also", "being", "going", "used",
    "needed", "coming", "in", "on", "at", "for", "with", "from", "by", "about", "over", "under", "because", "that",
    "what", "where", "when", "how", "why", "protected", "stable", "unstable", "deprecated", "supported", "unsupported",
    "reached", "exceeded", "exhausted", "configurable", "dynamic", "static", "hidden", "visible", "secret",
    "temporary", "sick", "away",
})  # fmt: skip
"""Words with which a state begins, and no name."""

-- The search index. All of it is derived from the journals: a change here gets a new version, and old files are made
-- anew. Times are microseconds since 1970, in UTC.

-- One row. A copy in memory that was read in another `life` is of another file.
CREATE TABLE about (
    life    INTEGER NOT NULL,
    given   INTEGER NOT NULL DEFAULT 0,         -- documents that were added, ever, of all tenants
    held    INTEGER NOT NULL DEFAULT 0,         -- documents that are there
    removed INTEGER NOT NULL DEFAULT 0          -- vectors that were removed, ever
);

CREATE TABLE sessions (
    number     INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
    tenant     TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    user_id    TEXT,
    project    TEXT,
    tags       TEXT    NOT NULL,                -- a JSON list
    hidden     INTEGER NOT NULL,
    watermark  INTEGER NOT NULL,
    epoch      INTEGER NOT NULL,
    next_place INTEGER NOT NULL DEFAULT 0,
    given      INTEGER NOT NULL DEFAULT 0,      -- document numbers that were given out
    held       INTEGER NOT NULL DEFAULT 0,      -- documents that are there
    UNIQUE (tenant, session_id)
);

CREATE INDEX sessions_by_user ON sessions (tenant, user_id);

-- A document's number is its session's number * 2^24 + a count, so a session is a range of numbers: full text can seek
-- to it, and tell by the number alone whose a document is. A number is never given twice.
CREATE TABLE documents (
    number  INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    role    TEXT    NOT NULL,
    speaker TEXT,
    at      INTEGER NOT NULL,
    place   INTEGER,
    fact_id TEXT,
    text    TEXT    NOT NULL
);

CREATE INDEX documents_by_time ON documents (kind, at);
CREATE INDEX documents_by_place ON documents (session, place) WHERE place IS NOT NULL;
CREATE INDEX documents_by_fact ON documents (session, fact_id) WHERE fact_id IS NOT NULL;

CREATE VIRTUAL TABLE words USING fts5(
    text, content = 'documents', content_rowid = 'number', tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE VIRTUAL TABLE vocabulary USING fts5vocab('words', 'row');

-- Grams of what has no words: identifiers, paths, scripts without spaces. Most documents have none of it.
CREATE VIRTUAL TABLE parts USING fts5(grams, tokenize = 'ascii', detail = none);

-- Without 'secure-delete' the words of a removed document stay in the file until chance merges them away.
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
INSERT INTO parts (parts, rank) VALUES ('secure-delete', 1);

CREATE TABLE models (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     TEXT NOT NULL,
    name       TEXT NOT NULL,
    dimensions INTEGER,                         -- NULL until there is a vector
    UNIQUE (tenant, name)
);

CREATE TABLE vectors (
    number   INTEGER PRIMARY KEY AUTOINCREMENT, -- so that what is new can be told from what was read
    document INTEGER NOT NULL,
    model    INTEGER NOT NULL,
    vector   BLOB    NOT NULL
);

CREATE INDEX vectors_by_document ON vectors (document, model);

-- What has no vectors yet, for each model that somebody asked for.
CREATE TABLE unembedded (
    model    INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    document INTEGER NOT NULL,
    PRIMARY KEY (model, at, document)
) WITHOUT ROWID;

CREATE TABLE facts (
    session    INTEGER NOT NULL,
    fact_id    TEXT    NOT NULL,
    scope      TEXT    NOT NULL,
    slot       TEXT,
    confidence REAL    NOT NULL,
    updated_at INTEGER NOT NULL,
    fact       TEXT    NOT NULL,                -- JSON
    PRIMARY KEY (session, fact_id)
) WITHOUT ROWID;

CREATE INDEX facts_by_id ON facts (fact_id);
CREATE INDEX facts_by_slot ON facts (slot) WHERE slot IS NOT NULL;

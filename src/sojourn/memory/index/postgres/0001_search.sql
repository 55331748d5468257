-- The search index. All of it is derived from the journals and can be made anew. Times are microseconds since 1970, UTC.

-- Words as `parts.words_of` gives them, in their English stems. Stop words are kept: a question may consist of them.
CREATE TEXT SEARCH DICTIONARY search_stems (TEMPLATE = pg_catalog.snowball, LANGUAGE = english);
CREATE TEXT SEARCH CONFIGURATION search_words (COPY = pg_catalog.simple);
ALTER TEXT SEARCH CONFIGURATION search_words ALTER MAPPING FOR asciiword, word WITH search_stems;

CREATE TABLE search_sessions (
    tenant      text    COLLATE "C" NOT NULL,
    session_id  text    COLLATE "C" NOT NULL,
    watermark   bigint  NOT NULL,
    epoch       bigint  NOT NULL,
    next_place  bigint  NOT NULL,
    documents   bigint  NOT NULL DEFAULT 0,     -- how many it has,
    length      bigint  NOT NULL DEFAULT 0,     -- and how many words they have together
    user_id     text,
    project     text,
    tags        text[]  NOT NULL,
    hidden      boolean NOT NULL,
    PRIMARY KEY (tenant, session_id)
) WITH (fillfactor = 70);

CREATE INDEX search_sessions_by_user ON search_sessions (tenant, left(user_id, 128));

CREATE TABLE search_documents (
    tenant     text     COLLATE "C" NOT NULL,
    number     bigint   NOT NULL GENERATED ALWAYS AS IDENTITY,
    session_id text     COLLATE "C" NOT NULL,
    seq        bigint   NOT NULL,
    kind       text     NOT NULL,
    role       text     NOT NULL,
    speaker    text,
    place      bigint,
    fact_id    bytea,                           -- UTF-8: whoever names a fact may use any character, NUL too
    at         bigint   NOT NULL,
    text       text     NOT NULL,               -- U+FFFD stands for NUL, which PostgreSQL's text cannot hold
    words      tsvector NOT NULL,
    grams      text[],                          -- of what is not written in words; NULL for prose
    length     bigint   NOT NULL,               -- words
    PRIMARY KEY (tenant, number)
);

CREATE INDEX search_documents_by_session ON search_documents (tenant, session_id, seq);
CREATE INDEX search_documents_by_place ON search_documents (tenant, session_id, place) WHERE place IS NOT NULL;
CREATE INDEX search_documents_by_fact ON search_documents (tenant, session_id, sha256(fact_id)) WHERE fact_id IS NOT NULL;
CREATE INDEX search_documents_by_word ON search_documents USING gin (words);
CREATE INDEX search_documents_by_gram ON search_documents USING gin (grams) WHERE grams IS NOT NULL;

-- Which words are common is read off the statistics. Of what was said, they keep nothing else.
ALTER TABLE search_documents ALTER COLUMN words SET STATISTICS 200;
ALTER TABLE search_documents ALTER COLUMN text SET STATISTICS 0;

CREATE TABLE search_facts (
    tenant     text             COLLATE "C" NOT NULL,
    session_id text             COLLATE "C" NOT NULL,
    digest     bytea            GENERATED ALWAYS AS (sha256(fact_id)) STORED,
    fact_id    bytea            NOT NULL,
    slot       bytea,                           -- UTF-8 too
    scope      text             NOT NULL,
    confidence double precision NOT NULL,
    updated_at bigint           NOT NULL,
    evidence   bigint[]         NOT NULL,       -- entries that it rests on
    fact       text             NOT NULL,       -- JSON
    PRIMARY KEY (tenant, session_id, digest)
);

ALTER TABLE search_facts ALTER COLUMN fact SET STATISTICS 0;

CREATE INDEX search_facts_by_id ON search_facts (tenant, digest);
CREATE INDEX search_facts_by_time ON search_facts (tenant, updated_at DESC);
CREATE INDEX search_facts_by_slot ON search_facts (tenant, sha256(slot)) WHERE slot IS NOT NULL;

-- Vectors of one model and size are in a table of their own, `search_vectors_N`, made when the first one comes.
CREATE TABLE search_vector_tables (
    number     bigint NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model      text   COLLATE "C" NOT NULL,
    dimensions bigint NOT NULL,
    UNIQUE (model, dimensions)
);

CREATE TABLE search_models (
    tenant     text   COLLATE "C" NOT NULL,
    model      text   COLLATE "C" NOT NULL,
    number     bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
    vectors    bigint REFERENCES search_vector_tables (number), -- NULL until there is a vector
    begins     bigint NOT NULL,                 -- documents with smaller numbers are not yet among the unembedded
    PRIMARY KEY (tenant, model)
);

-- Documents that have no vectors yet, for each model that somebody asked for.
CREATE TABLE search_unembedded (
    tenant text   COLLATE "C" NOT NULL,
    model  bigint NOT NULL REFERENCES search_models (number) ON DELETE CASCADE,
    number bigint NOT NULL,
    at     bigint NOT NULL,
    PRIMARY KEY (tenant, model, number),
    FOREIGN KEY (tenant, number) REFERENCES search_documents (tenant, number) ON DELETE CASCADE
);

CREATE INDEX search_unembedded_by_document ON search_unembedded (tenant, number);
CREATE INDEX search_unembedded_by_time ON search_unembedded (tenant, model, at DESC, number DESC);

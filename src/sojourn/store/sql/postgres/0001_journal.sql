-- The journal and what belongs to it. Times are microseconds since 1970, in UTC. Every key begins with the tenant.
-- Everything is made in the first schema of the connection's search_path. Names sort by their bytes (collation "C"),
-- so that every store lists them in the same order.

CREATE TABLE sessions (
    tenant        text    COLLATE "C" NOT NULL,
    session_id    text    COLLATE "C" NOT NULL,
    head          bigint  NOT NULL,
    epoch         bigint  NOT NULL DEFAULT 0,
    base          text    COLLATE "C",          -- the session that stores entries 1 to base_seq
    base_seq      bigint  NOT NULL DEFAULT 0,
    quarantined   text,
    created_at    bigint  NOT NULL,
    updated_at    bigint  NOT NULL,
    active_hour   bigint  NOT NULL,             -- the hour of updated_at
    user_id       text    COLLATE "C",
    project       text    COLLATE "C",
    title         text,
    title_folded  text    COLLATE "C",
    title_source  text,
    tags          text    NOT NULL DEFAULT '[]',
    parent        text    COLLATE "C",
    forked_from   text    COLLATE "C",
    forked_at     bigint,
    superseded_by text    COLLATE "C",
    archived_at   bigint,
    trashed_at    bigint,
    message_count bigint  NOT NULL DEFAULT 0,
    total_tokens  bigint  NOT NULL DEFAULT 0,
    cost_micros   bigint  NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, session_id),
    -- A fork that begins while its base is being purged must not be left without a beginning.
    CONSTRAINT sessions_base FOREIGN KEY (tenant, base) REFERENCES sessions (tenant, session_id)
) WITH (fillfactor = 80);

-- By the hour, so that a turn within the hour leaves the indexes alone; a list sorts within each hour.
-- An index entry holds at most 2,700 bytes, a user's id any number, so its beginning is indexed.
CREATE INDEX sessions_by_activity ON sessions (tenant, active_hour DESC);
CREATE INDEX sessions_by_user ON sessions (tenant, left(user_id, 128), active_hour DESC) WHERE user_id IS NOT NULL;
CREATE INDEX sessions_by_base ON sessions (tenant, base) WHERE base IS NOT NULL;
CREATE INDEX sessions_by_parent ON sessions (tenant, parent) WHERE parent IS NOT NULL;

-- Payloads are text and not json: what was appended comes back to the letter, and a row that PostgreSQL cannot read
-- as JSON (damaged, encrypted, with a NUL in a string) can still be stored, copied and checked. The views read it.
CREATE TABLE journal (
    tenant     text    COLLATE "C" NOT NULL,
    session_id text    COLLATE "C" NOT NULL,
    seq        bigint  NOT NULL,
    at         bigint  NOT NULL,
    kind       text    COLLATE "C" NOT NULL,
    version    integer NOT NULL,
    causes     text,                            -- JSON array of seqs, NULL for none
    payload    text    NOT NULL,                -- JSON; with a key_id, an encrypted envelope
    key_id     text,
    crc        bigint  NOT NULL,
    PRIMARY KEY (tenant, session_id, seq)
) PARTITION BY HASH (session_id);

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE journal_%s PARTITION OF journal FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
                       lpad(part::text, 2, '0'), part);
    END LOOP;
END
$$;

CREATE INDEX journal_messages ON journal (tenant, session_id, seq) WHERE kind = 'message_added';

CREATE TABLE snapshots (
    tenant     text   COLLATE "C" NOT NULL,
    session_id text   COLLATE "C" NOT NULL,
    seq        bigint NOT NULL,
    data       bytea  NOT NULL,
    PRIMARY KEY (tenant, session_id, seq)
);

CREATE TABLE receipts (
    tenant     text   COLLATE "C" NOT NULL,
    session_id text   COLLATE "C" NOT NULL,
    digest     bytea  NOT NULL,                 -- SHA-256 of the key: an index entry cannot hold a long one
    key        text   NOT NULL,
    first_seq  bigint NOT NULL,
    last_seq   bigint NOT NULL,
    at         bigint NOT NULL,
    PRIMARY KEY (tenant, session_id, digest)
);

CREATE TABLE leases (
    tenant     text        COLLATE "C" NOT NULL,
    session_id text        COLLATE "C" NOT NULL,
    token      bigint      NOT NULL,
    holder     text,                            -- NULL: free
    expires    timestamptz NOT NULL,            -- by the server's clock, which all machines share
    boot_id    text        NOT NULL,
    pid_space  text        NOT NULL,
    pid        bigint      NOT NULL,
    pid_start  bigint      NOT NULL,
    PRIMARY KEY (tenant, session_id)
) WITH (fillfactor = 50);

CREATE TABLE partials (
    tenant     text   COLLATE "C" NOT NULL,
    session_id text   COLLATE "C" NOT NULL,
    text       text   NOT NULL,
    updated_at bigint NOT NULL,
    crc        bigint NOT NULL,
    PRIMARY KEY (tenant, session_id)
) WITH (fillfactor = 50);

CREATE TABLE documents (
    tenant     text   COLLATE "C" NOT NULL,
    digest     bytea  GENERATED ALWAYS AS (sha256(key)) STORED,
    key        bytea  NOT NULL,                 -- UTF-8: a key may hold any character, NUL too
    data       text   NOT NULL,
    updated_at bigint NOT NULL,
    crc        bigint NOT NULL,
    PRIMARY KEY (tenant, digest)
);

CREATE INDEX documents_by_key ON documents (tenant, substring(key FROM 1 FOR 256));

-- PostgreSQL's text cannot hold a NUL, and its JSON operators refuse a whole document for one `\u0000` in it. So that
-- one such row does not stop a query over all, this puts U+FFFD in its place; what is not JSON at all gives NULL.
CREATE FUNCTION readable_json(payload text) RETURNS json LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    PERFORM payload::json -> '';
    RETURN payload::json;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    BEGIN
        payload := regexp_replace(payload, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g');
        PERFORM payload::json -> '';
        RETURN payload::json;
    EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
        RETURN NULL;
    END;
END
$$;

CREATE FUNCTION readable_integer(digits text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT CASE WHEN digits ~ '^[0-9]{1,18}$' THEN digits::bigint END
$$;

CREATE FUNCTION readable_time(at bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT to_char(timestamp '1970-01-01' + at * interval '1 microsecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Views for people with psql. A fork's inherited entries are listed under the session that stores them. An encrypted
-- row shows NULL content. Who may not read the tables may not read the views either.

CREATE VIEW messages WITH (security_invoker = true) AS
SELECT
    message.tenant,
    message.session_id,
    message.seq                                                         AS id,
    message.body ->> 'role'                                             AS role,
    CASE WHEN message.body IS NOT NULL THEN coalesce(message.body ->> 'content', '') END AS content,
    message.body ->> 'name'                                             AS name,
    message.body ->> 'tool_call_id'                                     AS tool_call_id,
    message.body -> 'tool_calls'                                        AS tool_calls,
    readable_integer(message.body ->> 'tokens')                         AS tokens,
    message.at / 1e6::double precision                                  AS timestamp,
    message.seq > coalesce(compaction.through, 0)                       AS in_context,
    NULL::text                                                          AS summary_of
FROM (
    SELECT tenant, session_id, seq, at,
           CASE WHEN key_id IS NULL THEN readable_json(payload) -> 'message' END AS body
    FROM journal WHERE kind = 'message_added'
) AS message
LEFT JOIN (
    SELECT tenant, session_id, max(readable_integer(readable_json(payload) ->> 'through')) AS through
    FROM journal WHERE kind = 'compacted' AND key_id IS NULL
    GROUP BY tenant, session_id
) AS compaction ON compaction.tenant = message.tenant AND compaction.session_id = message.session_id;

CREATE VIEW events WITH (security_invoker = true) AS
SELECT
    tenant,
    session_id,
    seq                                                     AS id,
    readable_integer(substring(causes FROM '^\[([0-9]+)'))  AS message_id,
    kind                                                    AS event_type,
    CASE WHEN key_id IS NULL THEN readable_json(payload) END AS data,
    causes,
    at / 1e6::double precision                              AS timestamp
FROM journal
WHERE kind <> 'message_added';

CREATE VIEW metadata WITH (security_invoker = true) AS
SELECT tenant, session_id, item.key, item.value
FROM sessions
CROSS JOIN LATERAL (VALUES
    ('session_id', session_id),
    ('created_at', readable_time(created_at)),
    ('updated_at', readable_time(updated_at)),
    ('title', title),
    ('parent_id', coalesce(parent, forked_from))
) AS item (key, value)
WHERE item.value IS NOT NULL;

CREATE VIEW session_state WITH (security_invoker = true) AS
SELECT
    sessions.tenant,
    sessions.session_id,
    sessions.user_id,
    coalesce(focus.body ->> 'focus_type', 'general')        AS focus_type,
    focus.body ->> 'focus_id'                               AS focus_id,
    focus.body -> 'context'                                 AS focus_context,
    coalesce(mentions.entities, '[]'::json)                 AS referenced_entities,
    memory.body ->> 'text'                                  AS short_term_memory,
    (SELECT coalesce(sum(CASE WHEN kind = 'user_turn_counted' AND key_id IS NULL
                              THEN coalesce(readable_integer(readable_json(payload) ->> 'turns'), 1) ELSE 1 END),
                     0)::bigint
     FROM journal AS turn
     WHERE turn.tenant = sessions.tenant AND turn.session_id = sessions.session_id
       AND turn.kind IN ('turn_started', 'user_turn_counted')) AS turn_count,
    readable_time(sessions.created_at)                      AS created_at,
    readable_time(sessions.updated_at)                      AS updated_at
FROM sessions
LEFT JOIN LATERAL (
    SELECT readable_json(payload) AS body FROM journal
    WHERE journal.tenant = sessions.tenant AND journal.session_id = sessions.session_id
      AND kind = 'focus_changed' AND key_id IS NULL
    ORDER BY seq DESC LIMIT 1
) AS focus ON true
LEFT JOIN LATERAL (
    SELECT readable_json(payload) AS body FROM journal
    WHERE journal.tenant = sessions.tenant AND journal.session_id = sessions.session_id
      AND kind = 'short_term_memory_updated' AND key_id IS NULL
    ORDER BY seq DESC LIMIT 1
) AS memory ON true
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_object(
               'type', body ->> 'entity_type', 'id', body ->> 'entity_id', 'title', body ->> 'title',
               'referenced_at', coalesce(body ->> 'referenced_at', readable_time(at))) ORDER BY seq) AS entities
    FROM (
        SELECT seq, at, body FROM (
            SELECT DISTINCT ON (body ->> 'entity_type', body ->> 'entity_id') seq, at, body
            FROM (
                SELECT seq, at, readable_json(payload) AS body FROM journal
                WHERE journal.tenant = sessions.tenant AND journal.session_id = sessions.session_id
                  AND kind = 'entity_referenced' AND key_id IS NULL
            ) AS mention
            ORDER BY body ->> 'entity_type', body ->> 'entity_id', seq
        ) AS first_mention
        ORDER BY seq DESC LIMIT 20
    ) AS last_mentioned
) AS mentions ON true;

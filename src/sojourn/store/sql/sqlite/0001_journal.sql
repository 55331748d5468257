-- The journal and what belongs to it. Times are microseconds since 1970, in UTC. Every key begins with the tenant.

CREATE TABLE sessions (
    tenant        TEXT    NOT NULL,
    session_id    TEXT    NOT NULL,
    head          INTEGER NOT NULL,
    epoch         INTEGER NOT NULL DEFAULT 0,
    base          TEXT,                         -- the session that stores entries 1 to base_seq
    base_seq      INTEGER NOT NULL DEFAULT 0,
    quarantined   TEXT,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    active_hour   INTEGER NOT NULL,             -- the hour of updated_at
    user_id       TEXT,
    project       TEXT,
    title         TEXT,
    title_folded  TEXT,
    title_source  TEXT,
    tags          TEXT    NOT NULL DEFAULT '[]',
    parent        TEXT,
    forked_from   TEXT,
    forked_at     INTEGER,
    superseded_by TEXT,
    archived_at   INTEGER,
    trashed_at    INTEGER,
    message_count INTEGER NOT NULL DEFAULT 0,
    total_tokens  INTEGER NOT NULL DEFAULT 0,
    cost_micros   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, session_id)
) WITHOUT ROWID;

-- By the hour, so that a turn within the hour leaves the index alone; a list sorts within each hour.
CREATE INDEX sessions_by_activity ON sessions (tenant, active_hour DESC);
CREATE INDEX sessions_by_base ON sessions (tenant, base) WHERE base IS NOT NULL;
CREATE INDEX sessions_by_parent ON sessions (tenant, parent) WHERE parent IS NOT NULL;

CREATE TABLE journal (
    tenant     TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    causes     TEXT,                            -- JSON array of seqs, NULL for none
    payload    TEXT    NOT NULL,                -- JSON; with a key_id, an encrypted envelope
    key_id     TEXT,
    crc        INTEGER NOT NULL,
    PRIMARY KEY (tenant, session_id, seq)
);                                              -- with a rowid: entries are too long to be keys of a B-tree

CREATE INDEX journal_messages ON journal (tenant, session_id, seq) WHERE kind = 'message_added';

CREATE TABLE snapshots (
    tenant     TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    data       BLOB    NOT NULL,
    PRIMARY KEY (tenant, session_id, seq)
) WITHOUT ROWID;

CREATE TABLE receipts (
    tenant     TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (tenant, session_id, key)
) WITHOUT ROWID;

CREATE TABLE leases (
    tenant     TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    token      INTEGER NOT NULL,
    holder     TEXT,                            -- NULL: free
    expires    REAL    NOT NULL,                -- seconds since boot
    boot_id    TEXT    NOT NULL,
    pid_space  TEXT    NOT NULL,
    pid        INTEGER NOT NULL,
    pid_start  INTEGER NOT NULL,
    PRIMARY KEY (tenant, session_id)
) WITHOUT ROWID;

CREATE TABLE partials (
    tenant     TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    crc        INTEGER NOT NULL,
    PRIMARY KEY (tenant, session_id)
) WITHOUT ROWID;

CREATE TABLE documents (
    tenant     TEXT    NOT NULL,
    key        BLOB    NOT NULL,                -- UTF-8: a key may hold any character, NUL too
    data       TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    crc        INTEGER NOT NULL,
    PRIMARY KEY (tenant, key)
) WITHOUT ROWID;

-- One row per process that has the file open: a row from an earlier boot tells of a machine that went down.
CREATE TABLE openers (
    opener     TEXT    NOT NULL PRIMARY KEY,
    boot_id    TEXT    NOT NULL,
    pid_space  TEXT    NOT NULL,
    pid        INTEGER NOT NULL,
    pid_start  INTEGER NOT NULL
) WITHOUT ROWID;

-- Views for people with sqlite3 or Datasette. A fork's inherited entries are listed under the session that stores them.
-- An encrypted row shows NULL content.

CREATE VIEW messages AS
SELECT
    tenant,
    session_id,
    seq                                                                       AS id,
    CASE WHEN key_id IS NULL THEN payload ->> '$.message.role' END            AS role,
    CASE WHEN key_id IS NULL THEN coalesce(payload ->> '$.message.content', '') END AS content,
    CASE WHEN key_id IS NULL THEN payload ->> '$.message.name' END            AS name,
    CASE WHEN key_id IS NULL THEN payload ->> '$.message.tool_call_id' END    AS tool_call_id,
    CASE WHEN key_id IS NULL THEN payload -> '$.message.tool_calls' END       AS tool_calls,
    CASE WHEN key_id IS NULL THEN payload ->> '$.message.tokens' END          AS tokens,
    at / 1e6                                                                  AS timestamp,
    NOT EXISTS (
        SELECT 1 FROM journal AS compaction
        WHERE compaction.tenant = journal.tenant AND compaction.session_id = journal.session_id
          AND compaction.kind = 'compacted' AND compaction.key_id IS NULL
          AND compaction.payload ->> '$.through' >= journal.seq
    )                                                                         AS in_context,
    NULL                                                                      AS summary_of
FROM journal
WHERE kind = 'message_added';

CREATE VIEW events AS
SELECT
    tenant,
    session_id,
    seq                                        AS id,
    causes ->> '$[0]'                          AS message_id,
    kind                                       AS event_type,
    CASE WHEN key_id IS NULL THEN payload END  AS data,
    causes,
    at / 1e6                                   AS timestamp
FROM journal
WHERE kind <> 'message_added';

CREATE VIEW metadata AS
SELECT tenant, session_id, 'session_id' AS key, session_id AS value FROM sessions
UNION ALL
SELECT tenant, session_id, 'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') FROM sessions
UNION ALL
SELECT tenant, session_id, 'updated_at', strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1e6, 'unixepoch') FROM sessions
UNION ALL
SELECT tenant, session_id, 'title', title FROM sessions WHERE title IS NOT NULL
UNION ALL
SELECT tenant, session_id, 'parent_id', coalesce(parent, forked_from) FROM sessions
WHERE coalesce(parent, forked_from) IS NOT NULL;

CREATE VIEW session_state AS
SELECT
    tenant,
    session_id,
    user_id,
    coalesce(
        (SELECT coalesce(payload ->> '$.focus_type', 'general') FROM journal AS focus
         WHERE focus.tenant = sessions.tenant AND focus.session_id = sessions.session_id
           AND focus.kind = 'focus_changed' AND focus.key_id IS NULL ORDER BY seq DESC LIMIT 1),
        'general')                             AS focus_type,
    (SELECT payload ->> '$.focus_id' FROM journal AS focus
     WHERE focus.tenant = sessions.tenant AND focus.session_id = sessions.session_id
       AND focus.kind = 'focus_changed' AND focus.key_id IS NULL ORDER BY seq DESC LIMIT 1) AS focus_id,
    (SELECT payload -> '$.context' FROM journal AS focus
     WHERE focus.tenant = sessions.tenant AND focus.session_id = sessions.session_id
       AND focus.kind = 'focus_changed' AND focus.key_id IS NULL ORDER BY seq DESC LIMIT 1) AS focus_context,
    (SELECT json_group_array(json_object(
                'type', entity ->> '$.entity_type', 'id', entity ->> '$.entity_id', 'title', entity ->> '$.title',
                'referenced_at', coalesce(entity ->> '$.referenced_at',
                                          strftime('%Y-%m-%dT%H:%M:%fZ', first_at / 1e6, 'unixepoch'))))
     FROM (SELECT * FROM (
               SELECT payload AS entity, min(at) AS first_at, min(seq) AS first_seq FROM journal AS mention
               WHERE mention.tenant = sessions.tenant AND mention.session_id = sessions.session_id
                 AND mention.kind = 'entity_referenced' AND mention.key_id IS NULL
               GROUP BY payload ->> '$.entity_type', payload ->> '$.entity_id'
               ORDER BY first_seq DESC LIMIT 20)
           ORDER BY first_seq))                AS referenced_entities,
    (SELECT payload ->> '$.text' FROM journal AS memory
     WHERE memory.tenant = sessions.tenant AND memory.session_id = sessions.session_id
       AND memory.kind = 'short_term_memory_updated' AND memory.key_id IS NULL
     ORDER BY seq DESC LIMIT 1)                AS short_term_memory,
    (SELECT coalesce(sum(CASE WHEN kind = 'user_turn_counted' AND key_id IS NULL
                              THEN coalesce(payload ->> '$.turns', 1) ELSE 1 END), 0)
     FROM journal AS turn
     WHERE turn.tenant = sessions.tenant AND turn.session_id = sessions.session_id
       AND turn.kind IN ('turn_started', 'user_turn_counted')) AS turn_count,
    strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1e6, 'unixepoch') AS updated_at
FROM sessions;

-- Every statement that Sojourn runs on PostgreSQL, by name. The SQLite file has the same names.

-- name: select_session
SELECT session_id, head, epoch, base, base_seq, quarantined, created_at, updated_at, user_id, project, title,
       title_source, tags, parent, forked_from, forked_at, superseded_by, archived_at, trashed_at, message_count,
       total_tokens, cost_micros
FROM sessions WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: lock_session
SELECT session_id, head, epoch, base, base_seq, quarantined, created_at, updated_at, user_id, project, title,
       title_source, tags, parent, forked_from, forked_at, superseded_by, archived_at, trashed_at, message_count,
       total_tokens, cost_micros
FROM sessions WHERE tenant = %(tenant)s AND session_id = %(session_id)s FOR UPDATE;

-- name: hold_session
SELECT 1 FROM sessions WHERE tenant = %(tenant)s AND session_id = %(session_id)s FOR UPDATE;

-- name: list_sessions
SELECT session_id, head, epoch, base, base_seq, quarantined, created_at, updated_at, user_id, project, title,
       title_source, tags, parent, forked_from, forked_at, superseded_by, archived_at, trashed_at, message_count,
       total_tokens, cost_micros
FROM sessions
WHERE tenant = %(tenant)s
  AND active_hour <= %(before_hour)s
  AND (updated_at, session_id) < (%(before_at)s, %(before_id)s)
  AND (%(user_id)s::text IS NULL OR (left(user_id, 128) = left(%(user_id)s, 128) AND user_id = %(user_id)s))
  AND (%(project)s::text IS NULL OR project = %(project)s)
  AND (%(parent)s::text IS NULL OR parent = %(parent)s)
  AND (%(tag)s::text IS NULL
       OR EXISTS (SELECT 1 FROM json_array_elements_text(tags::json) AS tag (value) WHERE value = %(tag)s))
  AND (%(text)s::text IS NULL OR strpos(title_folded, %(text)s) > 0)
  AND (%(archived)s::boolean IS NULL OR (archived_at IS NOT NULL) = %(archived)s)
  AND (%(trashed)s::boolean IS NULL OR (trashed_at IS NOT NULL) = %(trashed)s)
  AND (%(superseded)s::boolean IS NULL OR (superseded_by IS NOT NULL) = %(superseded)s)
  AND (%(nested)s::boolean IS NULL OR (parent IS NOT NULL) = %(nested)s)
ORDER BY active_hour DESC, updated_at DESC, session_id DESC
LIMIT %(limit)s;

-- name: count_sessions
SELECT count(*) FROM sessions
WHERE tenant = %(tenant)s
  AND (%(user_id)s::text IS NULL OR (left(user_id, 128) = left(%(user_id)s, 128) AND user_id = %(user_id)s))
  AND (%(project)s::text IS NULL OR project = %(project)s)
  AND (%(parent)s::text IS NULL OR parent = %(parent)s)
  AND (%(tag)s::text IS NULL
       OR EXISTS (SELECT 1 FROM json_array_elements_text(tags::json) AS tag (value) WHERE value = %(tag)s))
  AND (%(text)s::text IS NULL OR strpos(title_folded, %(text)s) > 0)
  AND (%(archived)s::boolean IS NULL OR (archived_at IS NOT NULL) = %(archived)s)
  AND (%(trashed)s::boolean IS NULL OR (trashed_at IS NOT NULL) = %(trashed)s)
  AND (%(superseded)s::boolean IS NULL OR (superseded_by IS NOT NULL) = %(superseded)s)
  AND (%(nested)s::boolean IS NULL OR (parent IS NOT NULL) = %(nested)s);

-- name: insert_session
INSERT INTO sessions (
    tenant, session_id, head, epoch, base, base_seq, quarantined, created_at, updated_at, active_hour, user_id, project,
    title, title_folded, title_source, tags, parent, forked_from, forked_at, superseded_by, archived_at, trashed_at,
    message_count, total_tokens, cost_micros)
VALUES (
    %(tenant)s, %(session_id)s, %(head)s, %(epoch)s, %(base)s, %(base_seq)s, %(quarantined)s, %(created_at)s,
    %(updated_at)s, %(active_hour)s, %(user_id)s, %(project)s, %(title)s, %(title_folded)s, %(title_source)s,
    %(tags)s, %(parent)s, %(forked_from)s, %(forked_at)s, %(superseded_by)s, %(archived_at)s, %(trashed_at)s,
    %(message_count)s, %(total_tokens)s, %(cost_micros)s);

-- name: update_session
UPDATE sessions SET
    head = %(head)s, epoch = %(epoch)s, base = %(base)s, base_seq = %(base_seq)s, quarantined = %(quarantined)s,
    created_at = %(created_at)s, updated_at = %(updated_at)s, active_hour = %(active_hour)s,
    user_id = %(user_id)s, project = %(project)s, title = %(title)s, title_folded = %(title_folded)s,
    title_source = %(title_source)s, tags = %(tags)s, parent = %(parent)s, forked_from = %(forked_from)s,
    forked_at = %(forked_at)s, superseded_by = %(superseded_by)s, archived_at = %(archived_at)s, trashed_at = %(trashed_at)s, message_count = %(message_count)s,
    total_tokens = %(total_tokens)s, cost_micros = %(cost_micros)s
WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: advance_session
UPDATE sessions SET head = head + %s, updated_at = coalesce(%s, updated_at), message_count = message_count + %s,
    total_tokens = total_tokens + %s, cost_micros = cost_micros + %s
WHERE tenant = %s AND session_id = %s AND quarantined IS NULL AND (%s::bigint IS NULL OR head = %s)
RETURNING head, epoch, active_hour;

-- name: advance_hour
UPDATE sessions SET active_hour = %(active_hour)s WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: delete_session
DELETE FROM sessions WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: select_base
SELECT base, base_seq FROM sessions WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: list_forks
SELECT session_id, base_seq FROM sessions WHERE tenant = %(tenant)s AND base = %(session_id)s ORDER BY session_id;

-- name: insert_entry
INSERT INTO journal (tenant, session_id, seq, at, kind, version, causes, payload, key_id, crc)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s);

-- name: replace_entry
UPDATE journal SET kind = %(kind)s, version = %(version)s, causes = %(causes)s, payload = %(payload)s,
    key_id = %(key_id)s, crc = %(crc)s
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND seq = %(seq)s;

-- name: select_entries
SELECT seq, at, kind, version, causes, payload, key_id, crc FROM journal
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND seq BETWEEN %(first)s AND %(last)s
ORDER BY seq LIMIT %(limit)s;

-- name: select_entries_backward
SELECT seq, at, kind, version, causes, payload, key_id, crc FROM journal
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND seq BETWEEN %(first)s AND %(last)s
ORDER BY seq DESC LIMIT %(limit)s;

-- name: select_last_messages
SELECT seq, at, version, causes, payload, crc FROM journal
WHERE tenant = %s AND session_id = %s AND kind = 'message_added' ORDER BY seq DESC LIMIT %s;

-- name: select_messages_backward
SELECT seq, at, version, causes, payload, crc FROM journal
WHERE tenant = %s AND session_id = %s AND seq <= %s AND kind = 'message_added' ORDER BY seq DESC LIMIT %s;

-- name: delete_entries
DELETE FROM journal WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: insert_snapshot
INSERT INTO snapshots (tenant, session_id, seq, data) VALUES (%(tenant)s, %(session_id)s, %(seq)s, %(data)s)
ON CONFLICT (tenant, session_id, seq) DO UPDATE SET data = excluded.data;

-- name: select_snapshot
SELECT seq, data FROM snapshots
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND seq BETWEEN %(first)s AND %(last)s
ORDER BY seq DESC LIMIT 1;

-- name: copy_snapshots
INSERT INTO snapshots (tenant, session_id, seq, data)
SELECT tenant, %(target)s, seq, data FROM snapshots
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND seq BETWEEN %(first)s AND %(last)s;

-- name: delete_snapshots
DELETE FROM snapshots WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND seq >= %(first)s;

-- name: insert_receipt
INSERT INTO receipts (tenant, session_id, digest, key, first_seq, last_seq, at)
VALUES (%(tenant)s, %(session_id)s, sha256(convert_to(%(key)s, 'UTF8')), %(key)s, %(first_seq)s, %(last_seq)s,
    %(at)s);

-- name: select_receipt
SELECT first_seq, last_seq, at FROM receipts
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND digest = sha256(convert_to(%(key)s, 'UTF8'));

-- name: delete_receipts
DELETE FROM receipts WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: lock_lease
SELECT lease_token, lease_holder, lease_boot_id, lease_pid_space, lease_pid, lease_pid_start,
       lease_expires > clock_timestamp() AS live
FROM sessions WHERE tenant = %(tenant)s AND session_id = %(session_id)s FOR UPDATE;

-- name: put_lease
UPDATE sessions SET lease_token = %(token)s, lease_holder = %(holder)s,
    lease_expires = clock_timestamp() + %(ttl)s::double precision * interval '1 second', lease_boot_id = %(boot_id)s,
    lease_pid_space = %(pid_space)s, lease_pid = %(pid)s, lease_pid_start = %(pid_start)s
WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: clear_lease
UPDATE sessions SET lease_holder = NULL, lease_expires = NULL, lease_boot_id = NULL, lease_pid_space = NULL,
    lease_pid = NULL, lease_pid_start = NULL
WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: put_partial
INSERT INTO partials (tenant, session_id, text, updated_at, crc)
VALUES (%(tenant)s, %(session_id)s, %(text)s, %(updated_at)s, %(crc)s)
ON CONFLICT (tenant, session_id) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at,
    crc = excluded.crc;

-- name: select_partial
SELECT text, updated_at, crc FROM partials WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: delete_partial
DELETE FROM partials WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: put_document
INSERT INTO documents (tenant, key, data, updated_at, crc)
VALUES (%(tenant)s, %(key)s, %(data)s, %(updated_at)s, %(crc)s)
ON CONFLICT (tenant, digest) DO UPDATE SET data = excluded.data, updated_at = excluded.updated_at,
    crc = excluded.crc;

-- name: select_document
SELECT data, crc FROM documents WHERE tenant = %(tenant)s AND digest = sha256(%(key)s);

-- name: delete_document
DELETE FROM documents WHERE tenant = %(tenant)s AND digest = sha256(%(key)s);

-- name: list_keys
SELECT key FROM documents
WHERE tenant = %(tenant)s
  AND substring(key FROM 1 FOR 256) >= substring(%(prefix)s::bytea FROM 1 FOR 256)
  AND substring(key FROM 1 FOR length(%(prefix)s::bytea)) = %(prefix)s
ORDER BY key;

-- name: list_all_sessions
SELECT tenant, session_id FROM sessions
UNION
SELECT DISTINCT tenant, session_id FROM journal
ORDER BY tenant, session_id;

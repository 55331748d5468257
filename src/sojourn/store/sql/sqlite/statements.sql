-- Every statement that Sojourn runs on SQLite, by name. The Postgres file has the same names.

-- name: select_session
SELECT session_id, head, epoch, base, base_seq, quarantined, created_at, updated_at, user_id, project, title,
       title_source, tags, parent, forked_from, forked_at, superseded_by, archived_at, trashed_at, message_count,
       total_tokens, cost_micros
FROM sessions WHERE tenant = :tenant AND session_id = :session_id;

-- name: lock_session
SELECT session_id, head, epoch, base, base_seq, quarantined, created_at, updated_at, user_id, project, title,
       title_source, tags, parent, forked_from, forked_at, superseded_by, archived_at, trashed_at, message_count,
       total_tokens, cost_micros
FROM sessions WHERE tenant = :tenant AND session_id = :session_id;

-- name: hold_session
SELECT 1 FROM sessions WHERE tenant = :tenant AND session_id = :session_id;

-- name: list_sessions
SELECT session_id, head, epoch, base, base_seq, quarantined, created_at, updated_at, user_id, project, title,
       title_source, tags, parent, forked_from, forked_at, superseded_by, archived_at, trashed_at, message_count,
       total_tokens, cost_micros
FROM sessions
WHERE tenant = :tenant
  AND active_hour <= :before_hour
  AND (updated_at, session_id) < (:before_at, :before_id)
  AND (:user_id IS NULL OR user_id = :user_id)
  AND (:project IS NULL OR project = :project)
  AND (:parent IS NULL OR parent = :parent)
  AND (:tag IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value = :tag))
  AND (:text IS NULL OR instr(title_folded, :text) > 0)
  AND (:archived IS NULL OR (archived_at IS NOT NULL) = :archived)
  AND (:trashed IS NULL OR (trashed_at IS NOT NULL) = :trashed)
  AND (:superseded IS NULL OR (superseded_by IS NOT NULL) = :superseded)
  AND (:nested IS NULL OR (parent IS NOT NULL) = :nested)
ORDER BY active_hour DESC, updated_at DESC, session_id DESC
LIMIT :limit;

-- name: count_sessions
SELECT count(*) FROM sessions
WHERE tenant = :tenant
  AND (:user_id IS NULL OR user_id = :user_id)
  AND (:project IS NULL OR project = :project)
  AND (:parent IS NULL OR parent = :parent)
  AND (:tag IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value = :tag))
  AND (:text IS NULL OR instr(title_folded, :text) > 0)
  AND (:archived IS NULL OR (archived_at IS NOT NULL) = :archived)
  AND (:trashed IS NULL OR (trashed_at IS NOT NULL) = :trashed)
  AND (:superseded IS NULL OR (superseded_by IS NOT NULL) = :superseded)
  AND (:nested IS NULL OR (parent IS NOT NULL) = :nested);

-- name: insert_session
INSERT INTO sessions (
    tenant, session_id, head, epoch, base, base_seq, quarantined, created_at, updated_at, active_hour, user_id, project,
    title, title_folded, title_source, tags, parent, forked_from, forked_at, superseded_by, archived_at, trashed_at,
    message_count, total_tokens, cost_micros)
VALUES (
    :tenant, :session_id, :head, :epoch, :base, :base_seq, :quarantined, :created_at, :updated_at, :active_hour,
    :user_id, :project, :title, :title_folded, :title_source, :tags, :parent, :forked_from, :forked_at, :superseded_by, :archived_at,
    :trashed_at, :message_count, :total_tokens, :cost_micros);

-- name: update_session
UPDATE sessions SET
    head = :head, epoch = :epoch, base = :base, base_seq = :base_seq, quarantined = :quarantined,
    created_at = :created_at, updated_at = :updated_at, active_hour = :active_hour, user_id = :user_id,
    project = :project, title = :title, title_folded = :title_folded, title_source = :title_source, tags = :tags, parent = :parent,
    forked_from = :forked_from, forked_at = :forked_at, superseded_by = :superseded_by, archived_at = :archived_at,
    trashed_at = :trashed_at, message_count = :message_count, total_tokens = :total_tokens, cost_micros = :cost_micros
WHERE tenant = :tenant AND session_id = :session_id;

-- name: advance_session
UPDATE sessions SET head = head + ?, updated_at = coalesce(?, updated_at), message_count = message_count + ?,
    total_tokens = total_tokens + ?, cost_micros = cost_micros + ?
WHERE tenant = ? AND session_id = ? AND quarantined IS NULL AND (? IS NULL OR head = ?)
RETURNING head, epoch, active_hour;

-- name: advance_hour
UPDATE sessions SET active_hour = :active_hour WHERE tenant = :tenant AND session_id = :session_id;

-- name: delete_session
DELETE FROM sessions WHERE tenant = :tenant AND session_id = :session_id;

-- name: select_base
SELECT base, base_seq FROM sessions WHERE tenant = :tenant AND session_id = :session_id;

-- name: list_forks
SELECT session_id, base_seq FROM sessions WHERE tenant = :tenant AND base = :session_id ORDER BY session_id;

-- name: insert_entry
INSERT INTO journal (tenant, session_id, seq, at, kind, version, causes, payload, key_id, crc)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: replace_entry
UPDATE journal SET kind = :kind, version = :version, causes = :causes, payload = :payload, key_id = :key_id, crc = :crc
WHERE tenant = :tenant AND session_id = :session_id AND seq = :seq;

-- name: select_entries
SELECT seq, at, kind, version, causes, payload, key_id, crc FROM journal
WHERE tenant = :tenant AND session_id = :session_id AND seq BETWEEN :first AND :last ORDER BY seq LIMIT :limit;

-- name: select_entries_backward
SELECT seq, at, kind, version, causes, payload, key_id, crc FROM journal
WHERE tenant = :tenant AND session_id = :session_id AND seq BETWEEN :first AND :last ORDER BY seq DESC LIMIT :limit;

-- name: select_last_messages
SELECT seq, at, version, causes, payload, crc FROM journal
WHERE tenant = ? AND session_id = ? AND kind = 'message_added' ORDER BY seq DESC LIMIT ?;

-- name: select_messages_backward
SELECT seq, at, version, causes, payload, crc FROM journal
WHERE tenant = ? AND session_id = ? AND seq <= ? AND kind = 'message_added' ORDER BY seq DESC LIMIT ?;

-- name: delete_entries
DELETE FROM journal WHERE tenant = :tenant AND session_id = :session_id;

-- name: insert_snapshot
INSERT INTO snapshots (tenant, session_id, seq, data) VALUES (:tenant, :session_id, :seq, :data)
ON CONFLICT (tenant, session_id, seq) DO UPDATE SET data = excluded.data;

-- name: select_snapshot
SELECT seq, data FROM snapshots
WHERE tenant = :tenant AND session_id = :session_id AND seq BETWEEN :first AND :last ORDER BY seq DESC LIMIT 1;

-- name: copy_snapshots
INSERT INTO snapshots (tenant, session_id, seq, data)
SELECT tenant, :target, seq, data FROM snapshots
WHERE tenant = :tenant AND session_id = :session_id AND seq BETWEEN :first AND :last;

-- name: delete_snapshots
DELETE FROM snapshots WHERE tenant = :tenant AND session_id = :session_id AND seq >= :first;

-- name: insert_receipt
INSERT INTO receipts (tenant, session_id, key, first_seq, last_seq, at)
VALUES (:tenant, :session_id, :key, :first_seq, :last_seq, :at);

-- name: select_receipt
SELECT first_seq, last_seq, at FROM receipts WHERE tenant = :tenant AND session_id = :session_id AND key = :key;

-- name: delete_receipts
DELETE FROM receipts WHERE tenant = :tenant AND session_id = :session_id;

-- name: lock_lease
SELECT lease_token, lease_holder, lease_boot_id, lease_pid_space, lease_pid, lease_pid_start,
       lease_expires > :now AND lease_boot_id = :boot_id AS live
FROM sessions WHERE tenant = :tenant AND session_id = :session_id;

-- name: put_lease
UPDATE sessions SET lease_token = :token, lease_holder = :holder,
    lease_expires = :now + :ttl, lease_boot_id = :boot_id,
    lease_pid_space = :pid_space, lease_pid = :pid, lease_pid_start = :pid_start
WHERE tenant = :tenant AND session_id = :session_id;

-- name: clear_lease
UPDATE sessions SET lease_holder = NULL, lease_expires = NULL, lease_boot_id = NULL, lease_pid_space = NULL,
    lease_pid = NULL, lease_pid_start = NULL
WHERE tenant = :tenant AND session_id = :session_id;

-- name: put_partial
INSERT INTO partials (tenant, session_id, text, updated_at, crc)
VALUES (:tenant, :session_id, :text, :updated_at, :crc)
ON CONFLICT (tenant, session_id) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at,
    crc = excluded.crc;

-- name: select_partial
SELECT text, updated_at, crc FROM partials WHERE tenant = :tenant AND session_id = :session_id;

-- name: delete_partial
DELETE FROM partials WHERE tenant = :tenant AND session_id = :session_id;

-- name: put_document
INSERT INTO documents (tenant, key, data, updated_at, crc)
VALUES (:tenant, :key, :data, :updated_at, :crc)
ON CONFLICT (tenant, key) DO UPDATE SET data = excluded.data, updated_at = excluded.updated_at,
    crc = excluded.crc;

-- name: select_document
SELECT data, crc FROM documents WHERE tenant = :tenant AND key = :key;

-- name: delete_document
DELETE FROM documents WHERE tenant = :tenant AND key = :key;

-- name: list_keys
SELECT key FROM documents
WHERE tenant = :tenant AND key >= :prefix
  AND (length(:prefix) = 0 OR substr(key, 1, length(:prefix)) = :prefix) -- substr of an empty key is NULL
ORDER BY key;

-- name: list_all_sessions
SELECT tenant, session_id FROM sessions
UNION
SELECT DISTINCT tenant, session_id FROM journal
ORDER BY tenant, session_id;

-- Who holds a session's turn stands in the session's own row, which every append writes anyway.

ALTER TABLE sessions ADD COLUMN lease_token INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN lease_holder TEXT;              -- NULL: free
ALTER TABLE sessions ADD COLUMN lease_expires REAL;             -- seconds since boot
ALTER TABLE sessions ADD COLUMN lease_boot_id TEXT;
ALTER TABLE sessions ADD COLUMN lease_pid_space TEXT;
ALTER TABLE sessions ADD COLUMN lease_pid INTEGER;
ALTER TABLE sessions ADD COLUMN lease_pid_start INTEGER;

-- No process of an older version can go on with the file: only the tokens must not begin anew.
UPDATE sessions SET lease_token = leases.token FROM leases
WHERE leases.tenant = sessions.tenant AND leases.session_id = sessions.session_id;
DROP TABLE leases;

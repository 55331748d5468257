-- Who holds a session's turn stands in the session's own row, which every append writes anyway.

ALTER TABLE sessions
    ADD COLUMN lease_token     bigint NOT NULL DEFAULT 0,
    ADD COLUMN lease_holder    text,                            -- NULL: free
    ADD COLUMN lease_expires   timestamptz,                     -- by the server's clock, which all machines share
    ADD COLUMN lease_boot_id   text,
    ADD COLUMN lease_pid_space text,
    ADD COLUMN lease_pid       bigint,
    ADD COLUMN lease_pid_start bigint;

-- No process of an older version can go on with the schema: only the tokens must not begin anew.
UPDATE sessions SET lease_token = leases.token FROM leases
WHERE leases.tenant = sessions.tenant AND leases.session_id = sessions.session_id;
DROP TABLE leases;

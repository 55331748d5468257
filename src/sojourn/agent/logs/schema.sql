-- Schema version tracking
CREATE TABLE schema_version (version INTEGER PRIMARY KEY);

-- Core message storage
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    role TEXT NOT NULL,           -- system, user, assistant, tool
    content TEXT NOT NULL,
    name TEXT,                    -- tool name (for tool role)
    tool_call_id TEXT,            -- links tool result to call
    tool_calls TEXT,              -- JSON array of tool calls
    tokens INTEGER,
    timestamp REAL NOT NULL,
    in_context INTEGER DEFAULT 1, -- still in active context?
    summary_of TEXT               -- comma-separated IDs if summary
);

-- Key-value metadata
CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT);

-- Events for verbose logging
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id INTEGER,
    event_type TEXT NOT NULL,     -- thinking, timing, token_usage
    data TEXT,                    -- JSON payload
    timestamp REAL NOT NULL,
    FOREIGN KEY (message_id) REFERENCES messages(id)
);

-- Indexes
CREATE INDEX idx_messages_in_context ON messages(in_context);
CREATE INDEX idx_messages_role ON messages(role);
CREATE INDEX idx_events_type ON events(event_type);
CREATE INDEX idx_events_message ON events(message_id);

INSERT INTO schema_version (version) VALUES (1);

"""The store that people can read: a folder per session, with nothing in it but JSON. `folders` says what lies where.

`journal.jsonl` is the truth, and is only ever appended to (`line`, `journal_file`) but for forgetting and detaching
(`rewriting`). Everything else in a session's folder is derived from it: read back by `loading`, brought up to it by
`settling`, and made anew when it is missing, damaged or behind. `index` and `receipts` find a place in a long journal
without reading it; `blocks` and `reading` read by them. A `shelf` locks, looks up and remembers a tenant's sessions.

`journal`, `sessions`, `redaction`, `leases`, `streaming`, `documents`, `transcript` and `care` hold the operations,
plain functions that block; `store` offers them as a `Store` and has them run on threads (`root`, `lanes`).
"""

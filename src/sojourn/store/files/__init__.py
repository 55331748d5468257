"""The store that people can read: a folder per session, with nothing in it but JSON.

`journal.jsonl` is the truth and is only ever appended to (`line`, `journal_file`); everything else in a session's
folder is derived from it and made anew when it is missing, damaged or behind (`held`). `index` and `receipts` find a
place in a long journal without reading it, `blocks` and `reading` read by them. `appending`, `sessions`, `redaction`,
`leases`, `documents` and `care` hold the operations, plain functions that block; `store.py` offers them as a `Store`
and runs them on threads (`lanes`).
"""

"""The SQL stores. Each operation is written once, as a generator of named statements that does no I/O itself.

`sessions`, `journal`, `redaction`, `leases`, `documents` and `care` hold the operations; `store.py` offers them as a
`Store`; a driver (`sqlite_driver`, `postgres_driver`) runs one operation in one transaction. The statements' texts are
in one file per dialect, with the same names, beside the numbered migrations.
"""

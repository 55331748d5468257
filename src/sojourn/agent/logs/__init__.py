"""Logs for people: what an agent said and did, in files that any editor and any SQLite browser opens.

`logger` is the front, `config` says what is written and where. `folder` keeps one session's files in step with each
other: `storage` is its database, `markdown` has the texts; `raw` has what went over the wire. `projection` lets a log
follow the journal of a durable session, by what `folding` makes of each entry; `whereabouts` knows which logs a session
has. The engine never reads any of it back: the journal is the truth.
"""

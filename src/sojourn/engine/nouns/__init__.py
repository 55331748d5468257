"""What can be done with a live session, one class per noun: `session.facts`, `session.focus`, `session.profile` ...

A noun is a thin, short-lived view of its session: it turns an intention into events, appends them, and returns what
the state then holds. It keeps nothing itself. Nouns see the session through `engine.live.Live` only.
"""

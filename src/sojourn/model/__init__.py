"""Pure values and the fold: events, entries, messages, and the state that a journal adds up to.

Nothing here does I/O, reads a clock, or knows a database, and nothing here imports from the rest of Sojourn but
`errors`. Everybody may import it.
"""

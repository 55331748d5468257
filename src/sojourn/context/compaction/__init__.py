"""Making an old talk short: what of it is summarised, and how.

`cut` chooses which messages go, `summariser` says what a summariser is, `extractive` is one that needs nothing and
`written_by_model` one that lets a model write. Nothing here reads a store or a clock; `engine.compacting` compacts a
session.
"""

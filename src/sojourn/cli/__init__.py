"""The `sojourn` command. A door: it calls the engine, and nobody imports it.

`commands.py` knows which commands there are and loads each when it is asked for; a command's own module parses, calls
the engine, and hands the result to `output.py`, which alone prints results. `diagnostics.py` prints the rest.
What the commands on sessions share is in `frame` (how they are asked and answer), `place` (which store and project) and
`references` (which session is meant); `rows`, `transcript`, `columns` and `wording` say how things look.
A chat has rooms of its own: `line_mode` is the person's side of it, `conversation` the engine's, `screen` how it looks,
`slash_commands` what can be done beside talking, `equipment` what the model may do and `asking` who is asked before.
"""

from sojourn.cli.commands import main

__all__ = ["main"]

"""The `sojourn` command. A door: it calls the engine, and nobody imports it.

`commands.py` knows which commands there are, and `lazy_group` loads each when it is asked for; a command's own module
parses, calls the engine, and hands the result to `output.py`, which alone prints results. `diagnostics.py` prints the
rest. What the commands on sessions share is in `frame` (how they are asked and answer), `place` (which store and
project) and `transcript` (how messages look). Those on what a session knows share `groups` (commands under one word),
`subject` (which session), `evidence` (why something is believed), `tables`, and `prompting` (asking before it is done).

What is no command goes through the `front` door, which opens the app, a chat line by line, or prints one answer
(`printing`); `wanted` is what can be typed for each of them. A chat line by line has rooms of its own: `line_mode` is
the person's side of it, `screen` how it looks, and `asking` who is asked before a tool runs. What other doors need as
well is in `sojourn.desk`.
"""

from sojourn.cli.commands import main

__all__ = ["main"]

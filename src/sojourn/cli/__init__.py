"""The `sojourn` command. A door: it calls the engine, and nobody imports it.

`commands.py` knows which commands there are and loads each when it is asked for; a command's own module parses, calls
the engine, and hands the result to `output.py`, which alone prints results. `diagnostics.py` prints the rest.
"""

from sojourn.cli.commands import main

__all__ = ["main"]

"""Sessions from elsewhere: from another Sojourn, from Claude Code and from Codex.

`finding` looks for files and says whose they are, `line_file` reads them line by line, and each maker has a room that
knows what its lines mean. `keeping` stores what they say: what is new, and nothing twice. A file is never trusted: its
lines are bounded, its names are checked, and what cannot be understood is counted and left out.
"""

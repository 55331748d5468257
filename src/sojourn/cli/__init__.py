"""The `sojourn` command. A door: it calls the engine, and nobody imports it."""

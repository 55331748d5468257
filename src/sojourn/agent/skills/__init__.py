"""Skills: what an agent can do besides talking.

`skill` says what one is, `function` makes one of a function, `registry` holds an agent's, `services` is what they may
need. `builtin` has those that come with Sojourn. May import the engine and the rest of the agent's values.
"""

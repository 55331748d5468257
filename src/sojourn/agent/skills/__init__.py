"""Skills: what an agent can do besides talking.

`skill` says what one is, `function` makes one of a function (`signature` and `docstring` read it), `registry` holds an
agent's by `names`, also those of a `source` that come and go, `services` is what they may need, `variables` fills in
arguments. `builtin` has those that come with Sojourn. May import the engine and the rest of the agent's values.
"""

"""Language models, each behind a small protocol. An adapter knows one vendor's SDK, and nobody else knows any.

`protocol` says what a model is asked and what it streams back, `payloads` writes a talk in a vendor's form, and
`structured` is a model that answers with JSON of a given shape. `scripted` says what it is told to say, `local` runs a
small model in this process, and `choosing` says which model is used when somebody wants one. May import the model and
the errors; the memory, the context, the engine, the agent and the doors import it.
"""

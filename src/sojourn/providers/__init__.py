"""Language models, each behind a small protocol. An adapter knows one vendor's SDK, and nobody else knows any.

`structured` is a model that answers with JSON of a given shape; `openai_structured` is one on the OpenAI protocol.
May import the model and the errors; the memory, the engine and the doors import it.
"""

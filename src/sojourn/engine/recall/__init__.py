"""Remembering, as the app does it: learning from what is said, indexing it, searching it, answering from it.

`learner` turns what an extractor found into events. `indexer` and `embedding` keep the search index up with the
journals, and `searching` asks it. `answering` answers a question from state, facts and search. `wider` is what holds
beyond one session, and `ingesting` takes in talks that happened elsewhere.
"""

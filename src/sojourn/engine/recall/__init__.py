"""Remembering across sessions: `memory` is what the app holds, and what it is made of.

`indexer` and `embedding` keep the search index up with the journals; `scope` says how far a search reaches; `answering`
answers a question from state, facts and search; `recap` says where a session stands; `ingesting` takes in talks that
happened elsewhere.
"""

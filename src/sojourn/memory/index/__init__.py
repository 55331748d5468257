"""Search: every message and every fact of every session, by words, by parts of words and by meaning.

`document` has what is indexed and what is found, `protocol` what a database must offer. `question` reads a question,
`ranking` decides which documents answer it, and `search` does both over an index. All of it is derived from the
journals and can be made anew.
"""

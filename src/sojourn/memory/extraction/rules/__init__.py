"""Reads an exchange by grammar: at once, offline, the same answer each time.

`reading` cuts a message into sentences and clauses and hides what its writer did not say (code, logs, quotations);
everything else here reads a `Reading`, never the raw text. `profile` and `people` know how people state things about
themselves and those around them, `lexicon*` are the word lists behind them. Offsets are always into the original text.
"""

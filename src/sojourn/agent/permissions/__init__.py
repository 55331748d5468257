"""What an agent may do, and asking a human.

`levels` and `rules` are what is written down, `policy` decides about one call from them, `ceilings` is what an agent
may hand on to another. `paths` compares places on disk. `approvals` are the answers a human can give and where they
are kept, and `gate` is what an agent calls before a tool runs.
"""

"""The screen on which a person looks at what was learned, and puts it right.

`screen` is the whole of it. `known` reads the facts, of this session and of those it shares with others; `listing` is
the list, `rows` how one looks, and `head` says which are listed. `grounds` finds out what one rests on, and `evidence`
shows it. `wording` asks for words; `changes` changes facts, and takes a change back.
"""

from sojourn.tui.review.screen import ReviewScreen

__all__ = ["ReviewScreen"]

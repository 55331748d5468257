"""Sessions as files that others can read: `forms` knows which there are, and each form has a room of its own.

Every form is made page by page from the journal, so a long session needs no more memory than a short one. Nothing is
ever sent anywhere, and secrets are left out unless somebody wants them in.
"""

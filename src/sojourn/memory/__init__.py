"""What is remembered: extraction (what an exchange states), facts (what becomes of it), embeddings, and the index.

Nothing here knows a session: the engine reads the journals, hands over what was said, and appends what comes back.
"""

"""What people program against: live sessions on a store.

It stands on `store` and `model`; the agent and the doors stand on it. It knows no database and no user interface.
"""

"""What every door for people has in common. It reads and writes no terminal: the command line and the app do that.

`home` says where a person's sessions are, `references` which session is meant. `conversation` is a chat with a model,
which `opening` sets up, `equipment` arms with tools, and `slash_commands` serves beside the talking. `visible`,
`wording`, `columns`, `rows` and `periods` say how things look and are typed.
"""

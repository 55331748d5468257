"""What every door for people has in common. It reads and writes no terminal: the command line and the app do that.

`home` says where a person's things are, `config` what he has settled (`settings_known` which settings there are,
`config_text` how one is changed), `references` which session is meant. `start` says how a chat begins; `opening` sets
it up, `equipment` and `tool_servers` arm its model, `logbook` writes it down. `conversation` is the chat itself, and
`slash_commands` and `session_commands` serve beside the talking. `tree`, `spending`, `exporting` and `importing` are
about sessions; `visible`, `legible`, `wording`, `columns`, `rows`, `figures`, `amounts`, `windows` and `periods` say
how things look and are typed.
"""

"""The app for a terminal. A door: it shows what the desk and the engine hold, and keeps nothing of its own.

`launch` opens it and `app` is the whole of it. `chat` is the screen that one talks in; `finder`, `branches`,
`inspector`, `review`, `spending` and `keys` are the others, `panels` what stands beside the talk, `themes` how it all
looks. What is shown of a session comes from its journal, so two apps on one session show the same, and a restart shows
what was there before.
"""

"""The screen that one talks in.

`items` says what of a journal is shown, and reads it page by page; `transcript` shows a window of it, `views` how each
item looks. `prompt` is where one types, with `completion` above it, which offers `commands` and `files`; it is built on
`drafted` and `pasting`, and knows `history` and an `editor`. `turns` takes what was typed to the model, one after the
other. `answer` is what the model is saying right now, `cards` are questions that wait for the person, `status` is the
line below.
"""

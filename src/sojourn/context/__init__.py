"""What the model sees: the smallest prompt that answers, and why it holds what it holds.

`builder` makes a `Context` of `inputs`: `sections` offers pieces of a state, `planner` chooses among them, `window`
takes the recent messages, `layout` puts all of it in its place. `talk` puts messages together that belong together,
`validity` makes any stretch of a history acceptable to a provider,
`tokens` counts, and `models` knows what models take and cost. Nothing here reads a store or a clock.
"""

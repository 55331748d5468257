"""What the model sees: the smallest prompt that answers, and why it holds what it holds.

`talk` puts messages together that belong together, `validity` makes any stretch of a history acceptable to a provider,
`payloads` writes it in the provider's own form, and `tokens` counts. Nothing here reads a store or a clock.
"""

"""What an exchange states: about the user, about the work, and what the user wants.

`statement` has the values, `protocol` what every extractor is. `rules` reads by grammar, at once and offline; `model`
asks a language model; `hybrid` does both.
"""

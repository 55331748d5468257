"""Texts as vectors: what an embedder is, the ones that come in packages, and one behind an HTTP address."""

"""Texts as vectors: what an embedder is, the ones that come in packages, and one behind an HTTP address.

`wordllama` and `minilm` run here, from files that are installed; `endpoint` asks a server. `choosing` takes the best
that is installed, `caching` remembers what was asked before. Anyone may call `embed`, from several threads at once.
"""

"""The checks that every store passes, one module for each of its duties; `sojourn.testing` puts them together."""

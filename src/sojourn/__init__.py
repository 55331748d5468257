"""Sojourn: the session-state engine for LLM agents."""

__version__ = "0.1.0"

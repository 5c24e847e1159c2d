"""The error of models that cannot be converted."""

from __future__ import annotations

from agent.errors import WorkbenchError


class ConversionError(WorkbenchError):
    """llama.cpp would not compute this model, or the file written from it, correctly."""

"""Why a model cannot become a GGUF pair."""

from __future__ import annotations

from agent.errors import WorkbenchError


class ExportError(WorkbenchError):
    """The model, or the file written from it, is not what llama.cpp would compute rightly."""

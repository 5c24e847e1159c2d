"""Why a list was not imported, in words the user can act on."""

from __future__ import annotations

from agent.errors import WorkbenchError


class ImportFailed(WorkbenchError):
    """Nothing of the list was taken over: what is wrong with it and what to try."""


class ImportStopped(WorkbenchError):
    """Somebody stopped the import; nothing of the list was taken over."""

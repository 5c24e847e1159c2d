"""What SAMP refuses or cannot do."""

from __future__ import annotations

from agent.errors import WorkbenchError


class SampError(WorkbenchError):
    """No hub, or a hub or program that does not answer."""


class RefusedMessage(WorkbenchError):
    """A message of another program that is not followed, and why."""

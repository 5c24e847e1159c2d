"""The SAMP library, imported when SAMP is first switched on and kept off the network."""

from functools import cache
from typing import Any

from agent.errors import WorkbenchError

LOOPBACK = "127.0.0.1"


class SampError(WorkbenchError):
    """No hub, or a hub or program that does not answer."""


class RefusedMessage(WorkbenchError):
    """A message of another program that is not followed, and why."""


@cache
def samp_library() -> Any:
    """The module pyvo.samp. Raises SampError where it is not installed."""
    try:
        import pyvo.samp  # takes a second
    except ImportError as error:
        raise SampError("SAMP needs pyvo, which is not installed: pip install pyvo") from error

    # Without this it calls a web site to find out whether there is a network, and then listens
    # on an address that other machines can reach.
    pyvo.samp.conf.use_internet = False
    return pyvo.samp

"""Reading spectra of any survey: `read(path, row=0, target=None)`."""

from agent.spectra.readers.base import Malformed, NotMine, Reader, Request
from agent.spectra.readers.registry import read, register

__all__ = ["Malformed", "NotMine", "Reader", "Request", "read", "register"]

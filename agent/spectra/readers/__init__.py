"""Reading spectra of any survey: `read(path, row=0, target=None)`; by a number: `read_numbered`."""

from agent.spectra.readers.base import Malformed, NotMine, Reader, Request
from agent.spectra.readers.registry import read, read_numbered, register

__all__ = ["Malformed", "NotMine", "Reader", "Request", "read", "read_numbered", "register"]

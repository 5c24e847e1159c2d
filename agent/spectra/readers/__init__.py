"""Reads spectra of any survey with `read(path, row=0, target=None)`."""

from agent.spectra.readers.base import Malformed, NotMine, Reader, Request
from agent.spectra.readers.registry import read, read_numbered, register

__all__ = ["Malformed", "NotMine", "Reader", "Request", "read", "read_numbered", "register"]

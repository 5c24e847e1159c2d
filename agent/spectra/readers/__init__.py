"""Reads spectra of any survey with `read(path, row=0, target=None)`."""

from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import Malformed, NotMine, Pixels, Reader, Request, build
from agent.spectra.readers.registry import read, read_numbered, register

__all__ = [
    "Malformed", "NotMine", "Pixels", "Reader", "Request", "SourceFile", "build", "read",
    "read_numbered", "register",
]  # fmt: skip

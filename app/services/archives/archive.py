"""What every archive does: find the spectra of a row, then get the file of one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from app.services.archives.wanted import Wanted
from app.services.web.client import WebClient
from app.services.web.errors import ServiceError
from app.services.web.pace import ShouldStop

MAX_FILE = 32 * 2**20
"""Bytes of one spectrum; single ones have less than a tenth of it."""
PATIENCE_S = 120.0


class NotTold(ServiceError):
    """The row does not say which spectrum of this archive it means."""


class NoSpectrum(ServiceError):
    """The archive has answered, and has no such spectrum."""


class WrongFile(ServiceError):
    """What the archive sent is not the spectrum that was asked for."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """A spectrum in an archive."""

    id: str
    """What tells it from all others of its archive."""
    stem: str
    """Name of its file without the suffix: letters, digits, `-`, `_`, `.` and `+`."""
    urls: tuple[str, ...]
    """Where it may be, most likely first."""
    release: str = ""
    names: tuple[str, ...] = ()
    """A file of it holds one of these as the name or as a number of its object."""
    ra: float | None = None
    dec: float | None = None
    separation_arcsec: float | None = None
    """From the place that was asked for."""


@dataclass(frozen=True, kw_only=True)
class FetchedFile:
    content: bytes
    url: str
    """Without anything secret."""


class Archive(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def sends(self) -> str:
        """One sentence on what leaves the machine."""

    def find(
        self, wanted: Wanted, radius_arcsec: float, client: WebClient, should_stop: ShouldStop
    ) -> list[Found]:
        """Best first, at least one. Raises ServiceError, or Stopped."""

    def get(self, found: Found, client: WebClient, should_stop: ShouldStop) -> FetchedFile:
        """Its file. Raises ServiceError, or Stopped."""

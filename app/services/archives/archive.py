"""What every archive does: find the spectra of a row, then get the file of one of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from app.services.web.client import Request, WebClient
from app.services.web.errors import ServiceError, ShouldStop

MAX_FILE = 32 * 2**20  # Bytes of one spectrum; single ones have less than a tenth of it.
PATIENCE_S = 120.0

MAX_DIGITS = 20
_PLATE_NAME = re.compile(r"spec-(\d{4,5})-(\d{5})-(\d{4})")
_FIELD_NAME = re.compile(r"spec-(\d{5,6})-(\d{5})-(\d{5,11})")


class NotTold(ServiceError):
    """The row does not say which spectrum of this archive it means."""


class NoSpectrum(ServiceError):
    """The archive has answered, and has no such spectrum."""


class WrongFile(ServiceError):
    """What the archive sent is not the spectrum that was asked for."""


@dataclass(frozen=True, kw_only=True)
class Found:
    id: str  # what tells it from all others of its archive
    stem: str  # Name of its file without the suffix: letters, digits, `-`, `_`, `.` and `+`.
    urls: tuple[str, ...]  # where it may be, most likely first
    release: str = ""
    names: tuple[str, ...] = ()
    """A file of it holds one of these as the name or as a number of its object."""
    ra: float | None = None
    dec: float | None = None
    separation_arcsec: float | None = None  # from the place that was asked for

    @property
    def distance(self) -> float:
        """The separation; infinite where it is not known."""
        return math.inf if self.separation_arcsec is None else self.separation_arcsec


@dataclass(frozen=True, kw_only=True)
class FetchedFile:
    content: bytes
    url: str  # without anything secret
    release: str = ""  # where the address tells which of several it is from


def question(
    url: str, per_second: float, max_bytes: int = MAX_FILE, json: object = None
) -> Request:
    """A request to an archive, which is given more time than other services."""
    limits: Any = {"max_bytes": max_bytes, "total_s": PATIENCE_S, "per_second": per_second}
    return Request(url=url, json=json, **limits)


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


# What a row of a list says about the spectrum that is wanted.
@dataclass(frozen=True, kw_only=True)
class Wanted:
    """`ids` are the numbers of the row by the lower-case names of their columns."""

    line: int = 0
    object_id: str = ""
    ra: float | None = None
    dec: float | None = None
    ids: Mapping[str, str] = field(default_factory=dict)

    def text(self, *names: str) -> str:
        """The first that is given of these columns."""
        return next((text for name in names if (text := self.ids.get(name, "").strip())), "")

    def number(self, *names: str) -> int | None:
        """The whole number in the first that is given of these columns; none if it is negative."""
        text = self.text(*names)
        text = text.removesuffix(".0")
        is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
        return int(text) if is_number else None


def with_name_of_file(wanted: Wanted, stem: str) -> Wanted:
    """The same with the numbers that the name of an SDSS file holds, where the row gives none."""
    if match := _PLATE_NAME.fullmatch(stem):
        found = dict(zip(("plate", "mjd", "fiberid"), match.groups(), strict=True))
    elif match := _FIELD_NAME.fullmatch(stem):
        found = dict(zip(("field", "mjd", "catalogid"), match.groups(), strict=True))
    else:
        return wanted
    return replace(wanted, ids={**found, **{k: v for k, v in wanted.ids.items() if v}})

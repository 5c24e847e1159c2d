"""Stellar libraries and converted files: what their headers do not say but is known of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import known, stem
from agent.spectra.readers.coordinates import place_of

NO_HEADER = Header(b"")


@dataclass(frozen=True)
class Library:
    """`medium` is what the library's papers say of its wavelengths."""

    name: str
    medium: str
    is_it: Callable[[str, Header], bool]
    """Takes the file's name in lower case, and its headers."""
    resolution: float | None = None
    kind: str = ""
    radians: bool = False


LIBRARIES = (
    Library("STELIB", "air", lambda _, h: "STARIDEN" in h, 2000.0, "STAR", radians=True),
    Library("MILES", "air", lambda _, h: h.text("TPLLIB") == "MILES", 2200.0, "STAR"),
    Library("MASTARHC", "vacuum", lambda name, _: name.startswith("mastarhc"), 1800.0, "STAR"),
    # X-shooter pipeline wavelengths; Ca II K, H beta and Mg b lie at their air values.
    Library("XSL", "air", lambda _, h: "XSL_ID" in h, 10000.0, "STAR"),
    Library("CALSPEC", "vacuum", lambda _, h: h.text("MAPKEY").lower() == "calspec", kind="STAR"),
)
SDSS_NAME = re.compile(r"spec-(\d{4,5}-\d{5}-\d{3,4})(?!\d)")
LAMOST_NAME = re.compile(r"(spec|med)-\d{5}-\w+_sp\d\d-\d{3}")
RESOLUTION_KEYS = ("SPEC_RES", "SPECRES", "RESOLUTN")


@dataclass(frozen=True)
class Description:
    """What is known of a file that no survey reader took."""

    medium: str
    fields: dict[str, Any]


def describe(file: SourceFile, header: Header = NO_HEADER) -> Description:
    """Fields for `build`, from the header, the library it belongs to, or the file's name."""
    name = file.name.lower()
    library = next((entry for entry in LIBRARIES if entry.is_it(name, header)), None)
    fields: dict[str, Any] = {
        "survey": library.name if library else header.text("SURVEY").upper(),
        "object_id": _object(file, header),
        "class_name": header.text("CLASS") or (library.kind if library else ""),
        "subclass": header.text("SUBCLASS") or header.text("SPECTYPE"),
        "z": known(header.number("Z")),
        "snr": _positive(header.number("SNR")),
        "resolution": _resolution(header) or (library.resolution if library else None),
        **place_of(header, radians=bool(library and library.radians)),
    }
    told = told_medium(header) or (library.medium if library else "")
    if not fields["survey"]:
        fields |= _from_name(file.name)
    # The name of an SDSS or LAMOST file says vacuum even after a conversion to text.
    return Description(told or ("vacuum" if fields["survey"] in ("SDSS", "LAMOST") else ""), fields)


def told_medium(header: Header) -> str:
    """'air', 'vacuum' or '' where the header does not say."""
    for key in ("WAVEMED", "AIRORVAC"):
        text = header.text(key).lower()
        if text.startswith(("air", "vac")):
            return "air" if text.startswith("air") else "vacuum"
    flag = header.flag("VACUUM")
    if flag is not None:
        return "vacuum" if flag else "air"
    axis = header.text("CTYPE1").upper()
    if axis.startswith("AWAV"):
        return "air"
    return "vacuum" if axis.startswith("WAVE") else ""


def _object(file: SourceFile, header: Header) -> str:
    for key in ("OBJECT", "STARIDEN", "TARGETID", "TARGNAME", "OBJNAME"):
        if header.text(key):
            return header.text(key)
    return stem(file.path)


def _from_name(name: str) -> dict[str, Any]:
    sdss = SDSS_NAME.match(name)
    if sdss:
        return {"survey": "SDSS", "object_id": sdss.group(1)}
    return {"survey": "LAMOST"} if LAMOST_NAME.match(name) else {}


def _resolution(header: Header) -> float | None:
    found = (_positive(header.number(key)) for key in RESOLUTION_KEYS)
    return next((value for value in found if value is not None), None)


def _positive(value: float | None) -> float | None:
    return value if value is not None and value > 0 else None

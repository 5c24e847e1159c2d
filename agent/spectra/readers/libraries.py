"""Stellar libraries and converted files: known properties that their headers do not state."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import known, stem
from agent.spectra.readers.coordinates import header_position

NO_HEADER = Header(b"")


@dataclass(frozen=True)
class Library:
    """A stellar library; `medium` of its wavelengths is from its papers."""

    name: str
    medium: str
    is_it: Callable[[str, Header], bool]  # called with the file's name in lower case and its header
    resolution: float | None = None
    kind: str = ""
    radians: bool = False


def _is_mastar(name: str, header: Header) -> bool:
    """By its name too, as the header says nothing that others do not write."""
    axis, survey = header.text("CTYPE1"), header.text("SURVEY").upper()
    return name.startswith("mastarhc") and (axis == "WAVE-LOG" or survey == "MASTARHC")


LIBRARIES = (
    Library("STELIB", "air", lambda _, h: "STARIDEN" in h, 2000.0, "STAR", radians=True),
    Library("MILES", "air", lambda _, h: h.text("TPLLIB") == "MILES", 2200.0, "STAR"),
    Library("MASTARHC", "vacuum", lambda name, h: _is_mastar(name, h), 1800.0, "STAR"),
    # X-shooter pipeline wavelengths; Ca II K, H beta and Mg b are at their air values.
    Library("XSL", "air", lambda _, h: "XSL_ID" in h, 10000.0, "STAR"),
    Library("CALSPEC", "vacuum", lambda _, h: h.text("MAPKEY").lower() == "calspec", kind="STAR"),
)
SDSS_NAME = re.compile(r"spec-(\d{4,5}-\d{5}-\d{3,4})(?!\d)")
LAMOST_NAME = re.compile(r"(spec|med)-\d{5}-\w+_sp\d\d-\d{3}")
RESOLUTION_KEYS = ("SPEC_RES", "SPECRES", "RESOLUTN")


@dataclass(frozen=True)
class Description:
    """What is known about a file of no survey."""

    medium: str
    fields: dict[str, Any]


def describe(file: SourceFile, header: Header = NO_HEADER) -> Description:
    """Fields for `build` from the header, the library of the file, or its name."""
    name = file.name.lower()
    library = next((entry for entry in LIBRARIES if entry.is_it(name, header)), None)
    values = (_positive(header.number(key)) for key in RESOLUTION_KEYS)
    fields: dict[str, Any] = {
        "survey": library.name if library else header.text("SURVEY").upper(),
        "object_id": _object(file, header),
        "class_name": header.text("CLASS") or (library.kind if library else ""),
        "subclass": header.text("SUBCLASS") or header.text("SPECTYPE"),
        "z": known(header.number("Z")),
        "snr": _positive(header.number("SNR")),
        "resolution": next((value for value in values if value is not None), None)
        or (library.resolution if library else None),
        **_position(header, radians=bool(library and library.radians)),
    }
    medium = stated_medium(header) or (library.medium if library else "")
    if not fields["survey"]:
        fields |= _from_name(file.name)
    # SDSS and LAMOST files are in vacuum, also after a conversion to text.
    if not medium and fields["survey"] in ("SDSS", "LAMOST"):
        medium = "vacuum"
    return Description(medium, fields)


def stated_medium(header: Header) -> str:
    """'air' or 'vacuum' from the header; empty if it does not say."""
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


def _position(header: Header, *, radians: bool) -> dict[str, Any]:
    # In a header of SDSS, RA and DEC are where the telescope pointed: the centre of a plate.
    return {} if "PLATEID" in header else header_position(header, radians)


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


def _positive(value: float | None) -> float | None:
    return value if value is not None and value > 0 else None

"""Addresses of pages about an object. Identifiers come from strangers' files: all are escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from agent.spectra.spectrum import Spectrum
from app.core.session.records import Candidate

SIMBAD = "https://simbad.cds.unistra.fr/simbad/sim-coo"
ALADIN = "https://aladin.cds.unistra.fr/AladinLite/"
LAMOST = "https://www.lamost.org"
LAMOST_RELEASE = "dr10/v2.0"
"""Holds all spectra of the releases before it."""
LAMOST_NUMBER = 10
SDSS_SPECTRUM = "https://dr18.sdss.org/optical/spectrum/view"
SDSS_PLACE = "https://skyserver.sdss.org/dr18/VisualTools/explore/summary"
RADIUS_ARCSEC = 10
FIELD_DEG = 0.05
LONGEST_ID = 40

_RELEASE = re.compile(r"DR(\d{1,2})(?:[ /_-]*(v\d{1,2}(?:\.\d{1,2})?))?", re.IGNORECASE)

NO_PLACE = "no position"
NO_OBSID = "no LAMOST obsid"
SIMULATED = "simulated"


@dataclass(frozen=True, kw_only=True)
class ObjectIdentity:
    """What an object's pages are found by. `ids`: numbers and names under lower-case keys."""

    ra: float | None = None
    dec: float | None = None
    survey: str = ""
    release: str = ""
    simulated: bool = False
    ids: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_place(self) -> bool:
        return is_place(self.ra, self.dec)


@dataclass(frozen=True)
class WebPage:
    """Where to go, or why there is nowhere: one of the words above."""

    url: str = ""
    missing: str = ""


def known_of(candidate: Candidate, spectrum: Spectrum | None) -> ObjectIdentity:
    """From the list first, then from the file."""
    ids: dict[str, str] = {}
    meta = {} if spectrum is None else spectrum.meta
    for source in (candidate.own, meta):
        ids |= {key: text for key, text in _plain(source) if key not in ids}
    ra, dec = candidate.ra, candidate.dec
    if not is_place(ra, dec) and spectrum is not None:
        ra, dec = spectrum.ra, spectrum.dec
    return ObjectIdentity(
        ra=ra,
        dec=dec,
        survey="" if spectrum is None else spectrum.survey,
        release="" if spectrum is None else spectrum.release,
        simulated=spectrum is not None and spectrum.simulated,
        ids=ids,
    )


def is_place(ra: float | None, dec: float | None) -> bool:
    """Whether these are degrees on the sky."""
    if ra is None or dec is None or not (math.isfinite(ra) and math.isfinite(dec)):
        return False
    return 0.0 <= ra <= 360.0 and -90.0 <= dec <= 90.0


def simbad_page(known: ObjectIdentity) -> WebPage:
    return _by_place(known, simbad_url)


def aladin_page(known: ObjectIdentity) -> WebPage:
    return _by_place(known, aladin_url)


def lamost_page(known: ObjectIdentity) -> WebPage:
    if known.simulated:
        return WebPage(missing=SIMULATED)
    obsid = known.ids.get("obsid", "")
    return (
        WebPage(lamost_url(obsid, known.release, known.survey))
        if obsid
        else WebPage(missing=NO_OBSID)
    )


def sdss_page(known: ObjectIdentity) -> WebPage:
    """Its spectrum where plate, date and fibre are known, else what SDSS has at its place."""
    if known.simulated:
        return WebPage(missing=SIMULATED)
    plate = known.ids.get("plate") or known.ids.get("plateid")
    mjd, fiber = known.ids.get("mjd"), known.ids.get("fiberid")
    if plate and mjd and fiber and known.survey.upper().startswith("SDSS"):
        return WebPage(sdss_spectrum_url(plate, mjd, fiber))
    return _by_place(known, sdss_place_url)


PAGES: Mapping[str, Callable[[ObjectIdentity], WebPage]] = {
    "open_simbad": simbad_page,
    "open_aladin": aladin_page,
    "open_lamost": lamost_page,
    "open_sdss": sdss_page,
}
"""By the action that opens them."""


def simbad_url(ra: float, dec: float) -> str:
    query = {
        "Coord": f"{ra:.6f} {dec:+.6f}",
        "CooFrame": "ICRS",
        "Radius": str(RADIUS_ARCSEC),
        "Radius.unit": "arcsec",
    }
    return _url(SIMBAD, query)


def aladin_url(ra: float, dec: float) -> str:
    target = f"{ra:.6f} {dec:+.6f}"
    return _url(ALADIN, {"target": target, "fov": str(FIELD_DEG), "survey": "CDS/P/DSS2/color"})


def lamost_url(obsid: str, release: str = "", survey: str = "") -> str:
    """Of the release the spectrum is from, where that is newer than the one we know of."""
    found = _RELEASE.search(release)
    where = LAMOST_RELEASE
    if found is not None and int(found[1]) > LAMOST_NUMBER:
        where = f"dr{int(found[1])}/{(found[2] or 'v1.0').lower()}"
    kind = "medspectrum" if "MRS" in survey.upper() else "spectrum"
    return _url(f"{LAMOST}/{where}/{kind}/view", {"obsid": obsid})


def sdss_spectrum_url(plate: str, mjd: str, fiber: str) -> str:
    return _url(SDSS_SPECTRUM, {"plateid": plate, "mjd": mjd, "fiberid": fiber})


def sdss_place_url(ra: float, dec: float) -> str:
    return _url(SDSS_PLACE, {"ra": f"{ra:.6f}", "dec": f"{dec:.6f}"})


def _by_place(known: ObjectIdentity, url: Callable[[float, float], str]) -> WebPage:
    if known.simulated:
        return WebPage(missing=SIMULATED)
    if known.ra is None or known.dec is None or not known.has_place:
        return WebPage(missing=NO_PLACE)
    return WebPage(url(known.ra, known.dec))


def _url(base: str, query: Mapping[str, str]) -> str:
    return f"{base}?{urlencode(query, quote_via=quote, safe='', errors='replace')}"


def _plain(source: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Short words and whole numbers: what can be an identifier."""
    for key, value in source.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            continue
        if isinstance(value, float):
            if not (math.isfinite(value) and value.is_integer()):
                continue
            value = int(value)
        text = str(value).strip()
        if 0 < len(text) <= LONGEST_ID:
            yield str(key).strip().lower(), text

"""Addresses of web pages about an object.

Identifiers come from untrusted files, so all of them are escaped.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlencode

from agent.spectra.spectrum import Spectrum
from app.core.session.records import Candidate
from app.services.web.lamost_releases import BASE as LAMOST
from app.services.web.lamost_releases import RELEASE, VERSIONS

SIMBAD = "https://simbad.cds.unistra.fr/simbad/sim-coo"
ALADIN = "https://aladin.cds.unistra.fr/AladinLite/"
SDSS_SPECTRUM = "https://dr18.sdss.org/optical/spectrum/view"
SDSS_OBJECT = "https://skyserver.sdss.org/dr18/VisualTools/explore/summary"
PLACE = "{ra:.6f} {dec:+.6f}"
MAX_ID = 40
FIRST_PAGES = 7  # Older releases of LAMOST have no pages here; newer ones hold their spectra.
_RELEASE = re.compile(r"DR(\d{1,2})(?:[ /_-]*(v\d{1,2}(?:\.\d{1,2})?))?", re.IGNORECASE)
NO_POSITION = "no position"
NO_OBSID = "no LAMOST obsid"
SIMULATED = "simulated"


@dataclass(frozen=True, kw_only=True)
class ObjectIdentity:
    """What identifies an object on web pages. `ids` has lower-case keys."""

    ra: float | None = None
    dec: float | None = None
    survey: str = ""
    release: str = ""
    simulated: bool = False
    ids: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class WebPage:
    """A web address, or why there is none: one of the three reasons above."""

    url: str = ""
    missing: str = ""


def identify(candidate: Candidate, spectrum: Spectrum | None) -> ObjectIdentity:
    """The identity of an object, from the list first, then from the file."""
    ids: dict[str, str] = {}
    meta = {} if spectrum is None else spectrum.meta
    for source in (candidate.own, meta):
        ids |= {key: text for key, text in _identifiers(source) if key not in ids}
    ra, dec = candidate.ra, candidate.dec
    if spectrum is None:
        return ObjectIdentity(ra=ra, dec=dec, ids=ids)
    if not is_sky_position(ra, dec):
        ra, dec = spectrum.ra, spectrum.dec
    known = ObjectIdentity(ra=ra, dec=dec, ids=ids, simulated=spectrum.simulated)
    return replace(known, survey=spectrum.survey, release=spectrum.release)


def is_sky_position(ra: float | None, dec: float | None) -> bool:
    """Whether these are valid sky coordinates in degrees."""
    if ra is None or dec is None or not (math.isfinite(ra) and math.isfinite(dec)):
        return False
    return 0.0 <= ra <= 360.0 and -90.0 <= dec <= 90.0


def simbad_page(known: ObjectIdentity) -> WebPage:
    query = {"Coord": PLACE, "CooFrame": "ICRS", "Radius": "10", "Radius.unit": "arcsec"}
    return _by_position(known, SIMBAD, query)


def aladin_page(known: ObjectIdentity) -> WebPage:
    query = {"target": PLACE, "fov": "0.05", "survey": "CDS/P/DSS2/color"}
    return _by_position(known, ALADIN, query)


def lamost_page(known: ObjectIdentity) -> WebPage:
    """The page in the release that the spectrum is from, or in the newest that is public."""
    if known.simulated:
        return WebPage(missing=SIMULATED)
    obsid = known.ids.get("obsid", "")
    if not obsid:
        return WebPage(missing=NO_OBSID)
    match, folder = _RELEASE.search(known.release), RELEASE
    if match is not None and (number := int(match[1])) >= FIRST_PAGES:
        version = match[2] or VERSIONS.get(f"dr{number}", "v1.0")
        folder = f"dr{number}/{version.lower()}"
    kind = "medspectrum" if "MRS" in known.survey.upper() else "spectrum"
    return WebPage(_url(f"{LAMOST}/{folder}/{kind}/view", {"obsid": obsid}))


def sdss_page(known: ObjectIdentity) -> WebPage:
    """The SDSS spectrum by plate, date and fibre if these are known, else by position."""
    if known.simulated:
        return WebPage(missing=SIMULATED)
    plate = known.ids.get("plate") or known.ids.get("plateid")
    mjd, fiber = known.ids.get("mjd"), known.ids.get("fiberid")
    if plate and mjd and fiber and known.survey.upper().startswith("SDSS"):
        return WebPage(_url(SDSS_SPECTRUM, {"plateid": plate, "mjd": mjd, "fiberid": fiber}))
    return _by_position(known, SDSS_OBJECT, {"ra": "{ra:.6f}", "dec": "{dec:.6f}"})


PAGES: Mapping[str, Callable[[ObjectIdentity], WebPage]] = {
    "open_simbad": simbad_page,
    "open_aladin": aladin_page,
    "open_lamost": lamost_page,
    "open_sdss": sdss_page,
}
"""Pages by the action that opens them."""


def _by_position(known: ObjectIdentity, base: str, query: Mapping[str, str]) -> WebPage:
    if known.simulated:
        return WebPage(missing=SIMULATED)
    if not is_sky_position(known.ra, known.dec):
        return WebPage(missing=NO_POSITION)
    filled = {name: value.format(ra=known.ra, dec=known.dec) for name, value in query.items()}
    return WebPage(_url(base, filled))


def _url(base: str, query: Mapping[str, str]) -> str:
    return f"{base}?{urlencode(query, quote_via=quote, safe='', errors='replace')}"


def _identifiers(source: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The values that can be identifiers: short texts and whole numbers."""
    for key, value in source.items():
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, str | int) and not isinstance(value, bool):
            text = str(value).strip()
            if 0 < len(text) <= MAX_ID:
                yield str(key).strip().lower(), text

"""SPARCL: DESI, BOSS and SDSS spectra by number or place, as JSON.

Its own client makes three calls before the first question and reads pickles from the network.
"""

import io
import json
import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.checked_toml import printable
from agent.spectra.readers.base import with_bits
from agent.spectra.readers.sdss import BAD_BITS
from agent.spectra.spectrum import MAX_PIXELS
from app.services.archives.archive import FetchedFile, Found, NoSpectrum, NotTold, Wanted, question
from app.services.archives.files import safe_stem
from app.services.catalogues.position import ARCSEC_PER_DEG, Position, boxes, separation_arcsec
from app.services.web.client import WebClient
from app.services.web.errors import BadReply, ShouldStop

BASE = "https://astrosparcl.datalab.noirlab.edu/api"
OUT = ("sparcl_id", "specid", "targetid", "ra", "dec", "data_release", "specprimary")
MAX_FOUND = 100
MAX_FIND = 2 * 2**20
Record = dict[str, Any]
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NUMBER = re.compile(r"DR([0-9]{1,3})$")
_RELEASE = re.compile(r"[A-Za-z0-9._-]{1,40}")

ARRAYS = ("wavelength", "flux", "ivar", "mask")
KEYWORDS = {
    **{"sparcl_id": "SPARCLID", "specid": "SPECID", "targetid": "TARGETID"},
    **{"data_release": "DATA_REL", "datasetgroup": "SURVEY", "ra": "RA", "dec": "DEC"},
    **{"redshift": "Z", "redshift_err": "Z_ERR", "redshift_warning": "ZWARN"},
    **{"spectype": "CLASS", "specprimary": "SPECPRIM", "dateobs": "DATE-OBS"},
    "exptime": "EXPTIME",
}
"""What is asked of each spectrum, and where its file keeps it."""
FLUX_UNIT = "1e-17 erg/s/cm2/A"
SURVEYS = {"SDSS_BOSS": "SDSS", "SDSS": "SDSS", "BOSS": "SDSS", "DESI": "DESI"}
MAX_WORD = 60
INT64 = 2**63


@dataclass(frozen=True)
class Sparcl:
    release: str = ""  # As SPARCL names its data sets, DESI-DR1 for one; empty: any.
    base: str = BASE
    per_second: float = 2.0
    id: str = "sparcl"
    sends: str = "Numbers or positions go to astrosparcl.datalab.noirlab.edu (NOIRLab)."

    def __post_init__(self) -> None:
        if self.release and not _RELEASE.fullmatch(self.release):
            raise NotTold(f"SPARCL has no data set {self.release[:40]!a}")

    def find(
        self, wanted: Wanted, radius_arcsec: float, client: WebClient, should_stop: ShouldStop
    ) -> list[Found]:
        """By its UUID, else by the number of spectrum or target, else by place; nearest first."""
        if uuid := wanted.text("sparcl_id").lower():
            if not _UUID.fullmatch(uuid):
                raise NotTold(f"{uuid[:40]!a} is no sparcl_id")
            return [_found({"sparcl_id": uuid, "ra": wanted.ra, "dec": wanted.dec}, None)]
        place = _position(wanted.ra, wanted.dec)
        searches, is_place = _searches(wanted, place, radius_arcsec)
        records: list[Record] = []
        for search in searches:
            records += self._search(search, client, should_stop)
        # The main spectrum of each object first, and the newest release before older ones.
        records.sort(key=lambda each: (each.get("specprimary") in (False, 0), -_release(each)))
        found = [_found(record, place) for record in records]
        near = [each for each in found if each.distance <= radius_arcsec]
        # A specid is not unique: with a position the one there is meant, and others are refused.
        found = sorted(near, key=attrgetter("distance")) if near or is_place else found
        if not found:
            where = f" in {self.release}" if self.release else ""
            raise NoSpectrum(f"SPARCL has no such spectrum{where}")
        return found

    def get(self, found: Found, client: WebClient, should_stop: ShouldStop) -> FetchedFile:
        include = ",".join((*KEYWORDS, *ARRAYS))
        url = f"{self.base}/spectras/?include={include}&format=json"
        asked = question(url, self.per_second, json=[found.id])
        records = records_of(client.ask(asked, should_stop).content)
        record = next((each for each in records if each.get("sparcl_id") == found.id), None)
        if record is None:
            raise NoSpectrum("SPARCL sent no spectrum of this sparcl_id")
        return FetchedFile(content=spectrum_file(record, url), url=url)

    def _search(
        self, search: list[list[Any]], client: WebClient, should_stop: ShouldStop
    ) -> list[Record]:
        if self.release:
            search = [*search, ["data_release", self.release]]
        url = f"{self.base}/find/?limit={MAX_FOUND}"
        body = {"outfields": [*OUT], "search": search}
        asked = question(url, self.per_second, MAX_FIND, json=body)
        return records_of(client.ask(asked, should_stop).content)


def records_of(content: bytes) -> list[Record]:
    """The records after the head of an answer. Raises BadReply."""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadReply("the answer of SPARCL is not JSON, or it is cut short") from error
    if not isinstance(answer, list) or not answer or not all(isinstance(x, dict) for x in answer):
        raise BadReply("the answer of SPARCL is no list of records")
    status = answer[0].get("status")
    if not isinstance(status, dict):
        raise BadReply("the answer of SPARCL has no status")
    if not status.get("success"):
        raise BadReply("SPARCL could not answer")
    return answer[1:]


def _searches(
    wanted: Wanted, place: Position | None, radius_arcsec: float
) -> tuple[list[list[list[Any]]], bool]:
    """What is to be searched for, and whether it is a place."""
    for name, columns in (("specid", ("specid", "specobjid")), ("targetid", ("targetid",))):
        if (number := wanted.number(*columns)) is not None:
            return [[[name, number]]], False
    if place is None:
        raise NotTold("SPARCL needs a sparcl_id, specid, targetid or position")
    around = boxes(place.ra, place.dec, radius_arcsec / ARCSEC_PER_DEG)
    return [[["ra", *ra], ["dec", *dec]] for ra, dec in around], True


def _release(record: Record) -> int:
    """The number of the release; an early one, DESI-EDR, has none."""
    match = _NUMBER.search(str(record.get("data_release", "")))
    return int(match.group(1)) if match else 0


def _found(record: Record, place: Position | None) -> Found:
    uuid = str(record.get("sparcl_id", "")).lower()
    if not _UUID.fullmatch(uuid):
        raise BadReply("SPARCL gives no sparcl_id")
    release, number = str(record.get("data_release", "")), str(record.get("specid", ""))
    ra, dec = record.get("ra"), record.get("dec")
    here = _position(ra, dec)
    separation = None
    if place is not None and here is not None:
        separation = separation_arcsec(place, here)
    meant = place or here
    words = [word for word in (release, number) if word and word != "None"]
    return Found(
        id=uuid,
        stem=safe_stem("-".join([*words, uuid.partition("-")[0] if words else uuid])),
        urls=(),
        release=release,
        names=(uuid,),
        ra=None if meant is None else meant.ra,
        dec=None if meant is None else meant.dec,
        separation_arcsec=separation,
    )


def _position(ra: object, dec: object) -> Position | None:
    if not isinstance(ra, int | float) or not isinstance(dec, int | float):
        return None
    try:
        return Position(ra=float(ra), dec=float(dec))
    except (ValueError, OverflowError):
        return None


def spectrum_file(record: dict[str, Any], url: str) -> bytes:
    """Raises BadReply unless the record is a whole spectrum."""
    from astropy.io import fits

    wavelength, flux = _numbers(record, "wavelength"), _numbers(record, "flux")
    if not 2 <= wavelength.size <= MAX_PIXELS or wavelength.shape != flux.shape:
        raise BadReply(f"{wavelength.size} wavelengths and {flux.size} fluxes are no spectrum")
    columns = {"wavelength": wavelength, "flux": flux}
    if record.get("ivar") is not None:
        columns["ivar"] = _numbers(record, "ivar")
    if record.get("mask") is not None:
        flags = _numbers(record, "mask")
        # In those of SDSS most bits leave the flux usable: the reader of its own files says which.
        is_sdss = not str(record.get("data_release", "")).upper().startswith("DESI")
        bad = with_bits(flags, BAD_BITS) if is_sdss else flags != 0
        columns |= {"mask": bad.astype(np.uint8), "survey_mask": flags}
    if {each.shape for each in columns.values()} != {wavelength.shape}:
        raise BadReply("the arrays of the spectrum differ in length")
    formats = {"mask": "B"}
    made = [fits.Column(name, formats.get(name, "D"), array=x) for name, x in columns.items()]
    table = fits.BinTableHDU.from_columns(made, name="SPECTRUM")
    table.header["TUNIT1"], table.header["TUNIT2"] = "Angstrom", FLUX_UNIT
    primary = fits.PrimaryHDU()
    primary.header.update(_cards(record, url))
    sink = io.BytesIO()
    fits.HDUList([primary, table]).writeto(sink, checksum=True)
    return sink.getvalue()


def _cards(record: dict[str, Any], url: str) -> dict[str, Any]:
    """What is known of the object, and where and when it was got."""
    release = str(record.get("data_release", ""))
    is_desi = release.upper().startswith("DESI")
    number = (is_desi and record.get("targetid")) or record.get("specid") or ""
    cards: dict[str, Any] = {"OBJECT": _word(number)}
    for name, keyword in KEYWORDS.items():
        value = _card_value(record.get(name))
        if value not in (None, ""):
            cards[keyword] = value
    survey = release.upper().partition("-")[0] or str(record.get("datasetgroup", "")).upper()
    cards["SURVEY"] = _word(SURVEYS.get(survey, survey))
    cards |= {"WAVEMED": "vacuum", "ORIGIN": "SPARCL, NOIRLab"}
    cards["SOURCE"] = _word(url.partition("?")[0])
    cards["DATE"] = datetime.now(UTC).isoformat(timespec="seconds").removesuffix("+00:00")
    return {key: value for key, value in cards.items() if value not in (None, "")}


def _card_value(value: object) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < INT64 else str(value)[:MAX_WORD]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return _word(value) if isinstance(value, str) else None


def _word(value: object) -> str:
    return printable(str(value), MAX_WORD).encode("ascii", "replace").decode("ascii")


def _numbers(record: dict[str, Any], name: str) -> NDArray[np.float64]:
    values = record.get(name)
    if not isinstance(values, list):
        raise BadReply(f"SPARCL gives no {name}")
    try:
        return np.array(values, dtype=np.float64)  # None becomes NaN
    except (ValueError, TypeError, OverflowError) as error:
        raise BadReply(f"the {name} of SPARCL is no list of numbers") from error

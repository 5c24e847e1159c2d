"""A record of SPARCL as a FITS table that our readers read back without loss."""

from __future__ import annotations

import io
import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.checked_toml import printable
from agent.spectra.readers.base import with_bits
from agent.spectra.readers.sdss import BAD_BITS
from agent.spectra.spectrum import MAX_PIXELS
from app.services.web.errors import BadReply

FACTS = (
    *("sparcl_id", "specid", "targetid", "data_release", "datasetgroup", "ra", "dec"),
    *("redshift", "redshift_err", "redshift_warning", "spectype", "specprimary", "dateobs"),
    "exptime",
)
ARRAYS = ("wavelength", "flux", "ivar", "mask")
KEYWORDS = {
    **{"sparcl_id": "SPARCLID", "specid": "SPECID", "targetid": "TARGETID"},
    **{"data_release": "DATA_REL", "datasetgroup": "SURVEY", "ra": "RA", "dec": "DEC"},
    **{"redshift": "Z", "redshift_err": "Z_ERR", "redshift_warning": "ZWARN"},
    **{"spectype": "CLASS", "specprimary": "SPECPRIM", "dateobs": "DATE-OBS"},
    "exptime": "EXPTIME",
}
FLUX_UNIT = "1e-17 erg/s/cm2/A"
SURVEYS = {"SDSS_BOSS": "SDSS", "SDSS": "SDSS", "BOSS": "SDSS", "DESI": "DESI"}
MAX_WORD = 60
INT64 = 2**63


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
    units = {"wavelength": "Angstrom", "flux": FLUX_UNIT}
    formats = {"mask": "B"}
    table = fits.BinTableHDU.from_columns(
        [
            fits.Column(name=name, format=formats.get(name, "D"), array=values)
            for name, values in columns.items()
        ],
        name="SPECTRUM",
    )
    for number, name in enumerate(columns, 1):
        if name in units:
            table.header[f"TUNIT{number}"] = units[name]
    primary = fits.PrimaryHDU()
    primary.header.update(_cards(record, url))
    sink = io.BytesIO()
    fits.HDUList([primary, table]).writeto(sink, checksum=True)
    return sink.getvalue()


def _cards(record: dict[str, Any], url: str) -> dict[str, Any]:
    """What is known of the object, and where and when it was got."""
    release = str(record.get("data_release", ""))
    cards: dict[str, Any] = {"OBJECT": _word(record.get("targetid") or record.get("specid") or "")}
    if not release.upper().startswith("DESI"):
        cards["OBJECT"] = _word(record.get("specid") or "")
    for name, keyword in KEYWORDS.items():
        value = _card_value(record.get(name))
        if value not in (None, ""):
            cards[keyword] = value
    survey = release.upper().partition("-")[0] or str(record.get("datasetgroup", "")).upper()
    cards["SURVEY"] = _word(SURVEYS.get(survey, survey))
    cards |= {
        "WAVEMED": "vacuum",
        "ORIGIN": "SPARCL, NOIRLab",
        "SOURCE": _word(url.partition("?")[0]),
    }
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
        return np.array([math.nan if x is None else x for x in values], dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise BadReply(f"the {name} of SPARCL is no list of numbers") from error

"""SDSS and BOSS `spec` files in their lite form: COADD and one row about the object."""

from pathlib import Path
from typing import Any

import numpy as np
from astropy.io import fits

from train.simulate.layouts.common import AUTHOR, Entry, float32, mark_simulated, save, table
from train.simulate.telescope.pipeline_class import PipelineClass

NODATA = 1 << 24
BORESIGHT_OFFSET = 0.9  # Degrees; RA and DEC in the primary header are where the telescope pointed.
UPPER_CASE = ("DR12",)  # releases whose files have upper-case columns and no extension names


def file_name(entry: Entry) -> str:
    target = entry.target
    return f"spec-{target.plate:04d}-{target.mjd}-{target.fiber:04d}.fits"


def write(path: Path, entry: Entry) -> None:
    save([_primary(entry), _coadd(entry), _catalogue(entry)], path)


def _primary(entry: Entry) -> Any:
    target, seen = entry.target, entry.observation
    primary = fits.PrimaryHDU()
    header = primary.header
    mark_simulated(header, entry.stamp)
    header["TELESCOP"] = ("SDSS 2.5-M", "telescope imitated")
    header["AUTHOR"] = AUTHOR
    header["RA"] = (round((target.ra + BORESIGHT_OFFSET) % 360.0, 5), "boresight, fictitious")
    header["DEC"] = (round(target.dec - BORESIGHT_OFFSET / 2, 5), "boresight, fictitious")
    header["EQUINOX"] = 2000.0
    header["RADECSYS"] = "FK5"
    header["MJD"] = (target.mjd, "MJD of observation")
    header["PLATEID"] = (target.plate, "Plate Id")
    header["FIBERID"] = target.fiber
    header["NAME"] = (target.designation, "Name of target")
    header["VACUUM"] = (True, "Wavelengths are in vacuum")
    header["COEFF0"] = round(float(np.log10(seen.wavelength[0])), 7)
    header["COEFF1"] = 1e-4
    header["BUNIT"] = "1E-17 erg/cm^2/s/Ang"
    if seen.survey == "BOSS":
        header["PLUG_RA"] = (target.ra, "RA of object (fictitious)")
        header["PLUG_DEC"] = (target.dec, "Dec of object (fictitious)")
    return primary


def _coadd(entry: Entry) -> Any:
    seen = entry.observation
    sigma_pixels = np.full(seen.wavelength.size, 1e4 / np.log(10) / seen.resolution / 2.3548)
    values: list[tuple[str, str, Any]] = [
        ("flux", "E", float32(seen.flux)),
        ("loglam", "E", float32(np.log10(seen.wavelength))),
        ("ivar", "E", float32(seen.ivar)),
        ("and_mask", "J", seen.andmask * NODATA),
        ("or_mask", "J", seen.ormask * NODATA),
        ("wdisp", "E", float32(sigma_pixels)),
    ]
    upper = seen.release in UPPER_CASE
    named = [(name.upper() if upper else name, kind, array) for name, kind, array in values]
    return table(named, None if upper else "COADD")


def sdss_class(pipeline_class: PipelineClass) -> tuple[str, str, int]:
    """CLASS, SUBCLASS and ZWARNING; SDSS always gives a class and sets a warning instead."""
    if pipeline_class.class_name.upper() == "UNKNOWN":
        return "GALAXY", "", 4
    return pipeline_class.class_name, pipeline_class.subclass, 0


def _catalogue(entry: Entry) -> Any:
    seen, target = entry.observation, entry.target
    class_name, subclass, warning = sdss_class(entry.pipeline_class)
    z = entry.pipeline_class.z if warning == 0 else 0.0
    legacy = seen.survey == "SDSS"
    good = seen.ivar > 0
    snr = seen.flux[good] * np.sqrt(seen.ivar[good])
    row: list[tuple[str, str, Any]] = [
        ("SURVEY", "6A", "sdss" if legacy else "boss"),
        ("INSTRUMENT", "4A", "SDSS" if legacy else "BOSS"),
        ("PROGRAMNAME", "23A", "simulated"),
        ("SPECPRIMARY", "B", 1),
        ("PLATE", "J", target.plate),
        ("MJD", "J", target.mjd),
        ("FIBERID", "J", target.fiber),
        ("PLUG_RA", "D", target.ra),
        ("PLUG_DEC", "D", target.dec),
        ("CLASS", "6A", class_name),
        ("SUBCLASS", "21A", subclass),
        ("Z", "E", z),
        ("ZWARNING", "J", warning),
        ("SN_MEDIAN_ALL", "E", float(np.median(snr)) if snr.size else 0.0),
        ("SN_MEDIAN", "5E", np.array([seen.snr[band] for band in "ugriz"])),
    ]
    if legacy:
        row.insert(4, ("SPECLEGACY", "B", 1))
    name = None if seen.release in UPPER_CASE else ("SPECOBJ" if legacy else "SPALL")
    return table([(key, kind, [value]) for key, kind, value in row], name)

"""LAMOST low-resolution files: an image of five rows or, in newer releases, a table of one row."""

from pathlib import Path
from typing import Any

import numpy as np
from astropy.io import fits
from astropy.time import Time
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from agent.spectra.spectrum import FloatArray
from train.simulate.layouts.common import AUTHOR, Entry, float32, mark_simulated, save
from train.simulate.telescope.detector import rounded_to_12_bits

TABLE_FROM = 9  # first release that is written as a table (DR8 files come in either form)
NORMALISED_ROW = ("DR1",)
OLD_KEYS = ("DR1", "DR2")
SNR_CAP = 99.0  # highest S/N that the first releases state


def file_name(entry: Entry) -> str:
    target = entry.target
    plan = f"SIM{target.index // 4000:04d}"
    return f"spec-{target.mjd}-{plan}_sp{target.spectrograph:02d}-{target.fiber:03d}.fits"


def write(path: Path, entry: Entry) -> None:
    release = entry.observation.release
    number = int(release.removeprefix("DR") or 0)
    save(_table(path, entry) if number >= TABLE_FROM else _image(path, entry), path)


def _image(path: Path, entry: Entry) -> list[Any]:
    seen = entry.observation
    third = seen.wavelength
    if seen.release in NORMALISED_ROW:
        third = rounded_to_12_bits(seen.flux / continuum(seen.flux, seen.ivar))
    rows = np.stack([seen.flux, seen.ivar, third, seen.andmask, seen.ormask])
    primary = fits.PrimaryHDU(float32(rows))
    _fill(primary.header, path, entry)
    return [primary]


def _table(path: Path, entry: Entry) -> list[Any]:
    seen = entry.observation
    primary = fits.PrimaryHDU()
    _fill(primary.header, path, entry)
    cells: dict[str, NDArray[Any]] = {
        "FLUX": seen.flux,
        "IVAR": seen.ivar,
        "WAVELENGTH": seen.wavelength,
        "ANDMASK": seen.andmask,
        "ORMASK": seen.ormask,
        "NORMALIZATION": rounded_to_12_bits(seen.flux / continuum(seen.flux, seen.ivar)),
    }
    columns = [
        fits.Column(name=name, format=f"{values.size}E", array=float32(values)[None, :])
        for name, values in cells.items()
    ]
    return [primary, fits.BinTableHDU.from_columns(columns, name="COADD")]


def continuum(flux: FloatArray, ivar: FloatArray) -> FloatArray:
    """A smooth positive curve through the good pixels."""
    weight = (ivar > 0).astype(np.float64)
    smooth = gaussian_filter1d(flux * weight, 60.0, mode="nearest")
    share = gaussian_filter1d(weight, 60.0, mode="nearest")
    level = np.divide(smooth, share, out=np.zeros_like(flux), where=share > 0.02)
    floor = max(float(np.median(np.abs(flux))) * 0.05, 1e-6)
    return np.maximum(level, floor)


def _fill(header: Any, path: Path, entry: Entry) -> None:
    seen, target = entry.observation, entry.target
    old = seen.release in OLD_KEYS
    mark_simulated(header, entry.stamp)
    header["FILENAME"] = path.name.removesuffix(".gz")
    if not old:
        # Numbers of the survey are positive, so a negative one cannot be that of a real spectrum.
        header["OBSID"] = (-(target.index + 1), "Unique number ID of this spectrum")
        header["DATA_V"] = (f"LAMOST {seen.release}", "Data release version")
    header["AUTHOR"] = AUTHOR
    normalised = "Flux Inverse Subcontinuum Andmask Ormask"
    plain = "Flux, Inverse, Wavelength, Andmask, Ormask"
    header["EXTEN0"] = normalised if seen.release in NORMALISED_ROW else plain
    header["ORIGIN"] = "SIMULATION"
    header["TELESCOP"] = ("LAMOST", "telescope imitated")
    header["DATE-OBS"] = Time(target.mjd + 0.6, format="mjd").isot
    header["LMJD"] = (target.mjd, "Local Modified Julian Day")
    header["MJD"] = (target.mjd - 1, "Modified Julian Day")
    header["PLANID"] = (f"SIM{target.index // 4000:04d}", "Plan ID in use")
    _target_cards(header, entry)
    _grid_cards(header, entry)
    _result_cards(header, entry)


def _target_cards(header: Any, entry: Entry) -> None:
    seen, target = entry.observation, entry.target
    old = seen.release in OLD_KEYS
    header["RA"] = (target.ra, "[deg] Right ascension (fictitious)")
    header["DEC"] = (target.dec, "[deg] Declination (fictitious)")
    header["DESIG"] = (target.designation, "Designation of the simulated target")
    header["FIBERID"] = (target.fiber, "Fiber ID of Object")
    header["OBJNAME"] = (f"SIM{target.index:08d}", "Name of object")
    header["OBJTYPE"] = "star" if old else "Star"
    header["OBJSOURC" if old else "TSOURCE"] = "SIM"
    mags = target.magnitudes
    if seen.release == "DR10":
        header["FIB_TYPE"] = "Obj"
        for band in "griz":
            header[f"MAG_PS_{band.upper()}"] = (mags[band], "[mag] Magnitude of object")
    else:
        header["FIBERTYP"] = "Obj"
        header["MAGTYPE"] = "griz"
        for number, band in enumerate("griz", start=1):
            header[f"MAG{number}"] = (mags[band], f"[mag] Mag{number} of object")
    header["SPID"] = (target.spectrograph, "Spectrograph ID")


def _grid_cards(header: Any, entry: Entry) -> None:
    first = round(float(np.log10(entry.observation.wavelength[0])), 7)
    header["HELIO"] = (True, "Heliocentric correction")
    header["VACUUM"] = (True, "Wavelengths are in vacuum")
    header["NWORDER"] = (2, "Number of linear-log10 coefficients")
    header["WFITTYPE"] = ("LOG-LINEAR", "Linear-log10 dispersion")
    header["COEFF0"] = (first, "Central wavelength (log10) of first pixel")
    header["COEFF1"] = (1e-4, "Log10 dispersion per pixel")
    header["CRVAL1"] = (first, "Central wavelength (log10) of first pixel")
    header["CD1_1"] = (1e-4, "Log10 dispersion per pixel")
    header["CRPIX1"] = (1, "Starting pixel (1-indexed)")
    header["CTYPE1"] = "LINEAR"
    header["DC-FLAG"] = (1, "Log-linear flag")


def _result_cards(header: Any, entry: Entry) -> None:
    seen, pipeline_class = entry.observation, entry.pipeline_class
    old = seen.release in OLD_KEYS
    header["VERSPIPE"] = "SIM"
    header["CLASS"] = (pipeline_class.class_name, "Class of object")
    header["SUBCLASS"] = (pipeline_class.subclass or "Non", "Subclass of object")
    header["Z"] = (round(pipeline_class.z, 8), "Redshift of object")
    for band, value in seen.snr.items():
        key = f"SN_{band.upper()}" if old else f"SNR{band.upper()}"
        header[key] = (min(value, SNR_CAP) if old else value, f"SNR of {band} filter")

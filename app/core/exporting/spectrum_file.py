"""Write one spectrum as it is on screen, to a CSV, FITS or VOTable that this program reads back.

Wavelengths are vacuum angstrom in the observed frame. A smoothed spectrum keeps the flux as it was
measured in a column of its own, with its error, which is not that of the smoothed flux.
"""

import io
import json
import math
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from agent.atomic_file import write_file
from agent.checked_toml import printable
from agent.program_version import program_version
from agent.spectra.smoothing import smooth_parts
from agent.spectra.spectrum import Spectrum, Window
from app.core.errors import SessionError, disk_errors
from app.core.exporting.formats.csv_file import metadata_path
from app.core.exporting.formats.votable_file import number_text
from app.core.session.provenance import PROGRAM

SUFFIXES = {
    **{".csv": "csv", ".fits": "fits", ".fit": "fits"},
    **{".vot": "votable", ".votable": "votable", ".xml": "votable"},
}
MAX_TEXT = 60

MEANINGS = {
    "wavelength": ("em.wl", "SpectralAxis.Value"),
    "flux": ("phot.flux.density;em.wl", "FluxAxis.Value"),
    "error": ("stat.error;phot.flux.density;em.wl", "FluxAxis.Accuracy.StatError"),
}
"""UCD and utype of columns, by which other programs find them in a VOTable."""

Columns = dict[str, tuple[NDArray[Any], str]]  # values and unit by name


def write_spectrum(
    spectrum: Spectrum,
    out: Path,
    *,
    smoothing_px: float | None = None,
    window: Window | None = None,
    z: float | None = None,
    shown_as: Mapping[str, str] | None = None,
) -> int:
    """Write it atomically and return the number of pixels; the suffix says which format.

    `smoothing_px` is the width of the Gaussian, `window` the shown range in vacuum angstrom, and
    with `z` there are wavelengths at rest too. `shown_as` are cards that say on which axes the
    spectrum was shown; the columns do not follow them.
    """
    format_ = SUFFIXES.get(out.suffix.casefold())
    if format_ is None:
        raise SessionError(f"{out.name}: unknown suffix; use one of {', '.join(SUFFIXES)}")
    columns = _columns(spectrum, smoothing_px or 0.0, window, z)
    header = _header(spectrum, smoothing_px or 0.0, z)
    header |= {key: _text(text) for key, text in (shown_as or {}).items()}
    content = {"csv": _csv, "fits": _fits, "votable": _votable}[format_](columns, header)
    with disk_errors(out):
        write_file(out, content)
        if format_ == "csv":
            units = {name: unit for name, (_, unit) in columns.items() if unit}
            about = json.dumps({"header": header, "units": units}, indent=1) + "\n"
            write_file(metadata_path(out), about)
    return int(columns["wavelength"][0].size)


def _columns(
    spectrum: Spectrum, smoothing_px: float, window: Window | None, z: float | None
) -> Columns:
    good, unit = spectrum.good, spectrum.flux_unit
    error = None if spectrum.sigma is None else np.where(good, spectrum.sigma, np.nan)
    columns: Columns = {"wavelength": (spectrum.wavelength, "Angstrom")}
    if z is not None:
        if not (math.isfinite(z) and z > -1.0):
            raise SessionError(f"{z} is not a redshift")
        columns["rest_wavelength"] = (spectrum.wavelength / (1.0 + z), "Angstrom")
    if smoothing_px > 0:
        known = np.where(good, spectrum.flux, np.nan)
        smoothed, _ = smooth_parts(spectrum.wavelength, known, None, smoothing_px)
        columns["flux"] = (smoothed, unit)
        columns["measured_flux"] = (spectrum.flux, unit)
        if error is not None:
            columns["measured_flux_sigma"] = (error, unit)
    else:
        columns["flux"] = (spectrum.flux, unit)
        if error is not None:
            columns["error"] = (error, unit)
    columns["mask"] = ((~good).astype(np.uint8), "")
    if window is None:
        return columns
    low, high = window
    shown = (spectrum.wavelength >= low) & (spectrum.wavelength <= high)
    if not shown.any():
        raise SessionError(f"there are no pixels from {low:g} to {high:g} Å")
    return {name: (values[shown], unit) for name, (values, unit) in columns.items()}


def _header(spectrum: Spectrum, smoothing_px: float, z: float | None) -> dict[str, Any]:
    """Cards by keyword; nothing that is unknown."""
    cards = {
        "OBJECT": _text(spectrum.object_id),
        "RA": spectrum.ra,
        "DEC": spectrum.dec,
        "SURVEY": _text(spectrum.survey),
        "DATA_REL": _text(spectrum.release),
        "WAVEMED": "vacuum",
        "CLASS": _text(spectrum.class_name),
        "SUBCLASS": _text(spectrum.subclass),
        "Z": spectrum.z,
        "SNR": spectrum.snr,
        "SHOWN_Z": z,
        "SMOOTHPX": smoothing_px if smoothing_px > 0 else None,
        "SIMULATE": True if spectrum.simulated else None,
        "PROGRAM": f"{PROGRAM} {program_version()}",
    }
    return {key: value for key, value in cards.items() if _is_known(value)}


def _is_known(value: Any) -> bool:
    return value not in (None, "") and (not isinstance(value, float) or math.isfinite(value))


def _text(text: str) -> str:
    """Short printable ASCII, as FITS wants it."""
    return printable(text, MAX_TEXT).encode("ascii", "replace").decode("ascii")


def _csv(columns: Columns, header: Mapping[str, Any]) -> bytes:
    """The table alone, so that any program reads it; what is known stands beside it."""
    lines = [",".join(columns)]
    rows = zip(*(values.tolist() for values, _ in columns.values()), strict=True)
    lines += [",".join("nan" if each != each else repr(each) for each in row) for row in rows]
    return ("\n".join(lines) + "\n").encode("ascii", "replace")


def _fits(columns: Columns, header: Mapping[str, Any]) -> bytes:
    from astropy.io import fits

    formats = {"mask": "B"}
    hdu = fits.BinTableHDU.from_columns(
        [
            fits.Column(name=name, format=formats.get(name, "D"), array=values)
            for name, (values, _) in columns.items()
        ],
        name="SPECTRUM",
    )
    for number, (_, unit) in enumerate(columns.values(), 1):
        if unit:
            hdu.header[f"TUNIT{number}"] = _standard(unit, "fits")
    primary = fits.PrimaryHDU()
    for each in (primary, hdu):
        each.header.update(header)
    sink = io.BytesIO()
    fits.HDUList([primary, hdu]).writeto(sink, checksum=True)
    return sink.getvalue()


def _votable(columns: Columns, header: Mapping[str, Any]) -> bytes:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">',
        '<RESOURCE type="results"><TABLE name="spectrum">',
    ]
    for key, value in header.items():
        kind = {bool: "boolean", float: "double", int: "double"}.get(type(value), "char")
        size = ' arraysize="*"' if kind == "char" else ""
        lines.append(
            f'<PARAM name="{key}" datatype="{kind}"{size} value={quoteattr(_cell(value))}/>'
        )
    for name, (values, unit) in columns.items():
        kind = "unsignedByte" if values.dtype == np.uint8 else "double"
        its_unit = f" unit={quoteattr(_standard(unit, 'vounit'))}" if unit else ""
        ucd, utype = MEANINGS.get(name, ("", ""))
        its_unit += f' ucd="{ucd}" utype="spec:Spectrum.Data.{utype}"' if ucd else ""
        lines.append(f'<FIELD name="{name}" datatype="{kind}"{its_unit}/>')
    lines.append("<DATA><TABLEDATA>")
    for row in zip(*(values.tolist() for values, _ in columns.values()), strict=True):
        cells = "".join(f"<TD>{_cell(each)}</TD>" for each in row)
        lines.append(f"<TR>{cells}</TR>")
    lines.append("</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>")
    return ("\n".join(lines) + "\n").encode("utf-8")


def _cell(value: Any) -> str:
    """A value as VOTable writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, float | int) else str(value)


def _standard(unit: str, format_: str) -> str:
    """The unit as the standard of the format spells it; unchanged if that is not known."""
    from astropy.units import Unit

    if unit == "Angstrom" and format_ == "vounit":
        return "0.1nm"  # the old name is deprecated there
    spelled = re.sub(r"\bA\b", "Angstrom", unit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return str(Unit(spelled).to_string(format_))
        except (ValueError, TypeError):
            return _text(unit)

"""DESI coadd and spectra files: several targets in three overlapping arms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.errors import ReadError
from agent.spectra.fits.fits_file import FitsFile, Hdu
from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.fits_table import FitsTable
from agent.spectra.fits.source_file import SourceFile, open_source
from agent.spectra.readers.base import (
    Malformed,
    NotMine,
    Pixels,
    Request,
    build,
    checked_row,
    fits_of,
    known,
    median_snr,
    position_in,
    stem,
)
from agent.spectra.spectrum import FloatArray, Spectrum

RESOLUTION = 3500.0  # an average: about 2000 at 3600 A and 5500 at 9800 A
FLUX_UNIT = "1e-17 erg/s/cm2/A"
ARMS = ("B", "R", "Z")
WHOLE = "BRZ"  # the single arm of a file whose cameras are already coadded

GRID_TOLERANCE = 0.02  # largest distance of an arm's pixels from a shared grid, in pixels
MAX_GRID = 200_000


@dataclass(frozen=True)
class _Layout:
    """The HDUs and arms of one file."""

    hdus: dict[str, Hdu]
    arms: tuple[str, ...]
    targets: int


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    layout = _layout(fits)
    fibermap = layout.hdus.get("FIBERMAP")
    table = fibermap.table if fibermap is not None and fibermap.is_table else None
    row, notes = _row(file, request, layout, table)
    arms = [_arm(layout, name, row) for name in layout.arms]
    pixels, more_notes = merge_arms(arms)
    target = table.integer("TARGETID", row) if table is not None else None
    fit, fit_notes = classification_of(file.path, target)
    header = fits.primary.header
    kind = "spectra" if file.name.startswith("spectra") else "coadd"
    return build(
        file, pixels, header=header, warnings=(*notes, *more_notes, *fit_notes),
        format=f"DESI {kind}", survey="DESI", release=_production(header),
        object_id=str(target) if target is not None else f"{stem(file.path)}#{row}",
        row=row, rows=layout.targets, flux_unit=FLUX_UNIT, resolution=RESOLUTION,
        snr=median_snr(pixels), **position_in(table, row, "TARGET_RA", "TARGET_DEC"), **fit,
    )  # fmt: skip


def _layout(fits: FitsFile) -> _Layout:
    hdus = {hdu.name: hdu for hdu in fits if hdu.name}
    if not any(f"{arm}_WAVELENGTH" in hdus for arm in (*ARMS, WHOLE)):
        raise NotMine("it has no B_WAVELENGTH, R_WAVELENGTH or Z_WAVELENGTH")
    arms = (WHOLE,) if f"{WHOLE}_WAVELENGTH" in hdus else ARMS
    parts = [f"{arm}_{part}" for arm in arms for part in ("WAVELENGTH", "FLUX", "IVAR")]
    missing = [part for part in parts if part not in hdus]
    if missing:
        raise Malformed(f"a DESI file without {_listed(missing)}: a camera is incomplete")
    counts = {hdus[f"{arm}_{part}"].rows for arm in arms for part in ("FLUX", "IVAR")}
    if len(counts) != 1 or 0 in counts:
        raise Malformed("a DESI file whose arms do not hold the same number of targets")
    return _Layout(hdus, arms, counts.pop())


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _row(
    file: SourceFile, request: Request, layout: _Layout, table: FitsTable | None
) -> tuple[int, tuple[str, ...]]:
    if not request.target:
        return checked_row(request, layout.targets), ()
    if table is None or "TARGETID" not in table:
        raise Malformed("a DESI file without TARGETID: ask for a row instead of a target")
    # Compared as text: a TARGETID has 17 digits, and the requested target may be any text.
    rows = np.flatnonzero(table.column("TARGETID").astype(str) == request.target)
    if rows.size == 0 or int(rows[0]) >= layout.targets:
        raise Malformed(f"it holds {layout.targets} targets, none of them {request.target}")
    if rows.size > 1:
        return int(rows[0]), (f"{rows.size} spectra of this target: this is the first",)
    return int(rows[0]), ()


def _arm(layout: _Layout, name: str, row: int) -> Arm:
    def part(kind: str) -> FloatArray:
        return layout.hdus[f"{name}_{kind}"].image(row, 1)[0]

    wavelength = layout.hdus[f"{name}_WAVELENGTH"].image().reshape(-1)
    flux, ivar = part("FLUX"), part("IVAR")
    mask = layout.hdus.get(f"{name}_MASK")
    masked = mask.image(row, 1)[0] != 0 if mask is not None else np.zeros(flux.shape, bool)
    if not wavelength.shape == flux.shape == ivar.shape == masked.shape:
        raise Malformed(f"a DESI file whose {name} arrays differ in length")
    # Like DESI's redshift fit: a pixel with any bit of MASK set is not used.
    usable = ~masked & np.isfinite(flux) & np.isfinite(ivar) & (ivar > 0)
    return Arm(name, wavelength, flux, np.where(usable, ivar, 0.0))


def _production(header: Header) -> str:
    """The spectroscopic production (fuji, iron, ...) from SPECPROD or a DEPNAMnn key."""
    if production := header.text("SPECPROD"):
        return production
    for keyword in header:
        if keyword.startswith("DEPNAM") and header.text(keyword) == "SPECPROD":
            return header.text(f"DEPVER{keyword[6:]}")
    return ""


# Joins overlapping arms: a mean weighted by inverse variance if they share a grid.
@dataclass(frozen=True, eq=False)
class Arm:
    """One camera; ivar is 0 for masked pixels."""

    name: str
    wavelength: FloatArray
    flux: FloatArray
    ivar: FloatArray


def merge_arms(arms: list[Arm]) -> tuple[Pixels, tuple[str, ...]]:
    """One spectrum with increasing wavelengths, and notes about it."""
    for arm in arms:
        steps = np.diff(arm.wavelength)
        if arm.wavelength.size < 2 or not np.isfinite(steps).all() or not (steps > 0).all():
            raise Malformed(f"a DESI file whose {arm.name}_WAVELENGTH does not increase")
    if len(arms) == 1:
        only = arms[0]
        return Pixels(only.wavelength, only.flux, only.ivar), ()
    arms = sorted(arms, key=lambda arm: float(arm.wavelength[0]))
    indices = _grid_indices(arms)
    if indices is None:
        return _cut_in_overlaps(arms), ("the arms share no grid: joined in their overlaps",)
    return _coadded(arms, indices), ()


def _grid_indices(arms: list[Arm]) -> list[NDArray[np.int64]] | None:
    """Index of each pixel on the grid of the first arm; None if the arms do not share it."""
    start = arms[0].wavelength[0]
    step = (arms[0].wavelength[-1] - start) / (arms[0].wavelength.size - 1)
    indices = []
    for arm in arms:
        exact = (arm.wavelength - start) / step
        nearest = np.rint(exact)
        if np.abs(exact - nearest).max() > GRID_TOLERANCE or nearest[-1] > MAX_GRID:
            return None
        indices.append(nearest.astype(np.int64))
    return indices


def _coadded(arms: list[Arm], indices: list[NDArray[np.int64]]) -> Pixels:
    size = int(max(index[-1] for index in indices)) + 1
    weight, weighted, plain, n_arms, wavelength = np.zeros((5, size))
    for arm, index in zip(arms, indices, strict=True):
        flux = np.nan_to_num(arm.flux, nan=0.0, posinf=0.0, neginf=0.0)
        weight[index] += arm.ivar
        weighted[index] += arm.ivar * flux
        plain[index] += flux
        n_arms[index] += 1
        wavelength[index] = arm.wavelength
    inside = n_arms > 0
    weight, weighted, plain = weight[inside], weighted[inside], plain[inside] / n_arms[inside]
    good = weight > 0
    # Where every arm is masked, the unweighted mean is shown, with ivar 0.
    flux = np.where(good, weighted / np.where(good, weight, 1.0), plain)
    return Pixels(wavelength[inside], flux, weight)


def _cut_in_overlaps(arms: list[Arm]) -> Pixels:
    """Use each arm up to the middle of its overlap with the next."""
    low = 0.0
    kept: list[tuple[FloatArray, FloatArray, FloatArray]] = []
    for number, arm in enumerate(arms):
        last = number + 1 == len(arms)
        high = np.inf if last else (arm.wavelength[-1] + arms[number + 1].wavelength[0]) / 2
        inside = (arm.wavelength >= low) & (arm.wavelength < high)
        kept.append((arm.wavelength[inside], arm.flux[inside], arm.ivar[inside]))
        low = high
    wavelength, flux, ivar = (np.concatenate(column) for column in zip(*kept, strict=True))
    return Pixels(wavelength, flux, ivar)


# Redrock tables: class and redshift of DESI targets, in a file next to the spectra.
TABLES = ("REDSHIFTS", "ZBEST")
PREFIXES = ("redrock-", "zbest-")
SPECTRA = ("coadd-", "spectra-")


def read_redrock(file: SourceFile, request: Request) -> Spectrum:
    """Never returns a spectrum: raises Malformed that says what a redshift table is."""
    fits: FitsFile = fits_of(file)
    hdu = fits.get(1)
    if hdu is None or not _is_redshifts(hdu):
        raise NotMine("it holds no redrock redshift table")
    if any(other.name.endswith("_FLUX") for other in fits):
        raise NotMine("it holds spectra as well")
    coadd = file.name
    for prefix in PREFIXES:
        coadd = coadd.replace(prefix, "coadd-", 1)
    companion = coadd if coadd != file.name else "a DESI coadd"
    problem = f"a redrock redshift table, companion of {companion}, without spectra"
    raise Malformed(f"{problem}: open the coadd")


def classification_of(path: Path, target: int | None) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Class, subclass and z of a target from the redrock file next to its coadd, and warnings."""
    companion = _companion(path)
    if target is None or companion is None:
        return {}, ()
    try:
        with open_source(companion) as file:
            if not file.is_fits:
                raise ReadError("it is not a FITS file")
            hdu = file.fits.get(1)
            if hdu is None or not _is_redshifts(hdu) or not hdu.table.has("TARGETID", "Z"):
                raise ReadError("it holds no redshift table")
            table = hdu.table
            rows = (table.column("TARGETID") == target).nonzero()[0]
            if rows.size == 0:
                return {}, (f"{file.path.name} does not list target {target}",)
            row = int(rows[0])
            warning = table.integer("ZWARN", row)
            notes = (f"redrock warns about this redshift (ZWARN {warning})",) if warning else ()
            fit: dict[str, Any] = {
                "class_name": table.text("SPECTYPE", row),
                "subclass": table.text("SUBTYPE", row),
                "z": known(table.number("Z", row)),
            }
            return fit, notes
    except ReadError as error:
        return {}, (f"{companion.name} was not used: {error}",)


def _companion(path: Path) -> Path | None:
    for spectra in SPECTRA:
        if not path.name.startswith(spectra):
            continue
        rest = path.name.removeprefix(spectra).removesuffix(".gz")
        for prefix in PREFIXES:
            for ending in ("", ".gz"):
                candidate = path.with_name(f"{prefix}{rest}{ending}")
                if candidate.is_file():
                    return candidate
    return None


def _is_redshifts(hdu: Hdu) -> bool:
    if not hdu.is_table:
        return False
    wanted = ("TARGETID", "Z") if hdu.name in TABLES else ("TARGETID", "ZWARN", "SPECTYPE")
    return hdu.table.has(*wanted)

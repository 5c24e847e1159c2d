"""`spec-o3-train stars`: a second test set of real stars, from two public packages."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from astropy.io import fits

from agent.atomic_file import atomic_folder, is_missing_or_empty
from agent.errors import WorkbenchError, write_errors
from train.stars.labels import (
    HOT_SUBDWARFS,
    WHITE_DWARFS,
    Star,
    label_from_parameters,
    label_from_spectral_type,
    thinned,
)

TEMPLATES = "mangadap/data/spectral_templates"
STANDARDS = "aspired/standards"
LOWEST, HIGHEST = 3000.0, 10_500.0
MAX_FILE = 4 * 1024**2


def stars(
    mangadap: Annotated[Path, typer.Argument(help="Wheel of sdss-mangadap 4.5.0.")],
    aspired: Annotated[Path, typer.Argument(help="Wheel of aspired 0.5.1.")],
    out: Annotated[Path, typer.Argument(help="Folder to create, for `evaluate library`.")],
) -> None:
    """Make a folder of labelled real stars that the simulator was not built from."""
    if not is_missing_or_empty(out):
        raise WorkbenchError(f"{out} is not empty: name a new folder")
    try:
        with zipfile.ZipFile(mangadap) as wheel:
            chosen = thinned([*_miles(wheel), *_stelib(wheel)])
            files = {star: _member(wheel, _member_name(star)) for star in chosen}
        with zipfile.ZipFile(aspired) as wheel:
            files |= {
                star: _two_columns(_member(wheel, _member_name(star))) for star in _standards()
            }
    except (OSError, zipfile.BadZipFile) as error:
        raise WorkbenchError(f"the wheels cannot be read: {error}") from error
    rows = []
    with write_errors(out), atomic_folder(out) as part:
        for star, content in files.items():
            ending = "fits" if star.library in _FITS else "csv"
            file = f"{star.library.lower()}-{star.name}.{ending}"
            (part / file).write_bytes(content)
            rows.append((file, star.library, star.label, star.notes))
        with (part / "MANIFEST.csv").open("w", encoding="utf-8", newline="") as manifest:
            table = csv.writer(manifest)
            table.writerow(("file", "survey", "label", "notes"))
            table.writerows(rows)
    counts = Counter(star.label for star in files)
    typer.echo(
        f"{out}  {len(rows)} stars: " + ", ".join(f"{n} {k}" for k, n in counts.most_common())
    )


_FITS = {
    "MILES": TEMPLATES + "/miles/MILES_res2.50_star_m{}V.fits",
    "STELIB": TEMPLATES + "/stelib/STELIB_v3.2_{}.fits",
}


def _member_name(star: Star) -> str:
    pattern = _FITS.get(star.library)
    return pattern.format(star.name) if pattern else f"{STANDARDS}/{star.library}/f{star.name}.dat"


def _miles(wheel: zipfile.ZipFile) -> Iterator[Star]:
    members = set(wheel.namelist())
    text = _member(wheel, f"{TEMPLATES}/miles/MILES_params.db").decode("ascii", "replace")
    for line in sorted(text.splitlines()):
        words = line.split()
        if len(words) < 4 or not re.fullmatch(r"\d{4}", words[0]):
            continue
        number, kelvin, log_g = words[0], float(words[1]), float(words[2])
        label = label_from_parameters(number, kelvin, log_g)
        if label and _FITS["MILES"].format(number) in members:
            yield Star(number, "MILES", label, f"{kelvin:g} K, log g {log_g:g}")


def _stelib(wheel: zipfile.ZipFile) -> Iterator[Star]:
    for member in sorted(wheel.namelist()):
        match = re.fullmatch(_FITS["STELIB"].format(r"(\w+)"), member)
        if not match:
            continue
        header = fits.Header.fromstring(
            _member(wheel, member)[: 2880 * 3].decode("ascii", "replace")
        )
        spectral_type = str(header.get("SPECTYPE", "")).strip()
        label = label_from_spectral_type(match[1], spectral_type)
        if label:
            yield Star(match[1], "STELIB", label, spectral_type)


def _standards() -> Iterator[Star]:
    for label, lists in (("WD", WHITE_DWARFS), ("OTHER", HOT_SUBDWARFS)):
        for folder, names in lists.items():
            yield from (Star(name, folder, label, "") for name in names.split())


def _member(wheel: zipfile.ZipFile, name: str) -> bytes:
    try:
        info = wheel.getinfo(name)
    except KeyError as error:
        raise WorkbenchError(
            f"{PurePosixPath(wheel.filename or 'the wheel').name} has no {name}"
        ) from error
    if info.file_size > MAX_FILE:
        raise WorkbenchError(f"{name} is too large for a spectrum")
    return wheel.read(info)


def _two_columns(table: bytes) -> bytes:
    """Wavelength and flux as CSV; the third column is not an error, but the flux in other units."""
    out = io.StringIO()
    out.write("wavelength,flux\n")
    for line in table.decode("ascii", "replace").splitlines():
        words = line.split()
        try:
            wavelength, flux = float(words[0]), float(words[1])
        except (IndexError, ValueError):
            continue  # a heading
        if LOWEST < wavelength < HIGHEST:
            out.write(f"{wavelength:.3f},{flux:.6g}\n")
    return out.getvalue().encode()

"""`spec-o3-train stars`: a second test set of real stars, from two public packages."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from astropy.io import fits

from agent.atomic_file import atomic_folder, is_missing_or_empty
from agent.errors import WorkbenchError, write_errors

TEMPLATES = "mangadap/data/spectral_templates"
STANDARDS = "aspired/standards"
LOWEST, HIGHEST = 3000.0, 10_500.0
MAX_FILE = 4 * 1024**2
AMONG_THE_LABELLED = {
    "0009", "0012", "0030", "0099", "0156", "0177", "0183", "0186", "0210", "0234", "0236",
    "0251", "0252", "0321", "0343", "0399", "0400", "0447", "0481", "0487", "0508", "0531",
    "0554", "0555", "0591", "0608", "0614", "0669", "0685", "0690", "0705", "0720", "0782",
    "0816", "0838", "0871", "0884", "0890", "HD188209", "HD093250", "HD086161",
}  # fmt: skip
"""MILES numbers and STELIB names of the 135 labelled spectra, on 47 of which the simulator's bands
were measured."""
ZIRCONIUM = {"0053", "0164", "0279", "0484", "0781"}
"""MILES numbers of giants in which ZrO 6474 is as deep as in S stars, identified by eye."""
DOUBTFUL = {"0220", "0593", "0407", "0443", "0445", "HD112300", "HD048682B"}
"""Stars without TiO at the temperature of an M star, without parameters, or half covered."""
KNOWN = {"Feige110": "OTHER", "LTT4364": "WD"}
"""Stars of STELIB whose type is marked as doubtful there but is certain in the literature."""

WHITE_DWARFS = {
    "esookestan": "g138_31 g193_74 g24_9 g60_54 gd248 gd50 grw70d5824 hz21 hz4 ltt9491",
    "esowdstan": "gd71 g93_48_004 hz2_005 lds749b_005",
    "esohststan": "bpm16274",
    "esoxshooter": "EG274 GD153 LTT3218 LTT7987",
}
HOT_SUBDWARFS = {
    "esookestan": "bd25d4655 bd28d4211 feige110 feige34 feige66 feige67 hz44 bd75d325 gd108"
}
AT_MOST = {"K": 20, "A": 12, "B": 12, "F": 8, "G": 8}
"""Most stars of a label from one library, evenly spaced in its list."""


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
            for star in _standards():
                files[star] = _two_columns(_member(wheel, _member_name(star)))
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
    counts = Counter(star.label for star in files).most_common()
    typer.echo(f"{out}  {len(rows)} stars: " + ", ".join(f"{n} {label}" for label, n in counts))


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
        cards = _member(wheel, member)[: 2880 * 3].decode("ascii", "replace")
        header = fits.Header.fromstring(cards)
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
        file = PurePosixPath(wheel.filename or "the wheel").name
        raise WorkbenchError(f"{file} has no {name}") from error
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


# Selection and labels of the stars of two published packages. sdss-mangadap contains MILES (985
# stars with effective temperature and gravity) and STELIB (255 with a spectral type). aspired
# contains the spectrophotometric standards of several observatories, many of which are well-known
# white dwarfs and hot subdwarfs.
@dataclass(frozen=True)
class Star:
    name: str
    library: str
    label: str
    notes: str


def label_from_parameters(number: str, kelvin: float, log_g: float) -> str | None:
    """The label of a MILES star; None where it is between two labels."""
    if number in AMONG_THE_LABELLED | DOUBTFUL:
        return None
    if number in ZIRCONIUM:
        return "SS"
    giant, dwarf = log_g < 2.6, 4 < log_g < 6
    for label, low, high, is_wanted in (
        ("MG", 2000, 3820, giant), ("M_DWARF", 2000, 3850, dwarf), ("K", 4050, 5000, True),
        ("G", 5300, 5850, True), ("F", 6150, 7100, True), ("A", 7700, 9500, log_g < 4.8),
        ("B", 11000, 28000, log_g < 4.8), ("O", 30500, 60000, log_g < 4.6),
        ("OTHER", 20000, 90000, 5 < log_g < 7),
    ):  # fmt: skip
        if is_wanted and low <= kelvin <= high:
            return label
    return None


def label_from_spectral_type(name: str, spectral_type: str) -> str | None:
    """The label of a STELIB star; None for borderline, peculiar and missing types."""
    if name in AMONG_THE_LABELLED | DOUBTFUL:
        return None
    if name in KNOWN:
        return KNOWN[name]
    if spectral_type.startswith(("WN", "WC")):
        return "OTHER"
    if spectral_type.startswith("M"):
        return "M_DWARF" if spectral_type.endswith("V") else "MG"
    if spectral_type.startswith(("B9.5", "A9", "F0", "K5", "K7")):
        return None
    return spectral_type[0] if spectral_type[:1] in set("OBAFGK") else None


def thinned(stars: list[Star]) -> list[Star]:
    """At most AT_MOST stars of each label and library."""
    groups: dict[tuple[str, str], list[Star]] = {}
    for star in stars:
        groups.setdefault((star.library, star.label), []).append(star)
    found = []
    for (_, label), group in sorted(groups.items()):
        kept = min(len(group), AT_MOST.get(label, len(group)))
        found += [group[round(index * len(group) / kept)] for index in range(kept)]
    return found

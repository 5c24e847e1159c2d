"""`spec-o3 info FILE`: what was read."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.spectra.readers.base import clean_text
from agent.spectra.spectrum import Spectrum
from app.cli.spectrum_row import read_row


def info(
    file: Annotated[Path, typer.Argument(help="A spectrum: FITS, VOTable, CSV or text; .gz too.")],
    as_json: Annotated[bool, typer.Option("--json", help="JSON alone, for scripts.")] = False,
    row: Annotated[
        str,
        typer.Option("--row", metavar="K", help="Row of a file of several, from 0; or a TARGETID."),
    ] = "0",
) -> None:
    """Say what a spectrum file holds."""
    spectrum = read_row(file, row)
    if as_json:
        typer.echo(json.dumps(summary(spectrum), allow_nan=False))
    else:
        Console().print(_table(clean_text(file.name), summary(spectrum)))


def summary(spectrum: Spectrum) -> dict[str, Any]:
    """The keys scripts rely on; None where the file does not tell."""
    return {
        "survey": spectrum.survey,
        "release": spectrum.release,
        "format": spectrum.format,
        "object_id": spectrum.object_id,
        "ra": _finite(spectrum.ra),
        "dec": _finite(spectrum.dec),
        "class": spectrum.class_name,
        "subclass": spectrum.subclass,
        "snr": _finite(spectrum.snr),
        "z": _finite(spectrum.z),
        "n_pixels": len(spectrum),
        "n_bad": spectrum.n_bad,
        "wavelength": list(spectrum.range),
        "medium_in_file": spectrum.medium_in_file,
        "flux_unit": spectrum.flux_unit,
        "row": spectrum.row,
        "rows": spectrum.rows,
        "simulated": spectrum.simulated,
        "warnings": list(spectrum.warnings),
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _table(name: str, facts: dict[str, Any]) -> Table:
    table = Table(title=Text(name), title_justify="left", show_header=False, box=None)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in _lines(facts):
        # Text, not str: what a header says must not be taken for markup.
        table.add_row(label, Text(value))
    return table


def _lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    low, high = facts["wavelength"]
    survey = " ".join(filter(None, (facts["survey"] or "unknown", facts["release"])))
    place = "" if facts["ra"] is None else f"{facts['ra']:.6f} {facts['dec']:+.6f}"
    kind = " ".join(filter(None, (facts["class"], facts["subclass"])))
    lines = [
        ("survey", survey + (", SIMULATED" if facts["simulated"] else "")),
        ("format", facts["format"]),
        ("object", facts["object_id"]),
        ("ra dec", place),
        ("class", kind),
        ("z", "" if facts["z"] is None else f"{facts['z']:.6g}"),
        ("S/N", "" if facts["snr"] is None else f"{facts['snr']:.4g}"),
        ("pixels", f"{facts['n_pixels']} ({facts['n_bad']} bad)"),
        ("wavelength", f"{low:.2f} to {high:.2f} Å (file: {facts['medium_in_file']})"),
        ("flux unit", facts["flux_unit"]),
        ("row", f"{facts['row']} (0 to {facts['rows'] - 1})" if facts["rows"] > 1 else ""),
    ]
    lines += [("warning", warning) for warning in facts["warnings"]]
    return [(label, value) for label, value in lines if value]

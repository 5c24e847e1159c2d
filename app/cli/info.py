"""`spec-o3 info FILE`: show what a spectrum file contains."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.spectra.readers.base import clean_text
from agent.spectra.spectrum import summary
from app.cli.session_options import RowOption, read_row


def info(
    file: Annotated[
        Path, typer.Argument(help="A spectrum: FITS, VOTable, CSV or text, also gzipped.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
    row: RowOption = "0",
) -> None:
    """Show what a spectrum file contains."""
    spectrum = read_row(file, row)
    if as_json:
        typer.echo(json.dumps(summary(spectrum), allow_nan=False))
        return
    title = Text(clean_text(file.name))
    table = Table(title=title, title_justify="left", show_header=False, box=None)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in _lines(summary(spectrum)):
        # Text, not str: rich would interpret markup in a header value.
        table.add_row(label, Text(value))
    Console().print(table)


def _lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    low, high = facts["wavelength"]
    survey = " ".join(filter(None, (facts["survey"] or "unknown", facts["release"])))
    position = "" if facts["ra"] is None else f"{facts['ra']:.6f} {facts['dec']:+.6f}"
    kind = " ".join(filter(None, (facts["class"], facts["subclass"])))
    lines = [
        ("survey", survey + (", SIMULATED" if facts["simulated"] else "")),
        ("format", facts["format"]),
        ("object", facts["object_id"]),
        ("ra dec", position),
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

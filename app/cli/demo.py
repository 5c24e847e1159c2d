"""`spec-o3 demo`: the bundled sample, measured in the terminal."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table

from agent.errors import WorkbenchError
from agent.render import png_bytes, render_array
from agent.spectra.line_measure import measure_line
from agent.spectra.line_result import LineMeasurement
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum
from agent.tasks import Task, task
from agent.tool import run_tool

SAMPLE_TASK = "CV"
SHOWN = 15
PICTURED = 3


@dataclass(frozen=True)
class Looked:
    """One candidate of the sample and the lines measured in it."""

    path: Path
    spectrum: Spectrum
    alpha: LineMeasurement
    beta: LineMeasurement
    he_ii: LineMeasurement

    @property
    def emission(self) -> float:
        """Equivalent width of H alpha emission, angstrom; 0 where there is none to be sure of."""
        width = self.alpha.ew
        return max(-width, 0.0) if width is not None and self.alpha.is_detected else 0.0


def demo(
    out: Annotated[
        Path, typer.Option(help="Folder for the pictures; made where it is missing.")
    ] = Path("spec-o3-demo"),
) -> None:
    """Look through the bundled sample: 60 simulated candidates of cataclysmic variables."""
    console = Console()
    sample = Path(str(resources.files("resources"))) / "sample"
    looked = [
        _look(sample / row["file"], int(row["row"]))
        for row in track(_candidates(sample), "Measuring", console=console, transient=True)
    ]
    looked.sort(key=lambda candidate: candidate.emission, reverse=True)
    console.print(_table(looked))
    question = task(SAMPLE_TASK)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for candidate in looked[:PICTURED]:
            for picture in _pictures(candidate, question, out):
                console.print(f"  {picture}", highlight=False)
    except OSError as error:
        raise WorkbenchError(f"{out}: no pictures could be written: {error.strerror}") from error
    console.print(
        f"\nThese spectra are simulated. The list is {sample / 'candidates.csv'};\n"
        "look at one of your own: spec-o3 info FILE, spec-o3 render FILE OUT.png",
        highlight=False,
    )


def _candidates(sample: Path) -> list[dict[str, str]]:
    with (sample / "candidates.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _look(path: Path, row: int) -> Looked:
    spectrum = read(path, row=row)
    alpha, beta, he_ii = (
        measure_line(spectrum, line) for line in ("H_alpha", "H_beta", "HeII_4686")
    )
    return Looked(path, spectrum, alpha, beta, he_ii)


def _cell(line: LineMeasurement) -> str:
    if line.ew is None:
        return "-"
    return f"{-line.ew:.1f}" if line.is_detected else f"({-line.ew:.1f})"


def _table(looked: list[Looked]) -> Table:
    table = Table(
        title=f"The sample: {len(looked)} simulated candidates, strongest Hα emission first",
        caption="Å of equivalent width, emission positive, in brackets where not significant;\n"
        "FWHM of Hα in km/s",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("object", no_wrap=True, max_width=19)
    table.add_column("survey", no_wrap=True)
    table.add_column("pipeline", no_wrap=True, max_width=13)
    for column, width in (("S/N", 3), ("Hα", 6), ("FWHM", 4), ("Hβ", 6), ("He II", 6)):
        table.add_column(column, justify="right", no_wrap=True, min_width=width)
    for candidate in looked[:SHOWN]:
        spectrum, fwhm = candidate.spectrum, candidate.alpha.fwhm_kms
        table.add_row(
            spectrum.object_id,
            spectrum.survey,
            f"{spectrum.class_name} {spectrum.subclass}".strip() or "-",
            "-" if spectrum.snr is None else f"{spectrum.snr:.0f}",
            _cell(candidate.alpha),
            "-" if fwhm is None else f"{fwhm:.0f}",
            _cell(candidate.beta),
            _cell(candidate.he_ii),
        )
    if len(looked) > SHOWN:
        table.add_row(f"... and {len(looked) - SHOWN} more")
    return table


def _pictures(candidate: Looked, question: Task, out: Path) -> list[Path]:
    """The whole spectrum and the first diagnostic window, as the agent sees them."""
    name = candidate.path.name.split(".")[0]
    title = f"Spectrum: {candidate.path.name}"
    window = question.windows[0]
    zoom = run_tool(
        candidate.spectrum,
        {"wavelength_range": list(window.range), "label": window.label},
        title=title,
    )
    whole_path, zoom_path = out / f"{name}-whole.png", out / f"{name}-{window.id}.png"
    whole_path.write_bytes(png_bytes(render_array(candidate.spectrum, title=title)))
    zoom_path.write_bytes(png_bytes(zoom.picture))
    return [whole_path, zoom_path]

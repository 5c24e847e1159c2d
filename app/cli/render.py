"""`spec-o3 render FILE OUT.png`: draw the picture that the agent sees."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from agent.atomic_file import write_file
from agent.errors import WorkbenchError, write_errors
from agent.protocol.tool import run_tool
from agent.rendering.render import STYLES, png_bytes, render_array
from app.cli.inspection_text import cleaned
from app.cli.session_options import RowOption, read_row

StyleName = Literal["published", "compact", "compact-panels", "eye", "as-published"]


def render(
    file: Annotated[Path, typer.Argument(help="A spectrum file.", show_default=False)],
    out: Annotated[Path, typer.Argument(help="The .png file to write.", show_default=False)],
    wavelengths: Annotated[
        tuple[float, float] | None,
        typer.Option("--range", metavar="LO HI", help="Show only this wavelength range, in Å."),
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="What the range shows; part of the reply line.")
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="Title of the picture.", show_default="Spectrum: FILE")
    ] = None,
    style: Annotated[StyleName, typer.Option(help="Style of the picture.")] = "published",
    row: RowOption = "0",
) -> None:
    """Draw a spectrum, or one window of it, as the agent sees it."""
    _check_target(out)
    if label is not None and wavelengths is None:
        raise WorkbenchError("--label describes a range: give --range too")
    spectrum = read_row(file, row)
    name = f"Spectrum: {file.name}" if title is None else title
    look = STYLES[style]
    if wavelengths is None:
        picture = png_bytes(render_array(spectrum, title=name, style=look))
        simulated = ", SIMULATED" if spectrum.simulated else ""
        reply = f"{cleaned(str(out))}: the whole spectrum{simulated}"
    else:
        # 6500 and not 6500.0, so that the reply shows what was typed.
        ends = [int(end) if end.is_integer() else end for end in wavelengths]
        arguments = {"wavelength_range": ends, "label": label}
        result = run_tool(spectrum, arguments, look, title=name)
        picture, reply = png_bytes(result.picture), result.text
    with write_errors(out):
        write_file(out, picture)
    typer.echo(reply)


def _check_target(out: Path) -> None:
    if out.suffix.lower() != ".png":
        raise WorkbenchError(f"{out}: pictures are written as PNG; give a name that ends in .png")
    if not out.parent.is_dir():
        raise WorkbenchError(
            f"{out.parent} is not an existing folder: create it first or choose another"
        )
    if out.is_dir():
        raise WorkbenchError(f"{out} is a folder: give a file name")

"""`spec-o3-train simulate`: spectra with known truth, in the surveys' own layouts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from train.simulate.archive import run
from train.simulate.campaign import MIXED, Settings, assignments
from train.simulate.production import usable_bases


def parse_odds(text: str) -> tuple[float, float]:
    """ "1:5" is one positive to five negatives."""
    first, colon, second = text.partition(":")
    try:
        odds = float(first), float(second)
    except ValueError:
        odds = (-1.0, -1.0)
    if not colon or min(odds) < 0 or sum(odds) <= 0 or sum(odds) > 1e9:
        raise typer.BadParameter(f"{text!r} is not of the form 1:5", param_hint="--odds")
    return odds


def parse_labels(text: str) -> tuple[str, ...]:
    return tuple(part.strip().upper() for part in text.split(",") if part.strip())


def simulate(
    out: Annotated[Path, typer.Argument(help="Folder to fill; an unfinished one is continued.")],
    task: Annotated[str, typer.Option(help="CV, CS, SS, MG, WD, O, B or A.")] = "",
    labels: Annotated[
        str, typer.Option(help="Without a task: classes, comma-separated; default all.")
    ] = "",
    count: Annotated[int, typer.Option(min=1, help="How many spectra.")] = 100,
    odds: Annotated[str, typer.Option(help="Of the task's class to its contaminants.")] = "1:5",
    survey: Annotated[
        str,
        typer.Option(
            help="LAMOST, SDSS, BOSS, DESI, ATLAS (several with commas), or mixed; "
            "ATLAS:0.3 for another share."
        ),
    ] = MIXED,
    snr: Annotated[
        tuple[float, float], typer.Option(help="Lowest and highest S/N per pixel in r.")
    ] = (5.0, 100.0),
    quality: Annotated[str, typer.Option(help="good, typical, poor or mixed.")] = "mixed",
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same files.")] = 0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes.")] = 1,
    arrays: Annotated[bool, typer.Option("--arrays", help="Arrays for training: .npz.")] = False,
    gzip: Annotated[bool, typer.Option(help="Compress FITS files.")] = True,
    sky: Annotated[
        int | None,
        typer.Option(min=0, help="Same sky, count and classes: the same objects, seen anew."),
    ] = None,
    library: Annotated[
        Path | None, typer.Option(help="Folder of labelled real spectra to draw bases from too.")
    ] = None,
) -> None:
    """Simulate survey spectra with known truth: FITS files, candidates.csv and truth.csv."""
    settings = Settings(
        seed=seed,
        count=count,
        task=task.upper(),
        labels=parse_labels(labels),
        odds=parse_odds(odds),
        survey=survey.upper(),
        snr=snr,
        quality=quality.lower(),
        library=str(library.resolve()) if library else "",
        arrays=arrays,
        gzip=gzip,
        sky=sky,
    )
    console = Console(stderr=True)
    wanted = Counter(one.label for one in assignments(settings))
    if settings.library:
        usable, refused = usable_bases(settings.library, set(wanted))
        console.print(f"{usable} bases of {settings.library}; {len(refused)} not usable")
    with Progress(
        TextColumn("simulating"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    ) as progress:
        bar = progress.add_task("simulating", total=count)
        made = run(out, settings, workers, lambda more: progress.advance(bar, more))
    mixture = ", ".join(f"{label} {number}" for label, number in wanted.most_common())
    kept = f" ({count - made} were there already)" if made < count else ""
    typer.echo(f"{count} simulated spectra in {out}{kept}: {mixture}")

"""`spec-o3-train simulate`: spectra with known truth in the file layouts of the surveys."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from train.parallel import counted
from train.simulate.archive import run_campaign
from train.simulate.campaign import MIXED, Settings, assignments
from train.simulate.production import usable_bases


def parse_odds(text: str) -> tuple[float, float]:
    """Parse odds like "1:5", which is one positive to five negatives."""
    first, colon, second = text.partition(":")
    try:
        odds = float(first), float(second)
    except ValueError:
        odds = (-1.0, -1.0)
    if not colon or min(odds) < 0 or sum(odds) <= 0 or sum(odds) > 1e9:
        raise typer.BadParameter(f"{text!r} is not of the form 1:5", param_hint="--odds")
    return odds


def simulate(
    out: Annotated[Path, typer.Argument(help="Folder to fill; an unfinished campaign is resumed.")],
    task: Annotated[str, typer.Option(help="CV, CS, SS, MG, WD, O, B or A.")] = "",
    labels: Annotated[
        str,
        typer.Option(
            help="Classes to draw without a task, comma-separated, each with its share as CV:0.01 "
            "if not equal; natural: as a survey of the Galaxy sees them. Default: all."
        ),
    ] = "",
    count: Annotated[int, typer.Option(min=1, help="How many spectra.")] = 100,
    odds: Annotated[
        str, typer.Option(help="Odds of the task's class to its contaminants.")
    ] = "1:5",
    survey: Annotated[
        str,
        typer.Option(
            help="LAMOST, SDSS, BOSS, DESI, ATLAS (several separated by commas), or mixed; "
            "ATLAS:0.3 sets the share of a survey."
        ),
    ] = MIXED,
    snr: Annotated[
        tuple[float, float], typer.Option(help="Lowest and highest S/N per pixel in the r band.")
    ] = (5.0, 100.0),
    quality: Annotated[str, typer.Option(help="good, typical, poor or mixed.")] = "mixed",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same files.")] = 0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Number of processes.")] = 1,
    arrays: Annotated[
        bool, typer.Option("--arrays", help="Write .npz arrays for training instead of FITS files.")
    ] = False,
    gzip: Annotated[bool, typer.Option(help="Compress FITS files.")] = True,
    sky: Annotated[
        int | None,
        typer.Option(
            min=0, help="With the same sky, count and classes, the same objects are observed again."
        ),
    ] = None,
    library: Annotated[
        Path | None, typer.Option(help="Folder of labelled real spectra to use as bases, too.")
    ] = None,
) -> None:
    """Simulate survey spectra with known truth: FITS files, candidates.csv and truth.csv."""
    settings = Settings(
        seed=seed,
        count=count,
        task=task.upper(),
        labels=tuple(part.strip().upper() for part in labels.split(",") if part.strip()),
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
        console.print(f"{usable} usable bases in {settings.library}; {len(refused)} unusable")
    with counted("simulating", count, console) as advance:
        made = run_campaign(out, settings, workers, advance)
    mixture = ", ".join(f"{label} {number}" for label, number in wanted.most_common())
    kept = f" ({count - made} already existed)" if made < count else ""
    typer.echo(f"{count} simulated spectra in {out}{kept}: {mixture}")

"""`spec-o3-train evaluate panel`: fit how much each member of the panel counts."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from agent.inspection.built_in import EYE
from agent.inspection.fusion import FusionWeights
from train.evaluate.calibration_figures import PRECISION
from train.evaluate.evaluation import write
from train.evaluate.panel_fit import (
    FOLDS,
    Pairs,
    PanelFigures,
    against_members,
    fit_fusion,
    panel_figures,
    read_pairs,
)
from train.evaluate.significance import JudgeComparison
from train.evaluate.tables import percent


def panel(
    judgements: Annotated[
        list[Path],
        typer.Argument(
            help="Folders OUT/judgements/SET of evaluate, in which both judged simulated spectra."
        ),
    ],
    eye: Annotated[str, typer.Option(metavar="NAME", help="Name of the judge that looks.")] = EYE,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the folds.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="File to write; default: that of the program.")
    ] = None,
) -> None:
    """Fit the weights with which the panel fuses the p(YES) of its two members."""
    pairs = read_pairs(judgements, eye)
    path = out or Path(str(files("resources") / "weights" / "panel.toml"))
    weights = fit_fusion(pairs.terms, pairs.answers)
    figures = panel_figures(pairs, seed)
    write(path, panel_toml(weights, pairs, judgements, eye))
    console = Console()
    console.print(_table(figures, len(pairs)))
    for one in against_members(pairs, seed):
        console.print(_sentence(one), markup=False)
    console.print(
        f"log-odds = {weights.intercept:.3g} + {weights.eye:.3g} eye + {weights.measured:.3g} "
        f"measured, written to {path}",
        markup=False,
    )


def panel_toml(weights: FusionWeights, pairs: Pairs, judgements: list[Path], eye: str) -> str:
    lines = (
        "# Fitted weights: do not edit, make them again.",
        f"# Made by: spec-o3-train evaluate panel --eye {eye} "
        + " ".join(folder.name for folder in judgements),
        f"# from the judgements of {len(pairs)} simulated candidates.",
        f"intercept = {weights.intercept:.4f}",
        f"eye = {weights.eye:.4f}",
        f"measured = {weights.measured:.4f}",
    )
    return "\n".join(lines) + "\n"


def _sentence(one: JudgeComparison) -> str:
    low, middle, high = (
        f"{100.0 * (value or 0.0):+.1f}"
        for value in (one.f1_difference.low, one.f1_difference.value, one.f1_difference.high)
    )
    return (
        f"{one.first} against {one.second}, paired: macro-F1 {middle} ({low} to {high}); right "
        f"alone on {one.only_first} and {one.only_second} candidates (McNemar p {one.p_value:.2g})"
    )


def _table(figures: list[PanelFigures], count: int) -> Table:
    table = Table(
        title=f"{count:,} simulated candidates; the panel cross-validated in {FOLDS} folds",
        box=box.SIMPLE,
    )
    table.add_column("judge")
    for column in ("macro-F1", "ECE", f"kept at {100 * PRECISION:g} % precision"):
        table.add_column(column, justify="right")
    for one in figures:
        shares = (one.mean_f1, one.calibration_error, one.kept)
        table.add_row(one.name, *map(percent, shares))
    return table

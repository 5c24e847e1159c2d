"""`spec-o3-train evaluate panel`: fit how much each member of the panel counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Column, Table
from scipy.optimize import minimize

from agent.confidence.abstention import cut_for_precision
from agent.confidence.judged import JudgedScores, sigmoid
from agent.confidence.reliability import expected_calibration_error, reliability_curve
from agent.errors import WorkbenchError
from agent.inspection.built_in import EYE, MEASURED, PANEL
from agent.inspection.panel_inspector import LARGEST, FusionWeights, clipped_logit
from agent.spectra.spectrum import BoolArray, FloatArray
from agent.trajectory.trajectory_file import read_trajectories
from train.evaluate.evaluation import write
from train.evaluate.judgement import JudgeComparison, Judgement, compare, mean_f1, read_judgements
from train.evaluate.judges import trajectories_path
from train.evaluate.tables import PRECISION, percent

FOLDS = 5
RIDGE = 1e-3
"""Penalty of the squared weights, per judgement and in nats, for members that are always right."""
FEWEST = 50
Judges = Mapping[str, Sequence[Judgement]]


def panel(
    judgements: Annotated[
        list[Path],
        typer.Argument(
            help="Folders OUT/judgements/SET of evaluate, in which both judged simulated spectra."
        ),
    ],
    part: Annotated[
        list[Path] | None,
        typer.Option(help="Such a folder of parts of spectra, which get weights of their own."),
    ] = None,
    eye: Annotated[str, typer.Option(metavar="NAME", help="Name of the judge that looks.")] = EYE,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the folds.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="File to write; default: that of the program.")
    ] = None,
) -> None:
    """Fit the weights with which the panel fuses the p(YES) of its two members."""
    pairs = read_pairs(judgements, eye)
    path = out or Path(str(files("resources") / "weights" / "panel.toml"))
    right, count = measured_right(pairs)
    lines = [
        "# Fitted weights: do not edit, make them again.",
        f"# Made by: spec-o3-train evaluate panel --eye {eye} "
        + " ".join(
            [*(one.name for one in judgements), *(f"--part {one.name}" for one in part or ())]
        ),
        f"# from the judgements of {len(pairs)} simulated candidates.",
        *_fitted(pairs, seed),
        f"disagreed = {count}",
        f"measured_right = {right}",
    ]
    if part:
        lines += ["", "[part]", *_fitted(read_pairs(part, eye), seed)]
    write(path, "\n".join(lines) + "\n")
    typer.echo(f"where they disagree, {MEASURED} is right in {right} of {count}; written to {path}")


def _fitted(pairs: Pairs, seed: int) -> tuple[str, ...]:
    """Fit the weights, print how good they are, and return their lines for the file."""
    weights = fit_fusion(pairs.terms, pairs.answers)
    console = Console()
    judges = judges_of(pairs, seed)
    console.print(_table([panel_figures(*each, seed) for each in judges.items()], len(pairs)))
    for one in against_members(judges, seed):
        console.print(_sentence(one), markup=False)
    names = ("intercept", "eye", "measured")
    return tuple(f"{name} = {getattr(weights, name):.4f}" for name in names)


def measured_right(pairs: Pairs) -> tuple[int, int]:
    """On how many candidates the measured inspector alone is right, and on how many they differ."""
    both = zip(pairs.eye, pairs.measured, strict=True)
    differing = [other for one, other in both if one.verdict != other.verdict]
    return sum(each.verdict == each.answer for each in differing), len(differing)


def _sentence(one: JudgeComparison) -> str:
    change = one.f1_difference
    values = (change.low, change.value, change.high)
    low, middle, high = (f"{100.0 * (value or 0.0):+.1f}" for value in values)
    interval = "no interval" if low == high else f"{low} to {high}"
    return (
        f"{one.first} against {one.second}, paired: macro-F1 {middle} ({interval}); right "
        f"alone on {one.only_first} and {one.only_second} candidates (McNemar p {one.p_value:.2g})"
    )


def _table(figures: list[PanelFigures], count: int) -> Table:
    title = f"{count:,} simulated candidates; the panel cross-validated in {FOLDS} folds"
    names = ("macro-F1", "ECE", f"kept at {100 * PRECISION:g} % precision")
    columns = (Column(name, justify="right") for name in names)
    table = Table("judge", *columns, title=title, box=box.SIMPLE)
    for one in figures:
        table.add_row(one.name, *map(percent, (one.mean_f1, one.calibration_error, one.kept)))
    return table


# Fits how much each member of the panel counts, on judgements of simulated spectra alone.
@dataclass(frozen=True, eq=False)
class Pairs:
    """Judgements of both members on the same candidates, where both have a p(YES)."""

    eye: tuple[Judgement, ...]
    measured: tuple[Judgement, ...]

    def __len__(self) -> int:
        return len(self.eye)

    @property
    def answers(self) -> BoolArray:
        return np.array([one.answer == "YES" for one in self.eye])

    @property
    def terms(self) -> FloatArray:
        """Clipped log-odds, (candidates, 2): of the eye and measured."""
        columns = [[one.p_yes for one in rows] for rows in (self.eye, self.measured)]
        return clipped_logit(np.array(columns, dtype=np.float64).T)

    @property
    def groups(self) -> list[str]:
        """What is kept together in cross-validation: questions of other classes on one spectrum."""
        return [one.key.removeprefix(f"{one.task}-") for one in self.eye]


@dataclass(frozen=True, kw_only=True)
class PanelFigures:
    """Of one judge, on candidates that its weights were not fitted on."""

    name: str
    mean_f1: float
    calibration_error: float
    kept: float  # share of the members that a cut keeps which promises `PRECISION`


def read_pairs(folders: Sequence[Path], eye: str) -> Pairs:
    """Pair the judgements of `eye`.jsonl and measured.jsonl in each folder by key."""
    pairs: list[tuple[Judgement, Judgement]] = []
    for folder in folders:
        found = [_simulated(folder / f"{name}.jsonl") for name in (eye, MEASURED)]
        by_key = {one.key: one for one in found[1]}
        for one in found[0]:
            other = by_key.get(one.key)
            if other is None or one.p_yes is None or other.p_yes is None:
                continue
            if (one.task, one.answer) != (other.task, other.answer):
                raise WorkbenchError(f"{folder}: the two judges had different sets ({one.key})")
            pairs.append((one, other))
    if len(pairs) < FEWEST:
        raise WorkbenchError(
            f"only {len(pairs)} candidates have a p(YES) of both; at least {FEWEST} are needed"
        )
    return Pairs(tuple(one for one, _ in pairs), tuple(other for _, other in pairs))


def _simulated(path: Path) -> list[Judgement]:
    """The judgements of a file, if the records beside it say that all spectra were simulated."""
    records = trajectories_path(path)
    if not all(record.spectrum.simulated for record in read_trajectories(records)):
        raise WorkbenchError(f"{records} has real spectra: weights are fitted on simulations alone")
    return list(read_judgements(path))


def fit_fusion(terms: FloatArray, answers: BoolArray) -> FusionWeights:
    """Logistic regression; a member that would count negatively counts nothing."""
    signs = np.where(answers, 1.0, -1.0)
    design = np.column_stack([np.ones(len(terms)), terms])

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        margins = signs * (design @ weights)
        penalty = RIDGE * float(weights[1:] @ weights[1:])
        slope = -(design.T @ (signs * sigmoid(-margins))) / len(signs)
        slope[1:] += 2.0 * RIDGE * weights[1:]
        return float(np.logaddexp(0.0, -margins).mean()) + penalty, slope

    bounds = [(-LARGEST, LARGEST), (0.0, LARGEST), (0.0, LARGEST)]
    found = minimize(loss, np.array([0.0, 0.5, 0.5]), jac=True, bounds=bounds, method="L-BFGS-B")
    intercept, eye, measured = (float(weight) for weight in found.x)
    return FusionWeights(intercept=intercept, eye=eye, measured=measured)


def fused_unseen(pairs: Pairs, seed: int) -> FloatArray:
    """The fused p(YES) of each candidate, by weights fitted on the other folds."""
    groups, places = np.unique(pairs.groups, return_inverse=True)
    if len(groups) < FOLDS:
        raise WorkbenchError(f"{len(groups)} different spectra are too few for {FOLDS} folds")
    fold_of_group = np.random.default_rng(seed).permutation(len(groups)) % FOLDS
    folds, terms, answers = fold_of_group[places], pairs.terms, pairs.answers
    p = np.empty(len(pairs))
    for fold in range(FOLDS):
        own = folds == fold
        weights = fit_fusion(terms[~own], answers[~own])
        p[own] = sigmoid(weights.intercept + terms[own] @ (weights.eye, weights.measured))
    return p


def judges_of(pairs: Pairs, seed: int) -> Judges:
    """The judgements of the eye, of the measured inspector, and fused with cross-validation."""
    chances = zip(pairs.eye, fused_unseen(pairs, seed).tolist(), strict=True)
    fused = tuple(replace(one, p_yes=p, verdict="YES" if p >= 0.5 else "NO") for one, p in chances)
    return {"eye": pairs.eye, MEASURED: pairs.measured, PANEL: fused}


def against_members(judges: Judges, seed: int) -> list[JudgeComparison]:
    members = [(name, judged) for name, judged in judges.items() if name != PANEL]
    return [compare(PANEL, name, judges[PANEL], judged, seed) for name, judged in members]


def panel_figures(name: str, judged: Sequence[Judgement], seed: int) -> PanelFigures:
    p = np.array([one.p_yes for one in judged], dtype=np.float64)
    scores = JudgedScores(p, np.array([one.answer == "YES" for one in judged]))
    cut = cut_for_precision(scores, PRECISION).threshold
    kept = 0 if cut is None else int(np.sum(scores.label & (scores.p >= cut)))
    return PanelFigures(
        name=name,
        mean_f1=mean_f1(judged, seed).value or 0.0,
        calibration_error=expected_calibration_error(reliability_curve(scores)),
        kept=kept / max(scores.positives, 1),
    )

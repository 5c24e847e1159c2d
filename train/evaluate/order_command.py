"""`spec-o3-train evaluate order`: how many verdicts each order needs to find a class."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Column, Table
from scipy.stats import t as students_t

from agent.errors import WorkbenchError
from agent.evidence.assessment import assess_measurements
from agent.evidence.measurements import measurements_of
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import load_tasks
from agent.tasks.task import Task
from app.core.similar.features import features
from app.core.similar.learner import Bools, Floats, at_most_left, best_first, examples_vector, learn
from train.evaluate.evaluation import write
from train.parallel import counted
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum
from train.simulate.realism.library import Library
from train.simulate.telescope.observation import to_spectrum

FOUND = 0.9  # of the members of a class
EVERY = 5  # verdicts from one learning to the next, as in the window
FEWEST = 5  # members of a class that is counted
CLIP_P = 1e-4
LISTS, LENGTH, SHARE, JUDGED = 200, 600, (0.01, 0.2), 0.4
"""Lists on which the bound is tried: how many, how long, of which share, and how far judged."""
Scores = Callable[[list[int], Bools], Floats]


@dataclass(frozen=True, eq=False)
class PoolOfSpectra:
    name: str
    vectors: Floats  # of length 1
    labels: NDArray[np.str_]
    logits: dict[str, Floats]  # logit p(YES) by the class of a task


@dataclass(frozen=True)
class OrderFigure:
    """Verdicts until most of a class are found, by each seed."""

    pool: str
    label: str
    members: int
    spectra: int
    order: str
    verdicts: tuple[int, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.verdicts))

    @property
    def half_width(self) -> float:
        """Of the interval (95 %) of the mean."""
        n = len(self.verdicts)
        spread = float(np.std(self.verdicts, ddof=1)) if n > 1 else math.nan
        return float(students_t.ppf(0.975, n - 1)) * spread / math.sqrt(n) if n > 1 else math.nan


def order(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FOLDER]...", help="Spectra with a MANIFEST.csv of file, label."),
    ] = None,
    simulated: Annotated[int, typer.Option(min=0, help="So many simulated spectra, too.")] = 0,
    agent: Annotated[bool, typer.Option(help="Also begin with the measured p(YES).")] = True,
    seeds: Annotated[int, typer.Option(min=2, max=200, help="First members to begin with.")] = 12,
    lists: Annotated[int, typer.Option(min=0, help="Lists to try the bound on.")] = LISTS,
    out: Annotated[Path | None, typer.Option(help="A JSON file of all figures.")] = None,
) -> None:
    """Verdicts until 90 % of a class are found, in each order, and how often the bound holds."""
    tasks = load_tasks() if agent else []
    sources = [
        (folder.name, [(base.label, spectrum) for _, base, spectrum in Library(folder).readable()])
        for folder in folders or ()
    ]
    if simulated:
        sources.append(("simulated", _simulated(simulated)))
    pools = [_pool(name, spectra, tasks) for name, spectra in sources]
    if not pools:
        raise WorkbenchError("name folders of labelled spectra, or --simulated N")
    if len(folders or ()) > 1:
        pools.insert(0, _together(pools[: len(folders or ())]))
    jobs = [(pool, label) for pool in pools for label in _classes(pool)]
    if not jobs:
        raise WorkbenchError(f"no class has {FEWEST} spectra")
    figures: list[OrderFigure] = []
    console = Console(width=110)
    with counted("orders", len(jobs), Console(stderr=True), transient=True) as advance:
        for pool, label in jobs:
            figures += order_figures(pool, label, seeds)
            advance()
    for name in dict.fromkeys(each.pool for each in figures):
        console.print(_table([each for each in figures if each.pool == name]))
    for line in _sentences(figures):
        console.print(line, markup=False, soft_wrap=True)
    at_end, always = bound_holds(jobs[-1][0], lists)
    if lists:
        console.print(f"the bound holds in {at_end} of {lists} lists, each time in {always}")
    if out is not None:
        found = [asdict(each) for each in figures]
        bound = {"lists": lists, "at_end": at_end, "always": always}
        write(out, json.dumps({"figures": found, "bound": bound}, indent=1) + "\n")


def order_figures(pool: PoolOfSpectra, label: str, seeds: int) -> list[OrderFigure]:
    is_member = pool.labels == label
    found: dict[str, list[int]] = {}
    for seed in range(seeds):
        draw = np.random.default_rng(seed)
        start = int(draw.choice(np.flatnonzero(is_member)))
        chance = draw.random(len(is_member)).astype(np.float32)
        for name, scores in _orders(pool, label, start, chance).items():
            begun = [] if "p(YES)" in name else [start]
            found.setdefault(name, []).append(verdicts_until_found(is_member, scores, begun))
    size = int(is_member.sum()), len(is_member)
    return [
        OrderFigure(pool.name, label, *size, name, tuple(verdicts))
        for name, verdicts in found.items()
    ]


def verdicts_until_found(is_member: Bools, scores: Scores, known: list[int]) -> int:
    """Verdicts beyond those known, in steps as the window learns."""
    known, given = list(known), 0
    wanted = math.ceil(FOUND * int(is_member.sum()))
    is_left = np.ones(len(is_member), bool)
    is_left[known] = False
    hits = int(is_member[known].sum())
    while True:
        ranked = best_first(scores(known, is_member[known]))
        for row in ranked[is_left[ranked]][:EVERY].tolist():
            if hits >= wanted:
                return given
            is_left[row] = False
            known.append(row)
            given += 1
            hits += bool(is_member[row])
        if hits >= wanted:
            return given


def _orders(pool: PoolOfSpectra, label: str, start: int, chance: Floats) -> dict[str, Scores]:
    vectors, nothing = pool.vectors, np.zeros((len(pool.vectors), 1), np.float32)
    # Equal p(YES) come by chance: they would come as listed, and lists are sorted by class.
    logit = (pool.logits.get(label, chance) + 1e-4 * chance)[:, None].astype(np.float32)

    def like_all(known: list[int], is_yes: Bools) -> Floats:
        return vectors @ examples_vector(vectors[known][is_yes], vectors[known][~is_yes])

    def learned(known: list[int], is_yes: Bools, columns: Floats, from_agent: bool) -> Floats:
        found = learn(vectors[known], columns[known], is_yes, from_agent=from_agent)
        scores: Floats = vectors @ found.weights + columns @ found.of_columns
        return scores

    orders: dict[str, Scores] = {
        "random": lambda known, is_yes: chance,
        "like this": lambda known, is_yes: vectors @ vectors[start],
        "like all": like_all,
        "learned": partial(learned, columns=nothing, from_agent=False),
    }
    if label in pool.logits:
        orders["p(YES)"] = lambda known, is_yes: logit[:, 0]
        orders["from p(YES)"] = partial(learned, columns=logit, from_agent=True)
    return orders


def bound_holds(pool: PoolOfSpectra, lists: int) -> tuple[int, int]:
    """In how many lists the bound holds at the end, and each time that it was told."""
    at_end = always = 0
    for seed in range(lists):
        draw = np.random.default_rng(seed)
        label = draw.choice(_classes(pool))
        share = math.exp(draw.uniform(math.log(SHARE[0]), math.log(SHARE[1])))
        of_class = draw.random(LENGTH) < share
        rows = np.where(
            of_class,
            draw.choice(np.flatnonzero(pool.labels == label), LENGTH),
            draw.choice(np.flatnonzero(pool.labels != label), LENGTH),
        )
        told = list(_told(pool.vectors[rows], of_class, draw))
        at_end += told[-1]
        always += all(told)
    return at_end, always


def _told(vectors: Floats, is_yes: Bools, draw: np.random.Generator) -> Iterator[bool]:
    """Whether the bound holds each time it is told, with one in ten at random."""
    nothing = np.zeros((len(vectors), 1), np.float32)
    is_left, known = np.ones(len(vectors), bool), [int(draw.integers(len(vectors)))]
    is_left[known] = False
    lefts: list[int] = []
    hits = 0
    ranked = draw.permutation(len(vectors))
    while len(known) < JUDGED * len(vectors):
        if len(known) % EVERY == 0:
            yes = is_yes[known]
            found = learn(vectors[known], nothing[known], yes, from_agent=False)
            ranked = best_first(vectors @ found.weights)
            if lefts:
                bound = at_most_left(hits, lefts, int(is_left.sum()))
                yield int(is_yes[is_left].sum()) <= bound
        if len(known) % 10 == 9:
            row = int(draw.choice(np.flatnonzero(is_left)))
            lefts.append(int(is_left.sum()))
            hits += bool(is_yes[row])
        else:
            row = int(ranked[is_left[ranked]][0])
        is_left[row] = False
        known.append(row)


def _sentences(figures: Sequence[OrderFigure]) -> Iterator[str]:
    """The ratios that are wanted: geometric means over classes, and the least."""
    for pool in dict.fromkeys(each.pool for each in figures):
        of_class: dict[str, dict[str, float]] = {}
        for each in figures:
            if each.pool == pool:
                of_class.setdefault(each.label, {})[each.order] = max(each.mean, 1.0)
        rows = list(of_class.values())
        yield _against_learned(f"{pool}, all classes as if no agent knew them", rows)
        if unknown := [row for row in rows if "p(YES)" not in row]:
            yield _against_learned(f"{pool}, classes that no agent knows", unknown)
        known = [row["from p(YES)"] / row["p(YES)"] for row in rows if "p(YES)" in row]
        if known:
            most = f"at most {max(known):.3f}"
            yield f"{pool}: from p(YES) needs {_middle(known):.3f} times those of p(YES), {most}"


def _against_learned(what: str, rows: Sequence[dict[str, float]]) -> str:
    best = [min(row["random"], row["like this"]) / row["learned"] for row in rows]
    return (
        f"{what}: the best of random and like this needs {_middle(best):.2f} times the verdicts of "
        f"learned (least {min(best):.2f}, >= 1.5 in {sum(each >= 1.5 for each in best)} of "
        f"{len(best)} classes), like all "
        f"{_middle([row['like all'] / row['learned'] for row in rows]):.2f} times"
    )


def _middle(ratios: Sequence[float]) -> float:
    return math.exp(float(np.mean(np.log(ratios))))


def _table(figures: Sequence[OrderFigure]) -> Table:
    names = list(dict.fromkeys(each.order for each in figures))
    title = f"{figures[0].pool}, {figures[0].spectra:,} spectra: verdicts until 90 % are found"
    columns = (Column(name, justify="right", no_wrap=True) for name in ("members", *names))
    table = Table("class", *columns, title=title, box=box.SIMPLE)
    for label in dict.fromkeys(each.label for each in figures):
        row = {each.order: each for each in figures if each.label == label}
        cells = [
            f"{row[name].mean:.0f} ± {row[name].half_width:.0f}" if name in row else ""
            for name in names
        ]
        table.add_row(label, str(row["random"].members), *cells)
    return table


def _classes(pool: PoolOfSpectra) -> list[str]:
    names, counts = np.unique(pool.labels, return_counts=True)
    return [str(name) for name, n in zip(names, counts, strict=True) if n >= FEWEST]


def _together(pools: Sequence[PoolOfSpectra]) -> PoolOfSpectra:
    labels = set.intersection(*(set(each.logits) for each in pools))
    return PoolOfSpectra(
        "all folders",
        np.concatenate([each.vectors for each in pools]),
        np.concatenate([each.labels for each in pools]),
        {name: np.concatenate([each.logits[name] for each in pools]) for name in labels},
    )


def _pool(name: str, spectra: list[tuple[str, Spectrum]], tasks: Sequence[Task]) -> PoolOfSpectra:
    labels: list[str] = []
    vectors: list[Floats] = []
    p: list[list[float]] = []
    with counted(name, len(spectra), Console(stderr=True), transient=True) as advance:
        for label, spectrum in spectra:
            vector = features(spectrum)
            if vector is not None:
                as_floats = vector.astype(np.float32)
                vectors.append(as_floats / np.linalg.norm(as_floats))
                labels.append(label)
                chances = (assess_measurements(measurements_of(spectrum), task) for task in tasks)
                p.append([float(each.p_yes) for each in chances])
            advance()
    if not vectors:
        raise WorkbenchError(f"{name} has no spectrum that can be compared")
    some = np.clip(np.array(p, np.float64).reshape(len(labels), len(tasks)), CLIP_P, 1.0 - CLIP_P)
    logits = np.log(some / (1.0 - some)).astype(np.float32)
    by_task = {task.id: logits[:, at] for at, task in enumerate(tasks)}
    return PoolOfSpectra(name, np.array(vectors), np.array(labels), by_task)


def _simulated(count: int) -> list[tuple[str, Spectrum]]:
    settings = Settings(seed=61, count=count)
    made = (simulate_spectrum(settings, each) for each in assignments(settings))
    return [(each.source.label, to_spectrum(each.entry.observation)) for each in made]

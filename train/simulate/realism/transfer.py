"""Train a classifier on simulated measurements alone and test it on labelled real spectra.

The classifier is fitted on feature vectors of all labels, observed by every kind of telescope. Its
result on real spectra shows whether simulated and real classes occupy the same regions, which
distributions of single measurements cannot show.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table

from agent.errors import ReadError, WorkbenchError
from agent.spectra.measure.features import feature_names, feature_vector
from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray
from train.parallel import in_order
from train.simulate.atlas import observe_atlas
from train.simulate.realism.library import Library
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import Rng
from train.simulate.telescope.observation import log_uniform, to_spectrum
from train.simulate.telescope.telescope import observe

TASKS = ("CV", "CS", "SS", "MG", "WD", "O", "B", "A")
TELESCOPES = ("LAMOST", "SDSS", "BOSS", "ATLAS", "ATLAS")
SNR = (6.0, 100.0)
NOISE_FEATURES = frozenset(
    name
    for name in feature_names()
    if name.startswith("snr_")
    or name in {"bad_fraction", "negative_fraction", "join_step", "noise_ratio"}
)

Labels = NDArray[np.str_]


@dataclass(frozen=True)
class Score:
    task: str
    hits: int
    false_alarms: int
    misses: int
    taken_for: tuple[tuple[str, int], ...]
    """Classes given to the missed members, most frequent first."""
    taken_from: tuple[tuple[str, int], ...]  # True classes of the false alarms, most frequent first

    @property
    def f1(self) -> float:
        counted = 2 * self.hits + self.false_alarms + self.misses
        return 2 * self.hits / counted if counted else float("nan")


def simulated_features(
    per_label: int, seed: int, workers: int = 1, advance: Callable[[], None] = lambda: None
) -> tuple[FloatArray, Labels]:
    """Feature vectors (labels * per_label, features) of fresh draws, and their labels."""
    draw = partial(_features_of, per_label=per_label, seed=seed)
    rows = []
    for features in in_order(draw, range(len(LABELS)), workers):
        rows.append(features)
        advance()
    return np.concatenate(rows), np.repeat(np.array(LABELS), per_label)


def _features_of(number: int, per_label: int, seed: int) -> FloatArray:
    rng = np.random.default_rng([seed, number])
    return np.array([_one(LABELS[number], rng) for _ in range(per_label)])


def _one(label: str, rng: Rng) -> list[float]:
    while True:
        source = draw_source(label, rng)
        telescope = TELESCOPES[int(rng.integers(len(TELESCOPES)))]
        try:
            if telescope == "ATLAS":
                seen = observe_atlas(source, rng)
            else:
                seen = observe(source, telescope, rng, snr=log_uniform(rng, SNR))
        except WorkbenchError:  # no flux in the range of this telescope: draw again
            continue
        return list(feature_vector(to_spectrum(seen)).values())


def require_classifier(what: str) -> None:
    """Raise a WorkbenchError without scikit-learn, which this needs."""
    try:
        import sklearn.ensemble  # noqa: F401
    except ImportError as error:
        raise WorkbenchError(
            f'{what} needs scikit-learn: pip install "spec-o3-workbench[train]"'
        ) from error


def judge(simulated: FloatArray, labels: Labels, real: FloatArray, seed: int) -> Labels:
    """Label of each real row, by boosted trees fitted on simulated rows without noise features."""
    require_classifier("this command")
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    use = [column for column, name in enumerate(feature_names()) if name not in NOISE_FEATURES]
    model = HistGradientBoostingClassifier(max_iter=150, learning_rate=0.08, random_state=seed)
    # One thread: several would compete with other processes.
    with threadpool_limits(1, user_api="openmp"):
        model.fit(simulated[:, use], labels)
        return np.asarray(model.predict(real[:, use]))


def score(truth: Sequence[str], judged: Sequence[str]) -> list[Score]:
    """A score per task that has real spectra; all others in the library are negatives."""
    pairs = list(zip(truth, judged, strict=True))
    return [
        Score(
            task=task,
            hits=sum(label == answer == task for label, answer in pairs),
            false_alarms=sum(answer == task != label for label, answer in pairs),
            misses=sum(label == task != answer for label, answer in pairs),
            taken_for=_counted(answer for label, answer in pairs if label == task != answer),
            taken_from=_counted(label for label, answer in pairs if answer == task != label),
        )
        for task in TASKS
        if task in truth
    ]


def _counted(words: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(words).most_common(4))


def transfer(
    folder: Annotated[
        Path,
        typer.Argument(help="Labelled real spectra: a folder with a MANIFEST.csv of file, label."),
    ],
    per_label: Annotated[
        int, typer.Option(min=10, max=100_000, help="Simulated spectra per class.")
    ] = 400,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 1,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Number of processes.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print the scores as JSON.")] = False,
) -> None:
    """Train a classifier on simulated measurements alone and score it on labelled real spectra."""
    library = Library(folder)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        reading = progress.add_task("measuring", total=len(library.bases))
        real, truth, unread = _measured(library, lambda: progress.advance(reading))
        if not truth:
            raise WorkbenchError(f"no spectrum of {folder} could be read: {unread}")
        drawing = progress.add_task("simulating", total=len(LABELS))
        advance = partial(progress.advance, drawing)
        rows, labels = simulated_features(per_label, seed, workers, advance)
    judged = [str(label) for label in judge(rows, labels, real, seed)]
    scores = score(truth, judged)
    if as_json:
        rows_out = [{**asdict(one), "f1": one.f1} for one in scores]
        typer.echo(json.dumps({"scores": rows_out, "unread": unread}, allow_nan=False))
        return
    console = Console()
    console.print(_table(scores))
    if scores:
        mean = np.mean([one.f1 for one in scores])
        console.print(f"mean F1 of {len(scores)} tasks: {mean:.3f}; {len(truth)} real spectra")
    if unread:
        console.print(f"{len(unread)} could not be read", markup=False)


def _measured(
    library: Library, advance: Callable[[], None]
) -> tuple[FloatArray, list[str], dict[str, str]]:
    """Feature rows and labels of the readable spectra, and why the others cannot be read."""
    rows, truth, unread = [], [], {}
    for base in library.bases:
        try:
            rows.append(list(feature_vector(read(base.path)).values()))
            truth.append(base.label)
        except ReadError as error:
            unread[base.path.name] = str(error)
        advance()
    return np.array(rows), truth, unread


def _table(scores: list[Score]) -> Table:
    numbers = (Column(name, justify="right") for name in ("hits", "false alarms", "misses", "F1"))
    confused = "misses classified as; true class of false alarms"
    title = "Trained on simulations, tested on real spectra"
    table = Table("task", *numbers, confused, title=title, box=box.SIMPLE)
    for one in scores:
        missed = ", ".join(f"{label} {count}" for label, count in one.taken_for) or "-"
        alarms = ", ".join(f"{label} {count}" for label, count in one.taken_from) or "-"
        counts = map(str, (one.hits, one.false_alarms, one.misses))
        table.add_row(one.task, *counts, f"{one.f1:.2f}", f"{missed}; {alarms}")
    return table

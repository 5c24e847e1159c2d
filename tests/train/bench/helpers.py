"""Archives small enough for a test, with positions and truth of our choosing."""

from pathlib import Path

import numpy as np

from train.bench.build import Bench
from train.bench.measuring import SelectionRule
from train.bench.settings import BenchSettings
from train.simulate.archive import run_campaign
from train.simulate.campaign import Settings

LABELS = ("CV", "CS", "MG", "WD", "K", "QSO", "M_DWARF", "SDB")
TASKS = ("CV", "CS")


def simulated(folder: Path, survey: str, seed: int, count: int, sky: int = 4) -> Path:
    seen = {"survey": survey, "snr": (15.0, 80.0), "arrays": True, "sky": sky}
    run_campaign(folder, Settings(seed=seed, count=count, labels=LABELS, **seen))
    return folder


def small(**more: object) -> BenchSettings:
    values: dict[str, object] = {
        "tasks": TASKS,
        "cross_tasks": ("WD",),
        "sizes": ("WD 0/0 4/10", "* 8/8 4/16"),
        "cross_survey_tasks": TASKS,
        "cross_survey_size": "3/6",
        "cold_per_task": 6,
        "folds": 3,
        "fill": True,
        "uncatalogued": 0.1,
    }
    return BenchSettings(**(values | more))  # type: ignore[arg-type]


def objects_in(bench: Bench, *names: str) -> set[int]:
    return {int(bench.sources.object[row.source]) for name in names for row in bench.files[name]}


def places(count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(0, 360, count), np.degrees(np.arcsin(rng.uniform(-0.2, 0.9, count)))


ALL = SelectionRule("", 0.0)

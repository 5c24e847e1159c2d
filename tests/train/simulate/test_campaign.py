import csv
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent.errors import WorkbenchError
from agent.spectra.readers import read
from tests.train.simulate.helpers import star, truth_rows
from train.simulate.campaign import (
    CONTAMINANTS,
    SURVEY_SHARES,
    Settings,
    assignments,
    draw_quality,
    spectrum_rng,
)
from train.simulate.layouts.common import FIRST_PLATE, draw_target, sexagesimal
from train.simulate.sample import FOLDER, SETTINGS
from train.simulate.sky import LABELS
from train.simulate.telescope.telescope import observe
from train.simulate.truth import CANDIDATES_FILE


@pytest.mark.parametrize("task", list(CONTAMINANTS))
def test_positives_are_exact_and_negatives_are_the_tasks_contaminants(task: str) -> None:
    plan = assignments(Settings(seed=1, count=1200, task=task, odds=(1, 5)))
    labels = Counter(one.label for one in plan)
    assert labels[task] == 200
    assert set(labels) - {task} <= set(CONTAMINANTS[task]) <= set(LABELS) - {task}
    places = [one.index for one in plan if one.label == task]
    assert 400 < np.mean(places) < 800


def test_plan_follows_the_seed() -> None:
    def plan(seed: int) -> list[str]:
        return [one.label for one in assignments(Settings(seed=seed, count=50, task="CV"))]

    assert plan(3) == plan(3) != plan(4)


def test_labels_without_a_task() -> None:
    plan = assignments(Settings(seed=1, count=400, labels=("CV", "WD")))
    counts = Counter(one.label for one in plan)
    assert set(counts) == {"CV", "WD"} and min(counts.values()) > 140
    everything = assignments(Settings(seed=1, count=2000))
    assert {one.label for one in everything} == set(LABELS)


def test_surveys_mixed_chosen_or_one() -> None:
    def surveys(survey: str) -> Counter[str]:
        plan = assignments(Settings(seed=1, count=2000, survey=survey))
        return Counter(one.survey for one in plan)

    assert set(surveys("MIXED")) == set(SURVEY_SHARES)
    assert set(surveys("LAMOST,DESI")) == {"LAMOST", "DESI"}
    assert surveys("LAMOST,DESI")["LAMOST"] > 1500
    assert surveys("BOSS") == {"BOSS": 2000}
    assert surveys("LAMOST,ATLAS")["ATLAS"] < 400
    assert 900 < surveys("LAMOST, ATLAS:0.52")["ATLAS"] < 1100


def test_each_number_has_its_own_stream() -> None:
    draws = {spectrum_rng(seed, index).random() for seed in range(5) for index in range(50)}
    assert len(draws) == 250


def test_artefacts_are_often_of_poor_quality(rng: np.random.Generator) -> None:
    settings = Settings(seed=0, count=1)
    poor = Counter(draw_quality(settings, "ARTEFACT", rng) for _ in range(400))["poor"]
    usual = Counter(draw_quality(settings, "A", rng) for _ in range(400))["poor"]
    assert poor > usual + 60
    assert draw_quality(Settings(seed=0, count=1, quality="good"), "ARTEFACT", rng) == "good"


@pytest.mark.parametrize(("changes", "words"), [
    ({"task": "XX"}, "unknown task"),
    ({"labels": ("CV", "PULSAR")}, "unknown class 'PULSAR'"),
    ({"task": "CV", "labels": ("CV",)}, "not both"),
    ({"survey": "HUBBLE"}, "unknown survey"),
    ({"survey": "LAMOST,"}, "unknown survey"),
    ({"survey": "HUBBLE:0.5"}, "unknown survey"),
    ({"survey": "ATLAS:"}, "as a number, like ATLAS:0.3"),
    ({"survey": "LAMOST,ATLAS:nan"}, "as a number, like ATLAS:0.3"),
    ({"survey": "ATLAS:-1"}, "as a number, like ATLAS:0.3"),
    ({"quality": "nice"}, "unknown quality"),
    ({"snr": (10.0, 5.0)}, "S/N"),
    ({"snr": (float("nan"), 5.0)}, "S/N"),
    ({"count": 0}, "count"),
    ({"seed": -1}, "seed"),
    ({"odds": (-1.0, 2.0)}, "odds"),
    ({"odds": (0.0, 0.0)}, "odds"),
])  # fmt: skip
def test_settings_check_themselves(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        Settings(**({"seed": 1, "count": 10} | changes))


def test_a_campaign_without_a_sky_is_noted_as_before():
    assert "sky" not in Settings(seed=1, count=1).as_json()
    with pytest.raises(WorkbenchError):
        Settings(seed=1, count=1, sky=-1)


@pytest.mark.parametrize(("ra", "dec", "text"), [
    (99.135319, 27.147235, "063632.47+270850.0"),
    (0.0, -0.5, "000000.00-003000.0"),
    (359.99999, 59.99999, "235959.99+595959.9"),
])  # fmt: skip
def test_designation(ra: float, dec: float, text: str) -> None:
    assert sexagesimal(ra, dec) == text


def test_targets_are_unique_and_of_no_real_survey(rng: np.random.Generator) -> None:
    seen = observe(star(), "LAMOST", rng)
    targets = [draw_target(seen, index, rng) for index in range(600)]
    numbers = {(t.plate, t.fiber) for t in targets}
    assert len(numbers) == len({t.targetid for t in targets}) == 600
    assert min(t.plate for t in targets) >= FIRST_PLATE
    assert all(t.designation.startswith("SIM J") and -90 <= t.dec <= 90 for t in targets)
    assert max(t.targetid for t in targets) < 2**63


def test_magnitudes_follow_brightness_and_colour(rng: np.random.Generator) -> None:
    def mean(kelvin: float, snr: float) -> tuple[float, float]:
        targets = [
            draw_target(observe(star(kelvin), "SDSS", rng, snr), 0, rng).magnitudes
            for _ in range(12)
        ]
        red, green = ([target[band] for target in targets] for band in "rg")
        return float(np.mean(red)), float(np.mean(np.subtract(green, red)))

    bright, blue = mean(15000.0, 80.0)
    faint, red = mean(3500.0, 8.0)
    assert bright < faint - 1.5 and blue < red - 0.5


# The sample that ships: small, readable, simulated, and the truth not in the list.
MAX_BYTES = 3_000_000


@pytest.fixture(scope="module")
def truth() -> list[dict[str, str]]:
    return truth_rows(FOLDER)


def test_counts(truth: list[dict[str, str]]) -> None:
    assert len(truth) == SETTINGS.count == 60
    labels = Counter(row["label"] for row in truth)
    assert labels["CV"] == 12 and len(labels) > 8
    surveys = Counter(row["survey"] for row in truth)
    assert surveys["LAMOST"] > 25 and surveys["SDSS"] >= 4 and surveys["DESI"] >= 3


def test_it_is_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < MAX_BYTES


def test_every_candidate_reads_as_simulated(truth: list[dict[str, str]]) -> None:
    forms = set()
    for row in truth:
        spectrum = read(FOLDER / row["file"], row=int(row["row"]))
        assert spectrum.simulated and len(spectrum) > 3000
        assert spectrum.object_id == row["object_id"]
        forms.add(spectrum.format)
    assert {"LAMOST low resolution, image", "LAMOST low resolution, table"} <= forms


def test_no_spectrum_is_left_over(truth: list[dict[str, str]]) -> None:
    files = {row["file"] for row in truth}
    there = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.fits*")}
    assert {name for name in there if "redrock-" not in Path(name).name} == files


def test_the_list_tells_no_truth(truth: list[dict[str, str]]) -> None:
    with (FOLDER / CANDIDATES_FILE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["object_id"] for row in rows] == [row["object_id"] for row in truth]
    assert not {"label", "subtype", "parameters"} & set(rows[0])

"""The sample that ships: small, readable, simulated, and the truth not in the list."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from agent.spectra.readers import read
from tests.train.simulate.helpers import truth_rows
from train.simulate.sample import FOLDER, SETTINGS
from train.simulate.truth import CANDIDATES_FILE

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

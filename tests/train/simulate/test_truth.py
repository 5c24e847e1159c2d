from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from agent.spectra.readers import read
from tests.train.simulate.helpers import SETTINGS, truth_rows
from train.simulate.sky import LABELS
from train.simulate.truth import CANDIDATES_FILE, TRUTH_COLUMNS, _without_formula


def candidates(folder: Path) -> list[dict[str, str]]:
    with (folder / CANDIDATES_FILE).open(newline="") as file:
        return list(csv.DictReader(file))


def test_truth_is_complete_and_every_row_can_be_read(campaign: Path) -> None:
    rows = truth_rows(campaign)
    assert len(rows) == SETTINGS.count
    assert {int(row["index"]) for row in rows} == set(range(SETTINGS.count))
    assert Counter(row["label"] for row in rows)["CV"] == 7
    for row in rows:
        assert all(row[key] != "" for key in TRUTH_COLUMNS if key not in ("release", "library"))
        assert row["label"] in LABELS
        parameters = json.loads(row["parameters"])
        assert parameters["telescope"] and set(parameters) == {"source", "telescope"}
        spectrum = read(campaign / row["file"], row=int(row["row"]))
        assert spectrum.simulated and spectrum.object_id == row["object_id"]
        assert spectrum.ra == pytest.approx(float(row["ra"]), abs=1e-5)


def test_candidate_list_has_the_same_objects_and_no_truth(campaign: Path) -> None:
    listed = candidates(campaign)
    truth = truth_rows(campaign)
    assert [row["object_id"] for row in listed] == [row["object_id"] for row in truth]
    assert not {"label", "subtype", "parameters", "velocity_kms", "index"} & set(listed[0])
    names = " ".join(row["file"] for row in listed)
    assert not any(f"{label}_" in names or f"_{label}" in names for label in LABELS)


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@x"])
def test_formulas_are_defused(text: str) -> None:
    assert str(_without_formula(text)).startswith("'")
    assert _without_formula(-3.5) == -3.5 and _without_formula("A5V") == "A5V"

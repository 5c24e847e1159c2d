"""The model in the box: whole, small, honest in its card, and right about real spectra."""

import csv
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("llama_cpp")

from agent.hashing import file_hash
from agent.inspection.built_in import EYE, MEASURED, PANEL
from agent.inspection.inspector import Inspector, run
from agent.inspection.inspector_factory import default_model, make_inspector
from agent.models.registry import BUNDLED, model_at
from agent.spectra.readers import read
from agent.tasks.catalogue import find_task
from tests.night import BY_NIGHT

TASKS = ("A", "B", "CS", "CV", "MG", "O", "SS", "WD")
MOST_BYTES = 25_000_000
EACH = 2 if BY_NIGHT else 1
"""Real spectra of a class that are asked about, and as many others."""


@pytest.fixture(scope="module")
def boxed() -> Iterator[Inspector]:
    inspector = make_inspector(EYE, threads=1)
    yield inspector
    inspector.close()


def test_it_is_whole_and_gets_no_numbers():
    place = model_at(BUNDLED / EYE, "bundled")
    assert place.is_ready and place.folder is not None
    for file in place.card.files:
        assert file_hash(place.folder / file.path) == file.sha256
    assert sum(path.stat().st_size for path in place.folder.iterdir()) < MOST_BYTES
    assert place.card.tasks == TASKS
    assert not place.card.style.numbers and not place.card.simulated_only
    assert "194 observed stars" in place.card.trained_on
    assert place.card.licence == "BSD-3-Clause"
    assert {default_model(each) for each in TASKS} == {PANEL}
    assert default_model("my-own") == MEASURED


def test_it_judges_real_spectra_and_speaks_well(boxed: Inspector, labelled_spectra: Path):
    with (labelled_spectra / "MANIFEST.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    asked = []
    for task_id, is_member in product(TASKS, (True, False)):
        rows = [row for row in table if (row["label"] == task_id) is is_member]
        asked += [(task_id, row) for row in rows[:: max(1, len(rows) // EACH)][:EACH]]
    records = []
    for task_id, row in asked:
        spectrum = read(labelled_spectra / row["file"])
        found = run(boxed.inspect(spectrum, find_task(task_id)))
        records.append((row["label"] == task_id, found))
    right = sum(truth == (record.verdict == "YES") for truth, record in records)
    assert len(records) == 2 * EACH * len(TASKS) and right >= 0.85 * len(records)
    assert all(record.well_formed for _, record in records)
    assert all(1 <= len(record.looks) <= 8 for _, record in records)


@pytest.mark.skipif(not BY_NIGHT, reason="by night only: a bench, run whole")
def test_its_figures_on_one_core():
    from tests.bench.bench_inspection import figures

    found = list(figures(count=2))
    assert len(found) == 5 and min(float(str(each["value"])) for each in found) > 0
    assert float(str(found[2]["peak_mb"])) < 300  # torch is not loaded

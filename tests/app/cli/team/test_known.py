"""`spec-o3 known`: hides labelled spectra in the list, and `stats` tells how people judged them."""

from __future__ import annotations

import csv

import pytest

from app.core.session.records import Verdict
from app.core.session.session import open_session
from tests.app.cli.commands import SAMPLE, fails, run
from tests.app.core.judged_sessions import say
from tests.app.core.sharing.hidden import LIST, known
from tests.app.ui.candidates import sample_file


@pytest.fixture
def place(tmp_path):
    return sample_file(tmp_path, LIST)


@pytest.fixture
def labels(tmp_path):
    """The further rows of the sample, with their classes."""
    with (SAMPLE / "truth.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    path = tmp_path / "labels.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("file", "row", "object_id", "kind"))
        writer.writerows(
            (row["file"], row["row"], row["object_id"], row["label"]) for row in rows[LIST:]
        )
    return path


def test_from_a_list_of_labels_to_the_figures(place, labels):
    told = run(
        *("known", place, labels, "--rate", 20, "--role", "label=kind", "--spectra", SAMPLE),
        *("--seed", 1),
    )
    assert "5 known answers hidden: 3 CV, 2 look-alikes; 5 simulated" in told
    with open_session(place, "Ada") as session:
        answers = known(session)
        assert len(answers) == 5
        say(session, "Ada", dict.fromkeys(answers, Verdict.ACCEPT))
    told = run("stats", place)
    row = next(line for line in told.splitlines() if "3 of 3" in line)
    assert "2 of 2" in row
    assert "60 %" in row
    assert f"{LIST} candidates: 0 accepted" in told


def test_other_labels_are_named(place, labels):
    words = ("known", place, labels, "--role", "label=kind", "--spectra", SAMPLE)
    told = run(*words, "--member", "WD", "--member", "sdb", "--rate", 10)
    assert "1 CV, 1 look-alike;" in told
    assert "name those of the class with --member; labels are" in fails(*words, "--member", "XYZ")
    assert "no row has both a spectrum and a label" in fails("known", place, labels)

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("pyarrow")

from tests.train.evaluate.helpers import make_judgement, rows
from train.evaluate.figures import compare
from train.evaluate.tables import parts_markdown, set_markdown, snr_bin_of, with_interval


@pytest.mark.parametrize(
    ("snr", "told"),
    [(None, "unknown"), (10.0, "10 to 20"), (500.0, "above 50"), (-1.0, "0 to 5")],
)
def test_bins_of_snr(snr: float | None, told: str):
    assert snr_bin_of(make_judgement(1, "NO", None, snr=snr)) == told


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| ").split("|")]


def test_a_part_without_positives_has_a_dash_beside_its_accuracy():
    """A judge that calls nothing there YES was right; 0.0 looked like a failure."""
    bright = [replace(one, snr=80.0) for one in rows(3, 1, 0, 4)]
    faint = [replace(one, snr=3.0, key=f"faint {one.key}") for one in rows(0, 0, 1, 3)]
    lines = parts_markdown("x", {"judge": [*bright, *faint]}, snr_bin_of, ["0 to 5", "above 50"])
    assert cells(lines[2]) == ["judge", "0 to 5 (n = 4) Acc", "F1", "above 50 (n = 8) Acc", "F1"]
    name, faint_right, faint_f1, bright_right, bright_f1 = cells(lines[4])
    assert (name, faint_right, faint_f1) == ("judge", "75.0", "-")
    assert bright_right == "87.5" and bright_f1.startswith("85.7 (")


def test_of_a_network_no_form_is_told_and_of_equal_draws_no_interval():
    network, writer = rows(2, 1, 0, 2), [replace(one, turns=2) for one in rows(2, 1, 0, 2)]
    lines = set_markdown("x", {"network": network, "writer": writer})
    head, *told = (cells(lines[at]) for at in (2, 4, 5))
    form = [[row[head.index(name)] for name in ("well-formed", "tokens")] for row in told]
    assert form == [["-", "-"], ["100.0", "0"]]
    always = compare("a", "b", rows(6, 0, 0, 6), rows(0, 6, 6, 0)).f1_difference
    assert with_interval(always) == "100.0 (no interval)"


def test_a_task_without_positives_has_a_dash():
    lines = set_markdown("x", {"judge": [*rows(2, 0, 0, 2), *rows(0, 0, 1, 3, "CS")]})
    found = dict(zip(cells(lines[2]), cells(lines[4]), strict=True))
    assert (found["CS Acc"], found["CS F1"]) == ("75.0", "-")
    assert (found["CV Acc"], found["CV F1"], found["mean Acc"]) == ("100.0", "100.0", "87.5")
    assert found["mean F1 (95 %)"].startswith("100.0 (")

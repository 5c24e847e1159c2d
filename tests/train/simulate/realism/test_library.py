from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from agent.spectra.readers import read
from tests.train.simulate.helpers import planck, star, truth_rows, write_base, write_table
from train.simulate.archive import run_campaign
from train.simulate.campaign import Settings
from train.simulate.realism.library import Library, augmented, base_source
from train.simulate.source import GRID


def test_bases_are_on_the_grid_as_they_are(folder: Path) -> None:
    library = Library(folder)
    base = base_source(library.by_label["A"][0])
    assert base.label == "A" and base.valid == pytest.approx((3500.0, 9298.5), abs=3.0)
    inside = (GRID > 3600) & (GRID < 9200)
    expected = planck(9000.0)
    ratio = base.flux[inside] / expected[inside]
    assert np.percentile(ratio / np.median(ratio), (10, 90)) == pytest.approx([1, 1], abs=0.01)


def test_draws_of_one_base_differ(folder: Path, rng: np.random.Generator) -> None:
    one, two = (Library(folder).draw("K", rng) for _ in range(2))
    assert one.parameters["base"] == "cool.txt" and one.parameters["library"] == "bases"
    assert not np.allclose(one.flux, two.flux, rtol=0.01)
    assert one.velocity_kms != two.velocity_kms


def test_contrast_deepens_or_weakens_lines(rng: np.random.Generator) -> None:
    base = star()
    depths = {}
    for _ in range(30):
        seen = augmented(base, rng)
        line, beside = (seen.flux[np.argmin(np.abs(GRID - w))] for w in (6564.6, 6640.0))
        depths[float(seen.parameters["contrast"])] = 1 - line / beside
    weak, deep = min(depths), max(depths)
    assert depths[deep] > depths[weak] + 0.05


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("file,label\n../../secret.txt,A\n", "outside its folder"),
        ("file,label\n/etc/passwd,A\n", "outside its folder"),
        ("name,class\nx,A\n", "no columns file and label"),
        ("file,label\n", "lists no labelled spectrum"),
    ],
)
def test_faulty_tables_are_refused(tmp_path: Path, table: str, words: str) -> None:
    (tmp_path / "labels.csv").write_text(table)
    with pytest.raises(WorkbenchError, match=words):
        Library(tmp_path)


def test_a_folder_without_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"MANIFEST\.csv"):
        Library(tmp_path)


def test_bases_of_different_ranges_share_a_desi_file(folder: Path, tmp_path: Path) -> None:
    write_base(folder / "short.txt", 9000.0, 3900.0, 7500.0)
    write_table(folder, [("hot.txt", "A"), ("short.txt", "A")])
    settings = Settings(seed=4, count=16, labels=("A",), survey="DESI", library=str(folder))
    run_campaign(tmp_path / "out", settings)
    rows = truth_rows(tmp_path / "out")
    assert {"hot.txt", "short.txt"} <= {row["library"] for row in rows}
    for row in rows:
        spectrum = read(tmp_path / "out" / row["file"], row=int(row["row"]))
        ends = spectrum.wavelength[spectrum.good][[0, -1]]
        assert (ends[1] < 7510) == (row["library"] == "short.txt")


def test_truth_names_the_base_and_nothing_is_used_unasked(folder: Path, tmp_path: Path) -> None:
    asked = Settings(
        seed=2, count=30, labels=("A", "K"), survey="LAMOST", library=str(folder), arrays=True
    )
    run_campaign(tmp_path / "asked", asked)
    bases = {row["library"] for row in truth_rows(tmp_path / "asked")}
    assert bases == {"", "hot.txt", "cool.txt"}
    run_campaign(tmp_path / "plain", Settings(seed=2, count=30, labels=("A", "K"), arrays=True))
    assert {row["library"] for row in truth_rows(tmp_path / "plain")} == {""}

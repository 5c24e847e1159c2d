from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from agent.spectra.readers import read
from tests.train.simulate.helpers import SETTINGS, truth_rows
from train.simulate.archive import SETTINGS_FILE, jobs_of, read_shard, run_campaign
from train.simulate.campaign import Settings
from train.simulate.truth import TRUTH_FILE, Tables

DESI = Settings(seed=9, count=11, labels=("A", "F"), survey="DESI", gzip=False)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_workers_do_not_change_a_byte(campaign: Path, tmp_path: Path) -> None:
    run_campaign(tmp_path, SETTINGS, workers=2)
    assert contents(tmp_path) == contents(campaign)


def test_a_stopped_campaign_goes_on_where_it_stopped(campaign: Path, tmp_path: Path) -> None:
    run_campaign(tmp_path, SETTINGS)
    lines = (tmp_path / TRUTH_FILE).read_text().splitlines(keepends=True)
    (tmp_path / TRUTH_FILE).write_text("".join(lines[:5]) + lines[5][:40])
    heard: list[int] = []
    assert run_campaign(tmp_path, SETTINGS, advance=heard.append) == SETTINGS.count - 4
    assert heard[0] == 4 and sum(heard) == SETTINGS.count
    assert contents(tmp_path) == contents(campaign)
    assert run_campaign(tmp_path, SETTINGS) == 0


def test_other_settings_are_refused(campaign: Path) -> None:
    before = contents(campaign)
    with pytest.raises(WorkbenchError, match="other settings"):
        run_campaign(campaign, Settings(seed=10, count=14, task="CV", odds=(1, 1)))
    assert contents(campaign) == before


def test_damaged_settings_are_a_message(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text("{")
    with pytest.raises(WorkbenchError, match="damaged"):
        run_campaign(tmp_path, SETTINGS)


def test_desi_targets_share_files_and_resume_by_whole_files(tmp_path: Path) -> None:
    run_campaign(tmp_path, DESI)
    before = contents(tmp_path)
    rows = truth_rows(tmp_path)
    assert sorted(Counter(row["file"] for row in rows).values()) == [3, 8]
    assert {int(row["row"]) for row in rows} == set(range(8))
    assert [len(job.members) for job in jobs_of(DESI)] == [8, 3]
    Tables(tmp_path).keep(9)
    assert run_campaign(tmp_path, DESI) == 3
    assert contents(tmp_path) == before


def test_a_file_in_the_place_of_the_folder_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(WorkbenchError, match="cannot use"):
        run_campaign(tmp_path / "out", SETTINGS)
    assert (tmp_path / "out").read_text() == "mine"


def test_arrays_hold_the_spectra_the_files_would(tmp_path: Path) -> None:
    few = {"seed": 9, "count": 8, "task": "WD"}
    run_campaign(tmp_path / "fits", Settings(**few))  # type: ignore[arg-type]
    run_campaign(tmp_path / "arrays", Settings(**few, arrays=True))  # type: ignore[arg-type]
    files = truth_rows(tmp_path / "fits")
    shard = list(read_shard(tmp_path / "arrays" / "arrays-00000.npz"))
    rows = truth_rows(tmp_path / "arrays")
    assert len(shard) == len(rows) == 8
    for spectrum, row in zip(shard, rows, strict=True):
        twin = next(one for one in files if one["index"] == row["index"])
        other = read(tmp_path / "fits" / twin["file"], row=int(twin["row"]))
        assert twin["label"] == row["label"] and spectrum.simulated
        assert len(spectrum) == len(other)
        scale = abs(other.flux).max()
        assert abs(spectrum.flux - other.flux).max() < 1e-5 * scale
        assert (spectrum.ivar is None) == (other.ivar is None)


def test_a_shard_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    for content in (b"nothing", b"PK\x03\x04 cut off"):
        path.write_bytes(content)
        with pytest.raises(WorkbenchError, match="not a shard"):
            list(read_shard(path))


def test_a_shard_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_campaign(tmp_path, Settings(seed=1, count=1, labels=("A",), arrays=True))
    monkeypatch.setattr("train.simulate.archive.MAX_SHARD_BYTES", 1000)
    with pytest.raises(WorkbenchError, match="too much"):
        list(read_shard(tmp_path / "arrays-00000.npz"))

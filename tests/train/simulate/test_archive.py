from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from tests.train.simulate.helpers import SETTINGS, truth_rows
from train.simulate.archive import SETTINGS_FILE, jobs_of, run_campaign
from train.simulate.campaign import Settings
from train.simulate.truth import (
    TRUTH_FILE,
    Tables,
)

DESI = Settings(seed=9, count=11, labels=("A", "F"), survey="DESI", gzip=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


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

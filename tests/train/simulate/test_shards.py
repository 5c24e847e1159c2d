from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from agent.spectra.readers import read
from tests.train.simulate.helpers import truth_rows
from train.simulate.archive import run_campaign
from train.simulate.campaign import Settings
from train.simulate.shards import read_shard


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
    monkeypatch.setattr("train.simulate.shards.MAX_SHARD_BYTES", 1000)
    with pytest.raises(WorkbenchError, match="too much"):
        list(read_shard(tmp_path / "arrays-00000.npz"))

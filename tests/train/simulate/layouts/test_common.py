from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from tests.train.simulate.helpers import star
from tests.train.simulate.layouts.helpers import entry, write_single
from train.simulate.layouts import lamost
from train.simulate.telescope.telescope import observe


def test_same_entry_same_bytes(tmp_path: Path, rng: np.random.Generator) -> None:
    one = entry(observe(star(), "LAMOST", rng, release="DR10"))
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        folder.mkdir()
        write_single(folder, one, ".gz")
    assert [p.read_bytes() for p in first.iterdir()] == [p.read_bytes() for p in second.iterdir()]


def test_a_folder_that_is_not_there_is_a_message_and_leaves_nothing(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    one = entry(observe(star(), "LAMOST", rng))
    with pytest.raises(WorkbenchError, match="cannot write"):
        lamost.write(tmp_path / "absent" / "x.fits", one)
    assert list(tmp_path.iterdir()) == []

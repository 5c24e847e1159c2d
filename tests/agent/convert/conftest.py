"""A small model with random weights, made without torch."""

import shutil
from pathlib import Path

import pytest

from tests.random_checkpoint import Widths, make_random_checkpoint

SMALL = Widths(hidden=256, ffn=512, layers=3)


@pytest.fixture(scope="session")
def random_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_random_checkpoint(tmp_path_factory.mktemp("random") / "small", SMALL)


@pytest.fixture
def small(random_folder: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(random_folder, tmp_path / "small"))

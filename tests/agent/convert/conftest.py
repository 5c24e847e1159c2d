"""A small model with random weights, made without torch, and a home for models of its own."""

from __future__ import annotations

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


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder for models, empty."""
    monkeypatch.setenv("SPEC_O3_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setattr(
        "agent.models.check_files.user_cache_path", lambda *_, **__: tmp_path / "cache"
    )
    return tmp_path / "models"

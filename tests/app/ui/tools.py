"""The objects that pages need before a session is open."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.ui.base.background.runner import Runner
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from tests.app.ui.candidates import SAMPLE


@dataclass(frozen=True)
class Tools:
    settings: SettingsStore
    current_theme: CurrentTheme
    runner: Runner

    @property
    def all(self) -> tuple[SettingsStore, CurrentTheme, Runner]:
        return self.settings, self.current_theme, self.runner


@pytest.fixture
def tools(qapp) -> Iterator[Tools]:
    settings = SettingsStore()
    settings.change(reviewer="Ada")
    made = Tools(settings, CurrentTheme(), Runner())
    yield made
    made.runner.close()


@pytest.fixture
def sample_list(tmp_path) -> Path:
    """A copy of the bundled list with its spectra."""
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE, folder)
    return folder / "candidates.csv"


@pytest.fixture
def one_spectrum() -> Path:
    return SAMPLE / "spectra" / "000" / "spec-90000-60230-0001.fits.gz"

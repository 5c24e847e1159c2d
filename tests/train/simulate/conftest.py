from pathlib import Path

import pytest

from tests.train.simulate.helpers import SETTINGS, write_base, write_table
from train.simulate.archive import run_campaign


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    assert run_campaign(folder, SETTINGS) == SETTINGS.count
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "bases"
    place.mkdir()
    write_base(place / "hot.txt", 9000.0)
    write_base(place / "cool.txt", 4500.0)
    (place / "broken.fits").write_bytes(b"nothing")
    write_table(place, [("hot.txt", "A"), ("cool.txt", "K"), ("broken.fits", "A")])
    return place

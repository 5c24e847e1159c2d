import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("sklearn")

from agent.spectra.measure.features import feature_vector
from tests.made_once import made_once
from tests.measured_once import once
from tests.train.bench.helpers import simulated, small
from train.bench.build import Bench, build, write_card
from train.simulate.archive import run_campaign
from train.simulate.campaign import Settings


@dataclass
class Made:
    out: Path
    archives: list[Path]
    bench: Bench


@pytest.fixture(scope="package", autouse=True)
def features_are_measured_once() -> Iterator[None]:
    seen = ("wavelength", "flux", "ivar", "mask", "survey", "resolution")  # all that matters
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("train.bench.measuring.feature_vector", once(feature_vector, seen, 600))
        yield


@pytest.fixture(scope="session")
def sky(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """One sky as LAMOST and as SDSS saw it, in folders that nobody may change."""
    lamost = partial(simulated, survey="LAMOST", seed=1, count=240)
    sdss = partial(simulated, survey="SDSS", seed=2, count=240)
    made = partial(made_once, tmp_path_factory, in_place=True)
    return made("lamost", lamost), made("sdss", sdss)


@pytest.fixture(scope="session")
def made(sky: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Made:
    sets = partial(build, archives=list(sky), settings=small(), catalogues={})
    out = made_once(tmp_path_factory, "bench", sets)  # measured by the first worker that asks
    bench = sets(out)
    write_card(out, bench, list(sky), [])
    return Made(out, list(sky), bench)


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """FITS files of two surveys, eight DESI targets to a file."""
    folder = tmp_path_factory.mktemp("survey")
    run_campaign(folder, Settings(seed=3, count=12, labels=("A", "K"), survey="LAMOST,DESI"))
    return folder


@pytest.fixture(scope="session")
def listed(survey: Path) -> list[dict[str, str]]:
    with (survey / "candidates.csv").open(newline="") as file:
        return list(csv.DictReader(file))

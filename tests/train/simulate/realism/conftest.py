"""Libraries of simulated stars that pose as real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.train.simulate.realism.helpers import no_defect, sodium, write_library


@pytest.fixture(scope="session")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_library(tmp_path_factory.mktemp("alike") / "stars", no_defect)


@pytest.fixture(scope="session")
def with_sodium(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_library(tmp_path_factory.mktemp("defect") / "stars", sodium)

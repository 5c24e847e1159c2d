from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from tests.train.draft.spectra import write_set


@pytest.fixture(scope="session")
def example_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_set(tmp_path_factory.mktemp("drafts") / "cold.parquet")

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.examples.examples import write_examples
from tests.train.evaluate.helpers import simulated
from train.evaluate.tables import RARE


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    write_examples(folder / "test.parquet", [one for task in RARE for one in simulated(task, 6)])
    return folder

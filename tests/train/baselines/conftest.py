from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

from agent.examples.examples import example, write_examples
from tests.train.baselines.helpers import lines
from train.baselines.fit import BaselineSettings
from train.baselines.training import train_specialists


@pytest.fixture(scope="session")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sets") / "train.parquet"
    answers = ("YES", "NO") * 24
    shown = zip(lines(48), answers, strict=True)
    write_examples(path, (example(one, task="CV", answer=answer) for one, answer in shown))
    return path


@pytest.fixture(scope="session")
def folder(sets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = BaselineSettings(kinds=("plain-cnn",), epochs=3, batch=8, lr=3e-3, seeds=2)
    out = tmp_path_factory.mktemp("out")
    (folder,) = train_specialists([sets], out, settings, 0, lambda line: None)
    return folder

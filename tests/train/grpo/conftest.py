from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a task, a small set, and a model that mostly guesses."""
    from agent.examples.examples import write_examples
    from tests.train.grpo.toy import toy_examples, toy_model, toy_task

    folder = tmp_path_factory.mktemp("toy")
    task = toy_task(folder)
    write_examples(folder / "train.parquet", toy_examples(task, 8, 0))
    toy_model(folder / "warm", task)
    return folder

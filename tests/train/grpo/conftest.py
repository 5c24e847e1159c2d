from pathlib import Path

import pytest

from tests.made_once import made_once


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a task, a small set, and a model that mostly guesses."""
    return made_once(tmp_path_factory, "toy", make_toy, in_place=True)


def make_toy(folder: Path) -> None:
    from agent.examples.examples import write_examples
    from tests.train.grpo.toy import toy_examples, toy_model, toy_task

    task = toy_task(folder)
    write_examples(folder / "train.parquet", toy_examples(task, 8, 0))
    toy_model(folder / "warm", task)

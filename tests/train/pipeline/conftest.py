from pathlib import Path

import pytest

FILE = """
[chain]
questions = 7
surveys = ["SDSS"]

[bench]
sizes = ["* 5/5 1/5"]

[grpo]
rounds = 3

[sft]
lr = 1e-5
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(FILE)
    return path

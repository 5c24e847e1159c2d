"""A model folder to spoil, and a look into the files written from it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Json = dict[str, Any]


@pytest.fixture
def copy25(tiny_qwen25: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_qwen25, tmp_path / "model"))


@pytest.fixture
def copy3(tiny_qwen3: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_qwen3, tmp_path / "model"))


def edit(folder: Path, name: str, change: Callable[[Json], object]) -> None:
    path = folder / name
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")

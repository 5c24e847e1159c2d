"""`spec-o3 models convert`, `sizes` and `get --gguf`, without torch and without a network."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args
from unittest.mock import Mock

import pytest
from typer.testing import CliRunner, Result

from agent.convert.forms import Machine
from agent.errors import WorkbenchError
from agent.models.registry import find_model
from app.cli import models as convert
from app.cli.models import models as commands
from tests.agent.convert.conftest import random_folder, small
from tests.agent.models.fake_hub import FakeHub, running

__all__ = ["random_folder", "small"]

LAPTOP = Machine(
    memory=16 * 10**9, memory_free=11 * 10**9, disk_free=200 * 10**9, has_torch=False,
    has_llama_cpp=True,
)  # fmt: skip


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, own_models: Path) -> None:
    have(monkeypatch, LAPTOP)
    monkeypatch.setattr("agent.convert.model._why_not_compared", lambda *_: "no room to compare")


def have(monkeypatch: pytest.MonkeyPatch, machine: Machine) -> None:
    monkeypatch.setattr("agent.convert.forms.this_machine", lambda folder: machine)


@pytest.fixture
def hub(random_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    files = {path.name: path.read_bytes() for path in random_folder.iterdir()}
    with running(FakeHub(files)) as fake:
        monkeypatch.setenv("HF_ENDPOINT", fake.endpoint)
        yield fake


def run(*words: str) -> Result:
    return CliRunner().invoke(commands, words)


def rows(output: str) -> dict[str, list[str]]:
    """The cells of the table by form."""
    lines = [line.split("  ") for line in output.splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return {line[0]: line[1:] for line in cells if len(line) > 3}


def test_a_folder_is_converted_and_found_by_its_name(small: Path, own_models: Path) -> None:
    result = run("convert", str(small), "--to", "q5_k_m")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{own_models / 'small-q5_k_m'}\n"
    assert re.search(r"small-q5_k_m: 0\.00 GB in \d+\.\d min", result.stderr)
    assert "no room to compare" in result.stderr
    assert find_model("small-q5_k_m").is_ready
    assert "it was here already" in run("convert", str(small), "--to", "q5_k_m").stderr


def test_the_best_form_is_taken(
    small: Path, own_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(monkeypatch, replace(LAPTOP, memory_free=2_510_000_000))
    assert run("convert", str(small)).stdout.endswith("small-q8_0\n")
    have(monkeypatch, replace(LAPTOP, memory_free=2_490_000_000))
    assert "does not fit this machine" in str(run("convert", str(small)).exception)


def test_sizes_of_a_model_that_is_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("sizes", "spec-o3-7b")
    assert result.exit_code == 0, result.output
    table = rows(result.stdout)
    assert list(table) == ["form", "published", "f16", "q8_0", "q5_k_m", "q4_k_m"]
    assert table["published"] == ["16.6 GB", "16.6 GB", "19.1 GB", "needs torch and transformers"]
    assert table["f16"][3] == "too little memory"
    assert table["q8_0"] == ["16.6 GB", "26.0 GB", "12.0 GB", "other programs have the memory"]
    assert table["q5_k_m"][3] == "best" and table["q4_k_m"][3] == "runs"
    assert "16 GB of memory, 11 GB of it free; 200 GB of disk free" in result.stdout
    assert "spec-o3 models get spec-o3-7b --gguf q5_k_m" in result.stdout
    have(monkeypatch, replace(LAPTOP, memory=4 * 10**9, memory_free=10**9))
    assert "None of them runs here" in run("sizes", "spec-o3-7b").stdout


def test_get_does_both_steps(hub: FakeHub, own_models: Path) -> None:
    result = run("get", "spec-o3-3b", "--gguf", "q4_k_m")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{own_models / 'spec-o3-3b-q4_k_m'}\n"
    assert "q5_k_m" in rows(result.stderr), "what the forms need is shown before"
    assert find_model("spec-o3-3b").is_ready
    card = find_model("spec-o3-3b-q4_k_m").card
    assert card.title == "Spec-o3 3B, as published, q4_k_m"
    assert run("get", "spec-o3-3b", "--gguf", "q4_k_m").exit_code == 0, "a second time"


def test_get_refuses_before_the_download(
    hub: FakeHub, own_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(monkeypatch, replace(LAPTOP, disk_free=9 * 10**9))
    result = run("get", "spec-o3-3b", "--gguf", "q4_k_m")
    assert isinstance(result.exception, WorkbenchError)
    assert "form q4_k_m need 10.8 GB, but only 9.0 GB are free" in str(result.exception)
    assert hub.requests == []


def test_ctrl_c_says_how_to_go_on(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.convert.model.write_files", Mock(side_effect=KeyboardInterrupt))
    result = run("convert", str(small), "--to", "q8_0")
    assert f"models convert {small} --to q8_0` goes on" in str(result.exception)


WITHOUT = """
import sys
heavy = ("torch", "transformers", "safetensors", "tokenizers", "accelerate", "peft", "train")
sys.modules.update(dict.fromkeys(heavy))  # importing them fails
sys.argv = ["spec-o3", "models", "convert", sys.argv[1], "--to", "q4_k_m", "--no-compare"]
from app.cli.main import main
main()
"""


def test_no_torch_is_needed(small: Path, own_models: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(small)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{own_models / 'small-q4_k_m'}\n"


def test_form_names_are_those_that_can_be_made() -> None:
    from agent.convert.forms import GGUF_FORMS

    assert set(get_args(convert.FormName)) == {*GGUF_FORMS, "best"}

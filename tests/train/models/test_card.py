"""What a card says of a model after `spec-o3-train card`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.models.card_file import read_card
from train.cli import app
from train.models.card_figures import figures_of

CARD = """
name = "mine"
title = "Before"
family = "qwen2.5-vl"
engine = "gguf"
simulated_only = true
[style]
name = "compact"
[[files]]
role = "weights"
path = "mine.gguf"
size = 4
[[files]]
role = "mmproj"
path = "mmproj.gguf"
size = 4
[[figures]]
figure = "old"
value = 1.0
on = "nothing"
"""


def share(value: float) -> dict[str, float]:
    return {"value": value, "low": value - 0.02, "high": value + 0.01}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    tasks = [
        {"task": "CV", "n": 600, "positives": 100, "f1": share(0.9123)},
        {"task": "WD", "n": 300, "positives": 50, "f1": share(0.8)},
        {"task": "SS", "n": 300, "positives": 0, "f1": share(0.0)},  # nothing to be found
    ]
    row = {"judge": "nano", "mean_f1": share(0.85615), "effort": {"well_formed": 0.998}}
    row |= {"tasks": tasks}
    other = row | {"judge": "measured", "mean_f1": share(0.5)}
    path = tmp_path / "main.json"
    path.write_text(json.dumps({"table": "main", "sets": {"test": {"judges": [other, row]}}}))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.toml").write_text(CARD)
    return tmp_path / "mine"


def test_figures_are_of_the_judge_that_is_named(table: Path):
    found = {one.figure: (one.value, one.on) for one in figures_of(table, "nano")}
    assert found == {
        "mean F1": (85.6, "main: test, 150:750, 95 % 83.6 to 86.6"),
        "F1 CV": (91.2, "main: test, 100:500"),
        "F1 WD": (80.0, "main: test, 50:250"),
        "well-formed": (99.8, "main: test"),
    }


def test_a_judge_who_is_not_there_and_a_file_that_is_no_table_are_refused(table: Path):
    with pytest.raises(WorkbenchError, match="no judge named other"):
        figures_of(table, "other")
    table.write_text("[1]")
    with pytest.raises(WorkbenchError, match="not a table"):
        figures_of(table, "nano")


def test_the_card_says_what_was_told_and_keeps_the_rest(folder: Path, table: Path):
    words = ["card", str(folder), "--title", "After", "--trained-on", "simulations"]
    result = CliRunner().invoke(app, [*words, "--figures", f"{table}=nano"])
    assert result.exit_code == 0, result.output
    card = read_card(folder)
    assert (card.name, card.title, card.trained_on) == ("mine", "After", "simulations")
    assert card.simulated_only and card.style.name == "compact"
    assert [one.figure for one in card.figures] == ["mean F1", "F1 CV", "F1 WD", "well-formed"]


def test_figures_stay_where_none_are_told(folder: Path):
    assert CliRunner().invoke(app, ["card", str(folder), "--name", "other"]).exit_code == 0
    card = read_card(folder)
    assert card.name == "other" and [one.figure for one in card.figures] == ["old"]


@pytest.mark.parametrize("words", [[], ["--figures", "main.json"]])
def test_nothing_to_say_is_said(folder: Path, words: list[str]):
    result = CliRunner().invoke(app, ["card", str(folder), *words])
    assert isinstance(result.exception, WorkbenchError)

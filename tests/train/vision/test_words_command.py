"""What a model says against what is measured: thoughts written by hand, and nano-eye."""

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from agent.examples.examples import example, write_examples
from agent.inspection.built_in import EYE as BOXED
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from tests.agent.scenes import answer, call, star
from tests.scripted_engine import ScriptedEngine
from tests.train.evaluate.helpers import simulated
from train.cli import app
from train.vision.words_command import WordFigures, measured, said, word_figures, words_markdown

ASKED = example(star(), task="CV", answer="YES", label="CV")  # Hα in strong emission


def figures(*thoughts: str, window: tuple[int, int] = (6400, 6800)) -> WordFigures:
    """Of one look after another at a window, with what is thought of each."""
    turns = [call(*window, thought=each) for each in ("Nothing clear.", *thoughts[:-1])]
    last = answer().replace("Enough.", thoughts[-1])
    engine = ScriptedEngine(lambda number: [*turns, last][number])
    inspector = ModelInspector(engine, ModelRef(name="scripted"))
    record = run(inspector.inspect(ASKED.spectrum, find_task("CV")))
    return word_figures(record, measured(ASKED.spectrum))


@pytest.mark.parametrize(
    ("thought", "told", "wrong_sign", "far_off", "silent"),
    [
        ("Hα in strong emission; Hα emission broad.", 1, 0, 0, 0),
        ("Hα in emission.", 1, 0, 0, 0),  # the sign alone is enough
        ("Hα in weak emission.", 1, 0, 1, 0),
        ("Hα in clear absorption.", 0, 1, 1, 0),
        ("Hα in emission; Hα in absorption.", 0, 1, 1, 0),
        ("Hα not seen.", 0, 0, 1, 0),
        ("Hα unclear.", 0, 0, 0, 1),
        ("Nothing clear.", 0, 0, 0, 1),
    ],
)
def test_what_is_told_of_a_strong_line(
    thought: str, told: int, wrong_sign: int, far_off: int, silent: int
) -> None:
    found = figures(thought)
    assert (found.certain, found.told) == (1, told)
    assert (found.wrong_sign, found.far_off, found.silent) == (wrong_sign, far_off, silent)
    assert found.looks == 1


def test_a_look_without_anything_certain_may_be_silent() -> None:
    found = figures("Nothing clear.", window=(5680, 6080))
    assert (found.certain, found.silent, found.looks) == (0, 0, 1)


def test_phrases_are_found_whole_and_the_longest_first() -> None:
    found = [each.text for _, each in said("Hα in clear or strong emission; TiO 7054 seen. Hα")]
    assert found == ["Hα in clear or strong emission", "TiO 7054 seen"]
    assert not list(said("Hα in emissionless air; the line Hα; Hβ"))


def test_the_table_has_a_row_for_each_class_and_one_for_all() -> None:
    one = WordFigures(certain=4, told=3, said=8, wrong_sign=1, far_off=2, looks=5, silent=1)
    text = words_markdown({"WD": one, "CV": one + one})
    assert [line.split(" | ")[0] for line in text.splitlines()[2:]] == ["| CV", "| WD", "| all"]
    assert text.splitlines()[-1] == (
        "| all | 75.0 % of 12 | 12.5 % of 24 | 25.0 % of 24 | 20.0 % of 15 |"
    )


def test_the_command_judges_and_prints(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp")
    path = tmp_path / "asked.parquet"
    write_examples(path, simulated("CV", 2, seed=5))
    made = CliRunner().invoke(
        app, ["evaluate", "words", BOXED, str(path), str(tmp_path / "out"), "--threads", "1"]
    )
    assert made.exit_code == 0, made.output
    assert "| CV |" in made.output and "% of" in made.output
    assert (tmp_path / "out" / "words.md").read_text(encoding="utf-8") in made.output

"""`spec-o3-train chain`: settings of presets, files and `--set` reach the commands they name."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("gguf")

from agent.errors import WorkbenchError
from agent.models.card_file import read_card
from tests.train.pipeline.test_steps import lines_of, planned
from tests.train.pipeline.test_whole import in_this_process
from tests.train.vision.test_command import MAKE_SMALL, draw_in_threads
from train.cli import app
from train.pipeline import command
from train.pipeline.command import RECORD, run_chain
from train.pipeline.steps import ChainCommands, PipelineSettings, Step, stage_sets, steps
from train.vision import make

SCRIPT = """
import sys
from pathlib import Path
path, text = sys.argv[1:]
if text == "fail":
    sys.exit("no such thing")
Path(path).open("a").write(text)
"""


def test_a_file_reaches_every_stage(config: Path):
    runner = CliRunner()
    words = ["chain", "out", "--preset", "tiny", "--config", str(config), "--dry"]
    lines = runner.invoke(app, words).stdout.splitlines()
    (rl,) = [line for line in lines if line.startswith("spec-o3-train grpo")]
    assert rl.endswith("--set grpo.rounds=3")
    (asked,) = [line for line in lines if "questions out/questions.parquet" in line]
    assert "--count 7 " in asked
    (bench,) = [line for line in lines if "train bench out/bench " in line]
    assert 'bench.sizes=["* 5/5 1/5"]' in bench
    assert bench.count("--archive") == 1
    (tuned,) = [line for line in lines if line.startswith("spec-o3-train sft")]
    assert tuned.endswith("--set sft.lr=1e-05")


def test_hard_negatives_that_are_not_simulated_cannot_be_set():
    words = ["chain", "out", "--preset", "tiny", "--set", "hard_negatives.tasks=['CV']", "--dry"]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, WorkbenchError)
    assert "set chain.hard_negatives" in str(result.exception)


def test_a_date_is_not_a_setting(config: Path):
    config.write_text("[chain]\nquestions = 1979-05-27\n")
    result = CliRunner().invoke(app, ["chain", "out", "--config", str(config), "--dry"])
    assert result.exit_code != 0
    assert "expected a whole number" in str(result.exception)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A step that adds a word to a file of its own."""
    (tmp_path / "chain_step_of_a_test.py").write_text(SCRIPT)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setitem(command.MODULES, "spec-o3-train", "chain_step_of_a_test")
    made = tmp_path / "made"
    made.mkdir()

    def step(name: str, text: str) -> Step:
        return Step(name, "spec-o3-train", (str(made / name), text), made / name)

    return step


def written(tmp_path: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (tmp_path / "made").iterdir()}


class TestRunning:
    def test_each_step_once(self, write, tmp_path: Path):
        plan = [write("one", "a"), write("two", "b")]
        first = run_chain(tmp_path / "out", plan)
        begun: list[Step] = []
        second = run_chain(tmp_path / "out", plan, begun.append)
        assert written(tmp_path) == {"one": "a", "two": "b"}
        assert begun == []
        assert first == second

    def test_continues_after_a_failure(self, write, tmp_path: Path):
        with pytest.raises(WorkbenchError, match=r"the step two failed(.|\n)*no such thing"):
            run_chain(tmp_path / "out", [write("one", "a"), write("two", "fail")])
        run_chain(tmp_path / "out", [write("one", "a"), write("two", "b")])
        assert written(tmp_path) == {"one": "a", "two": "b"}

    def test_a_changed_step_reruns_all_after_it(self, write, tmp_path: Path):
        plan = [write("one", "a"), write("two", "b"), write("three", "c")]
        run_chain(tmp_path / "out", plan)
        plan[1] = write("two", "B")
        run_chain(tmp_path / "out", plan)
        assert written(tmp_path) == {"one": "a", "two": "bB", "three": "cc"}
        told = json.loads((tmp_path / "out" / RECORD).read_text())
        assert [one["name"] for one in told] == ["one", "two", "three"]

    def test_a_removed_result_is_made_again(self, write, tmp_path: Path):
        plan = [write("one", "a")]
        run_chain(tmp_path / "out", plan)
        (tmp_path / "made" / "one").unlink()
        run_chain(tmp_path / "out", plan)
        assert written(tmp_path) == {"one": "a"}

    def test_a_step_that_makes_nothing_has_failed(self, write, tmp_path: Path):
        step = write("one", "a")
        silent = Step("one", step.program, step.arguments, tmp_path / "elsewhere")
        with pytest.raises(WorkbenchError, match="it did not make"):
            run_chain(tmp_path / "out", [silent])

    def test_a_damaged_record_is_named(self, write, tmp_path: Path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / RECORD).write_text("[{]")
        with pytest.raises(WorkbenchError, match="is damaged"):
            run_chain(tmp_path / "out", [write("one", "a")])


@pytest.mark.parametrize("stop_at", ["bench of hard negatives", "sft", "evaluate rl_questions"])
def test_an_interrupted_chain_resumes_at_the_step_it_stopped_in(
    stop_at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    settings = PipelineSettings(hard_negatives=90, rl_questions=40, questions=30)
    told = {"out": tmp_path, "settings": settings, "preset": "tiny", "sets": ()}
    chain = ChainCommands(**told, seed=3, workers=2)
    stopped: list[str] = []

    def make(step: Step) -> None:
        if step.name == stop_at and not stopped:
            stopped.append(step.name)
            raise WorkbenchError("interrupted")
        folder = step.makes.parent if step.makes.suffix else step.makes
        folder.mkdir(parents=True, exist_ok=True)
        if step.makes.suffix:
            step.makes.touch()

    monkeypatch.setattr(command, "_run", make)
    with pytest.raises(WorkbenchError, match="interrupted"):
        run_chain(tmp_path, steps(chain))
    begun: list[Step] = []
    done = run_chain(tmp_path, steps(chain), begun.append)
    names = [step.name for step in steps(chain)]
    assert [one.name for one in done] == names
    assert [step.name for step in begun] == names[names.index(stop_at) :]
    assert {"hard_negatives", "sft", "screened"} < {path.name for path in tmp_path.iterdir()}


# A chain makes the model that sees by the recipe of the one in the box.
def test_it_is_made_and_judged_beside_the_other(tmp_path: Path):
    lines = lines_of(tmp_path, ("school.batch=48",), eye=True)
    expected = f"eye make {tmp_path / 'eye'} --seed 3 --workers 2 --set school.batch=48"
    assert lines["eye"].endswith(expected)
    assert f"--model eye={tmp_path / 'eye' / 'gguf'} " in lines["evaluate main"]


def test_it_is_not_made_unless_asked(tmp_path: Path):
    lines = lines_of(tmp_path)
    assert "eye" not in lines and "--model eye" not in lines["evaluate main"]
    with pytest.raises(WorkbenchError, match=r"school\.batch=4 has no effect"):
        planned(tmp_path, ("school.batch=4",))


def test_the_step_makes_a_model_that_can_be_judged_and_keeps_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    draw_in_threads(monkeypatch)
    sets = stage_sets(None, MAKE_SMALL)
    asked = {"settings": PipelineSettings(eye=True), "preset": "tiny", "sets": sets}
    commands = ChainCommands(out=tmp_path, seed=1, workers=1, **asked)
    (step,) = [one for one in steps(commands) if one.name == "eye"]
    in_this_process(step)
    made = tmp_path / "eye"
    files = made / make.GGUF
    assert {path.name for path in files.iterdir()} >= {"model-f16.gguf", "mmproj-f16.gguf"}
    card = read_card(files)
    assert (card.engine, card.style.numbers) == ("gguf", False)
    eye = made / make.EYE / "eye.safetensors"
    before = eye.stat().st_mtime_ns
    shutil.rmtree(made / make.RARE)
    in_this_process(step)
    assert (made / make.RARE / "model").is_dir() and files.is_dir()
    assert eye.stat().st_mtime_ns == before

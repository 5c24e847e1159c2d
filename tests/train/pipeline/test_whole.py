"""A whole chain, as small as possible: every stage reads what the one before wrote."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("llama_cpp")
pytest.importorskip("pyarrow")
pytest.importorskip("gguf")

from typer.testing import CliRunner

from agent.engines.base import SamplingSettings
from agent.examples.examples import ExampleStore, read_examples
from agent.protocol.reply import Verdict, is_well_formed
from agent.trajectory.trajectory_file import read_trajectories
from app.cli.main import workbench
from tests.night import BY_NIGHT
from train.cli import app
from train.evaluate import judges
from train.export import export
from train.journal import read_metrics
from train.pipeline import command
from train.pipeline.steps import Step
from train.reward import Reading

OBJECTS = 240 if BY_NIGHT else 160
SMALL = {
    "chain.objects": OBJECTS,
    "chain.surveys": '["LAMOST"]',
    "chain.baselines": "false",
    "chain.tables": '["main"]',
    "chain.judged": 6,
    "bench.tasks": '["CV"]',
    "bench.cross_tasks": "[]",
    "bench.cross_surveys": "[]",
    "bench.sizes": '["* 5/5 1/5"]',
    "bench.folds": 2,
    "chain.averaged": "[1, 1]",
    "chain.questions": 24,
    "chain.hard_negatives": OBJECTS,
    "chain.judged_by": "llama.cpp",
    "hard_negatives.sizes": '["* 2/6 1/5"]',
    "questions.tasks": '["CV"]',
    "draft.per_spectrum": 1,
    "model.layers": 2,
    "sft.steps": 4,
    "sft.save_every": 0,
    "sft.eval_every": 0,
    "grpo.rounds": 1,
    "grpo.save_every": 1,
    "grpo.questions": 2,
    "grpo.minibatch": 2,
    "grpo.rollouts": 2,
    "grpo.microbatch": 2,
    "grpo.turn_tokens": 16,
    "grpo.rollout_tokens": 1024,
    "grpo.held_out": 0.2,
    "grpo.validate_every": 1,
}


def in_this_process(step: Step) -> None:
    """Run a step without the ten seconds of imports that a process of its own takes."""
    program = app if step.program == "spec-o3-train" else workbench()
    words = [command._one_file(step, word) for word in step.arguments]
    result = CliRunner().invoke(program, words)
    assert result.exit_code == 0, f"{step.line}\n{result.output}\n{result.exception!r}"
    assert step.makes.exists()


def keep_it_short(patch: pytest.MonkeyPatch) -> None:
    """What has hardly been trained talks until it may no more, its files are compared with it in
    one episode, and llama.cpp's threads would wait for each other, spinning."""
    patch.setattr(judges, "SamplingSettings", lambda **told: SamplingSettings(max_new_tokens=48))
    patch.setattr(export, "EPISODES", 1)
    patch.setattr("agent.engines.gguf.engine.default_threads", lambda sharing=1: 1)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """By day in one process; that each step has its own is tested in test_run.py."""
    out = tmp_path_factory.mktemp("chain") / "out"
    sets = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]
    words = ["chain", str(out), "--preset", "tiny", *sets]
    with pytest.MonkeyPatch.context() as patch:
        if not BY_NIGHT:
            patch.setattr(command, "_run", in_this_process)
            keep_it_short(patch)
        result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, f"{result.output}\n{result.exception}"
    yield out


class TestTheWholeChain:
    def test_every_step_is_done(self, whole: Path):
        done = json.loads((whole / "chain.json").read_text())
        sky = ["simulate LAMOST", "bench"]
        trained = [
            "questions", "simulate hard negatives", "bench of hard negatives", "draft",
            "curate: import", "curate: review", "curate: export", "sft", "export to screen",
            "evaluate train", "evaluate hard_negatives", "grpo", "average", "export",
            "evaluate main", "one spectrum", "inspect", "report",
        ]  # fmt: skip
        assert [one["name"] for one in done] == [*sky, *trained]

    def test_every_reference_trajectory_earns_full_marks(self, whole: Path):
        sets = [whole / "questions.parquet", whole / "hard_negatives" / "train.parquet"]
        store = ExampleStore(sets)
        records = list(read_trajectories(whole / "pool" / "approved.jsonl"))
        questions, hard_negatives = ({one.sha256 for one in read_examples(each)} for each in sets)
        drafted = {record.spectrum.sha256 for record in records}
        assert drafted & questions and drafted & hard_negatives
        for record in records:
            answer: Verdict = store.of(record).answer
            reading = Reading(record.verdict, is_well_formed(record.replies))
            assert reading.reward(answer) == 1.0

    def test_all_models_judged_the_same_candidates(self, whole: Path):
        told = json.loads((whole / "evaluation" / "main.json").read_text())["sets"]["test"]
        assert [one["judge"] for one in told["judges"]] == ["measured", "sft", "grpo"]
        assert {task["n"] for one in told["judges"] for task in one["tasks"]} == {6}

    def test_the_exported_model_has_inspected(self, whole: Path):
        (record,) = read_trajectories(whole / "inspection.jsonl")
        assert record.task == "CV"
        assert record.model.engine == "gguf"
        assert record.stopped_by != "error"
        assert record.replies

    def test_rollouts_were_rewarded(self, whole: Path):
        assert any("reward" in record for record in read_metrics(whole / "grpo"))

    def test_the_report_covers_every_stage(self, whole: Path):
        text = (whole / "report.html").read_text()
        headings = ("Fine-tuning", "Reinforcement", "Curation", "Main table", "Failures of sft")
        assert [one for one in headings if f"<h2>{one}" not in text] == []
        assert "validation F1, CV" in text

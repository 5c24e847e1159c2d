"""Models without the tool and without SFT are trained by a chain and judged in its table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("pyarrow")
pytest.importorskip("gguf")

from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.models.card_file import read_card
from agent.trajectory.trajectory_file import read_trajectories
from tests.night import BY_NIGHT
from tests.train.pipeline.test_steps import lines_of
from tests.train.pipeline.test_whole import SMALL, in_this_process, keep_it_short
from train.cli import app
from train.journal import read_metrics
from train.pipeline import command
from train.pipeline.settings import PipelineSettings

BOTH = ("no-tool", "no-sft")
ABLATED = SMALL | {
    "chain.ablations": json.dumps(BOTH),
    "chain.tables": '["ablation"]',
    "chain.questions": 12,
    "chain.hard_negatives": 0,
    "chain.averaged": "[0, 0]",
    "chain.judged_by": "transformers",
    "grpo.turn_tokens": 24,
    "sft.steps": 2,
}
del ABLATED["hard_negatives.sizes"]


class TestSteps:
    def test_none_by_default(self, tmp_path: Path):
        assert not any("without" in name for name in lines_of(tmp_path))

    def test_the_published_ones_start_from_the_base_model(self, tmp_path: Path):
        lines = lines_of(tmp_path, ("grpo.rounds=2",), preset="3b", ablations=BOTH)
        bare, toolless = lines["grpo without sft"], lines["grpo without the tool"]
        assert "--model Qwen/Qwen2.5-VL-3B-Instruct --sets" in bare
        assert "--judged" not in bare + toolless
        assert "grpo.tool" not in bare and "--set grpo.style=published" in bare
        assert "--set sft.tool=false" in lines["sft without the tool"]
        assert "--set grpo.tool=false" in toolless and "--set grpo.rounds=2" in toolless
        assert f"--model {tmp_path}/no_tool/sft/model " in toolless
        for line in (bare, toolless):
            assert f"--sets {tmp_path}/bench/train.parquet " in line
        told = f"--no-tool {tmp_path}/no_tool/grpo/model --no-sft {tmp_path}/no_sft/model "
        assert told in lines["evaluate ablation"]
        assert "tool=false" not in lines["sft"] + lines["grpo"]

    def test_a_new_model_is_that_before_its_first_sft(self, tmp_path: Path):
        lines = lines_of(tmp_path, ablations=("no-sft",))
        assert f"--model {tmp_path}/sft/start " in lines["grpo without sft"]
        assert "--set grpo.style=compact" in lines["grpo without sft"]

    def test_without_rl_the_sft_model_without_the_tool_is_judged(self, tmp_path: Path):
        lines = lines_of(tmp_path, ablations=("no-tool",), rl=False)
        assert f"--no-tool {tmp_path}/no_tool/sft/model" in lines["evaluate ablation"]

    @pytest.mark.parametrize(
        ("wrong", "why"),
        [
            ({"ablations": ("no-sft",), "rl": False}, "no-sft is RL alone"),
            ({"ablations": ("no-sft",), "continue_from": "mine"}, "has had SFT already"),
            ({"ablations": ("no-tool",), "tables": ("main",)}, "are judged in chain.tables"),
        ],
    )
    def test_refusals(self, wrong: dict[str, Any], why: str):
        with pytest.raises(WorkbenchError, match=why):
            PipelineSettings(**wrong)


@pytest.fixture(scope="module")
def ablated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    out = tmp_path_factory.mktemp("ablated") / "out"
    sets = [word for name, value in ABLATED.items() for word in ("--set", f"{name}={value}")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "_run", in_this_process)
        keep_it_short(patch)
        result = CliRunner().invoke(app, ["chain", str(out), "--preset", "tiny", *sets])
    assert result.exit_code == 0, f"{result.output}\n{result.exception}"
    yield out


@pytest.mark.skipif(not BY_NIGHT, reason="only by night: it trains four models")
class TestTheWholeChain:
    def test_each_is_in_the_table(self, ablated: Path):
        told = json.loads((ablated / "evaluation" / "ablation.json").read_text())["sets"]["test"]
        names = [one["judge"] for one in told["judges"]]
        assert names == ["full", "no SFT", "no RL", "no tool", "tool refused"]
        assert {task["n"] for one in told["judges"] for task in one["tasks"]} == {6}

    def test_without_the_tool_none_is_spoken_of(self, ablated: Path):
        card = read_card(ablated / "no_tool" / "grpo" / "model")
        assert card.trained_on.count("without the tool") == 2
        mask = (ablated / "no_tool" / "sft" / "mask.txt").read_text(encoding="utf-8")
        assert "tool" not in mask and "<answer>" in mask
        assert "spectral_visualization_tool" in (ablated / "sft" / "mask.txt").read_text()
        judged = ablated / "evaluation" / "judgements" / "test"
        for record in read_trajectories(judged / "no tool.trajectories.jsonl"):
            assert not record.looks

    def test_without_sft_rl_starts_from_the_first_weights(self, ablated: Path):
        told = json.loads((ablated / "no_sft" / "settings.json").read_text())
        assert told["model"] == str(ablated / "sft" / "start")
        assert read_card(ablated / "no_sft" / "model").style.name == "compact"
        assert any("reward" in record for record in read_metrics(ablated / "no_sft"))

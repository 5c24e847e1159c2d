"""The commands of a chain, for the settings that change them, and settings that cannot work."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("pyarrow")
pytest.importorskip("gguf")

from agent.errors import WorkbenchError
from agent.models.card_file import read_card
from agent.trajectory.trajectory_file import read_trajectories
from tests.night import BY_NIGHT
from tests.train.pipeline.test_whole import SMALL, in_this_process, keep_it_short
from train.cli import app
from train.journal import read_metrics
from train.pipeline import command
from train.pipeline.steps import (
    STAGES,
    ChainCommands,
    PipelineSettings,
    Step,
    stage_of,
    stage_sets,
    steps,
)
from train.recipe import PRESETS, preset_tables


def planned(
    out: Path,
    sets: tuple[str, ...] = (),
    *,
    preset: str = "tiny",
    processes: int = 1,
    **chosen: Any,
) -> list[Step]:
    """The steps of a chain with these settings."""
    own = PipelineSettings(**chosen)
    told = {"out": out, "settings": own, "preset": preset, "seed": 3, "workers": 2, "sets": sets}
    return list(steps(ChainCommands(**told, processes=processes)))


def lines_of(out: Path, sets: tuple[str, ...] = (), **chosen: Any) -> dict[str, str]:
    """The command line of each step, in their order."""
    return {step.name: step.line for step in planned(out, sets, **chosen)}


class TestSteps:
    def test_sets_go_to_their_stage(self, tmp_path: Path):
        lines = lines_of(tmp_path, ("sft.lr=1", "grpo.rounds=4"))
        assert "--set sft.lr=1" in lines["sft"]
        assert "--set grpo.rounds=4" in lines["grpo"]
        assert "lr=1" not in lines["grpo"]
        assert lines["bench"].count("--archive") == 3

    def test_lines_can_be_typed_as_they_are_shown(self, tmp_path: Path):
        sizes = 'bench.sizes=["* 5/5 1/5"]'
        assert shlex.split(lines_of(tmp_path, (sizes,))["bench"])[-2:] == ["--set", sizes]

    def test_a_gguf_model_is_reopened_before_sft(self, tmp_path: Path):
        lines = lines_of(tmp_path, continue_from="mine")
        names = list(lines)
        start = tmp_path / "start"
        assert lines["reopen"] == f"spec-o3-train reopen mine {start}"
        assert f"--model {start}" in lines["sft"]
        assert names.index("reopen") + 1 == names.index("sft")

    def test_the_shape_of_a_reopened_model_cannot_be_set(self, tmp_path: Path):
        with pytest.raises(WorkbenchError, match="shape of mine is fixed"):
            planned(tmp_path, ("model.layers=2",), continue_from="mine")

    def test_language_models_are_trained_by_several_processes(self, tmp_path: Path):
        plan = planned(tmp_path, processes=2)
        assert [step.name for step in plan if step.processes == 2] == ["sft", "grpo"]
        for step, line in zip(plan, lines_of(tmp_path).values(), strict=True):
            together = "torchrun --nproc-per-node 2 --no-python " if step.processes == 2 else ""
            assert step.line == together + line

    def test_what_is_exported_is_judged(self, tmp_path: Path):
        lines = lines_of(tmp_path, judged_by="llama.cpp")
        names = list(lines)
        before, after = tmp_path / "screened" / "gguf", tmp_path / "gguf"
        assert lines["export to screen"].endswith(f"export {tmp_path / 'sft' / 'model'} {before}")
        assert f"--model sft={before} --model grpo={after} " in lines["evaluate main"]
        assert f"--full {after} --no-rl {before} " in lines["evaluate ablation"]
        assert names.index("export") < names.index("evaluate main")

    def test_rl_asks_what_the_sft_model_is_unsure_about(self, tmp_path: Path):
        lines = lines_of(tmp_path, rl_questions=40)
        names = list(lines)
        first = names.index("export to screen")
        assert names[first + 1 : first + 4] == ["evaluate train", "evaluate rl_questions", "grpo"]
        for asked in (tmp_path / "bench" / "train.parquet", tmp_path / "rl_questions.parquet"):
            assert f"evaluate set {asked}" in lines[f"evaluate {asked.stem}"]
            said = tmp_path / "screened" / asked.stem / "judgements" / asked.stem / "sft.jsonl"
            assert f"--sets {asked}" in lines["grpo"] and f"--judged {said}" in lines["grpo"]
            assert "--limit" not in lines[f"evaluate {asked.stem}"]
        few = lines_of(tmp_path, rl_questions=40, screened=9)
        assert all("--limit 9 " in few[f"evaluate {name}"] for name in ("train", "rl_questions"))
        assert all("--judged" not in line for line in lines_of(tmp_path).values())

    def test_hard_negatives_have_a_sky_of_their_own(self, tmp_path: Path):
        told = ("hard_negatives.folds=2", "hard_negatives.survey=")
        few = {"hard_negatives": 90, "surveys": ("SDSS", "DESI")}
        lines = lines_of(tmp_path, told, **few)
        names = list(lines)
        simulated = shlex.split(lines["simulate hard negatives"])
        assert {"SDSS,DESI", "90"} < set(simulated)
        seen = lines_of(tmp_path, told, **few, hard_negative_surveys=("ATLAS", "DESI"))
        assert "--survey ATLAS,DESI " in seen["simulate hard negatives"]
        assert "simulate ATLAS" not in seen  # the bench is of the surveys, as before
        sky = simulated[simulated.index("--sky") + 1]
        assert f"--sky {sky} " not in lines["simulate SDSS"]
        made = shlex.split(lines["bench of hard negatives"])
        assert {"bench.survey=", "bench.folds=2"} < set(made)
        assert names.index("bench of hard negatives") < names.index("evaluate hard_negatives")
        asked = tmp_path / "hard_negatives" / "train.parquet"
        judged = tmp_path / "screened" / "hard_negatives" / "judgements" / "train" / "sft.jsonl"
        assert f"--sets {asked} " in lines["grpo"]
        assert f"--judged {judged} " in lines["grpo"]

    def test_without_rl_the_sft_model_is_judged_and_exported(self, tmp_path: Path):
        few = {"questions": 30, "rl_questions": 40, "hard_negatives": 90, "averaged": (4, 12)}
        lines = lines_of(tmp_path, **few, rl=False)
        assert not {"questions for RL", "export to screen", "grpo", "average"} & set(lines)
        assert not any("evaluate set" in line for line in lines.values())
        tuned = tmp_path / "sft"
        assert lines["export"].endswith(f"export {tuned / 'model'} {tmp_path / 'gguf'}")
        assert f"--model measured --model sft={tuned / 'model'} " in lines["evaluate main"]
        assert f"--full {tuned / 'model'} --workers" in lines["evaluate ablation"]
        assert f"--run {tuned} --evaluation" in lines["report"]
        with pytest.raises(WorkbenchError, match=r"grpo\.rounds=3 has no effect"):
            planned(tmp_path, ("grpo.rounds=3",), **few, rl=False)

    def test_the_report_of_an_unjudged_model_reads_no_judgements(self, tmp_path: Path):
        def report(**chosen):
            return lines_of(tmp_path, **chosen)["report"]

        assert "--evaluation" not in report(tables=()) and "--pool" in report(tables=())
        assert f"--evaluation {tmp_path / 'evaluation'} --bench" in report(tables=("main",))
        assert "--evaluation" in report(tables=(), library="stars")

    def test_sft_learns_from_the_hard_negatives_too(self, tmp_path: Path):
        lines = lines_of(tmp_path, questions=30, hard_negatives=90)
        names, own = list(lines), tmp_path / "questions.parquet"
        hard_negatives = tmp_path / "hard_negatives" / "train.parquet"
        assert names.index("bench of hard negatives") < names.index("draft")
        assert f"draft {own} {hard_negatives} {tmp_path / 'drafts.jsonl'} " in lines["draft"]
        assert lines["curate: import"].endswith(f"--spectra {own} --spectra {hard_negatives}")
        assert f"--sets {own} --sets {hard_negatives} --out" in lines["sft"]
        alone = lines_of(tmp_path, questions=30).values()
        assert not any(str(hard_negatives) in line for line in alone)

    def test_the_average_of_the_rounds_is_judged_and_exported(self, tmp_path: Path):
        lines = lines_of(tmp_path, averaged=(4, 12))
        names = list(lines)
        mean, run = tmp_path / "mean", tmp_path / "grpo"
        assert names[names.index("grpo") + 1] == "average"
        assert lines["average"].endswith(f"average {run} {mean} --first 4 --last 12")
        assert f"--model grpo={mean} " in lines["evaluate main"]
        assert f"--full {mean} " in lines["evaluate ablation"]
        assert f"export {mean} " in lines["export"]
        assert str(run / "model") not in lines["export"] + lines["evaluate main"]

    def test_average_with_the_model_that_training_continued_from(self, tmp_path: Path):
        with_start = {"continue_from": "mine", "average_with_start": True}
        lines = lines_of(tmp_path, **with_start, rl=False)
        names = list(lines)
        start, mean = tmp_path / "start", tmp_path / "mean"
        assert lines["reopen"].endswith(f"reopen mine {start}")
        assert names.index("sft") < names.index("average") < names.index("export")
        tuned = tmp_path / "sft" / "model"
        assert lines["average"].endswith(f"average {tuned} {mean} --back {start}")
        assert f"export {mean} " in lines["export"]
        lines = lines_of(tmp_path, **with_start, averaged=(4, 12))
        run = tmp_path / "grpo"
        told = f"average {run} {mean} --first 4 --last 12 --back {start}"
        assert lines["average"].endswith(told)

    def test_names_are_their_own(self, tmp_path: Path):
        names = [step.name for step in planned(tmp_path)]
        assert len(set(names)) == len(names)
        assert names[-2:] == ["inspect", "report"]


@pytest.mark.parametrize("rounds", [(5, 4), (-1, 3)])
def test_rounds_in_order(rounds: tuple[int, int]):
    with pytest.raises(WorkbenchError, match="averaged"):
        PipelineSettings(averaged=rounds)


def test_an_average_needs_a_model_to_continue_from():
    with pytest.raises(WorkbenchError, match=r"chain\.continue_from"):
        PipelineSettings(average_with_start=True)


@pytest.mark.parametrize("wrong", [{"surveys": ()}, {"objects": 19}])
def test_a_chain_without_a_sky(wrong):
    with pytest.raises(WorkbenchError, match="at least one survey and 20 objects"):
        PipelineSettings(**wrong)


# Models without the tool and without SFT are trained by a chain and judged in its table.
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


class TestStepsAblations:
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

    @pytest.mark.parametrize(("wrong", "why"), [
        ({"ablations": ("no-sft",), "rl": False}, "no-sft is RL alone"),
        ({"ablations": ("no-sft",), "continue_from": "mine"}, "has had SFT already"),
        ({"ablations": ("no-tool",), "tables": ("main",)}, "are judged in chain.tables"),
    ])  # fmt: skip
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


# Settings of a file and of `--set` name their stage; unknown stages are refused.
def test_set_overrides_it(config: Path):
    sets = stage_sets(config, ("grpo.rounds=5",))
    assert [text for text in sets if stage_of(text) == "grpo"] == ["grpo.rounds=3", "grpo.rounds=5"]


def test_an_unknown_table_is_named(config: Path):
    config.write_text("[gpro]\nrounds = 3\n")
    with pytest.raises(WorkbenchError, match=r'"gpro\.rounds=3" .*did you mean "grpo"'):
        stage_sets(config, ())


@pytest.mark.parametrize("text", ["rounds=3", "gpro.rounds=3", "rounds", "lr=0.1"])
def test_settings_of_no_stage_are_refused(text: str):
    with pytest.raises(WorkbenchError, match="belongs to no stage"):
        stage_sets(None, (text,))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_table_of_a_preset_is_a_stage(preset: str):
    assert set(preset_tables(preset)) <= set(STAGES)

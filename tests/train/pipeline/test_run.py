from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.errors import WorkbenchError
from train.pipeline import run
from train.pipeline.orders import Orders, Step
from train.pipeline.run import RECORD, run_chain
from train.pipeline.settings import PipelineSettings
from train.pipeline.steps import steps

SCRIPT = """
import sys
from pathlib import Path
path, text = sys.argv[1:]
if text == "fail":
    sys.exit("no such thing")
Path(path).open("a").write(text)
"""


def planned(
    out: Path,
    settings: PipelineSettings,
    preset: str,
    seed: int,
    workers: int,
    sets: tuple[str, ...],
    **more: Any,
) -> Iterator[Step]:
    told = {"out": out, "settings": settings, "preset": preset, "seed": seed, "sets": sets}
    return steps(Orders(**told, workers=workers, **more))


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A step that adds a word to a file of its own."""
    (tmp_path / "chain_step_of_a_test.py").write_text(SCRIPT)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setitem(run.MODULES, "spec-o3-train", "chain_step_of_a_test")
    made = tmp_path / "made"
    made.mkdir()

    def step(name: str, text: str) -> Step:
        return Step(name, "spec-o3-train", (str(made / name), text), made / name)

    return step


def said(tmp_path: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (tmp_path / "made").iterdir()}


class TestRunning:
    def test_each_step_once(self, write, tmp_path: Path):
        plan = [write("one", "a"), write("two", "b")]
        first = run_chain(tmp_path / "out", plan)
        begun: list[Step] = []
        second = run_chain(tmp_path / "out", plan, begun.append)
        assert said(tmp_path) == {"one": "a", "two": "b"}
        assert begun == []
        assert first == second

    def test_goes_on_after_a_failure(self, write, tmp_path: Path):
        with pytest.raises(WorkbenchError, match=r"the step two failed(.|\n)*no such thing"):
            run_chain(tmp_path / "out", [write("one", "a"), write("two", "fail")])
        run_chain(tmp_path / "out", [write("one", "a"), write("two", "b")])
        assert said(tmp_path) == {"one": "a", "two": "b"}

    def test_a_changed_step_takes_all_after_it_along(self, write, tmp_path: Path):
        plan = [write("one", "a"), write("two", "b"), write("three", "c")]
        run_chain(tmp_path / "out", plan)
        plan[1] = write("two", "B")
        run_chain(tmp_path / "out", plan)
        assert said(tmp_path) == {"one": "a", "two": "bB", "three": "cc"}
        told = json.loads((tmp_path / "out" / RECORD).read_text())
        assert [one["name"] for one in told] == ["one", "two", "three"]

    def test_what_was_removed_is_made_again(self, write, tmp_path: Path):
        plan = [write("one", "a")]
        run_chain(tmp_path / "out", plan)
        (tmp_path / "made" / "one").unlink()
        run_chain(tmp_path / "out", plan)
        assert said(tmp_path) == {"one": "a"}

    def test_a_step_that_makes_nothing_has_failed(self, write, tmp_path: Path):
        step = write("one", "a")
        silent = Step("one", step.program, step.arguments, tmp_path / "elsewhere")
        with pytest.raises(WorkbenchError, match="it made no"):
            run_chain(tmp_path / "out", [silent])

    def test_a_damaged_record_is_named(self, write, tmp_path: Path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / RECORD).write_text("[{]")
        with pytest.raises(WorkbenchError, match="is damaged"):
            run_chain(tmp_path / "out", [write("one", "a")])


class TestSteps:
    def test_sets_go_to_their_stage(self, tmp_path: Path):
        plan = list(
            planned(tmp_path, PipelineSettings(), "tiny", 3, 2, ("sft.lr=1", "grpo.rounds=4"))
        )
        lines = {step.name: step.line for step in plan}
        assert "--set sft.lr=1" in lines["sft"]
        assert "--set grpo.rounds=4" in lines["grpo"]
        assert "lr=1" not in lines["grpo"]
        assert lines["bench"].count("--archive") == 3

    def test_lines_can_be_typed_as_they_are_shown(self, tmp_path: Path):
        sizes = 'bench.sizes=["* 5/5 1/5"]'
        plan = planned(tmp_path, PipelineSettings(), "tiny", 3, 2, (sizes,))
        (line,) = [step.line for step in plan if step.name == "bench"]
        assert shlex.split(line)[-2:] == ["--set", sizes]

    def test_lessons_without_pictures_come_first(self, tmp_path: Path):
        plan = list(
            planned(tmp_path, PipelineSettings(), "nano", 3, 2, ("sft.lr=1", "model.layers=2"))
        )
        lines = {step.name: step.line for step in plan}
        assert "--set sft.pictures=false" in lines["reading"]
        assert "--set model.layers=2" in lines["reading"]
        assert f"--model {tmp_path / 'reading' / 'model'}" in lines["sft"]
        names = [step.name for step in plan]
        assert names.index("reading") + 1 == names.index("sft")

    def test_a_model_of_llama_cpp_is_opened_again_before_its_lessons(self, tmp_path: Path):
        plan = list(planned(tmp_path, PipelineSettings(reopened="nano"), "nano", 3, 2, ()))
        names, lines = [step.name for step in plan], {step.name: step.line for step in plan}
        start = tmp_path / "start"
        assert lines["reopen"] == f"spec-o3-train reopen nano {start}"
        assert f"--model {start} " in lines["reading"]
        assert names.index("reopen") + 1 == names.index("reading")
        (tuned,) = [
            step.line
            for step in planned(tmp_path, PipelineSettings(reopened="nano"), "tiny", 3, 2, ())
            if step.name == "sft"
        ]
        assert f"--model {start}" in tuned

    def test_a_model_that_is_opened_again_has_its_shape(self, tmp_path: Path):
        plan = planned(
            tmp_path, PipelineSettings(reopened="nano"), "nano", 3, 2, ("model.layers=2",)
        )
        with pytest.raises(WorkbenchError, match="has its shape"):
            list(plan)

    def test_what_is_said_of_reading_is_for_the_first_lessons_alone(self, tmp_path: Path):
        told = ("reading.epochs=1", "sft.epochs=0.4")
        lines = {
            step.name: step.line
            for step in planned(tmp_path, PipelineSettings(), "nano", 3, 2, told)
        }
        assert lines["reading"].endswith("--set sft.epochs=1")
        assert "epochs=0.4" not in lines["reading"]
        assert lines["sft"].endswith("--set sft.epochs=0.4")

    def test_language_models_are_trained_by_several_processes(self, tmp_path: Path):
        alone = [step.line for step in planned(tmp_path, PipelineSettings(), "nano", 3, 2, ())]
        plan = list(planned(tmp_path, PipelineSettings(), "nano", 3, 2, (), processes=2))
        assert [step.name for step in plan if step.processes == 2] == ["reading", "sft", "grpo"]
        for step, line in zip(plan, alone, strict=True):
            together = "torchrun --nproc-per-node 2 --no-python " if step.processes == 2 else ""
            assert step.line == together + line

    def test_what_is_exported_is_judged(self, tmp_path: Path):
        judged = PipelineSettings(judged_by="llama.cpp")
        plan = list(planned(tmp_path, judged, "tiny", 0, 1, ()))
        names, lines = [step.name for step in plan], {step.name: step.line for step in plan}
        before, after = tmp_path / "tried" / "gguf", tmp_path / "gguf"
        assert lines["export to try"].endswith(f"export {tmp_path / 'sft' / 'model'} {before}")
        assert f"--model sft={before} --model grpo={after} " in lines["evaluate main"]
        assert f"--full {after} --no-rl {before} " in lines["evaluate ablation"]
        assert names.index("export") < names.index("evaluate main")

    def test_practice_is_what_the_tuned_model_is_not_sure_of(self, tmp_path: Path):
        plan = list(planned(tmp_path, PipelineSettings(practice=40), "tiny", 0, 1, ()))
        names, lines = [step.name for step in plan], {step.name: step.line for step in plan}
        first = names.index("export to try")
        assert names[first + 1 : first + 4] == ["evaluate train", "evaluate practice", "grpo"]
        for asked in (tmp_path / "bench" / "train.parquet", tmp_path / "practice.parquet"):
            assert f"evaluate set {asked}" in lines[f"evaluate {asked.stem}"]
            said = tmp_path / "tried" / asked.stem / "judgements" / asked.stem / "sft.jsonl"
            assert f"--sets {asked}" in lines["grpo"] and f"--judged {said}" in lines["grpo"]
            assert "--limit" not in lines[f"evaluate {asked.stem}"]
        few = {step.name: step.line for step in planned(
            tmp_path, PipelineSettings(practice=40, tried=9), "tiny", 0, 1, ()
        )}  # fmt: skip
        assert "--limit 9 " in few["evaluate train"] and "--limit 9 " in few["evaluate practice"]
        without = planned(tmp_path, PipelineSettings(), "tiny", 0, 1, ())
        assert all("--judged" not in step.line for step in without)

    def test_practice_in_company_has_a_sky_of_its_own(self, tmp_path: Path):
        few, told = PipelineSettings(company=90, surveys=("SDSS", "DESI")), ("company.folds=2",)
        plan = list(planned(tmp_path, few, "nano", 3, 2, told))
        names, lines = [step.name for step in plan], {step.name: step.line for step in plan}
        simulated = shlex.split(lines["simulate company"])
        assert {"SDSS,DESI", "90"} < set(simulated)
        elsewhere = replace(few, company_surveys=("ATLAS", "DESI"))
        seen = {step.name: step.line for step in planned(tmp_path, elsewhere, "nano", 3, 2, told)}
        assert "--survey ATLAS,DESI " in seen["simulate company"]
        assert "simulate ATLAS" not in seen  # the bench is of the surveys, as before
        sky = simulated[simulated.index("--sky") + 1]
        assert f"--sky {sky} " not in lines["simulate SDSS"]
        made = shlex.split(lines["bench company"])
        assert {"bench.survey=", "bench.cross_tasks=[]", "bench.folds=2"} < set(made)
        assert names.index("bench company") < names.index("evaluate company")
        asked = tmp_path / "company" / "train.parquet"
        judged = tmp_path / "tried" / "company" / "judgements" / "train" / "sft.jsonl"
        assert f"--sets {asked} " in lines["grpo"]
        assert f"--judged {judged} " in lines["grpo"]

    def test_without_practice_the_lessons_are_judged_and_exported(self, tmp_path: Path):
        few = PipelineSettings(
            questions=30, practice=40, company=90, averaged=(4, 12), reinforced=False
        )
        plan = list(planned(tmp_path, few, "nano", 3, 2, ()))
        names, lines = [step.name for step in plan], {step.name: step.line for step in plan}
        assert not {"questions to practise", "export to try", "grpo", "average"} & set(names)
        assert not any("evaluate set" in step.line for step in plan)
        tuned = tmp_path / "sft"
        assert lines["export"].endswith(f"export {tuned / 'model'} {tmp_path / 'gguf'}")
        assert f"--model measured --model sft={tuned / 'model'} " in lines["evaluate main"]
        assert f"--full {tuned / 'model'} --workers" in lines["evaluate ablation"]
        assert f"--run {tuned} --evaluation" in lines["report"]
        with pytest.raises(WorkbenchError, match=r"grpo\.rounds=3 changes nothing"):
            list(planned(tmp_path, few, "nano", 3, 2, ("grpo.rounds=3",)))

    def test_the_report_of_what_nobody_judged_asks_for_no_judgements(self, tmp_path: Path):
        def report(**chosen):
            plan = planned(tmp_path, PipelineSettings(**chosen), "tiny", 0, 1, ())
            return {step.name: step.line for step in plan}["report"]

        assert "--evaluation" not in report(tables=()) and "--pool" in report(tables=())
        assert f"--evaluation {tmp_path / 'evaluation'} --bench" in report(tables=("main",))
        assert "--evaluation" in report(tables=(), library="stars")

    def test_lessons_tell_of_the_company_too(self, tmp_path: Path):
        plan = list(planned(tmp_path, PipelineSettings(questions=30, company=90), "nano", 3, 2, ()))
        names, lines = [step.name for step in plan], {step.name: step.line for step in plan}
        own, company = tmp_path / "questions.parquet", tmp_path / "company" / "train.parquet"
        assert names.index("bench company") < names.index("draft")
        assert f"draft {own} {company} {tmp_path / 'drafts.jsonl'} " in lines["draft"]
        assert lines["curate: import"].endswith(f"--spectra {own} --spectra {company}")
        for lesson in ("reading", "sft"):
            assert f"--sets {own} --sets {company} --out" in lines[lesson]
        alone = planned(tmp_path, PipelineSettings(questions=30), "nano", 3, 2, ())
        assert not any(str(company) in step.line for step in alone)

    def test_the_mean_of_the_rounds_is_judged_and_exported(self, tmp_path: Path):
        plan = list(planned(tmp_path, PipelineSettings(averaged=(4, 12)), "tiny", 0, 1, ()))
        names, lines = [step.name for step in plan], {step.name: step.line for step in plan}
        mean, run = tmp_path / "mean", tmp_path / "grpo"
        assert names[names.index("grpo") + 1] == "average"
        assert lines["average"].endswith(f"average {run} {mean} --first 4 --last 12")
        assert f"--model grpo={mean} " in lines["evaluate main"]
        assert f"--full {mean} " in lines["evaluate ablation"]
        assert f"export {mean} " in lines["export"]
        assert str(run / "model") not in lines["export"] + lines["evaluate main"]

    def test_half_way_back_to_the_model_that_was_opened_again(self, tmp_path: Path):
        after_lessons = PipelineSettings(reopened="nano", halfway=True, reinforced=False)
        plan = list(planned(tmp_path, after_lessons, "nano", 0, 1, ()))
        names, lines = [step.name for step in plan], {step.name: step.line for step in plan}
        start, mean = tmp_path / "start", tmp_path / "mean"
        assert lines["reopen"].endswith(f"reopen nano {start}")
        assert names.index("sft") < names.index("average") < names.index("export")
        lessons = tmp_path / "sft" / "model"
        assert lines["average"].endswith(f"average {lessons} {mean} --back {start}")
        assert f"export {mean} " in lines["export"]
        after_practice = PipelineSettings(reopened="nano", halfway=True, averaged=(4, 12))
        plan = list(planned(tmp_path, after_practice, "nano", 0, 1, ()))
        lines = {step.name: step.line for step in plan}
        run = tmp_path / "grpo"
        told = f"average {run} {mean} --first 4 --last 12 --back {start}"
        assert lines["average"].endswith(told)
        with pytest.raises(WorkbenchError, match=r"chain\.reopened"):
            PipelineSettings(halfway=True)

    def test_a_second_chain_learns_on_from_what_the_first_made(self, tmp_path: Path):
        first = {"preset": "nano", "seed": 3, "workers": 2, "sets": ()}
        first |= {"settings": PipelineSettings(reinforced=False, judged_by="llama.cpp")}
        before = Orders(out=tmp_path, **first)
        onwards = PipelineSettings(reopened="nano", halfway=True, reinforced=False, questions=9)
        plan = list(planned(tmp_path / "on", onwards, "nano-on", 4, 2, (), after=before))
        lines = {step.name: step.line for step in plan}
        lessons, mean = tmp_path / "sft" / "model", tmp_path / "on" / "mean"
        assert not {"reopen", "bench", "baselines"} & set(lines)
        assert f"--specialists {tmp_path}/baselines " in lines["evaluate main"]
        assert f"--model {lessons} " in lines["reading"]
        assert lines["average"].endswith(f"average {tmp_path}/on/sft/model {mean} --back {lessons}")
        assert f"evaluate main {tmp_path}/bench {tmp_path}/on/evaluation " in lines["evaluate main"]

    @pytest.mark.parametrize("rounds", [(5, 4), (-1, 3)])
    def test_rounds_in_order(self, rounds: tuple[int, int]):
        with pytest.raises(WorkbenchError, match="averaged"):
            PipelineSettings(averaged=rounds)

    def test_names_are_their_own(self, tmp_path: Path):
        plan = list(planned(tmp_path, PipelineSettings(), "tiny", 0, 1, ()))
        assert len({step.name for step in plan}) == len(plan)
        assert [step.name for step in plan][-2:] == ["inspect", "report"]

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from agent.engines.base import SamplingSettings
from agent.errors import WorkbenchError
from agent.inspection.model_inspector import ModelInspector
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import read_trajectories
from tests.scripted_engine import ScriptedEngine
from train.cli import app
from train.evaluate import judging
from train.evaluate.evaluation import evaluate
from train.evaluate.judgement import read_judgements
from train.evaluate.judges import JudgeSpec, Kind
from train.evaluate.judging import chosen, judge_set, trajectories_beside
from train.evaluate.tables import KINDS, RARE, snr_bin_of
from train.examples import Example, ExampleStore, example, write_examples
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum
from train.simulate.telescope.observation import to_spectrum

MEASURED = JudgeSpec(name="measured", kind="inspector", source="measured")


def simulated(task: str, count: int, seed: int = 3) -> list[Example]:
    campaign = Settings(seed=seed, count=count, task=task, odds=(1, 2), survey="LAMOST,DESI")
    found = []
    for assignment in assignments(campaign):
        made = simulate_spectrum(campaign, assignment)
        spectrum = replace(
            to_spectrum(made.entry.observation, made.entry.pipeline_class), path=f"{assignment.index}.fits"
        )
        answer = "YES" if assignment.label == task else "NO"
        found.append(example(spectrum, task=task, answer=answer, label=assignment.label))
    return found


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    write_examples(folder / "test.parquet", [one for task in RARE for one in simulated(task, 6)])
    return folder


class TestJudging:
    def test_goes_on_where_it_stopped(
        self, bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        out, path = tmp_path / "measured.jsonl", bench / "test.parquet"
        whole = judge_set(MEASURED, path, tmp_path / "whole.jsonl")

        def stops(so_far: list[int], count: int) -> None:
            so_far.append(count)
            if sum(so_far) > 9:
                raise KeyboardInterrupt

        counts: list[int] = []
        with pytest.raises(KeyboardInterrupt):
            judge_set(MEASURED, path, out, advance=lambda count: stops(counts, count))
        before = len(list(read_judgements(out)))
        assert 0 < before < len(whole)
        with out.open("a") as file:
            file.write('{"key": "cut of')
        judged_again: list[int] = []
        monkeypatch.setattr(judging, "CHUNK", 2)
        again = judge_set(MEASURED, path, out, advance=judged_again.append)
        assert judged_again[0] == before
        assert [(one.key, one.verdict, one.p_yes) for one in again] == [
            (one.key, one.verdict, one.p_yes) for one in whole
        ]
        assert len(list(read_judgements(out))) == len(whole)
        store = ExampleStore([path])
        records = [store.of(record).key for record in read_trajectories(trajectories_beside(out))]
        assert sorted(records) == sorted(one.key for one in whole)

    def test_processes_say_the_same(self, bench: Path, tmp_path: Path):
        path = bench / "test.parquet"
        alone = judge_set(MEASURED, path, tmp_path / "one.jsonl", tasks=("CV", "WD"))
        shared = judge_set(MEASURED, path, tmp_path / "two.jsonl", tasks=("CV", "WD"), workers=2)
        assert [replace(one, seconds=0) for one in alone] == [
            replace(one, seconds=0) for one in shared
        ]

    def test_an_unreadable_spectrum_is_a_wrong_answer(self, tmp_path: Path):
        wavelength = np.linspace(4000.0, 9000.0, 50)
        broken = Spectrum(wavelength=wavelength, flux=np.full(50, np.nan), path="broken.fits")
        path = tmp_path / "test.parquet"
        write_examples(path, [example(broken, task="CV", answer="NO")])
        (found,) = judge_set(MEASURED, path, tmp_path / "out.jsonl")
        assert found.verdict is None
        assert not found.is_right
        assert found.stopped_by.startswith("error")

    def test_a_limit_keeps_the_odds(self, bench: Path):
        path = bench / "test.parquet"
        assert len(chosen(path, None)) == 30
        assert len(chosen(path, 3)) == 15
        assert [key[:2] for key in chosen(path, 3, ("CS",))] == ["CS"] * 3


CALL = (
    '<think>Look.</think>\n<tool_call>\n{"name": "spectral_visualization_tool", '
    '"arguments": {"wavelength_range": [6500, 6600]}}\n</tool_call>'
)
ANSWER = "<think>Seen.</think>\n<answer>\\boxed{YES} broad emission</answer>"


class TestInspectors:
    @pytest.fixture
    def engine(self, monkeypatch: pytest.MonkeyPatch) -> ScriptedEngine:
        engine = ScriptedEngine([CALL, ANSWER])
        model = ModelRef(name="scripted")
        monkeypatch.setattr(
            "agent.inspection.inspector_factory.make_inspector",
            lambda *args, **more: ModelInspector(
                engine, model, sampling=SamplingSettings(temperature=1.0)
            ),
        )
        return engine

    @pytest.mark.parametrize(("kind", "pictures"), [("inspector", 2), ("toolless", 1)])
    def test_the_tool_can_be_taken_away(
        self, engine: ScriptedEngine, bench: Path, tmp_path: Path, kind: Kind, pictures: int
    ):
        spec = JudgeSpec(name="x", kind=kind, source="x")
        out = tmp_path / "x.jsonl"
        found = judge_set(spec, bench / "test.parquet", out, limit=1, tasks=("CV",))
        assert [(one.verdict, one.calls, one.turns, one.well_formed) for one in found] == [
            ("YES", 1, 2, True)
        ]
        (conversation,) = engine.conversations
        assert len(conversation.pictures) == pictures
        (record,) = read_trajectories(trajectories_beside(out))
        assert record.sampling.temperature == 0.0

    def test_the_measured_one_has_no_tool_to_lose(self, bench: Path, tmp_path: Path):
        spec = replace(MEASURED, kind="toolless")
        with pytest.raises(WorkbenchError, match="no tool to take away"):
            judge_set(spec, bench / "test.parquet", tmp_path / "x.jsonl", limit=1)


class TestTables:
    def test_main(self, bench: Path, tmp_path: Path):
        other = replace(MEASURED, name="again")
        text = evaluate(KINDS["main"], bench, tmp_path, [MEASURED, other])
        assert "10 positives, 20 negatives" in text
        assert text.count("| measured |") == 3
        assert "mean F1 by survey" in text
        assert "0.0 (0.0 to 0.0)" in text
        told = json.loads((tmp_path / "main.json").read_text())
        (first, _) = told["sets"]["test"]["judges"]
        assert [task["task"] for task in first["tasks"]] == list(RARE)
        assert first["mean_f1"]["value"] > 0.5
        lines = (tmp_path / "main.csv").read_text().splitlines()
        assert len(lines) == 1 + 2 * len(RARE)

    def test_another_model_under_the_same_name_is_refused(self, bench: Path, tmp_path: Path):
        evaluate(KINDS["main"], bench, tmp_path, [MEASURED], limit=2)
        with pytest.raises(WorkbenchError, match="another seed"):
            evaluate(KINDS["main"], bench, tmp_path, [replace(MEASURED, seed=1)], limit=2)

    def test_what_the_bench_lacks_is_named(self, bench: Path, tmp_path: Path):
        with pytest.raises(WorkbenchError, match=r"survey-SDSS.parquet, survey-DESI.parquet"):
            evaluate(KINDS["cross-survey"], bench, tmp_path, [MEASURED])

    def test_bins_of_snr(self):
        from train.evaluate.judgement import Judgement

        one = Judgement(key="a", task="CV", answer="NO")
        assert snr_bin_of(one) == "unknown"
        assert snr_bin_of(replace(one, snr=10.0)) == "10 to 20"
        assert snr_bin_of(replace(one, snr=500.0)) == "above 50"
        assert snr_bin_of(replace(one, snr=-1.0)) == "0 to 5"


class TestCommand:
    def test_main(self, bench: Path, tmp_path: Path):
        arguments = ["evaluate", "main", str(bench), str(tmp_path), "--limit", "6"]
        result = CliRunner().invoke(app, [*arguments, "--model", "rule=measured"])
        assert result.exit_code == 0, result.output
        assert "| rule |" in result.stdout
        assert (tmp_path / "judgements" / "test" / "rule.jsonl").is_file()

    def test_a_bench_of_a_class_of_ones_own(self, tmp_path: Path):
        bench = tmp_path / "bench"
        bench.mkdir()
        write_examples(bench / "test.parquet", simulated("A", 6))
        arguments = ["evaluate", "main", str(bench), str(tmp_path / "out"), "--model", "measured"]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        assert "A F1" in result.stdout

    def test_any_set(self, tmp_path: Path):
        path = tmp_path / "asked.parquet"
        write_examples(path, [*simulated("CV", 6), *simulated("O", 6)])
        out = tmp_path / "out"
        result = CliRunner().invoke(
            app, ["evaluate", "set", str(path), str(out), "--model", "measured"]
        )
        assert result.exit_code == 0, result.output
        assert "CV F1" in result.stdout and "O F1" in result.stdout
        said = list(read_judgements(out / "judgements" / "asked" / "measured.jsonl"))
        assert len(said) == 12 and {one.task for one in said} == {"CV", "O"}
        assert list(json.loads((out / "set.json").read_text())["sets"]) == ["asked"]

    def test_a_model_that_cannot_be_loaded_says_why(self, bench: Path, tmp_path: Path):
        spec = JudgeSpec(name="gone", kind="inspector", source=str(tmp_path / "no-model"))
        with pytest.raises(WorkbenchError, match="no-model"):
            judge_set(spec, bench / "test.parquet", tmp_path / "gone.jsonl", workers=2, limit=2)

    def test_nobody_to_judge(self, bench: Path, tmp_path: Path):
        result = CliRunner().invoke(app, ["evaluate", "main", str(bench), str(tmp_path)])
        assert isinstance(result.exception, WorkbenchError)
        assert "nobody to judge" in str(result.exception)

    def test_two_of_one_name(self, bench: Path, tmp_path: Path):
        arguments = ["evaluate", "main", str(bench), str(tmp_path)]
        twice = ["--model", "measured", "--model", "measured"]
        result = CliRunner().invoke(app, [*arguments, *twice])
        assert "called alike" in str(result.exception)

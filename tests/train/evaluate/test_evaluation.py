import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyarrow")

import numpy as np

from agent.engines.base import SamplingSettings
from agent.errors import WorkbenchError
from agent.examples.examples import ExampleStore, example, write_examples
from agent.inspection.model_inspector import ModelInspector
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import read_trajectories
from tests.scripted_engine import ScriptedEngine
from tests.train.evaluate.helpers import MEASURED, make_judgement, rows, simulated
from train.cli import app
from train.evaluate import judging
from train.evaluate.evaluation import evaluate
from train.evaluate.judgement import Judgement, add_judgements, read_judgements, tasks_with_members
from train.evaluate.judges import JudgeKind, JudgeSpec
from train.evaluate.judging import choose_keys, judge_set, trajectories_path
from train.evaluate.tables import KINDS, RARE


class TestTables:
    def test_main(self, bench: Path, tmp_path: Path):
        other = replace(MEASURED, name="again")
        text = evaluate(KINDS["main"], bench, tmp_path, [MEASURED, other])
        assert "10 positives, 20 negatives" in text
        assert text.count("| measured |") == 3
        assert "mean accuracy and F1 by survey" in text
        assert "0.0 (no interval)" in text
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

    def test_missing_sets_are_named(self, bench: Path, tmp_path: Path):
        with pytest.raises(WorkbenchError, match=r"survey-SDSS.parquet, survey-DESI.parquet"):
            evaluate(KINDS["cross-survey"], bench, tmp_path, [MEASURED])


class TestCommand:
    def test_main(self, bench: Path, tmp_path: Path):
        arguments = ["evaluate", "main", str(bench), str(tmp_path), "--limit", "6"]
        result = CliRunner().invoke(app, [*arguments, "--model", "rule=measured"])
        assert result.exit_code == 0, result.output
        assert "| rule |" in result.stdout
        assert (tmp_path / "judgements" / "test" / "rule.jsonl").is_file()

    def test_a_bench_of_another_class(self, tmp_path: Path):
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
        words = ["evaluate", "set", str(path), str(out), "--model", "measured"]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        assert "CV F1" in result.stdout and "O F1" in result.stdout
        said = list(read_judgements(out / "judgements" / "asked" / "measured.jsonl"))
        assert len(said) == 12 and {one.task for one in said} == {"CV", "O"}
        assert list(json.loads((out / "set.json").read_text())["sets"]) == ["asked"]

    def test_no_judges(self, bench: Path, tmp_path: Path):
        result = CliRunner().invoke(app, ["evaluate", "main", str(bench), str(tmp_path)])
        assert isinstance(result.exception, WorkbenchError)
        assert "no judges" in str(result.exception)

    def test_two_judges_with_one_name(self, bench: Path, tmp_path: Path):
        arguments = ["evaluate", "main", str(bench), str(tmp_path)]
        twice = ["--model", "measured", "--model", "measured"]
        result = CliRunner().invoke(app, [*arguments, *twice])
        assert "have the same name" in str(result.exception)


HALF_SURE = '{"key": "a", "task": "CV", "answer": "YES", "verdict": null, "p_yes": 0.5}'


def test_judgements_are_read_back_without_a_line_that_was_cut_off(tmp_path: Path):
    path = tmp_path / "one.jsonl"
    first = make_judgement(1, "YES", None, p_yes=0.25, stopped_by="error")
    second = replace(make_judgement(2, "NO", "NO"), snr=12.5)
    add_judgements(path, [first])
    add_judgements(path, [second])
    with path.open("a") as file:
        file.write('{"key": "cut of')
    assert list(read_judgements(path)) == [first, second]
    assert not first.is_right and second.is_right


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("no json", "not a line of JSON"),
        ("{}", "not a judgement"),
        ('{"key": "a", "task": "CV", "answer": "YES", "verdict": "MAYBE", "p_yes": null}', "not a"),
        *(
            (HALF_SURE.replace("0.5", p), "not a")
            for p in ("1.5", "-0.1", "1e999", "NaN", "Infinity", "true", '"0.5"')
        ),
        ("[" * 90_000, "not a line of JSON"),
        ("\udcff", "not a line of JSON"),
    ],
)
def test_faulty_lines_are_named_by_number(tmp_path: Path, line: str, reason: str):
    path = tmp_path / "one.jsonl"
    add_judgements(path, [make_judgement(1, "YES", "YES")])
    with path.open("a", errors="surrogateescape") as file:
        file.write(line + "\n")
    with pytest.raises(WorkbenchError, match=f"line 2: {reason}"):
        list(read_judgements(path))


def test_tasks_without_a_positive_do_not_count():
    both = [*rows(1, 0, 0, 3), *rows(0, 0, 1, 3, "CS")]
    assert tasks_with_members(both) == ["CV"]
    assert tasks_with_members(rows(0, 0, 1, 3, "CS")) == []


def test_a_file_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(WorkbenchError, match="cannot be read"):
        list(read_judgements(tmp_path / "none.jsonl"))


def without_seconds(rows: list[Judgement]) -> list[Judgement]:
    return [replace(one, seconds=0) for one in rows]


class TestJudging:
    def test_resumes_where_it_stopped(
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
        for file in (out, trajectories_path(out)):
            with file.open("a") as left_half:
                left_half.write('{"key": "cut of')
        judged_again: list[int] = []
        monkeypatch.setattr(judging, "CHUNK", 2)
        again = judge_set(MEASURED, path, out, advance=judged_again.append)
        assert judged_again[0] == before
        assert without_seconds(again) == without_seconds(whole)
        assert len(list(read_judgements(out))) == len(whole)
        store = ExampleStore([path])
        records = [store.of(record).key for record in read_trajectories(trajectories_path(out))]
        assert sorted(records) == sorted(one.key for one in whole)

    def test_workers_give_the_same_judgements(self, bench: Path, tmp_path: Path):
        path = bench / "test.parquet"
        alone = judge_set(MEASURED, path, tmp_path / "one.jsonl", tasks=("CV", "WD"))
        shared = judge_set(MEASURED, path, tmp_path / "two.jsonl", tasks=("CV", "WD"), workers=2)
        assert without_seconds(alone) == without_seconds(shared)

    def test_an_unreadable_spectrum_is_a_wrong_answer(self, tmp_path: Path):
        wavelength = np.linspace(4000.0, 9000.0, 50)
        broken = Spectrum(wavelength=wavelength, flux=np.full(50, np.nan), path="broken.fits")
        path = tmp_path / "test.parquet"
        write_examples(path, [example(broken, task="CV", answer="NO")])
        (found,) = judge_set(MEASURED, path, tmp_path / "out.jsonl")
        assert found.verdict is None and not found.is_right
        assert found.stopped_by.startswith("error")

    def test_a_limit_keeps_the_odds(self, bench: Path):
        path = bench / "test.parquet"
        assert len(choose_keys(path, None)) == 30
        assert len(choose_keys(path, 3)) == 15
        assert [key[:2] for key in choose_keys(path, 3, ("CS",))] == ["CS"] * 3


def test_a_model_that_cannot_be_loaded_says_why(bench: Path, tmp_path: Path):
    spec = JudgeSpec(name="gone", kind="inspector", source=str(tmp_path / "no-model"))
    with pytest.raises(WorkbenchError, match="no-model"):
        judge_set(spec, bench / "test.parquet", tmp_path / "gone.jsonl", workers=2, limit=2)


CALL = (
    '<think>Look.</think>\n<tool_call>\n{"name": "spectral_visualization_tool", '
    '"arguments": {"wavelength_range": [6500, 6600]}}\n</tool_call>'
)

ANSWER = "<think>Seen.</think>\n<answer>\\boxed{YES} broad emission</answer>"


class TestInspectors:
    @pytest.fixture
    def engine(self, monkeypatch: pytest.MonkeyPatch) -> ScriptedEngine:
        engine = ScriptedEngine([CALL, ANSWER])
        warm = SamplingSettings(temperature=1.0)
        inspector = ModelInspector(engine, ModelRef(name="scripted"), sampling=warm)
        factory = "agent.inspection.inspector_factory.make_inspector"
        monkeypatch.setattr(factory, lambda *args, **more: inspector)
        return engine

    @pytest.mark.parametrize(("kind", "pictures"), [("inspector", 2), ("toolless", 1)])
    def test_judging_without_the_tool(
        self, engine: ScriptedEngine, bench: Path, tmp_path: Path, kind: JudgeKind, pictures: int
    ):
        spec = JudgeSpec(name="x", kind=kind, source="x")
        out = tmp_path / "x.jsonl"
        (one,) = judge_set(spec, bench / "test.parquet", out, limit=1, tasks=("CV",))
        assert (one.verdict, one.calls, one.turns, one.well_formed) == ("YES", 1, 2, True)
        (conversation,) = engine.conversations
        assert len(conversation.pictures) == pictures
        (record,) = read_trajectories(trajectories_path(out))
        assert record.sampling.temperature == 0.0

    def test_the_measured_inspector_needs_the_tool(self, bench: Path, tmp_path: Path):
        spec = replace(MEASURED, kind="toolless")
        with pytest.raises(WorkbenchError, match="cannot judge without the tool"):
            judge_set(spec, bench / "test.parquet", tmp_path / "x.jsonl", limit=1)

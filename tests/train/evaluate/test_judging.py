from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.examples.examples import ExampleStore, example, write_examples
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory_file import read_trajectories
from tests.train.evaluate.helpers import MEASURED
from train.evaluate import judging
from train.evaluate.judgement import Judgement, read_judgements
from train.evaluate.judges import JudgeSpec
from train.evaluate.judging import choose_keys, judge_set, trajectories_path


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

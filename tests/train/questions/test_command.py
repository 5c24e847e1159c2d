from __future__ import annotations

from pathlib import Path

import pytest

from agent.examples.examples import read_examples
from agent.spectra.spectrum import Spectrum
from tests.train.questions.helpers import library
from tests.train.test_cli import call

pytest.importorskip("pyarrow")


def test_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "set.parquet"
    words = ["questions", str(out), "--count", "12", "--seed", "3", "--set", "tasks=CV,WD"]
    words += ["--set", "survey=SDSS", "--library", str(library(tmp_path / "library"))]
    assert call(monkeypatch, *words) == 0
    printed = capsys.readouterr()
    assert "12 questions on" in printed.out and "1 usable bases in" in printed.err
    found: list[Spectrum] = [one.spectrum for one in read_examples(out)]
    assert len(found) == 12 and {one.survey for one in found} == {"SDSS"}

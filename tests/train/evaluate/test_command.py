from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.examples.examples import write_examples
from tests.train.evaluate.helpers import simulated
from train.cli import app
from train.evaluate.judgement import read_judgements


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

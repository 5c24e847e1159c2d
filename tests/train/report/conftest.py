"""A report made by its command, and a folder of judgements to report on."""

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from agent.examples.examples import example, write_examples
from train.cli import app
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum
from train.simulate.telescope.observation import to_spectrum


def report(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["report", *map(str, arguments)])
    assert result.exit_code == 0, result.output or result.exception
    return Path(str(arguments[0])).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A bench on which the measured inspector is made to look bad: half the answers are turned."""
    bench, out = tmp_path_factory.mktemp("bench"), tmp_path_factory.mktemp("out")
    campaign = Settings(seed=8, count=24, task="WD", odds=(1, 1))
    rows = []
    for assignment in assignments(campaign):
        made = simulate_spectrum(campaign, assignment)
        spectrum = to_spectrum(made.entry.observation, made.entry.pipeline_class)
        answer = "YES" if assignment.index % 2 else "NO"
        rows.append(example(spectrum, task="WD", answer=answer, label="<b>bold</b>"))
    write_examples(bench / "test.parquet", rows)
    arguments = ["evaluate", "main", str(bench), str(out), "--model", "measured"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    return bench, out

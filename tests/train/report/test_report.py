from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from train.cli import app
from train.curate.figures import figures
from train.curate.process import Case
from train.curate.reviews import Review
from train.examples import example, write_examples
from train.journal import journal
from train.report.curating import parts
from train.simulate.campaign import Settings, assignments
from train.simulate.production import make
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
        made = make(campaign, assignment)
        spectrum = to_spectrum(made.entry.observation, made.entry.guess)
        answer = "YES" if assignment.index % 2 else "NO"
        rows.append(example(spectrum, task="WD", answer=answer, label="<b>bold</b>"))
    write_examples(bench / "test.parquet", rows)
    arguments = ["evaluate", "main", str(bench), str(out), "--model", "measured"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    return bench, out


class TestPage:
    def test_judging(self, evaluated: tuple[Path, Path], tmp_path: Path):
        bench, out = evaluated
        text = report(tmp_path / "a.html", "--evaluation", out, "--bench", bench, "--failures", 2)
        assert "12 real, 12 others" in text
        assert "Failures of measured: Main table" in text
        assert text.count("the truth is") == 2
        assert text.count("<figcaption>whole spectrum") == 2
        assert re.search(r"<li>Looks at \d+ to \d+ Å, .+?</li>", text)
        assert re.search(r"<li>Answers (YES|NO): [^\\]+?</li>", text)
        assert "ECE" in text
        assert "<b>bold" not in text
        assert "&lt;b&gt;bold" in text
        assert "<script" not in text

    def test_dynamics(self, tmp_path: Path):
        for name in ("one", "two"):
            with journal(tmp_path / name) as run:
                for step in range(50):
                    run.log(step, reward=step / 50, calls=3.0, unknown=1.0, loss=None)
        text = report(tmp_path / "a.html", "--run", tmp_path / "one", "--run", tmp_path / "two")
        assert "mean reward" in text
        assert "calls a rollout" in text
        assert "unknown" not in text
        assert "0.04 to 0.94" in text

    def test_a_set_is_looked_at_once(self, evaluated: tuple[Path, Path], tmp_path: Path):
        """The ablation judges the set of the main table with the same models."""
        bench, out = evaluated
        shutil.copytree(out, tmp_path / "out")
        told = json.loads((out / "main.json").read_text())
        (tmp_path / "out/ablation.json").write_text(json.dumps(told))
        text = report(
            tmp_path / "a.html", "--evaluation", tmp_path / "out", "--bench", bench,
            "--failures", 1,
        )  # fmt: skip
        assert "What each part is worth" in text
        assert text.count("Failures of") == text.count("the truth is") == 1

    def test_sorts_of_runs_are_not_laid_over_each_other(self, tmp_path: Path):
        with journal(tmp_path / "taught") as run:
            run.log(1, loss=3.0)
        with journal(tmp_path / "rewarded") as run:
            run.log(1, loss=0.1, reward=0.5, f1=float("nan"))
        text = report(
            tmp_path / "a.html", "--run", tmp_path / "taught", "--run", tmp_path / "rewarded"
        )
        taught, rewarded = text.split("Reinforcement")
        assert "<td>taught</td>" in taught and "<td>rewarded</td>" not in taught
        assert "mean reward" in rewarded and "F1" not in rewarded

    def test_a_run_without_figures_says_so(self, tmp_path: Path):
        with journal(tmp_path / "empty"):
            pass
        assert "no figures yet" in report(tmp_path / "a.html", "--run", tmp_path / "empty")

    def test_the_same_twice(self, evaluated: tuple[Path, Path], tmp_path: Path):
        bench, out = evaluated
        one, two = (
            report(tmp_path / name, "--evaluation", out, "--bench", bench) for name in ("a", "b")
        )
        assert one == two

    def test_nothing_to_report(self, tmp_path: Path):
        result = CliRunner().invoke(app, ["report", str(tmp_path / "a.html")])
        assert isinstance(result.exception, WorkbenchError)
        assert "nothing to report" in str(result.exception)

    def test_a_folder_that_holds_nothing(self, tmp_path: Path):
        result = CliRunner().invoke(
            app, ["report", str(tmp_path / "a.html"), "--evaluation", str(tmp_path)]
        )
        assert "holds no judgements" in str(result.exception)


def reviewed(number: int, *scores: tuple[str, int]) -> Case:
    trajectory = Trajectory(
        task="CV",
        spectrum=SpectrumRef(sha256=str(number)),
        model=ModelRef(name="teacher"),
        stopped_by="answer",
    )
    case = Case(str(number), trajectory)
    case.reviews = [
        Review(
            trajectory=case.id, role="auditor", by=by, approve=True, version=case.version,
            coherence=score, consistency=4,
        )
        for by, score in scores
    ]  # fmt: skip
    return case


class TestCuration:
    def test_agreement(self):
        cases = [reviewed(n, ("ada", n), ("ben", 5 - n)) for n in range(1, 5)]
        text = "".join(parts(figures(cases)))
        coherence, consistency = text.split("Agreement of raters on physical consistency")
        assert "-1.00" in coherence, "what one calls better the other calls worse"
        assert "<svg" not in consistency and "Nothing to tell" in consistency

    def test_who_holds_what_up(self):
        text = "".join(parts(figures([reviewed(1, ("ada", 4))])))
        assert "<td>waiting for the screener</td><td>1</td>" in text

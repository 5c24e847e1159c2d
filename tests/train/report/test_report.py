"""The sections of a report, and the page as a whole."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyarrow")

import numpy as np

from agent.confidence.judged import JudgedScores
from agent.errors import WorkbenchError
from agent.ratings.records import Choice, subject_of
from agent.rendering.charts import reliability
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from tests.agent.ratings.made import rating, trajectory
from tests.train.evaluate.helpers import rows
from tests.train.report.conftest import report
from train.cli import app
from train.evaluate.judgement import add_judgements
from train.evaluate.sight_figures import sight_figures, sight_json
from train.journal import journal
from train.report.curating import curation_parts
from train.report.judging import Judging, _reliability, survey_section
from train.review.pool_figures import figures
from train.review.rating_round import add_records, read_records
from train.review.review_rules import Case, Review
from train.review.statistics import distributions, duels_of_choices, latest_ratings


def test_judging(evaluated: tuple[Path, Path], tmp_path: Path):
    bench, out = evaluated
    options = "--evaluation", out, "--bench", bench, "--failures", 2
    text = report(tmp_path / "a.html", *options)
    assert report(tmp_path / "b.html", *options) == text, "another one the second time"
    assert "12 real, 12 others" in text
    assert "Failures of measured: Main table" in text
    assert text.count("the truth is") == 2
    assert text.count("<figcaption>whole spectrum") == 2
    assert re.search(r"<li>Looks at \d+ to \d+ Å, .+?</li>", text)
    assert re.search(r"<li>Answers (YES|NO): [^\\]+?</li>", text)
    assert "ECE" in text and "&lt;b&gt;bold" in text
    assert "<b>bold" not in text and "<script" not in text


def test_surveys_stand_side_by_side_with_wins_and_losses(tmp_path: Path):
    def judging(stem: str, survey: str, hits: int) -> Judging:
        files = {name: tmp_path / f"{stem}-{name}.jsonl" for name in ("ours", "other")}
        for path, own in zip(files.values(), (hits, 2), strict=True):
            told = rows(own, 4 - own, 0, 4)
            add_judgements(path, [replace(one, survey=survey) for one in told])
        return Judging(stem, stem, ("CV",), files, ())

    both = [judging("test", "LAMOST", 4), judging("survey-SDSS", "SDSS", 1)]
    text = survey_section(both)
    assert "<th>LAMOST Acc</th><th>LAMOST F1</th><th>SDSS Acc</th>" in text
    duels = re.findall(r"</td><td>8</td><td>(\S+) .*?<td>(\S+) .*?<td>(\S+) ", text)
    assert duels == [("25.0", "75.0", "0.0"), ("0.0", "87.5", "12.5")]
    assert survey_section(both[:1]) == ""


def test_reliability_tells_the_error():
    p = np.linspace(0.01, 0.99, 200)
    label = np.random.default_rng(0).random(200) < p
    judges = {"good": JudgedScores(p, label), "bad": JudgedScores(1.0 - p, label)}
    svg = reliability(dict(_reliability(name, judged) for name, judged in judges.items()))
    errors = [float(found) for found in re.findall(r"ECE (0\.\d+)<", svg)]
    assert len(errors) == 2
    assert errors[0] < 0.1 < errors[1]


def test_a_set_is_looked_at_once(evaluated: tuple[Path, Path], tmp_path: Path):
    """The ablation judges the set of the main table with the same models."""
    bench, out = evaluated
    shutil.copytree(out, tmp_path / "out")
    shutil.copy(out / "main.json", tmp_path / "out/ablation.json")
    words = ["--evaluation", tmp_path / "out", "--bench", bench, "--failures", 1]
    text = report(tmp_path / "a.html", *words)
    assert "Ablation" in text
    assert text.count("Failures of") == text.count("the truth is") == 1


def test_a_folder_with_nothing_but_a_test_of_sight(tmp_path: Path):
    judged = rows(3, 1, 0, 4)
    seen = [sight_figures(paper, judged, {}, judged, {}, seed=1) for paper in ("own", "white")]
    (tmp_path / "sight.json").write_text(sight_json({"<box>": {"nano": seen}}))
    text = report(tmp_path / "a.html", "--evaluation", tmp_path)
    assert "Test of sight: nano on &lt;box&gt;" in text
    assert "4 real, 4 others" in text
    assert text.count("<td>white paper</td>") == 1


def test_dynamics(tmp_path: Path):
    for name in ("one", "two"):
        with journal(tmp_path / name) as run:
            for step in range(50):
                run.log(step, reward=step / 50, calls=3.0, unknown=1.0, loss=None)
            run.log(50, **{"validation/f1": 0.5, "validation/f1/WD": 0.25})
    text = report(tmp_path / "a.html", "--run", tmp_path / "one", "--run", tmp_path / "two")
    assert "mean reward" in text and "calls per rollout" in text and "0.04 to 0.94" in text
    assert "unknown" not in text
    assert "validation F1, WD" in text and "<td>0.5 to 0.5</td>" in text


def test_sorts_of_runs_are_not_laid_over_each_other(tmp_path: Path):
    with journal(tmp_path / "taught") as run:
        run.log(1, loss=3.0)
    with journal(tmp_path / "rewarded") as run:
        run.log(1, loss=0.1, reward=0.5, f1=float("nan"))
    text = report(tmp_path / "a.html", "--run", tmp_path / "taught", "--run", tmp_path / "rewarded")
    taught, rewarded = text.split("Reinforcement")
    assert "<td>taught</td>" in taught and "<td>rewarded</td>" not in taught
    assert "mean reward" in rewarded and "F1" not in rewarded


def test_a_run_without_figures_says_so(tmp_path: Path):
    with journal(tmp_path / "empty"):
        pass
    assert "no figures yet" in report(tmp_path / "a.html", "--run", tmp_path / "empty")


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


def test_agreement():
    cases = [reviewed(n, ("ada", n), ("ben", 5 - n)) for n in range(1, 5)]
    text = "".join(curation_parts(figures(cases)))
    coherence, consistency = text.split("Agreement of raters on physical consistency")
    assert "-1.00" in coherence, "what one calls better the other calls worse"
    assert "<svg" not in consistency and "Not measured" in consistency


def test_who_holds_what_up():
    text = "".join(curation_parts(figures([reviewed(1, ("ada", 4))])))
    assert "<td>waiting for the screener</td><td>1</td>" in text


@pytest.mark.parametrize(
    ("words", "why"), [([], "nothing to report"), (["--evaluation", "."], "holds no judgements")]
)
def test_nothing_to_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], why: str
):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["report", "a.html", *words])
    assert isinstance(result.exception, WorkbenchError)
    assert why in str(result.exception)


# The report's section on ratings, from the functions that the window uses.
OURS = [trajectory(f"s{n}", "ours") for n in range(5)]
THEIRS = [trajectory(f"s{n}", "<i>theirs</i>") for n in range(5)]
CHOICES = [
    Choice(first=subject_of(one), second=subject_of(two), preferred=preferred, left="first", by="B")
    for one, two, preferred in zip(
        OURS, THEIRS, ("first", "first", "tie", "second", "first"), strict=True
    )
]


def written(folder: Path) -> Path:
    rated = list(enumerate([*OURS, *THEIRS]))
    people = [rating(one, "Ada", n % 6, 5) for n, one in rated]
    model = [rating(one, "judge", (2 * n) % 6, n % 5, by_model=True) for n, one in rated]
    add_records(folder / "all.ratings.jsonl", [*people, *model, *CHOICES])
    return folder / "all.ratings.jsonl"


def test_figures_of_people_and_models(tmp_path: Path) -> None:
    text = report(tmp_path / "report.html", "--ratings", written(tmp_path))
    assert "Scores: coherence" in text and "Scores: physical consistency" in text
    assert "Agreement of raters on coherence (Spearman)" in text
    assert "judge (model)" in text
    # Wins, ties and losses with their intervals; the name of a model is no markup.
    assert "<td>&lt;i&gt;theirs&lt;/i&gt;, ours</td><td>5</td>" in text
    (duel,) = duels_of_choices(CHOICES)
    assert (duel.wins, duel.ties, duel.losses) == (1, 1, 3)
    assert "20 % (4 to 62)" in text and "60 % (23 to 88)" in text
    assert "Everything said is in the pictures" in text


def test_with_a_bench_wins_and_losses_are_told_by_survey(tmp_path: Path, monkeypatch) -> None:
    rows = [{"sha256": f"s{n}", "survey": "SDSS" if n < 3 else "DESI"} for n in range(5)]
    monkeypatch.setattr("train.report.rating.column", lambda path, *names: rows)
    (tmp_path / "test.parquet").touch()
    text = report(tmp_path / "a.html", "--ratings", written(tmp_path), "--bench", tmp_path)
    desi, sdss = text.split("Pairwise: DESI")[1].split("Pairwise: SDSS")
    assert "<td>3</td><td>0 % (0 to 56)</td><td>33 % " in sdss
    assert "<td>2</td><td>50 % " in desi


def test_means_are_those_of_the_records(tmp_path: Path) -> None:
    path = written(tmp_path)
    text = report(tmp_path / "report.html", "--ratings", path)
    for one in distributions(latest_ratings(read_records(path)), "coherence"):
        assert f"<td>{one.n}</td><td>{one.mean:.2f}</td>" in text


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("")
    text = report(tmp_path / "report.html", "--ratings", tmp_path / "none.jsonl")
    assert "There are no ratings in these files." in text

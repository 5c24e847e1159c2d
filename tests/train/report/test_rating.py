"""The report's section on ratings, from the functions that the window uses."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from agent.examples.examples import example, write_examples
from agent.ratings.records import Choice, subject_of
from agent.spectra.spectrum import Spectrum
from tests.agent.ratings.made import rating, trajectory
from tests.train.report.conftest import report
from train.review.ratings_file import add_records, read_records
from train.review.statistics import distributions, duels_of_choices, latest_ratings

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


def test_with_a_bench_wins_and_losses_are_told_by_survey(tmp_path: Path) -> None:
    grid = np.arange(4000.0, 4020.0)
    spectra = [
        Spectrum(wavelength=grid, flux=grid + n, survey=survey)
        for n, survey in enumerate(("SDSS", "SDSS", "DESI"))
    ]
    examples = [example(one, task="CV", answer="YES") for one in spectra]
    write_examples(tmp_path / "test.parquet", examples)
    choices = [
        replace(
            choice, first=replace(choice.first, spectrum=one.sha256),
            second=replace(choice.second, spectrum=one.sha256),
        )
        for choice, one in zip(CHOICES[1:], examples, strict=False)
    ]  # fmt: skip
    add_records(tmp_path / "all.ratings.jsonl", choices)
    options = "--ratings", tmp_path / "all.ratings.jsonl", "--bench", tmp_path
    text = report(tmp_path / "a.html", *options)
    _, desi, sdss = re.split("Pairwise: (?:DESI|SDSS)", text)
    assert "<td>2</td><td>0 % (0 to 66)</td><td>50 % " in sdss
    assert "<td>1</td><td>100 % " in desi


def test_means_are_those_of_the_records(tmp_path: Path) -> None:
    path = written(tmp_path)
    text = report(tmp_path / "report.html", "--ratings", path)
    for one in distributions(latest_ratings(read_records(path)), "coherence"):
        assert f"<td>{one.n}</td><td>{one.mean:.2f}</td>" in text


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("")
    text = report(tmp_path / "report.html", "--ratings", tmp_path / "none.jsonl")
    assert "There are no ratings in these files." in text

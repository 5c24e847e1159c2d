"""The figures page draws what the functions of train/review/statistics.py count."""

from __future__ import annotations

import pyqtgraph as pg
import pytest
from PySide6.QtWidgets import QLabel

from agent.ratings.records import Rating, subject_of
from train.review.ratings_file import add_records
from train.review.statistics import Duel
from train.review.window.figures_page import outcome_text


def given(room):
    """Two people and a model rate all; choices of both pairs."""
    for number, one in enumerate(room.round.trajectories):
        room.round.rate(one, number % 6, 5 - number % 6)
    others = [
        Rating(subject=subject_of(one), by=by, by_model=is_model, coherence=n % 4, consistency=n)
        for by, is_model in (("Ben", False), ("judge-7b", True))
        for n, one in enumerate(room.round.trajectories)
    ]
    room.round.records += others
    for pair in room.round.pairs:
        room.round.choose(pair, "left")


def test_figures_of_all_raters(qtbot, room):
    given(room)
    room.show_page("figures")
    page = room.page
    names = [figure.accessibleName() for figure in page.figures]
    assert "Coherence: histogram" in names and "Physical consistency: cumulative" in names
    assert "Agreement of raters: Coherence (Spearman)" in names
    assert "Pairwise" in names and "Pairs by score" in names
    items = page.figures[0].getPlotItem().items
    bars = [item for item in items if isinstance(item, pg.BarGraphItem)]
    assert len(bars) == 2  # one for each model
    assert sum(sum(bar.opts["height"]) for bar in bars) == pytest.approx(2.0)
    words = " ".join(label.text() for label in page.findChildren(QLabel))
    assert "● secret-seven: mean" in words and "n = 6" in words
    assert "The left one was preferred in 2 of 2 decided" in words


def test_nothing_rated_yet(qtbot, room):
    room.show_page("figures")
    assert "Nothing has been rated yet." in [e.text() for e in room.page.findChildren(QLabel)]
    given(room)
    room.show_page("rate")
    room.show_page("figures")
    assert room.page.figures


def test_what_a_row_counts():
    duel = Duel("a", "b", 3, 2, 1)
    texts = [outcome_text(duel, part) for part in range(3)]
    assert texts == ["a better than b", "a and b equal", "b better than a"]


def test_ratings_of_other_files_are_left_out(room, material, tmp_path):
    subject = subject_of(material.trajectories[0])
    stranger = Rating(subject=subject, by="Cleo", coherence=5, consistency=5)
    add_records(tmp_path / "other.jsonl", [stranger])
    object.__setattr__(stranger.subject, "trajectory", "elsewhere")
    room.round.records.append(stranger)
    room.show_page("figures")
    assert room.page.figures == []

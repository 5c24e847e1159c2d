"""A trajectory is shown whole, with its pictures and without what would give it away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel

from agent.trajectory.trajectory import SpectrumRef
from tests.app.ui.judge.agent.trajectories import record
from tests.app.ui.steps import shown_in
from train.review.window.inspection_view import DrawnPictures, TrajectoryView


@pytest.fixture
def view(qtbot):
    return shown_in(qtbot, TrajectoryView(), 500, 400)


def texts(view):
    """All texts on the cards, from the top down."""
    parts = [view._layout.itemAt(at).widget() for at in range(view._layout.count() - 1)]
    labels = [e for part in parts for e in (part.findChildren(QLabel) or [part])]
    return [label.text() for label in labels if label.text()]


def image(width=700, height=350):
    made = QImage(width, height, QImage.Format.Format_RGB888)
    made.fill(0x336699)
    return made


def test_everything_said_is_there_in_order_plain_and_bounded(view):
    view.show_trajectory(record())
    text = "\n".join(texts(view))
    parts = (
        "cataclysmic", "At first sight a hot star", "Look 1", "Hα is broad", "Look 2",
        "Broad Hα;",
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places) and "spec-o3-7b" not in text and "0.93" not in text
    assert len(view.pictures) == 3
    view.show_trajectory(record(spectrum=SpectrumRef(object_id="one", z=0.1)))
    assert "6450 – 6750 Å" in texts(view)  # as in its words and on the axis of its picture
    long = "<b>bold</b> " * 200_000
    steps = tuple(record().steps)
    view.show_trajectory(record(steps=(replace(steps[0], text=long), *steps[1:]), task="<i>x</i>"))
    said = next(text for text in texts(view) if "bold" in text)
    assert said.startswith("<b>bold</b>") and len(said) < 21_000 and texts(view)[0] == "<i>x</i>"
    view.show_trajectory(record(steps=record().steps[:2], verdict=None))
    assert "The inspection ended without an answer" in texts(view)
    view.show_trajectory(None)
    assert texts(view) == [] and view.pictures == []


def test_pictures_shrink_with_the_view_and_are_never_cut(qtbot, view):
    view.show_trajectory(record(), DrawnPictures((image(), image(), image())))
    first = view.pictures[0]
    qtbot.waitUntil(lambda: first.height() == round(first.width() / 2))
    assert first.width() < 500
    view.resize(900, 400)
    qtbot.waitUntil(lambda: first.height() == 350)


def test_why_there_are_no_pictures(view):
    view.show_trajectory(record())
    view.show_pictures(DrawnPictures(fault="the spectrum has changed"))
    assert "Pictures not shown: the spectrum has changed" in texts(view)
    assert not any(each.isVisible() for each in view.pictures)
    view.show_trajectory(record(), DrawnPictures((image(),)))
    assert not view.fault.isVisible()

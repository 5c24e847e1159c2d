"""Pictures and numbers to take along, and what painting must not leave behind."""

from __future__ import annotations

import gc
import sys

import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog


def answer(monkeypatch, path, chosen=""):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), chosen))


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_a_picture_is_saved_by_its_ending(
    qtbot, context, panel, monkeypatch, tmp_path, ending, start
):
    path = tmp_path / f"plot.{ending}"
    answer(monkeypatch, path)
    with qtbot.waitSignal(context.current.message) as told:
        context.commands.run("snapshot")
    assert path.name in told.args[0]
    assert path.read_bytes().startswith(start)
    if ending == "png":
        assert QImage(str(path)).width() == 2 * panel.plot.width()
    if ending == "svg":
        assert context.current.candidate.object_id in path.read_text(encoding="utf-8")


def test_a_name_without_an_ending_gets_the_chosen_one(context, panel, monkeypatch, tmp_path):
    answer(monkeypatch, tmp_path / "plot", "PDF (*.pdf)")
    context.commands.run("snapshot")
    assert (tmp_path / "plot.pdf").is_file()


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_place_that_cannot_be_written_is_one_line(
    qtbot, context, panel, monkeypatch, tmp_path, ending
):
    answer(monkeypatch, tmp_path / "no" / f"plot.{ending}")
    with qtbot.waitSignal(context.current.failed) as told:
        context.commands.run("snapshot")
    assert "cannot be written" in told.args[0]


def test_a_snapshot_that_is_called_off_writes_nothing(context, panel, monkeypatch, tmp_path):
    answer(monkeypatch, "")
    context.commands.run("snapshot")
    assert not [each for each in tmp_path.iterdir() if each.suffix in (".png", ".pdf", ".svg")]


def test_range_and_measurements_are_copied(qtbot, context, panel):
    context.view.set_window((6450.0, 6750.0))
    with qtbot.waitSignal(context.current.message):
        context.commands.run("copy_range")
    text = QGuiApplication.clipboard().text()
    assert "range: 6450.00 to 6750.00 Å, observed, vacuum" in text
    assert "S/N per pixel" in text and "SIMULATED" in text


def test_painting_takes_no_reference_to_none_away(context, panel):
    """Some versions of PySide do, in each call of a painter, and the process dies of it."""

    def paint(times):
        for _ in range(times):
            panel.plot.viewport().repaint()
            panel.overview.apply_theme(context.current_theme.theme)
            panel.overview.repaint()

    paint(100)
    gc.collect()
    before = sys.getrefcount(None)
    paint(200)
    assert sys.getrefcount(None) - before > -100


def test_every_object_is_drawn_with_the_same_items(qtbot, context, panel):
    items = len(panel.plot.scene().items())
    for number in (2, 3, 4):
        context.current.go_to(number)
        qtbot.waitUntil(lambda: context.current.is_painted)
    assert len(panel.plot.scene().items()) == items

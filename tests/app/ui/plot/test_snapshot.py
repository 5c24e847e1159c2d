"""Pictures of the plot, saved as PNG, SVG or PDF."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from app.ui.plot.snapshot import PNG_SCALE, TITLE_PX, save_snapshot


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
    with qtbot.waitSignal(context.current.message) as signal:
        context.commands.run("snapshot")
    assert path.name in signal.args[0]
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
    with qtbot.waitSignal(context.current.failed) as signal:
        context.commands.run("snapshot")
    assert "cannot be written" in signal.args[0]


def test_a_snapshot_that_is_called_off_writes_nothing(context, panel, monkeypatch, tmp_path):
    answer(monkeypatch, "")
    context.commands.run("snapshot")
    assert not [each for each in tmp_path.iterdir() if each.suffix in (".png", ".pdf", ".svg")]


def test_a_long_title_has_a_second_row(panel, tmp_path):
    heights = []
    for title in ("short", "Smoothed 5 px · rest · nm · air · normalised · log · " * 5):
        path = tmp_path / f"{len(title)}.png"
        save_snapshot(panel.plot, title, path)
        heights.append(QImage(str(path)).height())
    assert heights[0] == PNG_SCALE * (panel.plot.height() + TITLE_PX)
    assert heights[1] > heights[0] + PNG_SCALE * panel.fontMetrics().height() / 2

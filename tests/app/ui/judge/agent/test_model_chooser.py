"""Choosing a model: listed ones, folders, files and servers."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.ui.judge.agent.model_chooser import ModelChooser

pytestmark = pytest.mark.usefixtures("models")
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def chooser(qtbot, context):
    window = QWidget()
    qtbot.addWidget(window)
    chooser = ModelChooser(context.runner, context.bridge.session, window)
    chooser.open_at(QPoint(0, 0), "")
    qtbot.waitUntil(lambda: chooser.list.count() > 0)
    yield chooser
    chooser.close()


def click(qtbot, chooser, title):
    rows = (chooser.list.item(place) for place in range(chooser.list.count()))
    item = next(row for row in rows if row.text().startswith(title))
    chooser.list.scrollToItem(item)
    at = chooser.list.visualItemRect(item).center()
    qtbot.mouseClick(chooser.list.viewport(), LEFT, pos=at)


def test_a_click_a_folder_or_a_file_chooses_and_escape_nothing(qtbot, chooser, monkeypatch):
    with qtbot.waitSignal(chooser.chosen) as chosen:
        click(qtbot, chooser, "measured")
    assert chosen.args == ["measured"] and not chooser.isVisible()
    chooser.show()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *about: "/models/mine")
    with qtbot.waitSignal(chooser.chosen) as chosen:
        qtbot.mouseClick(chooser.folder, LEFT)
    assert chosen.args == ["/models/mine"]
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *about: ("/m/a.gguf", ""))
    with qtbot.waitSignal(chooser.chosen) as chosen:
        chooser.show()
        qtbot.mouseClick(chooser.file, LEFT)
    assert chosen.args == ["/m/a.gguf"]
    chooser.show()
    with qtbot.assertNotEmitted(chooser.chosen):
        qtbot.keyClick(chooser.list, Qt.Key.Key_Escape)
    assert not chooser.isVisible()


@pytest.mark.parametrize("corner", [(5000, 5000), (-50, -50), (780, 790)])
def test_it_never_runs_off_the_screen(qtbot, chooser, corner):
    chooser.close()
    chooser.open_at(QPoint(*corner), "")
    assert chooser.screen().availableGeometry().contains(chooser.geometry())
    click(qtbot, chooser, "spec-o3-7b")
    assert chooser.note.isVisible()
    assert chooser.screen().availableGeometry().contains(chooser.geometry())


def test_rows_missing_models_and_addresses(chooser, qtbot, context):
    texts = [chooser.list.item(place).text() for place in range(chooser.list.count())]
    measured = next(text for text in texts if text.startswith("measured"))
    assert "Needs nothing" in measured and "not yet compared with your own verdicts" in measured
    assert not any("0.0 GB" in text for text in texts)
    click(qtbot, chooser, "spec-o3-7b")
    assert chooser.isVisible() and "spec-o3 models get spec-o3-7b" in chooser.note.text()
    for secret in ("s://ada:geheim@host/v1#m", "s://geheim@host", "://h/v1?key=geheim"):
        chooser.address.setText(f"http{secret}")
        with qtbot.assertNotEmitted(chooser.chosen):
            qtbot.keyClick(chooser.address, Qt.Key.Key_Return)
        assert "SPEC_O3_API_KEY" in chooser.note.text()
    chooser.address.clear()
    qtbot.keyClicks(chooser.address, "localhost:8080")
    qtbot.mouseClick(chooser.use, LEFT)
    assert "http://" in chooser.note.text()
    chooser.address.setText("http://localhost:8080/v1#m")
    with qtbot.waitSignal(chooser.chosen) as chosen:
        qtbot.keyClick(chooser.address, Qt.Key.Key_Return)
    assert chosen.args == ["http://localhost:8080/v1#m"]

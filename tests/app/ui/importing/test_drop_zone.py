"""An overlay says what will happen before files are dropped."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget

from app.ui.importing.drop_zone import DropZone
from app.ui.importing.given_paths import GivenKind
from tests.app.ui.importing.dropping import drag, drop, leave


@pytest.fixture
def target(qtbot, tools):
    target = QWidget()
    target.drops = DropZone(target, tools.current_theme, tools.runner)
    qtbot.addWidget(target)
    target.resize(600, 400)
    target.show()
    return target


def test_dragging_says_what_will_happen(target, tmp_path, sample_list):
    session = tmp_path / "night.speco3"
    session.touch()
    overlay = target.drops.overlay
    assert drag(target, [session])
    assert overlay.isVisible()
    assert "open the session" in overlay.text
    leave(target)
    assert not overlay.isVisible()
    drag(target, [sample_list.parent])
    assert "spectra in this folder" in overlay.text
    drag(target, [sample_list, sample_list])
    assert "2 files" in overlay.text
    drag(target, ["https://example.org/list.csv"])
    assert "cannot be opened" in overlay.text
    leave(target)


def test_dropped_files_are_identified_by_content(qtbot, target, one_spectrum):
    with qtbot.waitSignal(target.drops.dropped) as signal:
        drop(target, [one_spectrum])
    assert signal.args[0].kind is GivenKind.SPECTRUM
    assert not target.drops.overlay.isVisible()

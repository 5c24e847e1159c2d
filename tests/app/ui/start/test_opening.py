"""A session that names spectra outside its folder: asked once, and shown after a yes."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from app.core.session import spectra_folders
from tests.agent.spectra.readers import samples
from tests.app.core.exporting.catalogues import listed
from tests.app.ui.whole_window import before_window


@pytest.fixture
def received(tmp_path, monkeypatch):
    monkeypatch.setattr(spectra_folders, "_unsaved", {})
    for name in ("mail", "<b>private"):
        (tmp_path / name).mkdir()
    path = tmp_path / "<b>private" / "a.fits"
    path.write_bytes(samples.sdss())
    listed(tmp_path / "mail" / "night.speco3", [{"path": str(path)}]).close()
    return tmp_path / "mail" / "night.speco3"


def question(person):
    person.wait(lambda: person.window.findChildren(QMessageBox))
    (found,) = person.window.findChildren(QMessageBox)
    return found


@pytest.mark.parametrize("read_only", [False, True])
def test_a_yes_opens_it_now_and_later(qtbot, received, read_only):
    with before_window(qtbot, None) as person:
        window = person.window
        window.opening.open_session(received, read_only=read_only)
        asked = question(person)
        assert window.view is None
        assert str(received.parent.with_name("<b>private")) in asked.informativeText()
        asked.allowed.click()
        person.wait(lambda: window.view is not None)
        assert person.session.is_read_only == read_only
        person.wait(lambda: person.current.spectrum is not None)
        window.close_session()
        window.opening.open_session(received, read_only=read_only)
        person.wait(lambda: window.view is not None)


def test_enter_means_no_and_leaves_it_closed(qtbot, received):
    with before_window(qtbot, None) as person:
        person.window.opening.open_session(received)
        QTest.keyClick(question(person), Qt.Key.Key_Return)
        person.wait(lambda: not person.window.findChildren(QMessageBox))
        assert person.window.view is None and person.window.opening.welcome.isVisible()
    assert spectra_folders._unsaved == {}
    assert [each.name for each in received.parent.iterdir()] == [received.name]


def test_opened_twice_it_is_asked_once(qtbot, received):
    with before_window(qtbot, None) as person:
        person.window.opening.open_session(received)
        first = question(person)
        person.window.opening.open_session(received)
        person.wait(lambda: [each for each in shown(person) if each is not first])
        (last,) = shown(person)
        last.close()


def shown(person):
    return [each for each in person.window.findChildren(QMessageBox) if each.isVisible()]

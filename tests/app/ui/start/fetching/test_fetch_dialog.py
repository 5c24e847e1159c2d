"""The dialog that gets spectra from an archive, alone and in the whole window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.ui.base.background.runner import Runner
from app.ui.start.fetching.fetch_dialog import FetchDialog
from tests.agent.spectra.readers import samples
from tests.app.services.archives.archive_play import OBSID
from tests.app.ui.steps import click
from tests.app.ui.whole_window import before_window


@pytest.fixture
def dialog(qtbot, server, tmp_path):
    runner = Runner()
    made = FetchDialog(runner)
    qtbot.addWidget(made)
    made.url = server.url
    made.folder.set_path(tmp_path / "spectra")
    made.open_page()
    qtbot.waitExposed(made)
    yield made
    made.reject()
    runner.close()


def choose(dialog, name):
    """With the keyboard, as from the list of a box."""
    dialog.archive.setFocus()
    QTest.keyClick(dialog.archive, Qt.Key.Key_Home)
    while dialog.kind != name:
        QTest.keyClick(dialog.archive, Qt.Key.Key_Down)


def write(dialog, text):
    dialog.wanted.setFocus()
    QTest.keyClicks(dialog.wanted, text)


def test_nothing_is_sent_before_the_button_is_pressed_or_for_a_line_without_sense(
    qtbot, dialog, server, tmp_path
):
    assert not dialog.fetch_button.isEnabled()
    for name in ("sparcl", "sdss", "lamost", "ssap"):
        choose(dialog, name)
        assert dialog.sends.text() and dialog.address.isVisible() == (name == "ssap")
    write(dialog, "24.3769 25.4271")
    assert not dialog.fetch_button.isEnabled()  # the address is missing
    assert not server.asked and not (tmp_path / "spectra").exists()
    dialog.wanted.clear()
    choose(dialog, "sdss")
    write(dialog, "a star")
    click(qtbot, dialog.fetch_button)
    qtbot.waitUntil(lambda: not dialog.is_fetching)
    assert "line 1" in dialog.problem.text and not server.asked
    assert dialog.fetch_button.isEnabled() and not dialog.open_button.isVisible()


def test_a_single_spectrum_opens_by_itself(qtbot, dialog, tmp_path):
    choose(dialog, "sdss")
    write(dialog, "0266-51602-0031")
    with qtbot.waitSignal(dialog.fetched) as signal:
        click(qtbot, dialog.fetch_button)
    assert signal.args[0] == tmp_path / "spectra" / "spec-0266-51602-0031.fits"
    assert signal.args[0].exists() and not dialog.isVisible()


def test_an_ssap_service_is_asked_about_a_place(qtbot, dialog, server):
    choose(dialog, "ssap")
    QTest.keyClicks(dialog.address, server.url + "/ssap")
    write(dialog, "24.376852 25.427147")
    with qtbot.waitSignal(dialog.fetched):
        click(qtbot, dialog.fetch_button)
    assert server.asked[0]["POS"] == "24.376852,25.427147"


def test_what_fails_is_told_and_the_rest_can_be_opened(qtbot, dialog, tmp_path):
    choose(dialog, "lamost")
    write(dialog, OBSID)
    QTest.keyClick(dialog.wanted, Qt.Key.Key_Return)
    write(dialog, "12")
    click(qtbot, dialog.fetch_button)
    qtbot.waitUntil(lambda: not dialog.is_fetching)
    assert "12: the server knows no such address" in dialog.problem.text
    assert dialog.outcome.text() == "1 spectrum fetched" and dialog.isVisible()
    with qtbot.waitSignal(dialog.fetched) as signal:
        click(qtbot, dialog.open_button)
    assert signal.args[0] == tmp_path / "spectra" / f"lamost-{OBSID}.fits"


@pytest.mark.parametrize("how", ["button", "escape"])
def test_stopping_leaves_no_half_file(qtbot, dialog, server, tmp_path, how):
    server.always = "stall"
    choose(dialog, "sdss")
    write(dialog, "0266-51602-0031")
    click(qtbot, dialog.fetch_button)
    qtbot.waitUntil(lambda: bool(server.asked))
    if how == "button":
        click(qtbot, dialog.cancel_button)
    else:
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not dialog.is_fetching)
    assert dialog.isVisible() == (how == "button") and not list((tmp_path / "spectra").iterdir())


def dialog_of(person, server, folder):
    person.window.commands.run("open_archive")
    dialog = person.window.opening.fetching
    dialog.url = server.url
    dialog.folder.set_path(folder)
    return dialog


def test_one_spectrum_is_just_looked_at(qtbot, server, tmp_path):
    with before_window(qtbot, None) as person:
        dialog = dialog_of(person, server, tmp_path / "spectra")
        choose(dialog, "sdss")
        write(dialog, "0266-51602-0031")
        click(qtbot, dialog.fetch_button)
        person.wait(lambda: person.window.view is not None and person.current.is_painted)
        assert person.current.candidate.object_id == "spec-0266-51602-0031"


def test_several_open_the_import_page(qtbot, server, tmp_path):
    content = {}
    server.answer = lambda path, fields: (content[fields["obsid"]], "application/fits")
    for number in (1, 2):
        content[str(int(OBSID) + number)] = samples.lamost_table(OBSID=int(OBSID) + number)
    with before_window(qtbot, None) as person:
        dialog = dialog_of(person, server, tmp_path / "spectra")
        choose(dialog, "lamost")
        for number in content:
            write(dialog, number)
            QTest.keyClick(dialog.wanted, Qt.Key.Key_Return)
        click(qtbot, dialog.fetch_button)
        person.wait(lambda: person.window.opening.importing is not None)
        person.wait(lambda: person.window.opening.importing.list.is_ready)
        assert person.reads("fetched.csv") and not dialog.isVisible()


def test_a_window_that_closes_while_it_fetches_leaves_nothing(qtbot, server, tmp_path):
    with before_window(qtbot, None) as person:
        server.always = "stall"
        dialog = dialog_of(person, server, tmp_path / "spectra")
        choose(dialog, "sdss")
        write(dialog, "0266-51602-0031")
        click(qtbot, dialog.fetch_button)
        person.wait(lambda: server.asked)
    assert not list((tmp_path / "spectra").iterdir())

"""From the menu to the judging page: spectra of an archive in the whole window."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.agent.spectra.readers import samples
from tests.app.services.archives.archive_play import OBSID
from tests.app.ui.start.fetching.test_fetch_dialog import choose, write
from tests.app.ui.steps import click
from tests.app.ui.whole_window import before_window


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

"""One spectrum is opened without a class: it is looked at, and judged once a class is chosen."""

import shutil

import pytest
from PySide6.QtCore import Qt

from agent.tasks.catalogue import look_task
from app.ui.program.top_bar import ProgressLine
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.start.importing.conftest import pick, run_import
from tests.app.ui.steps import click
from tests.app.ui.whole_window import before_window

SPECTRUM = SAMPLE / "spectra" / "000" / "spec-90000-60230-0001.fits.gz"


@pytest.fixture
def person(qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    place = tmp_path / SPECTRUM.name
    shutil.copy(SPECTRUM, place)
    with before_window(qtbot, None) as person:
        person.window.opening.open_spectrum(place)
        person.wait(lambda: person.window.view is not None and person.current.is_painted)
        yield person


def test_it_is_looked_at_and_not_judged(person):
    view = person.view
    assert view.session.task.id == look_task().id and "no class" in person.window.windowTitle()
    person.press("X")
    assert "no class to judge" in view.status.message.full_text
    person.press("V")
    assert "the agent is off" in view.status.message.full_text
    assert not view.context.agent.runs and person.verdicts() == {}
    assert not any(button.isVisible() for button in view.judging.verdicts.buttons.values())
    assert not view.judging.docks["agent"].part.head.run.isEnabled()
    assert view.findChildren(ProgressLine) == []
    person.press("S")
    assert person.options.smoothing > 0
    person.press(Qt.Key.Key_F2)
    assert person.plot_view.window is not None
    person.press("C")
    person.type("Li I?")
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: person.opinion(1) is not None and person.opinion(1).comment == "Li I?")


def test_a_class_is_chosen_and_the_same_spectrum_judged(qtbot, person):
    before = person.view.session.location
    click(qtbot, person.view.judging.verdicts.choose_class)
    page = person.window.opening.importing
    person.wait(page.isVisible)
    person.wait(lambda: page.list.is_ready and page.task.box.count() > 0)
    assert page.task.task is None
    pick(page.task.box, [page.task.box.itemText(i)[-2:] for i in range(8)].index("WD"))
    run_import(qtbot, page)
    person.wait(lambda: person.window.view is not None and person.current.is_painted)
    assert person.session.task.id == "WD" and person.session.location != before
    person.press("X")
    person.wait(lambda: person.verdicts() == {1: "REJECT"})


def test_esc_goes_back_to_the_session(person):
    before = person.view.session.location
    person.window.commands.run("other_class")
    person.wait(person.window.opening.importing.isVisible)
    person.press(Qt.Key.Key_Escape)
    person.wait(lambda: person.window.view is not None and person.current.is_painted)
    assert person.view.session.location == before


def test_a_list_may_be_opened_without_a_class(qtbot, person, tmp_path):
    person.window.opening.import_lists([SAMPLE / "candidates.csv"])
    page = person.window.opening.importing
    person.wait(lambda: page.list.is_ready and page.task.box.count() > 0)
    assert page.task.task is None and not page.import_button.isEnabled()
    last = page.task.box.count() - 1
    assert page.task.box.itemText(last) == "Just look, without a class"
    pick(page.task.box, last)
    page.session.file.set_path(tmp_path / "look.speco3")
    run_import(qtbot, page)
    person.wait(lambda: person.window.view is not None and person.current.is_painted)
    assert person.session.task.id == look_task().id and person.session.count() == 60

"""A missing file is offered where an archive has it, and fetched when the button is pressed."""

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from agent.tasks.catalogue import find_task
from app.core.importing.importer import import_list
from app.core.session.session import new_session, open_session
from app.ui.judge.plot.empty_message import EmptyPlotMessage
from app.ui.start.fetching.missing_file import MissingFile
from tests.agent.spectra.readers import samples
from tests.app.ui.conftest import opened_context
from tests.app.ui.steps import click, shown_in

ROWS = """path,ra,dec,plate,mjd,fiberid
spec-0266-51602-0031.fits,147.32107,-0.0065757249,266,51602,31
unknown.fits,10.0,20.0,,,
damaged.fits,147.32107,-0.0065757249,266,51602,31
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "list.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "damaged.fits").write_bytes(b"SIMPLE  =                    T")
    with new_session(tmp_path / "night.speco3", find_task("CV"), "Ada") as session:
        import_list(session, tmp_path / "list.csv")
    return tmp_path / "night.speco3"


class Person:
    def __init__(self, qtbot, context, server) -> None:
        self.qtbot, self.context, self.server = qtbot, context, server
        page = QWidget()
        self.message = EmptyPlotMessage(context.current_theme.theme, page)
        QVBoxLayout(page).addWidget(self.message)
        current = context.current
        current.spectrum_failed.connect(self.message.show_fault)
        current.spectrum_changed.connect(self.show)
        self.missing = MissingFile(context, self.message, page)
        self.missing.url = server.url
        self.page = shown_in(qtbot, page)

    def show(self, spectrum) -> None:
        if spectrum is not None:
            self.message.clear()

    def go(self, number: int) -> None:
        self.context.current.go_to(number)
        self.qtbot.waitUntil(lambda: bool(self.context.current.fault))

    def is_offered(self) -> bool:
        return self.message.fetch_button.isVisible()


@pytest.fixture
def person(qtbot, place, server):
    with open_session(place, "Ada") as session, opened_context(session) as context:
        made = Person(qtbot, context, server)
        yield made
        made.missing.work.stop()


def test_a_missing_file_is_fetched_and_shown(qtbot, person, tmp_path):
    person.go(1)
    qtbot.waitUntil(person.is_offered)
    assert person.message.fetch_button.text() == "Fetch it from SDSS"
    assert "data.sdss.org" in person.message.sends.text() and not person.server.asked
    click(qtbot, person.message.fetch_button)
    assert "SDSS" in person.message.title.text()
    qtbot.waitUntil(lambda: person.context.current.spectrum is not None)
    path = tmp_path / "fetched" / "spec-0266-51602-0031.fits"
    candidate = person.context.current.candidate
    assert candidate.path == str(path) and path.read_bytes() == samples.sdss()
    assert not person.message.isVisible() and not person.context.current.fault


def test_why_it_was_not_fetched_is_told_and_it_can_be_tried_again(qtbot, person):
    person.server.always = "html"
    person.go(1)
    qtbot.waitUntil(person.is_offered)
    click(qtbot, person.message.fetch_button)
    qtbot.waitUntil(lambda: "web page" in person.message.reason.text())
    assert person.is_offered()
    person.server.always = ""
    person.context.commands.run("fetch_missing")
    qtbot.waitUntil(lambda: person.context.current.spectrum is not None)


@pytest.mark.parametrize("number", [2, 3])
def test_nothing_is_offered_without_numbers_or_for_a_file_that_is_there(qtbot, person, number):
    person.go(1)
    qtbot.waitUntil(person.is_offered)
    person.go(number)
    looked = []
    person.context.runner.run(lambda: None, looked.append)
    qtbot.waitUntil(lambda: bool(looked))
    assert not person.is_offered() and not person.server.asked
    with qtbot.waitSignal(person.context.current.message):
        person.context.commands.run("fetch_missing")


def test_a_file_that_arrives_after_its_candidate_has_left_is_kept(qtbot, person):
    person.go(1)
    qtbot.waitUntil(person.is_offered)
    click(qtbot, person.message.fetch_button)
    person.go(2)
    session = person.context.bridge.session
    qtbot.waitUntil(lambda: session.candidate(1).path.endswith("fetched/spec-0266-51602-0031.fits"))
    assert person.context.current.candidate.id == 2


def test_a_stop_leaves_the_session_as_it_was(qtbot, person):
    person.server.always = "stall"
    person.go(1)
    qtbot.waitUntil(person.is_offered)
    before = person.context.current.candidate.path
    click(qtbot, person.message.fetch_button)
    qtbot.waitUntil(lambda: bool(person.server.asked))
    person.missing.work.stop()
    qtbot.waitUntil(lambda: not person.missing._fetching)
    assert person.context.bridge.session.candidate(1).path == before

"""The window beside TOPCAT, STILTS and jsamp as Debian has them; by night, on an X server."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.services.samp.received import HIGHLIGHT, LOAD_SPECTRUM, LOAD_VOTABLE, POINT
from tests.app.services.samp.peers import TABLE, Topcat
from tests.app.ui.program.samp.test_window_samp import said, switch_on
from tests.app.ui.whole_window import Person, before_window
from tests.night import BY_NIGHT

JSAMP = Path("/usr/share/java/jsamp.jar")
PROGRAMS = ("topcat", "stilts", "java", "xvfb-run")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]
MISSING += [] if JSAMP.exists() else ["jsamp"]
pytestmark = [
    pytest.mark.filterwarnings("ignore::pyvo.samp.SAMPWarning"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: apt-get install {' '.join(MISSING)}"),
    pytest.mark.skipif(not BY_NIGHT, reason="by night only: starts TOPCAT, STILTS and jsamp"),
]


@pytest.fixture
def person(qtbot, place, lock, tmp_path) -> Iterator[Person]:
    """A window with a hub of its own, which the real programs join."""
    with before_window(qtbot, place) as person:
        switch_on(person)
        yield person


@contextmanager
def topcat_running(person: Person) -> Iterator[None]:
    """TOPCAT, once it takes tables."""
    program = start("xvfb-run", "-a", "topcat", "-samp", "-nohub", start_new_session=True)
    found: list[str] = []
    link = person.window.samp.link
    try:

        def is_there() -> bool:
            link.run(lambda connection: [each.name for each in connection.others()], found.extend)
            return "topcat" in found

        person.wait(is_there)
        yield
    finally:
        os.killpg(program.pid, signal.SIGTERM)
        program.wait()


def start(*command: str, **more: bool) -> subprocess.Popen[bytes]:
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=nowhere, stderr=nowhere, **more)


def jsamp(mtype: str, **params: str) -> subprocess.Popen[bytes]:
    """A message sent by jsamp."""
    named = [word for name, value in params.items() for word in ("-param", name, value)]
    message = ("messagesender", "-mtype", mtype, "-mode", "sync", *named)
    return start("java", "-jar", str(JSAMP), *message)


def test_topcat_takes_the_list_the_row_the_selection_and_the_position(person):
    with topcat_running(person):
        person.window.commands.run("samp_row")  # right after the list
        person.wait(lambda: said(person) == "Sent to topcat")
        table = person.window.samp._sender.table
        assert table is not None and len(table.ids) == 12
        person.window.commands.run("overview_page")
        page = person.view._pages["overview_page"]
        person.wait(lambda: page.model.blocks.total == 12)
        person.view.status.hide()
        page.sheet.selectAll()
        person.window.commands.run("samp_selected")
        person.wait(lambda: person.view.status.isVisible() and said(person) == "Sent to topcat")
        person.view.show_judging()
        person.window.commands.run("samp_position")
        person.wait(lambda: said(person) == "Sent to topcat")
        # It knows the table by our name: a foreign program picks a row by it, here and there.
        picking = jsamp(HIGHLIGHT, **{"table-id": table.table_id, "row": "7"})
        person.sees(8)
        person.wait(lambda: picking.poll() is not None)


def test_stilts_sends_a_table_and_ends(person, tmp_path):
    table = tmp_path / "t.vot"
    table.write_text(TABLE)
    sending = start("stilts", "tpipe", f"in={table}", "omode=samp", "format=votable")
    offer = person.window.samp.offer
    person.wait(lambda: offer.isVisible())
    offer.yes.click()
    person.wait(lambda: sending.poll() is not None)  # it serves its table until it is fetched
    person.wait(lambda: person.window.opening.importing is not None and person.window.view is None)
    assert person.window.opening.importing.isVisible()


def test_jsamp_sends_what_is_sound_and_what_is_not(person):
    other = person.session.candidate(5)
    pointing = jsamp(POINT, ra=repr(other.ra), dec=repr(other.dec))
    person.sees(5)
    person.wait(lambda: pointing.poll() is not None)
    refused = jsamp(LOAD_VOTABLE, url="file:///etc/hostname")
    person.wait(lambda: "outside your home folder" in said(person))
    person.wait(lambda: refused.poll() is not None)


def test_a_hub_of_jsamp_is_joined(qtbot, place, lock, tmp_path):
    hub = start("java", "-jar", str(JSAMP), "hub", "-mode", "no-gui", "-profiles", "std")
    try:
        with before_window(qtbot, place) as person:
            person.wait(lock.exists)
            switch_on(person)
            other = Topcat()
            try:
                person.window.commands.run("samp_spectrum")
                person.wait(lambda: other.params(LOAD_SPECTRUM))
                other.tell(HIGHLIGHT, table_id="nobody's", row="1")
                person.wait(lambda: "not open here" in said(person))
            finally:
                other.close()
            assert hub.poll() is None
    finally:
        hub.terminate()
        hub.wait()

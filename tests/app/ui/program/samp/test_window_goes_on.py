"""The window goes on while SAMP is turned on, and in a flood of messages."""

import threading

import pytest

from app.services.samp.received import HIGHLIGHT, LOAD_VOTABLE, POINT, SELECT, RowPicked
from app.ui.program.samp.samp_link import SampLink
from tests.app.ui.candidates import sample_file
from tests.app.ui.whole_window import before_window
from tests.app.ui.window_work import BLOCKS, counted

pytestmark = pytest.mark.filterwarnings("ignore::pyvo.samp.SAMPWarning")
FLOOD = 80
HELD_MS = 10**8
"""Nothing is followed until the test says so, however long the flood takes."""
MOST_STATEMENTS = 20
"""For the one candidate that is opened."""


def test_what_it_needs_is_imported_in_its_thread(qtbot, hub):
    link = SampLink()
    link.turn_on()
    assert link.is_on and not link.is_ready  # nothing was made yet, and nothing imported
    with qtbot.waitSignal(link.ready):
        pass
    assert link.is_ready
    link.close()
    assert not link.is_on and not link.is_ready


def test_off_again_before_it_is_ready(qtbot, hub, topcat):
    link, told = SampLink(), []
    link.connected.connect(told.append)
    link.failed.connect(told.append)
    link.turn_on()
    link.turn_off()
    link.turn_on()
    qtbot.waitUntil(lambda: told == [["topcat"]])
    link.close()
    assert told == [["topcat"]]


def test_a_flood_is_followed_once_in_a_while(qtbot, topcat, tmp_path):
    with before_window(qtbot, sample_file(tmp_path)) as person:
        person.sees(1)
        person.window.commands.run("samp")
        person.wait(lambda: person.window.samp._sender is not None)
        person.window.commands.run("overview_page")  # made once
        person.window.commands.run("samp_list")
        person.wait(lambda: topcat.params(LOAD_VOTABLE))
        person.wait(lambda: person.window.samp._sender.table is not None)
        named = {"table_id": topcat.params(LOAD_VOTABLE)[0]["table-id"]}
        receiver = person.window.samp._receiver
        receiver._timer.setInterval(HELD_MS)
        opened: list[object] = []
        person.current.candidate_changed.connect(opened.append)

        def flood():
            for number in range(FLOOD):
                topcat.tell(HIGHLIGHT, **named, row=str(number % 11))
                if number % 4 == 0:
                    topcat.tell(SELECT, **named, row_list=["1", "2", str(number % 11)])
                    topcat.tell(POINT, ra="x", dec="y")
            topcat.tell(HIGHLIGHT, **named, row="11")

        sender = threading.Thread(target=flood)
        with counted() as work:
            sender.start()
            person.wait(lambda: isinstance(receiver._last, RowPicked) and receiver._last.row == 11)
            assert opened == []
            receiver._timer.start(0)
            person.sees(12)  # the last one counts
        sender.join()
        assert work.did(*BLOCKS) == {}
        assert work.counts["statement"] <= MOST_STATEMENTS, work.did("statement")
        assert len(opened) == 1
        person.press("b", sees=11)

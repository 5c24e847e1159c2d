"""SAMP in the whole window: what is sent, what arrives, and the switch."""

import re
from array import array
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from PySide6.QtWidgets import QApplication
from pyvo.samp.errors import SAMPProxyError

from agent.errors import WorkbenchError
from agent.tasks.catalogue import look_task
from app.core.importing.importer import import_list
from app.core.progress import StoppedError
from app.core.queue import EVERYTHING, LIST_ORDER, parse_filter, parse_sort
from app.core.session.session import new_session, open_session
from app.services.samp.received import HIGHLIGHT, LOAD_SPECTRUM, LOAD_VOTABLE, POINT, SELECT
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.program.samp.samp_work import SharedTable, received_table, written_table
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.start.importing.ready_made_sessions import lists_of
from tests.app.services.samp.peers import TABLE, Topcat
from tests.app.ui.candidates import sample_file
from tests.app.ui.steps import click
from tests.app.ui.whole_window import Person, before_window
from tests.trickling import trickling

pytestmark = pytest.mark.filterwarnings("ignore::pyvo.samp.SAMPWarning")


@pytest.fixture
def person(qtbot, place, topcat, tmp_path):
    """A window that is connected to a program that plays TOPCAT."""
    with before_window(qtbot, place) as person:
        switch_on(person)
        yield person


def switch_on(person: Person) -> None:
    person.window.commands.run("samp")
    person.wait(lambda: said(person).startswith("SAMP is on"))


@contextmanager
def connected(qtbot) -> Iterator[Person]:
    """Before a window that connects as it starts, without a session."""
    settings = SettingsStore()
    settings.change(samp=True)
    with before_window(qtbot, None, settings) as person:
        person.wait(lambda: person.window.samp.link.is_on)
        yield person


def registered(topcat: Topcat) -> list[str]:
    found = []
    for each in topcat.client.get_registered_clients():
        with suppress(SAMPProxyError):  # it has left in between
            found.append(topcat.client.get_metadata(each).get("samp.name", ""))
    return found


def said(person: Person) -> str:
    return person.view.status.message.full_text


def sent_file(params: dict) -> Path:
    return Path(unquote(urlsplit(params["url"]).path))


def test_the_list_is_sent_and_rows_are_highlighted_both_ways(person, topcat):
    assert said(person) == "SAMP is on; connected: topcat"
    person.window.commands.run("samp_list")
    person.wait(lambda: said(person) == "Sent to topcat")
    (table,) = topcat.params(LOAD_VOTABLE)
    text = sent_file(table).read_text(encoding="utf-8")
    assert text.count("<TR>") == 12 and 'name="agent_p_yes"' in text
    # Going on here highlights there.
    person.press("n", sees=2)
    person.wait(lambda: topcat.params(HIGHLIGHT))
    named = {key: table[key] for key in ("table-id", "url")}
    assert topcat.params(HIGHLIGHT) == [{**named, "row": "1"}]
    # A row picked there opens here, and is not sent back.
    assert topcat.ask(HIGHLIGHT, **named, row="6")["samp.status"] == "samp.ok"
    person.sees(7)
    topcat.tell(SELECT, table_id=table["table-id"], row_list=["8"])
    person.sees(9)
    assert len(topcat.params(HIGHLIGHT)) == 1
    # Several rows are selected in the overview, and the current candidate stays.
    topcat.tell(SELECT, table_id=table["table-id"], row_list=["10", "3", "4", "4"])
    person.wait(lambda: said(person) == "topcat selects 3 candidates")
    page = person.view._pages["overview_page"]
    assert page.isVisible() and person.number == 9
    spans = [(span.first, span.count) for span in page.sheet.selected_spans()]
    assert spans == [(3, 2), (10, 1)]
    person.current.set_queue(parse_filter("id<5"), LIST_ORDER)
    topcat.tell(SELECT, table_id=table["table-id"], row_list=["1", "3", "9"])
    person.wait(lambda: said(person).endswith("3 candidates, of which 2 could be selected"))
    assert page.sheet.selected_count == 2


def test_a_row_of_a_list_that_was_not_sent_yet_is_highlighted_all_the_same(person, topcat):
    tries = []

    def fault(mtype, params):
        tries.append(mtype)
        return "No table with table-id" if mtype == HIGHLIGHT and tries.count(HIGHLIGHT) < 3 else ""

    topcat.fault = fault
    person.go(5)
    person.window.commands.run("samp_row")
    person.wait(lambda: said(person) == "Sent to topcat")
    assert tries == [LOAD_VOTABLE, *[HIGHLIGHT] * 3]
    assert topcat.params(HIGHLIGHT)[-1]["row"] == "4"


def test_candidates_positions_and_spectra_are_sent(person, topcat, qtbot):
    person.window.commands.run("overview_page")
    page = person.view._pages["overview_page"]
    person.wait(lambda: page.model.blocks.total == 12)
    page.sheet.selectAll()
    person.window.commands.run("samp_selected")
    person.wait(lambda: topcat.params(SELECT))
    assert topcat.params(SELECT)[0]["row-list"] == [str(row) for row in range(12)]
    person.view.show_judging()
    person.window.commands.run("samp_selected")
    assert "overview first" in said(person)
    person.go(3)
    candidate = person.current.candidate
    person.window.commands.run("samp_position")
    person.wait(lambda: topcat.params(POINT))
    (point,) = topcat.params(POINT)
    assert (float(point["ra"]), float(point["dec"])) == (candidate.ra, candidate.dec)
    person.window.commands.run("samp_spectrum")
    person.wait(lambda: topcat.params(LOAD_SPECTRUM))
    (spectrum,) = topcat.params(LOAD_SPECTRUM)
    assert spectrum["name"] == candidate.object_id
    assert spectrum["meta"]["Access.Format"] == "application/x-votable+xml"
    path = sent_file(spectrum)
    text = path.read_text(encoding="utf-8")
    assert 'utype="spec:Spectrum.Data.FluxAxis.Value"' in text
    assert text.count("<TR>") == person.current.spectrum.wavelength.size
    person.window.opening.show_welcome()
    assert not path.exists()  # it lives as long as the session


def test_a_table_is_offered_over_an_open_session_and_opened_when_wanted(
    person, topcat, qtbot, tmp_path
):
    table = tmp_path / "t.vot"
    table.write_text(TABLE)
    topcat.tell(LOAD_VOTABLE, url=table.as_uri(), name="my <b>table</b>", table_id="t9")
    offer = person.window.samp.offer
    person.wait(lambda: offer.isVisible())
    assert offer.text.full_text == "topcat sends the table my <b>table</b>"
    click(qtbot, offer.no)
    assert not offer.isVisible() and person.window.view is not None
    topcat.tell(LOAD_VOTABLE, url=table.as_uri(), name="again", table_id="t9")
    person.wait(lambda: offer.isVisible())
    click(qtbot, offer.yes)
    person.wait(lambda: person.window.view is None)
    assert person.window.opening.importing.isVisible()


def test_an_offer_comes_before_its_file_which_holds_up_nothing_and_no_closing(person, topcat):
    offer = person.window.samp.offer
    with trickling("header") as (url, began):
        topcat.tell(LOAD_VOTABLE, url=url, name="slow")
        person.wait(lambda: offer.isVisible())
        assert not began.is_set()
        offer.yes.click()
        assert said(person) == "Fetching slow…"
        person.wait(began.is_set)
        other = person.session.candidate(8)
        topcat.tell(POINT, ra=repr(other.ra), dec=repr(other.dec))
        person.sees(8)
        person.window.close()


def test_closing_does_not_wait_for_a_hub_that_trickles(qtbot, place, lock):
    with trickling("header") as (url, began), before_window(qtbot, place) as person:
        lock.write_text(f"samp.secret=x\nsamp.hub.xmlrpc.url={url}\n")
        person.window.commands.run("samp")
        person.wait(began.is_set)
        person.window.close()


def test_a_table_becomes_a_session_whose_rows_the_program_can_pick(
    qtbot, hub, topcat, tmp_path, real_list
):
    with connected(qtbot) as person:
        topcat.tell(LOAD_VOTABLE, url=real_list.as_uri(), name="stars", table_id="t9")
        person.wait(lambda: person.window.opening.importing is not None)
        (copy,) = (tmp_path / "home" / "data").rglob("stars-*.vot")
        person.window.opening.open_session(session_of(copy, tmp_path))
        person.wait(lambda: person.window.view is not None and person.current.row is not None)
        person.wait(lambda: person.window.samp._sender.table is not None)
        topcat.tell(HIGHLIGHT, table_id="t9", url=real_list.as_uri(), row="2")
        person.wait(lambda: person.number == 3)


@pytest.fixture
def real_list(place, tmp_path):
    """A VOTable of three of the sample's spectra, with absolute paths."""
    rows = []
    with open_session(place, "Ada", read_only=True) as session:
        for number in (1, 2, 3):
            each = session.candidate(number)
            rows.append(f"<TR><TD>{each.object_id}</TD><TD>{each.path}</TD></TR>")
    path = tmp_path / "list.vot"
    head, tail = TABLE[: TABLE.index("<TR>")], TABLE[TABLE.index("</TABLEDATA>") :]
    head = re.sub(r'<FIELD name="(ra|dec)".*?/>', "", head, flags=re.DOTALL)
    path.write_text(head + "".join(rows) + tail, encoding="utf-8")
    return path


def session_of(table: Path, folder: Path) -> Path:
    place = folder / "received.speco3"
    with new_session(place, look_task(), "Ada") as session:
        import_list(session, table, allow_absolute=True)
    return place


def test_a_spectrum_opens_to_just_look(qtbot, hub, topcat, place, tmp_path):
    with open_session(place, "Ada", read_only=True) as session:
        spectrum = Path(session.candidate(1).path)
    copy = tmp_path / spectrum.name
    copy.write_bytes(spectrum.read_bytes())
    with connected(qtbot) as person:
        topcat.tell(LOAD_SPECTRUM, url=copy.as_uri(), name="a star", meta={})
        person.wait(lambda: person.window.view is not None and person.current.is_painted)
        assert person.session.task.id == "LOOK"


HOSTILE = (
    (LOAD_VOTABLE, {"url": "http://192.0.2.7/t.vot"}, "a file of another machine"),
    (LOAD_VOTABLE, {"url": "file:///etc/hostname"}, "outside your home folder"),
    (SELECT, {"table_id": "t", "row_list": ["1"] * 101_000}, "101,000 rows at once"),
    (HIGHLIGHT, {"table_id": "t", "row": {"a": "b"}}, "a row that is no number"),
    (HIGHLIGHT, {"table_id": "t", "row": "5"}, "rows of a table that is not open here"),
    (POINT, {"ra": "x" * 100_000, "dec": "1"}, "ra is no angle in degrees"),
)


def test_what_points_here_opens_the_nearest_or_is_a_sentence(person, topcat):
    for mtype, params, words in HOSTILE:
        topcat.tell(mtype, **params)
        person.wait(lambda words=words: words in said(person))
        assert person.number == 1
    person.press("n")  # and the window goes on
    person.sees(2)
    person.start_over()
    other = person.session.candidate(8)
    topcat.tell(POINT, ra=repr(other.ra), dec=repr(other.dec + 2 / 3600))
    person.sees(8)
    person.wait(lambda: said(person) == "topcat points here: 2.0 arcsec away")
    topcat.tell(POINT, ra="0.5", dec="-89.5")
    person.wait(lambda: "no candidate within 30 arcsec" in said(person))
    assert person.number == 8


def test_blind_mode_keeps_the_agents_opinion_from_the_other_program(person, topcat):
    person.window.commands.run("blind")
    person.wait(lambda: person.current.blind_mode.is_on)
    person.window.commands.run("samp_list")
    person.wait(lambda: topcat.params(LOAD_VOTABLE))
    text = sent_file(topcat.params(LOAD_VOTABLE)[0]).read_text(encoding="utf-8")
    assert 'name="verdict"' in text and "agent_verdict" not in text and "p_yes" not in text


def test_off_it_sends_nothing_and_says_how_to_turn_it_on(qtbot, place, topcat, tmp_path):
    with before_window(qtbot, place) as person:
        assert not person.window.samp.link.is_on
        person.window.commands.run("samp_list")
        assert "Connect to TOPCAT" in said(person)
        switch_on(person)
        assert person.window.menu_row.is_checked("samp") is True
        topcat.workbench()
        person.window.commands.run("samp")
        person.wait(lambda: said(person) == "SAMP is off")
        assert person.window.menu_row.is_checked("samp") is False
        person.wait(lambda: "Spec-o3 Workbench" not in registered(topcat))
        switch_on(person)  # and on again, before or after it has left
        person.wait(lambda: registered(topcat).count("Spec-o3 Workbench") == 1)


def test_a_failure_to_connect_is_said(qtbot, place, lock, tmp_path):
    lock.write_text("samp.secret=x\nsamp.hub.xmlrpc.url=http://192.0.2.1:8000/\n")
    with before_window(qtbot, place) as person:
        person.window.commands.run("samp")
        person.wait(lambda: "not on this machine" in said(person))
        person.window.commands.run("samp_list")
        person.wait(lambda: "not on this machine" in said(person))


def test_no_other_program_is_said(qtbot, place, lock, tmp_path):
    with before_window(qtbot, place) as person:
        person.window.commands.run("samp")
        person.wait(lambda: said(person) == "SAMP is on; no other program is connected yet")
        person.window.commands.run("samp_list")
        person.wait(lambda: "no other program that takes this" in said(person))
        program = Topcat()
        try:
            person.window.commands.run("samp_list")
            person.wait(lambda: said(person) == "Sent to topcat")
        finally:
            program.close()


def test_two_windows_at_once(qtbot, place, hub, tmp_path):
    (tmp_path / "second").mkdir()
    other = sample_file(tmp_path / "second")
    with before_window(qtbot, place) as first, before_window(qtbot, other) as second:
        for person in (first, second):
            person.window.commands.run("samp")
            person.wait(lambda person=person: said(person).startswith("SAMP is on"))
        second.window.commands.run("samp_list")
        second.wait(lambda: "no other program that takes this" in said(second))
        assert not first.window.samp.offer.isVisible()
    QApplication.processEvents()


ALL = Queue(tree=EVERYTHING, sort=LIST_ORDER)


def never() -> bool:
    return False


def test_rows_and_candidates_of_a_table_known_by_id_or_address():
    table = SharedTable("t", "file:///t", array("q", [7, 0, 9]))
    at = {row: table.candidate_at(row) for row in (-1, 0, 1, 2, 3, 10**9)}
    assert at == {-1: None, 0: 7, 1: None, 2: 9, 3: None, 10**9: None}
    assert [table.row_of(number) for number in (7, 9, 8)] == [0, 2, None]
    table = SharedTable("t", "file:///t", array("q"))
    assert table.is_named("t", "file:/t") and table.is_named("", "file:///t")
    assert not table.is_named("other", "file:///t") and not table.is_named("", "")


def test_the_list_is_written_as_it_is_filtered_and_ordered_or_not_at_all(session, tmp_path):
    nothing = Queue(tree=parse_filter("object:nobody"), sort=LIST_ORDER)
    with pytest.raises(WorkbenchError, match="nothing to send"):
        written_table(session, nothing, tmp_path, "t1", never, is_blind=False)
    with pytest.raises(StoppedError):
        written_table(session, ALL, tmp_path, "t1", lambda: True, is_blind=False)
    assert not list(tmp_path.glob("*.vot"))
    queue = Queue(tree=EVERYTHING, sort=parse_sort("object"))
    table = written_table(session, queue, tmp_path, "t1", never, is_blind=False)
    assert sorted(table.ids) == list(range(1, 13))
    names = [session.candidate(number).object_id for number in table.ids]
    assert names == sorted(names)
    text = Path(tmp_path / "t1.vot").read_text(encoding="utf-8")
    places = [text.index(f"<TD>{name}</TD>") for name in names]
    assert places == sorted(places)
    assert table.url == (tmp_path / "t1.vot").as_uri()


def test_a_list_that_was_sent_to_us(session):
    (place,) = lists_of(session)
    assert received_table(session, {}) is None
    assert received_table(session, {Path("/other.vot"): ("t", "u")}) is None
    table = received_table(session, {place: ("t9", "file:///t")})
    assert table is not None and (table.table_id, table.path) == ("t9", None)
    rows = {number: table.row_of(number) for number in range(1, 13)}
    with session.database.reading() as connection:
        lines = dict(connection.exec_driver_sql("SELECT id, line FROM candidates").all())
    assert rows == {number: line - 1 for number, line in lines.items()}

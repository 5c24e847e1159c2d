"""The overview: select with keys and mouse, one act for all, one undo."""

import pytest
from PySide6.QtCore import QPoint, Qt

from agent.tasks.catalogue import find_task
from app.core.queue import EVERYTHING, parse_filter, parse_sort
from app.core.session.own_fields import OwnField, set_own_fields
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session
from app.ui.judge.overview import selected_rows
from app.ui.judge.overview.overview_page import OverviewPage
from app.ui.judge.overview.selected_rows import spans_of
from app.ui.judge.queue.queue_model import Span
from app.ui.session.candidate.queue_neighbours import Queue
from tests.app.ui.candidates import sample_file
from tests.app.ui.judge.queue.conftest import fill
from tests.app.ui.whole_window import CTRL, LEFT, PLAIN, SHIFT, before_window


@pytest.fixture
def page(person):
    page = overview(person)
    person.wait(lambda: page.model.blocks.row(11) is not None)
    return page


def overview(person):
    person.press(Qt.Key.Key_5, CTRL)
    page = person.view._stack.currentWidget()
    assert isinstance(page, OverviewPage)
    person.wait(page.sheet.hasFocus)
    return page


def messages_of(person):
    """What the person is told from now on."""
    told = []
    person.current.message.connect(told.append)
    return told


def click(person, page, row, held=PLAIN):
    place = page.sheet.visualRect(page.model.index(row, 0)).center()
    person.qtbot.mouseClick(page.sheet.viewport(), LEFT, held, place)


def drawn(person, page):
    """Wait until all cells of the sheet are drawn, and on screen."""
    person.wait(lambda: set(page.sheet.sheet_rows) and is_drawn(page))
    page.sheet.viewport().repaint()


def is_drawn(page):
    rows = map(page.model.blocks.row, page.sheet.sheet_rows)
    return all(row is not None and page.sheet.pictures.of(row) is not None for row in rows)


def select(person, page, *rows):
    click(person, page, rows[0])
    for row in rows[1:]:
        click(person, page, row, CTRL)


def test_cells_filters_messages_and_the_order(person, page):
    assert person.view.page == "overview_page" and page.sheet.sheets == 1
    drawn(person, page)
    assert len({each.y() for each in page.filters.quick.values()}) == 1
    person.press(Qt.Key.Key_End)
    person.wait(lambda: page.sheet.currentIndex().row() == 11)
    person.press(Qt.Key.Key_Home)
    person.wait(lambda: page.sheet.currentIndex().row() == 0)
    click(person, page, 2)
    person.press(Qt.Key.Key_Right, SHIFT)
    person.press(Qt.Key.Key_Right, SHIFT)
    assert page.strip.count.text() == "3 of 12 selected"
    person.current.message.emit("Saved: 5 changed")
    status = person.view.status
    top = page.strip.mapTo(person.view, QPoint(0, 0)).y()
    assert status.isVisible() and status.geometry().bottom() < top

    def names():
        rows = [page.model.blocks.row(number) for number in range(12)]
        return [row and row.candidate.object_id for row in rows]

    rising = sorted(names(), key=str.casefold)
    by_name = next(each for each in page.filters.menu.actions() if each.text() == "by name")
    by_name.trigger()
    person.wait(lambda: names() == rising)
    assert page.sheet.currentIndex().row() == 0


def test_a_list_without_candidates_asks_for_some(qtbot, tmp_path):
    place = tmp_path / "empty.speco3"
    new_session(place, find_task("CV"), "Ada").close()
    with before_window(qtbot, None) as person:
        person.window.opening.open_session(place)
        person.wait(lambda: person.window.view is not None)
        person.press(Qt.Key.Key_5, CTRL)
        page = person.view._stack.currentWidget()
        person.wait(page.message.isVisible)
        assert "open a list" in page.message.text()


def test_what_was_opened_is_judged_and_undone_at_once_and_what_is_hidden_reads_nothing(
    person, page
):
    person.press(Qt.Key.Key_1, CTRL)
    for number in (2, 3, 5):
        person.go(number)
    person.press(Qt.Key.Key_5, CTRL)
    select(person, page, 1, 2, 4)
    assert page.strip.count.text() == "3 of 12 selected"
    person.press("x")
    person.wait(lambda: person.verdicts() == {2: "REJECT", 3: "REJECT", 5: "REJECT"})
    assert page.confirm.isHidden()
    person.wait(lambda: not page.acts.is_busy)
    person.press(Qt.Key.Key_Z, CTRL)
    person.wait(lambda: person.verdicts() == {})
    person.wait(lambda: not page.acts.is_busy)
    person.press(Qt.Key.Key_Y, CTRL)
    person.wait(lambda: len(person.verdicts()) == 3)
    person.wait(lambda: not page.acts.is_busy)
    again(person, page)
    person.press(Qt.Key.Key_1, CTRL)
    counted = []
    page.loader.counted.connect(lambda: counted.append(1))
    person.session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    person.go(4)
    assert not counted
    person.press(Qt.Key.Key_5, CTRL)
    person.qtbot.waitUntil(lambda: page.model.blocks.row(1) is not None)
    assert page.model.blocks.row(1).mine is not None
    again(person, page)
    click(person, page, 6)
    person.press(Qt.Key.Key_Return)
    assert person.view.page == "judging_page"
    person.sees(7)
    person.press(Qt.Key.Key_5, CTRL)
    place = page.sheet.visualRect(page.model.index(3, 0)).center()
    click(person, page, 3)
    person.qtbot.mouseDClick(page.sheet.viewport(), LEFT, PLAIN, place)
    person.qtbot.mouseRelease(page.sheet.viewport(), LEFT, PLAIN, place)
    assert person.view.page == "judging_page"
    person.sees(4)


def test_one_is_judged_by_a_key_and_the_next_one_follows(person, page):
    drawn(person, page)
    click(person, page, 1)
    person.press("a")
    person.press("x")
    person.press("u")
    person.wait(lambda: person.verdicts() == {2: "ACCEPT", 3: "REJECT", 4: "UNSURE"})
    assert page.sheet.currentIndex().row() == 4 and page.sheet.selected_count == 1
    person.wait(lambda: page.model.blocks.row(3).opinion.verdict is Verdict.UNSURE)
    with person.session.database.reading() as connection:
        facts = dict(connection.exec_driver_sql("SELECT key, value FROM facts").all())
    assert not [key for key in facts if key.startswith("act:")]  # each was looked at by itself
    person.press(Qt.Key.Key_Z, CTRL)
    person.wait(lambda: person.verdicts() == {2: "ACCEPT", 3: "REJECT"} and not page.acts.is_busy)
    page.sheet.clearSelection()
    told = messages_of(person)
    for key in "axu*":
        person.press(key)
    assert len(told) == 4 and len(person.verdicts()) == 2
    assert not page.strip.buttons[Verdict.ACCEPT].isEnabled()


def test_spectra_that_were_not_on_screen_are_asked_about_once(qtbot, tmp_path):
    with before_window(qtbot, sample_file(tmp_path, 60)) as person:
        page = overview(person)
        person.wait(lambda: page.model.rowCount() == 60 and page.sheet.sheets == 2)
        drawn(person, page)
        page.strip.comment.setText("noise")
        person.press(Qt.Key.Key_A, CTRL)
        person.press("x")
        person.wait(page.confirm.isVisible)
        assert "12 of these 60 candidates" in page.confirm.text.text()
        assert "✕ rejected" in page.confirm.text.text()
        person.wait(page.confirm.hasFocus)
        person.press("a")  # another verdict is no answer
        person.press(Qt.Key.Key_Escape)
        person.wait(page.sheet.hasFocus)
        assert page.confirm.isHidden() and person.verdicts() == {}
        person.press("x")
        person.wait(page.confirm.hasFocus)
        assert "Reason: noise" in page.confirm.text.text()
        person.press(Qt.Key.Key_Return)
        person.wait(lambda: not page.acts.is_busy and len(person.verdicts()) == 60)
        assert person.session.judgement(6).opinion.confidence is None
        last = person.log()[-1]
        with person.session.database.reading() as connection:
            facts = dict(connection.exec_driver_sql("SELECT key, value FROM facts").all())
        assert facts[f"act:{last.id}"].endswith(" overview")


def test_all_that_the_filter_shows(person, page):
    person.session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    person.press("f", CTRL)
    person.wait(page.filters.edit.hasFocus)
    person.type("verdict:unjudged")
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: page.model.rowCount() == 11 and not page.loader.is_counting)
    page.sheet.setFocus()
    person.press(Qt.Key.Key_A, CTRL)
    person.wait(lambda: page.strip.count.text() == "11 of 11 selected")
    drawn(person, page)
    person.press("u")
    person.wait(lambda: len(person.verdicts()) == 12)
    assert person.verdicts()[2] == "ACCEPT"
    person.wait(lambda: not page.acts.is_busy)
    person.wait(lambda: page.model.rowCount() == 0)
    person.press(Qt.Key.Key_1, CTRL)
    person.press(Qt.Key.Key_Z, CTRL)  # the undo of the judging page takes back the whole act, too
    person.wait(lambda: person.verdicts() == {2: "ACCEPT"})


def test_star_flag_comment_and_reasons_are_one_act_each(person, page):
    person.session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT, comment="faint"))
    person.wait(lambda: page.model.blocks.row(1).mine is not None)
    click(person, page, 1)
    click(person, page, 3, SHIFT)
    assert page.strip.count.text() == "3 of 12 selected"
    person.press("*")
    person.wait(lambda: person.opinion(4) is not None and not page.acts.is_busy)
    assert person.opinion(2).flags == ("star",) and person.opinion(2).verdict is Verdict.ACCEPT
    assert person.opinion(3).verdict is None
    person.press("c")
    person.wait(page.strip.comment.hasFocus)
    person.type("blend?")
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: person.opinion(3).comment == "blend?" and not page.acts.is_busy)
    assert person.opinion(2).comment == "faint; blend?"
    page.strip.flag_requested.emit("star")  # all have it: it goes
    person.wait(lambda: person.opinion(2).flags == () and not page.acts.is_busy)
    again(person, page)
    person.session.record_verdict(2, Opinion(comment="faint"))
    select(person, page, 1, 2)
    person.press("c")
    person.wait(page.strip.comment.hasFocus)
    person.type("no flux calibration, axed")  # an a and an x in it judge nothing
    person.press(Qt.Key.Key_Escape)
    person.wait(page.sheet.hasFocus)
    assert person.verdicts() == {}
    drawn(person, page)
    person.press("x")
    person.wait(lambda: person.verdicts() == {2: "REJECT", 3: "REJECT"})
    person.wait(lambda: not page.acts.is_busy)
    assert person.opinion(2).comment == "faint; no flux calibration, axed"
    assert person.opinion(3).comment == "no flux calibration, axed"
    assert page.strip.comment.text() == ""
    person.press(Qt.Key.Key_Z, CTRL)
    person.wait(lambda: person.verdicts() == {} and not page.acts.is_busy)
    assert person.opinion(2).comment == "faint" and person.opinion(3) is None


def test_what_cannot_be_read_gets_no_verdict_and_the_agent_is_kept_as_seen(person, page):
    with person.session.database.writing() as connection:
        connection.exec_driver_sql(
            "UPDATE candidates SET agent_verdict = 'NO', agent_model = 'nano', agent_p_yes = 0.1"
        )
    person.current.blind_mode.set_on(True)
    select(person, page, 4, 5)
    drawn(person, page)
    person.press("x")
    person.wait(lambda: len(person.verdicts()) == 2 and not page.acts.is_busy)
    assert all(not entry.shown for entry in person.log())
    person.current.blind_mode.set_on(False)
    select(person, page, 7, 8)
    drawn(person, page)
    person.press("x")
    person.wait(lambda: len(person.verdicts()) == 4 and not page.acts.is_busy)
    assert [entry.shown["verdict"] for entry in person.log()[2:]] == ["NO", "NO"]
    again(person, page)
    with person.session.database.writing() as connection:
        connection.exec_driver_sql("UPDATE candidates SET fault = 'no file' WHERE id = 3")
    page.loader.show(person.current.queue)
    person.wait(lambda: page.model.blocks.row(2) is not None)
    select(person, page, 1, 2, 3)
    drawn(person, page)
    person.press("x")
    person.wait(lambda: person.verdicts() == {2: "REJECT", 4: "REJECT"})
    person.wait(lambda: not page.acts.is_busy)


def test_thirty_thousand_rows(qtbot, tmp_path):
    """All are selected in a moment; 500 are flagged in one act, and taken back by one undo."""
    with new_session(tmp_path / "long.speco3", find_task("CV"), "Ada") as session:
        fill(session, 30_000)
    with before_window(qtbot, tmp_path / "long.speco3") as person:
        page = overview(person)
        person.wait(lambda: page.model.rowCount() == 30_000)
        told = messages_of(person)
        page.sheet.setFocus()
        person.press(Qt.Key.Key_A, CTRL)
        person.wait(lambda: page.strip.count.text() == "30,000 of 30,000 selected")
        person.press("*")
        assert "At most 5,000" in told[-1]
        person.press("f", CTRL)
        person.type("id<=500")
        person.press(Qt.Key.Key_Return)
        person.wait(lambda: page.model.rowCount() == 500 and not page.loader.is_counting)
        page.sheet.setFocus()
        person.press(Qt.Key.Key_A, CTRL)
        person.press("*")
        person.wait(lambda: person.opinion(500) is not None and not page.acts.is_busy)
        assert person.opinion(1).flags == ("star",) and person.opinion(501) is None
        person.press(Qt.Key.Key_1, CTRL)
        person.press(Qt.Key.Key_Z, CTRL)
        person.wait(lambda: "500 candidates" in told[-1])
        assert person.opinion(1) is None and person.opinion(500) is None


def test_a_sub_class_and_a_field_for_many_with_one_undo_each(person, page):
    session = person.view.session
    for number in (1, 2):
        session.record_verdict(number, Opinion(verdict=Verdict.ACCEPT))
    session.record_verdict(3, Opinion(verdict=Verdict.REJECT))
    fields = OwnField(name="ebv", kind="number"), OwnField(name="seen", kind="tick")
    set_own_fields(session, fields)
    person.wait(lambda: (row := page.model.blocks.row(2)) is not None and row.mine is not None)

    def said(name):
        given = (session.judgement(number) for number in (1, 2, 3))
        values = ({"subclass": e.opinion.subclass, **dict(e.opinion.fields)} for e in given)
        return [each.get(name) for each in values]

    def choose(*titles):
        person.press(";")
        menu = page.strip.subclass_menu
        person.wait(menu.isVisible)
        for title in titles[:-1]:
            menu = next(each for each in menu.actions() if each.text().startswith(title)).menu()
        if titles[-1] is not None:
            next(each for each in menu.actions() if each.text().startswith(titles[-1])).trigger()
            page.strip.subclass_menu.close()

    select(person, page, 0, 1, 2)
    choose("DN", "WZ Sge")
    person.wait(lambda: said("subclass") == ["DN/WZ Sge", "DN/WZ Sge", ""])
    person.wait(lambda: not page.acts.is_busy)
    choose("seen", "yes")
    person.wait(lambda: said("seen") == [True, True, True])
    person.wait(lambda: not page.acts.is_busy)
    choose("ebv", None)
    page.strip.subclass_menu.lines["ebv"].setText("0.25")
    person.qtbot.keyClick(page.strip.subclass_menu.lines["ebv"], Qt.Key.Key_Return)
    person.wait(lambda: said("ebv") == [0.25, 0.25, 0.25])
    person.wait(lambda: not page.acts.is_busy)
    for name, wanted in (("ebv", [None] * 3), ("seen", [None] * 3), ("subclass", [""] * 3)):
        person.press(Qt.Key.Key_Z, CTRL)
        person.wait(lambda name=name, wanted=wanted: said(name) == wanted)
        person.wait(lambda: not page.acts.is_busy)
    assert session.judgement(3).opinion == Opinion(verdict=Verdict.REJECT)


def again(person, page):
    """The page once more, with nothing judged and nothing selected."""
    person.start_over()
    person.press(Qt.Key.Key_5, CTRL)
    page.sheet.clearSelection()
    person.wait(page.sheet.hasFocus)
    person.wait(lambda: page.model.rowCount() == 12 and page.model.blocks.row(11) is not None)


def test_rows_are_those_of_the_filter_and_the_order_and_many_groups_are_cut(session, monkeypatch):
    up = Queue(tree=EVERYTHING, sort=parse_sort("list"))
    assert spans_of(session, up, frozenset({2, 3, 4, 9})) == [Span(1, 3), Span(8, 1)]
    down = Queue(tree=EVERYTHING, sort=parse_sort("list:down"))
    assert spans_of(session, down, frozenset({12, 11, 1})) == [Span(0, 2), Span(11, 1)]
    few = Queue(tree=parse_filter("id>5"), sort=parse_sort("list"))
    assert spans_of(session, few, frozenset({5, 6, 99})) == [Span(0, 1)]
    monkeypatch.setattr(selected_rows, "MAX_SPANS", 2)
    assert spans_of(session, up, frozenset({1, 3, 4, 6, 8})) == [Span(0, 1), Span(2, 2)]

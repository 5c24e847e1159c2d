"""The queue's columns and orders, chosen, dragged, widened and renamed, and the menu of a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QDesktopServices, QFontMetrics, QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication, QLineEdit
from sqlalchemy import func, insert, select

from app.core.database.tables import candidates
from app.core.evidence.store import save
from app.core.queue import EVERYTHING, Sort, pages, parse_sort
from app.core.queue.column_values import read_values
from app.core.session.records import Change
from app.core.session.session import open_session
from app.services.catalogues.answer import Match, answer_of
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from app.ui.base.theme.style_sheet import apply
from app.ui.base.theme.theme import LIGHT
from app.ui.judge.queue import columns
from app.ui.judge.queue.columns import AGENT, FIRST_OWN, FLAGS, OBJECT, P_YES, SCORE, SNR, VERDICT
from app.ui.judge.queue.queue_model import RIGHT
from app.ui.judge.queue.queue_panel import QueuePanel
from app.ui.judge.queue.table_parts import sexagesimal
from app.ui.widgets.candidate_table import CELL, PAD
from tests.app.ui.conftest import opened_context
from tests.app.ui.judge.queue.conftest import LEFT, click_title, names, objects, ready, title_at
from tests.app.ui.steps import click, give_opinion, shown_in, speaking

ALIGNMENT = Qt.ItemDataRole.TextAlignmentRole
ACROSS = Qt.Orientation.Horizontal


def own(panel, name):
    return next(at for at, each in enumerate(panel.store.own, FIRST_OWN) if each.name == name)


def open_menu(qtbot, panel, column=OBJECT):
    """Ask for the menu of a title, as a press of the right button does."""
    header = panel.table.horizontalHeader()
    header.customContextMenuRequested.emit(title_at(panel, column))
    qtbot.waitUntil(panel.column_menu.menu.isVisible)
    return panel.column_menu.menu


def choose(qtbot, panel, text, column=OBJECT):
    menu = open_menu(qtbot, panel, column)
    action = next(each for each in menu.actions() if each.text() == text)
    menu.setActiveAction(action)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not menu.isVisible())
    panel.activateWindow()  # offscreen, the focus does not come back from a menu by itself


def titles(panel):
    header = panel.table.horizontalHeader()
    order = sorted(range(header.count()), key=header.visualIndex)
    shown = [each for each in order if not panel.table.isColumnHidden(each)]
    return [panel.model.headerData(each, ACROSS) for each in shown]


def test_a_column_is_renamed_unless_the_field_is_left(qtbot, wide):
    wide.column_menu.rename(SNR)
    edit = wide.table.findChildren(QLineEdit)[0]
    qtbot.waitUntil(edit.hasFocus)
    qtbot.keyClicks(edit, "signal")
    wide.table.setFocus()
    qtbot.waitUntil(lambda: not wide.table.findChildren(QLineEdit))
    assert "S/N" in titles(wide)
    choose(qtbot, wide, "mag_r")
    column = own(wide, "mag_r")
    choose(qtbot, wide, "Rename mag_r…", column)
    edit = wide.table.findChildren(QLineEdit)[0]
    qtbot.waitUntil(edit.hasFocus)
    qtbot.keyClicks(edit, "r & z")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert titles(wide)[-1] == "r & z"
    assert wide.model.headerData(column, ACROSS, Qt.ItemDataRole.ToolTipRole) == "mag_r"
    qtbot.waitUntil(lambda: not wide.table.findChildren(QLineEdit))
    click_title(qtbot, wide, column)
    assert wide.filters.order.text() == "r & z, falling ▾"


def drag(viewport, start, end):
    """Press, move with the button held, and release; QTest moves no mouse with a button held."""
    kinds = QEvent.Type
    steps = [(kinds.MouseButtonPress, start, LEFT)]
    steps += [(kinds.MouseMove, start + (end - start) * at / 8, LEFT) for at in range(1, 9)]
    steps.append((kinds.MouseButtonRelease, end, Qt.MouseButton.NoButton))
    for kind, at, held in steps:
        button = Qt.MouseButton.NoButton if kind == kinds.MouseMove else LEFT
        place = QPointF(viewport.mapToGlobal(at))
        plain = Qt.KeyboardModifier.NoModifier
        event = QMouseEvent(kind, QPointF(at), place, button, held, plain)
        QApplication.sendEvent(viewport, event)


def test_columns_are_dragged_and_widened_and_stay_so(qtbot, wide, context, session):
    choose(qtbot, wide, "mag_r")
    header, column = wide.table.horizontalHeader(), own(wide, "mag_r")
    left = QPoint(header.sectionViewportPosition(VERDICT) + 8, 8)
    drag(header.viewport(), title_at(wide, column), left)
    qtbot.waitUntil(lambda: titles(wide) == ["object", "mag_r", "verdict", "S/N"])
    edge = QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) - 1, 8)
    before = wide.table.columnWidth(column)
    drag(header.viewport(), edge, edge + QPoint(30, 0))
    assert wide.table.columnWidth(column) == before + 30
    qtbot.waitUntil(lambda: "own.mag_r" in wide.store.choice.widths)
    again = shown_in(qtbot, QueuePanel(context), 700, 500)
    qtbot.waitUntil(lambda: bool(again.store.own))
    qtbot.waitUntil(lambda: titles(again) == ["object", "mag_r", "verdict", "S/N"])
    assert again.table.columnWidth(column) == before + 30
    choose(qtbot, wide, "Reset the columns")
    assert titles(wide) == ["object", "verdict", "S/N"]
    assert wide.table.columnWidth(column) != before + 30


def test_a_colleague_has_columns_of_their_own(qtbot, wide, context, session):
    choose(qtbot, wide, "mag_r")
    place = session.location
    context.current.close()
    session.close()
    with open_session(place, "Ben") as theirs, opened_context(theirs) as other:
        panel = shown_in(qtbot, QueuePanel(other), 700, 500)
        qtbot.waitUntil(lambda: bool(panel.store.own))
        assert "mag_r" not in titles(panel)


def test_blind_mode_shows_no_column_of_the_agent(qtbot, wide, context, session):
    give_opinion(session, 2, "YES", 0.87)
    qtbot.waitUntil(lambda: AGENT in wide.model.used)
    wide.store.show("agent", True)
    context.current.blind_mode.set_on(True)
    assert "agent" not in titles(wide)
    menu = open_menu(qtbot, wide)
    entry = next(each for each in menu.actions() if each.text() == "agent")
    assert not entry.isEnabled()
    qtbot.keyClick(menu, Qt.Key.Key_Escape)
    context.current.blind_mode.set_on(False)
    assert "agent" in titles(wide)


def test_what_services_said_is_shown_but_not_the_class_in_blind_mode(qtbot, wide, context, session):
    found = answer_of([Match(values={"type": "CV*", "bp_rp": 0.4}, separation_arcsec=0.1)])
    for name in ("gaia", "simbad"):
        save(session, 1, all_services()[name], found, None, Position(ra=10.0, dec=41.0))
    qtbot.waitUntil(lambda: "gaia.bp_rp" in {each.name for each in wide.store.own})
    for name in ("gaia.bp_rp", "simbad.type"):
        wide.store.show(f"own.{name}", True)
    assert {"gaia.bp_rp", "simbad.type"} <= set(titles(wide))
    qtbot.waitUntil(lambda: wide.model.index(0, own(wide, "simbad.type")).data() == "CV*")
    assert wide.model.index(0, own(wide, "gaia.bp_rp")).data() == "0.4"
    fainter = answer_of([Match(values={"bp_rp": 0.7}, separation_arcsec=0.1)])
    save(session, 1, all_services()["gaia"], fainter, None, Position(ra=10.0, dec=41.0))
    qtbot.waitUntil(lambda: wide.model.index(0, own(wide, "gaia.bp_rp")).data() == "0.7")
    context.current.blind_mode.set_on(True)
    assert "gaia.bp_rp" in titles(wide) and "simbad.type" not in titles(wide)


def test_what_services_said_is_read_while_a_column_shows_it(
    qtbot, wide, context, session, monkeypatch
):
    asked = []

    def read(connection, ids):
        asked.append(len(ids))
        return read_values(connection, ids)

    monkeypatch.setattr(pages, "read_values", read)
    bluer = answer_of([Match(values={"bp_rp": 0.4}, separation_arcsec=0.1)])
    save(session, 1, all_services()["gaia"], bluer, None, Position(ra=10.0, dec=41.0))
    qtbot.waitUntil(lambda: any(each.name == "gaia.bp_rp" for each in wide.store.own))
    context.current.set_queue(EVERYTHING, Sort("snr"))
    ready(qtbot, wide)
    assert asked == []  # no column is shown
    wide.store.show("own.gaia.bp_rp", True)
    qtbot.waitUntil(lambda: "0.4" in cells(wide, own(wide, "gaia.bp_rp")))
    assert asked
    wide.store.show("own.gaia.bp_rp", False)
    count = len(asked)
    context.current.set_queue(EVERYTHING, Sort("snr", True))
    ready(qtbot, wide)
    assert len(asked) == count


def cells(panel, column):
    return [panel.model.index(row, column).data() for row in range(panel.model.rowCount())]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_title_is_cut_that_comes_later_or_has_an_arrow(qtbot, context, session, language):
    with speaking(language):
        panel = shown_in(qtbot, QueuePanel(context), 900, 500)
        context.current.start()
        ready(qtbot, panel)
        header = panel.table.horizontalHeader()
        give_opinion(session, 2, "YES", 0.87)
        qtbot.waitUntil(lambda: not panel.table.isColumnHidden(P_YES))
        assert_whole(header, AGENT, P_YES, SNR)
        assert panel.model.headerData(SNR, ACROSS, ALIGNMENT) == RIGHT
        plain = header.sectionSizeHint(SNR)
        panel.header_sort.sort_requested.emit(Sort("snr", True))
        assert header.sectionSizeHint(SNR) > plain
        assert_whole(header, AGENT, P_YES, SNR)
        # The arrow is at the right, where the title of a column of numbers would end.
        assert panel.model.headerData(SNR, ACROSS, ALIGNMENT) is None


def assert_whole(header, *titled):
    for column in titled:
        assert header.sectionSize(column) >= header.sectionSizeHint(column) > 0


def test_chosen_columns_do_not_crush_names_and_that_of_the_order_is_shown(qtbot, wide, context):
    wide.resize(240, 400)
    context.current.set_queue(EVERYTHING, parse_sort("own.mag_i:up"))
    assert "mag_i" in titles(wide)
    context.current.set_queue(EVERYTHING, Sort())
    assert "mag_i" not in titles(wide)
    # Where the chosen columns have no room, the table scrolls sideways.
    table = wide.table
    longest = QFontMetrics(table.font()).horizontalAdvance(wide.model.longest_name) + 2 * PAD
    for width in [280, 320]:
        for name in ("mag_g", "mag_r", "mag_i", "class"):
            wide.store.show(f"own.{name}", True)
        wide.resize(width, 400)
        qtbot.waitUntil(lambda width=width: wide.width() == width)
        qtbot.waitUntil(
            lambda: table.columnWidth(OBJECT) >= min(longest, table.viewport().width() // 2)
        )
        assert "class" in titles(wide) and table.horizontalScrollBar().maximum() > 0


def test_small_spectra_of_the_rows_on_screen(qtbot, wide, context, session):
    low = wide.table.rowHeight(0)
    choose(qtbot, wide, "small spectrum")
    assert wide.table.rowHeight(0) > low
    column = wide.model.column_of("spectrum")
    qtbot.waitUntil(lambda: wide.model.index(0, column).data(CELL).line is not None)
    wide.grab()
    line = wide.model.index(0, column).data(CELL).line
    assert 50 < line.count() <= 200
    choose(qtbot, wide, "small spectrum")
    assert wide.table.rowHeight(0) == low


def test_what_a_list_adds_later_is_offered(qtbot, wide, context, session):
    with session.database.writing() as connection:
        last = connection.execute(select(func.max(candidates.c.id))).scalar_one()
        values = {"list_id": 1, "line": 99, "object_id": "J1", "path": "", "row": 0, "label": ""}
        connection.execute(insert(candidates).values(values | {"id": last + 1, "own": '{"e":1}'}))
    session.changed.emit(Change(aspect="list"))
    qtbot.waitUntil(lambda: "e" in [each.name for each in wide.store.own])
    choose(qtbot, wide, "e")
    assert "e" in titles(wide)


def test_columns_are_chosen_hidden_and_ordered(wide, qtbot, context, session):
    assert wide.table.isColumnHidden(FLAGS) and wide.table.isColumnHidden(SCORE)
    assert QApplication.activePopupWidget() is None
    click(qtbot, wide.choose)
    menu = wide.column_menu.menu
    qtbot.waitUntil(menu.isVisible)
    texts = [each.text() for each in menu.actions()]
    assert {"mag_r", "survey", "small spectrum", "Reset the columns"} <= set(texts)
    assert not any(text.startswith("Rename") for text in texts)
    qtbot.keyClick(menu, Qt.Key.Key_Escape)
    choose(qtbot, wide, "S/N")
    assert titles(wide) == ["object", "verdict"]
    choose(qtbot, wide, "S/N")
    assert titles(wide) == ["object", "verdict", "S/N"] and "mag_r" not in titles(wide)
    choose(qtbot, wide, "mag_r")
    assert titles(wide) == ["object", "verdict", "S/N", "mag_r"]
    column = own(wide, "mag_r")
    cell = wide.model.index(0, column).data(CELL)
    assert cell.is_right and float(cell.text) == session.candidate(1).own["mag_r"]
    magnitudes = {number: session.candidate(number).own["mag_r"] for number in range(1, 13)}
    click_title(qtbot, wide, column)
    falling = sorted(magnitudes, key=lambda number: -magnitudes[number])
    qtbot.waitUntil(lambda: names(wide) == objects(session, falling))
    assert wide.filters.order.text() == "mag_r, falling ▾"
    click_title(qtbot, wide, column)
    qtbot.waitUntil(lambda: names(wide) == objects(session, falling[::-1]))
    click_title(qtbot, wide, column)
    qtbot.waitUntil(lambda: names(wide) == objects(session, range(1, 13)))
    choose(qtbot, wide, "survey")
    click_title(qtbot, wide, own(wide, "survey"))
    assert context.current.queue.sort == Sort("own", own="survey")
    column = own(wide, "survey")
    qtbot.waitUntil(lambda: wide.model.index(0, column).data() == "LAMOST")


def test_a_choice_is_read_back_and_what_is_none_or_too_large_bounded():
    choice = columns.ColumnChoice(
        shown={"own.mag": True, "snr": False}, order=("snr", "own.a\nb"), widths={"snr": 70}
    )
    assert columns.parse_choice(columns.choice_text(choice)) == choice
    for text in [
        "",
        "[]",
        "{",
        "null",
        '{"shown": 3, "order": {}, "widths": []}',
        "[" * 100_000,
        '{"shown": {"a": "yes"}, "order": [1, null], "widths": {"a": 1e9, "b": true}}',
    ]:
        assert columns.parse_choice(text) == columns.ColumnChoice()
    shown = {f"own.{number}": True for number in range(5000)}
    large = columns.ColumnChoice(
        shown=shown, order=tuple(map(str, range(5000))), widths={"snr": 10**9}
    )
    choice = columns.parse_choice(columns.choice_text(large))
    assert len(choice.shown) == len(choice.order) == columns.MAX_ENTRIES
    assert choice.widths["snr"] <= 2000
    assert columns.parse_names('{"snr": "S to N"}') == {"snr": "S to N"}
    assert columns.parse_names('{"snr": 3, "ra": "", "dec": "a\\nb"}') == {"dec": "a b"}


@given(st.text(max_size=200))
def test_a_name_is_one_line(text):
    name = columns.checked_name(text)
    assert len(name) <= columns.MAX_NAME and name.isprintable()


def test_p_yes_is_there_in_a_narrow_queue_with_large_text(qtbot, context, session, restyled):
    apply(restyled, LIGHT, 24)
    give_opinion(session, 2, "YES", 0.87)
    panel = shown_in(qtbot, QueuePanel(context), 460, 600)
    context.current.start()
    ready(qtbot, panel)
    qtbot.waitUntil(lambda: not panel.table.isColumnHidden(P_YES))
    table = panel.table
    right = table.columnViewportPosition(P_YES) + table.columnWidth(P_YES)
    assert right <= table.viewport().width() and table.isColumnHidden(AGENT)
    assert table.columnWidth(OBJECT) >= table.viewport().width() // 2 - 1


def test_a_title_orders_up_down_and_as_listed(wide, context, qtbot):
    header = wide.table.horizontalHeader()
    click_title(qtbot, wide, SNR)
    assert context.current.queue.sort == Sort(key="snr", descending=True)
    assert header.isSortIndicatorShown() and header.sortIndicatorSection() == SNR
    click_title(qtbot, wide, SNR)
    assert context.current.queue.sort == Sort(key="snr", descending=False)
    click_title(qtbot, wide, SNR)
    assert context.current.queue.sort == Sort() and not header.isSortIndicatorShown()
    click_title(qtbot, wide, SNR)
    click_title(qtbot, wide, VERDICT)
    assert context.current.queue.sort == Sort()
    click_title(qtbot, wide, SNR)

    def ratios():
        rows = [wide.model.blocks.row(number) for number in range(5)]
        return [row.candidate.snr for row in rows if row is not None]

    qtbot.waitUntil(lambda: len(ratios()) == 5 and ratios() == sorted(ratios(), reverse=True))
    context.current.set_queue(EVERYTHING, Sort())
    context.current.blind_mode.set_on(True)
    wide.header_sort.sort_requested.emit(Sort(key="p_yes", descending=True))
    assert context.current.queue.sort == Sort()
    assert not header.isSortIndicatorShown() or header.sortIndicatorSection() != P_YES


def test_names_from_a_to_z_then_back_then_as_listed(qtbot, wide, context, session):
    names = sorted(
        (session.candidate(number).object_id for number in range(1, 13)), key=str.casefold
    )

    def shown():
        rows = [wide.model.blocks.row(number) for number in range(12)]
        return [row and row.candidate.object_id for row in rows]

    as_listed = shown()
    click_title(qtbot, wide, OBJECT)
    assert context.current.queue.sort == Sort("object")
    header = wide.table.horizontalHeader()
    assert header.isSortIndicatorShown() and header.sortIndicatorSection() == OBJECT
    assert wide.filters.order.text() == "by name ▾"
    qtbot.waitUntil(lambda: shown() == names)
    click_title(qtbot, wide, OBJECT)
    assert wide.filters.order.text() == "object, falling ▾"
    qtbot.waitUntil(lambda: shown() == names[::-1])
    click_title(qtbot, wide, OBJECT)
    assert context.current.queue.sort == Sort()
    qtbot.waitUntil(lambda: shown() == as_listed)


def opened(panel, row):
    """The entries of the menu that a right click on this row opens."""
    index = panel.model.index(row, 0)
    panel.table.customContextMenuRequested.emit(panel.table.visualRect(index).center())
    entries = {each.text(): each for each in panel.row_menu.menu.actions() if each.text()}
    panel.row_menu.menu.close()
    return entries


def test_the_menu_of_a_row_copies_opens_and_goes(wide, context, monkeypatch, qtbot):
    wide.row_menu.menu.clear()
    wide.table.customContextMenuRequested.emit(QPoint(5, 5000))
    assert wide.row_menu.menu.isEmpty()
    candidate = wide.model.blocks.row(1).candidate
    entries = opened(wide, 1)
    entries["Copy the name"].trigger()
    assert QGuiApplication.clipboard().text() == candidate.object_id
    entries["Copy RA Dec in degrees"].trigger()
    ra, dec = map(float, QGuiApplication.clipboard().text().split())
    assert (ra, dec) == pytest.approx((candidate.ra, candidate.dec), abs=1e-6)
    entries["Copy RA Dec in hours and degrees"].trigger()
    assert QGuiApplication.clipboard().text() == sexagesimal(candidate.ra, candidate.dec)
    seen = []
    monkeypatch.setattr(QDesktopServices, "openUrl", staticmethod(lambda url: seen.append(url)))
    opened(wide, 1)["Open the folder of its file"].trigger()
    assert seen[0].isLocalFile()
    opened(wide, 2)["Go to this object"].trigger()
    qtbot.waitUntil(lambda: context.current.candidate.id == 3)
    for ra, dec, text in [
        (187.705931, 12.391123, "12:30:49.42 +12:23:28.0"),
        (359.9999999, -0.00001, "00:00:00.00 -00:00:00.0"),
        (0.0, -89.9999999, "00:00:00.00 -90:00:00.0"),
        (15.0, 5.5, "01:00:00.00 +05:30:00.0"),
    ]:
        assert sexagesimal(ra, dec) == text

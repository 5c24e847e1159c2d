"""The contact sheet: every pixel counts, keys move and judge, what is shown is noted."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFont

from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from app.core.evidence.store import save
from app.core.queue import EVERYTHING, LIST_ORDER, matching_ids, parse_filter, parse_sort
from app.core.queue.learned_orders import learned_so
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.similar.index import build_some, index_of
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.services.catalogues.answer import Match, answer_of
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import DARK, LIGHT
from app.ui.judge.overview.cell_picture import CellLook, cell_picture
from app.ui.judge.overview.overview_page import OverviewPage
from app.ui.judge.overview.sheet_view import SheetView, columns_of
from app.ui.judge.plot.trace import trace
from app.ui.judge.queue import queue_panel
from tests.app.ui.candidates import sample_file
from tests.app.ui.judge.overview.test_overview_page import drawn, is_drawn, messages_of, overview
from tests.app.ui.steps import give_opinion
from tests.app.ui.whole_window import CTRL, SHIFT, before_window
from tests.app.ui.window_work import counted
from tests.processes import LONG_S

PIXELS, SPIKE = 4000, 2345
WAVELENGTH = np.linspace(3800.0, 9000.0, PIXELS)


def picture(flux, dots=1.0, theme=LIGHT, window=None, marks=(), width=150, height=78):
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=flux, ivar=np.full(PIXELS, 1.0))
    font = QFont()
    font.setPixelSize(round(9 * dots))
    look = CellLook(
        theme, round(width * dots), round(height * dots), round(15 * dots), dots, font.toString(),
        window, "Å", "vacuum", False
    )  # fmt: skip
    return cell_picture(trace(spectrum), look, marks, WavelengthFrame(), 0.0)


def inked(image, theme):
    """Which dots have the colour of the curve, by row and column."""
    colour = QColor(theme.flux).rgb()
    return np.array(
        [[image.pixel(x, y) == colour for x in range(image.width())] for y in range(image.height())]
    )


@pytest.mark.parametrize("dots", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_line_one_pixel_wide_and_five_sigma_high_is_seen(qapp, dots, theme):
    flux = 100.0 + np.random.default_rng(7).normal(size=PIXELS).clip(-2.5, 2.5)
    without = inked(picture(flux, dots, theme), theme)
    flux[SPIKE] = 105.0
    found = inked(picture(flux, dots, theme), theme)
    at = int((WAVELENGTH[SPIKE] - WAVELENGTH[0]) / np.ptp(WAVELENGTH) * found.shape[1])
    tops = np.argmax(found, axis=0)  # of the curve in each column
    others = np.delete(tops, range(at - 2, at + 3))
    assert tops[at] <= others.min() - 4 * dots
    assert np.argmax(without, axis=0)[at] >= others.min()


def test_wavelengths_and_lines_are_marked_and_a_window_shows_its_part(qapp):
    plain = picture(np.full(PIXELS, 100.0))
    line = find_task("CV").windows[0].range
    assert picture(np.full(PIXELS, 100.0), window=line) != plain
    below = range(plain.height() - 14, plain.height())
    colours = {plain.pixel(x, y) for y in below for x in range(plain.width())}
    assert QColor(LIGHT.axis).rgb() in colours and len(colours) > 3  # ticks and numbers


def test_cells_are_about_as_wide_on_every_screen():
    for width, height in ((1240, 530), (1880, 880), (2500, 1200), (900, 900)):
        for count in range(24, 61, 6):
            columns = columns_of(count, width, height)
            cell = width / columns / (height / (count // columns))
            assert count % columns == 0 and 1.0 < cell < 3.2


@pytest.fixture
def sixty(qtbot, tmp_path):
    """Someone before the overview of sixty candidates, of which the first 48 are drawn."""
    with before_window(qtbot, sample_file(tmp_path, 60)) as person:
        yield person, opened(person)


def opened(person) -> OverviewPage:
    page = overview(person)
    person.wait(lambda: page.sheet.sheets > 1 and not page.loader.is_counting)
    drawn(person, page)
    return page


def here(page):
    return page.sheet.currentIndex().row()


def test_keys_move_select_and_show_a_window(sixty):
    person, page = sixty
    sheet, across = page.sheet, page.sheet._cells()[0]
    assert here(page) == 0 and sheet.sheets == 2 and sheet.selected_count == 1
    for key, row in (("Right", 1), ("Down", 1 + across), ("Left", across), ("Up", 0), ("Up", 0)):
        person.press(getattr(Qt.Key, f"Key_{key}"))
        assert here(page) == row
    person.press(Qt.Key.Key_Right, SHIFT)
    person.press(Qt.Key.Key_Down, SHIFT)
    assert sheet.selected_count == across + 2
    sheet.go_to_row(1)  # as after a verdict
    person.press(Qt.Key.Key_Right, SHIFT)
    assert [(each.first, each.count) for each in sheet.selected_spans()] == [(1, 2)]
    person.press(Qt.Key.Key_PageDown)
    assert sheet.sheet == 1 and here(page) == 2 + 48 and sheet.selected_count == 1
    assert page.bar.place.text() == "Sheet 2 of 2"
    person.press(Qt.Key.Key_PageUp)
    drawn(person, page)
    row = page.model.blocks.row(5)
    whole = sheet.pictures.of(row)
    for _ in find_task("CV").windows:
        person.press(".")
        drawn(person, page)
        assert sheet.pictures.of(row) != whole
    person.press(".")
    drawn(person, page)
    assert sheet.pictures.of(row) == whole and sheet.window_shown is None
    person.press(",")
    assert sheet.window_shown == find_task("CV").windows[-1].range
    person.press("w")
    assert sheet.window_shown is None
    # What is on the screen is the picture itself, dot by dot.
    drawn(person, page)
    place, shown = sheet.cell_dots(5), sheet.viewport().grab().toImage()
    middle = shown.copy(place).copy(20, 30, 60, 20)
    assert middle == whole.copy(20, 30, 60, 20).convertToFormat(middle.format())
    page.bar.slider.setValue(4)
    assert person.window.settings.settings.sheet_size == 24
    person.wait(lambda: sheet.sheets == 3 and is_drawn(page))
    sheet.viewport().repaint()
    person.press(Qt.Key.Key_Return)
    assert person.view.page == "judging_page"
    person.sees(here(page) + 1)


def test_in_large_text_a_sheet_has_as_many_cells_as_can_be_read(sixty):
    _, page = sixty
    font, large = page.sheet.font(), QFont(page.sheet.font())
    large.setPointSize(48)
    for each, cells in ((large, range(6, 43)), (font, range(48, 49))):
        page.sheet.setFont(each)
        name = page.sheet._metrics.height()
        assert len(page.sheet.sheet_rows) in cells
        assert page.sheet.cell_dots(0).height() > 2.5 * name  # without its margin
        assert page.bar.place.text() == f"Sheet 1 of {page.sheet.sheets}"
        assert page.bar.slider.value() == 8


@pytest.mark.parametrize("dots", [1.0, 1.25, 1.5, 2.0])
def test_pictures_are_as_large_as_their_places_in_dots(sixty, monkeypatch, dots):
    _, page = sixty
    monkeypatch.setattr(SheetView, "devicePixelRatioF", lambda _: dots)
    look, places = page.sheet._look(), [page.sheet.cell_dots(row) for row in range(48)]
    assert {(each.width(), each.height()) for each in places} == {(look.width, look.height)}
    edges = page.sheet.viewport().width() * dots, page.sheet.viewport().height() * dots
    assert all(each.right() < edges[0] and each.bottom() < edges[1] for each in places)
    for row in (0, 13, 47):
        assert page.sheet.row_at(page.sheet._in_pixels(places[row]).center()) == row
    assert not page.sheet.indexAt(QPoint(1, 1)).isValid()


def test_sheets_are_read_and_drawn_elsewhere(sixty):
    person, page = sixty
    rows = [page.model.blocks.row(number) for number in range(48, 60)]
    person.wait(lambda: all(page.sheet.pictures.of(row) is not None for row in rows))
    with counted() as work:
        for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            person.press(key)
            person.wait(lambda: is_drawn(page))
        page.sheet.viewport().repaint()
    assert work.did("wait", "file", "reading", "picture", "statement") == {}
    assert {row.candidate.id for row in rows} <= person.current.painted_ids


def test_the_last_cell_leads_to_the_next_sheet_only_when_all_are_judged(sixty):
    person, page = sixty
    drawn(person, page)
    page.sheet.go_to_row(47)
    person.press("a")
    person.wait(lambda: person.verdicts() == {48: "ACCEPT"})
    assert here(page) == 47 and page.sheet.sheet == 0
    person.press("X", CTRL | SHIFT)
    person.wait(lambda: len(person.verdicts()) == 48 and not page.acts.is_busy)
    person.wait(lambda: (row := page.model.blocks.row(0)) and row.opinion.verdict is not None)
    person.press("u")
    assert here(page) == 48 and page.sheet.sheet == 1


def test_the_rest_of_the_sheet_is_rejected_and_taken_back_at_once(sixty):
    person, page = sixty
    page.sheet.go_to_row(2)
    person.press("a")
    # One that is judged elsewhere, of which the sheet knows nothing yet, keeps its verdict.
    person.wait(lambda: person.verdicts() == {3: "ACCEPT"})
    person.session.record_verdict(50, Opinion(verdict=Verdict.ACCEPT))
    person.session.record_verdict(4, Opinion(verdict=Verdict.ACCEPT))
    person.press("X", CTRL | SHIFT)
    person.wait(lambda: len(person.verdicts()) == 49 and not page.acts.is_busy)
    said = person.verdicts()
    assert [said.pop(number) for number in (3, 4, 50)] == 3 * ["ACCEPT"]
    assert set(said.values()) == {"REJECT"}
    person.wait(lambda: page.model.blocks.row(47).opinion.verdict is not None)
    told = messages_of(person)
    page.bar.rest.click()
    assert told == ["All on this sheet are judged"]
    person.press(Qt.Key.Key_Z, CTRL)
    person.wait(lambda: len(person.verdicts()) == 3 and not page.acts.is_busy)


def test_the_sheet_stays_when_all_is_counted_anew(sixty):
    person, page = sixty
    page.bar.slider.setValue(4)
    person.press(Qt.Key.Key_PageDown)
    drawn(person, page)
    ids = range(1, 60)
    person.session.record_group_act(ids, lambda one: one, place="x")
    person.session.record_group_act(
        ids, lambda _: Opinion(verdict=Verdict.UNSURE), place="overview"
    )
    person.wait(lambda: (row := page.model.blocks.row(30)) is not None and row.mine is not None)
    assert page.sheet.sheet == 1 and here(page) == 24


def test_while_all_is_counted_anew_the_sheet_stays_and_a_page_down_counts(sixty, monkeypatch):
    person, page = sixty
    page.bar.slider.setValue(4)
    drawn(person, page)
    viewport, waiting = page.sheet.viewport(), []
    before = viewport.grab().toImage()
    with monkeypatch.context() as held:
        held.setattr(page.loader, "_run", lambda *work: waiting.append(work))
        page.loader.reordered()
        person.wait(lambda: page.loader.is_counting)
        assert page.model.rowCount() == 0 and viewport.grab().toImage() == before
        person.press(Qt.Key.Key_PageDown)
        assert viewport.grab().toImage() == before
    for work in waiting:
        page.loader._run(*work)
    person.wait(lambda: page.sheet.sheet == 1 and here(page) == 24)
    drawn(person, page)
    assert viewport.grab().toImage() != before
    before = viewport.grab().toImage()
    person.current.set_queue(parse_filter("flag:nobody"), LIST_ORDER)
    person.wait(lambda: not page.loader.is_counting)
    assert viewport.grab().toImage() != before and page.model.rowCount() == 0


def test_an_order_that_learns_moves_nothing_on_this_sheet_and_the_next(sixty, monkeypatch):
    monkeypatch.setattr(queue_panel, "EVERY", 2)
    person, page = sixty
    session, current = person.session, page._current
    assert build_some(session, index_of(session.database), seconds=LONG_S) is None
    page.bar.slider.setValue(page.bar.slider.minimum())
    current.set_queue(EVERYTHING, parse_sort("learned:best"))
    person.wait(lambda: current.queue.sort.key == "learned" and not page.loader.is_counting)
    drawn(person, page)
    before = page.sheet.ids_in_sight()
    assert len(before) == 2 * len(page.sheet.sheet_rows)
    for number, verdict in zip(before[:4], [Verdict.ACCEPT, Verdict.REJECT] * 2, strict=True):
        session.record_verdict(number, Opinion(verdict=verdict))
    person.wait(lambda: (so := learned_so(session, current.queue.sort)) and so.verdicts == 4)
    person.wait(lambda: not page.loader.is_counting and len(page.sheet.ids_in_sight()) > 40)
    drawn(person, page)
    assert page.sheet.ids_in_sight() == before
    every = list(matching_ids(session, EVERYTHING, current.queue.sort))
    assert every[: len(before)] == before and every[len(before) :] != sorted(every[len(before) :])
    assert sorted(matching_ids(session, EVERYTHING, current.queue.sort)) == list(range(1, 61))
    page.hide()
    assert page.sheet.ids_in_sight() == []


def test_what_stands_in_the_corner_is_noted_and_hidden_in_blind_mode(qtbot, tmp_path):
    place = sample_file(tmp_path, 60)
    with open_session(place, "Bea") as session:
        session.record_verdict(4, Opinion(verdict=Verdict.REJECT))
        match = Match(values={"type": "CV*", "main_id": "X"}, separation_arcsec=0.1)
        where = Position(ra=1.0, dec=2.0)
        save(session, 2, all_services()["simbad"], answer_of([match]), None, where)
    with before_window(qtbot, place) as person:
        for number in (2, 3, 50):
            give_opinion(person.session, number, "NO", 0.12)
        person.session.record_verdict(4, Opinion(verdict=Verdict.ACCEPT))
        page = opened(person)
        person.wait(lambda: corner(page, 1) == ["0.12"] and corner(page, 3) == ["≠"])
        assert page.sheet.pictures.notes[2].simbad_class == "CV*"
        drawn(person, page)
        assert "simbad" in person.current.evidence[2] and 3 not in person.current.evidence
        page.sheet.go_to_row(1)
        person.press("x")
        person.wait(lambda: 2 in person.verdicts())
        entry = person.log()[-1]
        assert entry.shown["p_yes"] == 0.12 and set(entry.evidence) == {"simbad"}
        # From now on hidden; what was seen before the log still says.
        person.current.blind_mode.set_on(True)
        drawn(person, page)
        assert corner(page, 2) == [] and corner(page, 3) == ["≠"]
        person.press("x")
        person.wait(lambda: 3 in person.verdicts())
        assert person.log()[-1].shown["verdict"] == "NO"
        page.sheet.go_to_row(49)  # on the second sheet, which was not on screen before
        drawn(person, page)
        person.press("x")
        person.wait(lambda: 50 in person.verdicts())
        assert person.log()[-1].shown == {}


def corner(page, row):
    found = page.model.blocks.row(row)
    note = page.sheet.pictures.notes.get(found.candidate.id)
    return [text for text, _ in page.sheet._corner(found, note)]


def test_unreadable_and_uncovered_cells_say_so(qtbot, tmp_path):
    with before_window(qtbot, sample_file(tmp_path), SettingsStore()) as person:
        with person.session.database.writing() as connection:
            connection.exec_driver_sql("UPDATE candidates SET path='/nowhere.fits' WHERE id=3")
        page = overview(person)
        person.wait(lambda: page.model.blocks.row(11) is not None)
        drawn(person, page)
        assert "nowhere" in page.sheet.pictures.of(page.model.blocks.row(2))
        page.sheet.show_window((20_000.0, 21_000.0))
        drawn(person, page)
        assert page.sheet.pictures.of(page.model.blocks.row(4)) == ""
        assert 3 not in person.current.painted_ids

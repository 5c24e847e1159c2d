"""The dialog that searches a folder, alone and in the whole window."""

import errno
import json
import math

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QTableView

from agent.errors import WorkbenchError
from app.core.finding import search as search_module
from app.core.finding.found_session import allow_sources
from app.core.finding.search import SearchState
from app.core.finding.table import MANIFEST, FindTable
from app.core.session.provenance import found_choice
from app.core.session.session import open_session
from app.ui.start.finding import find_dialog, search_thread
from app.ui.start.finding.search_thread import BestSoFar, SearchProgress
from tests.app.ui.base.translation.conftest import english_in
from tests.app.ui.start.finding.conftest import COUNT
from tests.app.ui.start.importing.conftest import pick
from tests.app.ui.steps import click, write
from tests.app.ui.whole_window import CTRL, before_window

TAB = Qt.Key.Key_Tab


def type_into(field, text):
    field.edit.setFocus()
    field.edit.selectAll()
    QTest.keyClicks(field.edit, str(text))


def open_table(qtbot, dialog, folder):
    type_into(dialog.card.table, folder)
    qtbot.waitUntil(lambda: dialog.chosen is not None)


def said(dialog):
    return dialog.sentence.text()


def choosing(qtbot, dialog, act):
    """Change a field, and wait for the choice that follows."""
    act()
    assert dialog.chosen is None and not dialog.make_button.isEnabled()
    qtbot.waitUntil(lambda: dialog.chosen is not None)


def cells(model, column=0):
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_a_search_is_started_stopped_and_goes_on(qtbot, dialog, heard, survey, held):
    card = dialog.card
    assert not card.start_button.isEnabled() and dialog.empty.isVisible()
    type_into(card.source, survey)
    table = survey.with_name("survey.find")
    assert card.table.path == table and card.start_button.text() == "Start"
    click(qtbot, card.classes["WD"])
    click(qtbot, card.start_button)
    assert not card.source.isEnabled() and card.stop_button.isVisible()
    qtbot.waitUntil(lambda: bool(heard.progress))
    qtbot.waitUntil(lambda: dialog.found is not None and len(dialog.found.best) > 0)
    assert "looked at" in card.said.text() and not dialog.found.on_disk
    assert "each minute" in said(dialog) and not dialog.make_button.isEnabled()
    click(qtbot, card.stop_button)
    assert "Stopping" in card.said.text()
    held.set()
    qtbot.waitUntil(lambda: bool(heard.ended))
    seen = heard.ended[0].looked_at
    assert 0 < seen < COUNT and "Stopped" in card.said.text()
    qtbot.waitUntil(lambda: dialog.found.spectra == seen)
    assert not card.classes["CV"].isEnabled() and not card.classes["WD"].isVisible()
    assert card.start_button.text() == "Go on"
    click(qtbot, card.start_button)
    qtbot.waitUntil(lambda: len(heard.ended) == 2)
    assert heard.ended[1].looked_at == COUNT - seen
    assert heard.ended[1].known >= seen and "from before" in card.said.text()
    qtbot.waitUntil(lambda: dialog.found.spectra == COUNT)
    columns = FindTable(table).columns(["p_CV", "path"])
    assert len(set(columns["path"])) == COUNT and "WD" not in dialog.found.tasks
    assert (columns["p_CV"] > 0.5).sum() >= 3


def test_closing_stops_the_search_and_what_was_seen_is_kept(qtbot, dialog, heard, survey, held):
    type_into(dialog.card.source, survey)
    click(qtbot, dialog.card.start_button)
    qtbot.waitUntil(lambda: any(each.state.looked_at for each in heard.progress))
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    held.set()
    qtbot.waitUntil(lambda: bool(heard.ended))
    table = FindTable(survey.with_name("survey.find"))
    assert len(table.columns(["snr"])["snr"]) == heard.ended[0].looked_at > 0
    dialog.open_page()
    assert "Stopped" in dialog.card.said.text() and dialog.card.start_button.isEnabled()


def test_a_full_disk_is_told_and_waited_for(qtbot, dialog, heard, survey, monkeypatch):
    monkeypatch.setattr(search_module, "RETRY_S", 0.01)
    monkeypatch.setattr("app.ui.start.finding.search_thread.TELL_S", 0.0)
    write_part, is_full = FindTable.add, [True]

    def add(table, rows, unread):
        if is_full:
            raise OSError(errno.ENOSPC, "full")
        write_part(table, rows, unread)

    monkeypatch.setattr(FindTable, "add", add)
    type_into(dialog.card.source, survey)
    click(qtbot, dialog.card.start_button)
    qtbot.waitUntil(lambda: "the disk is full" in dialog.card.said.text())
    assert not heard.ended
    is_full.clear()
    qtbot.waitUntil(lambda: bool(heard.ended))
    assert "All of it" in dialog.card.said.text()


def test_what_was_found_is_seen_and_named(qtbot, dialog, searched):
    open_table(qtbot, dialog, searched / "searched.find")
    view = dialog.view
    assert view.count.text() == f"{COUNT} spectra in the table"
    scores = [float(each) for each in cells(view.best_model, 1)]
    assert scores == sorted(scores, reverse=True) and scores[0] > 0.9
    view.best.setFocus()
    QTest.keyClick(view.best, Qt.Key.Key_Down)
    QTest.keyClick(view.best, Qt.Key.Key_Down)
    names = cells(view.best_model)
    assert view.pictures.name.full_text.startswith(names[view.best.currentIndex().row()])
    qtbot.waitUntil(lambda: _point(view.pictures.sky, 0) is not None)
    click_point(qtbot, view.pictures.sky, 4)
    assert view.best.currentIndex().row() == 4
    assert view.pictures.name.full_text.startswith(names[4])
    QTest.mouseClick(
        view.tabs.tabBar(), Qt.MouseButton.LeftButton, pos=view.tabs.tabBar().tabRect(1).center()
    )
    assert view.tabs.tabText(1) == "Not read: 1"
    assert "damaged.fits" in cells(view.unread_model)[0]
    assert "the file is cut short" in cells(view.unread_model, 1)[0]
    pick(dialog.form.task_box, dialog.form.task_box.findData("odd"))
    qtbot.waitUntil(lambda: dialog.found.task == "odd")
    assert len(dialog.found.best) == COUNT and not dialog.form.how.isEnabled()
    assert "oddness" in view.best_model.titles


def _point(chart, place):
    """Where a point is on the screen."""
    box = chart.getPlotItem().getViewBox()
    x, y = chart._points[place]
    where = chart.mapFromScene(box.mapViewToScene(QPointF(x, y)))
    return where if chart.rect().contains(where) else None


def click_point(qtbot, chart, place):
    view = chart.viewport()
    QTest.mouseMove(view, _point(chart, place))
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=_point(chart, place))


def test_a_choice_is_said_and_becomes_a_session(
    qtbot, dialog, heard, searched, tmp_path, monkeypatch
):
    open_table(qtbot, dialog, searched / "searched.find")
    form = dialog.form
    assert form.task_box.currentText() == "Cataclysmic variables · CV"
    assert said(dialog).startswith(f"the {COUNT} likeliest of {COUNT} spectra")
    choosing(qtbot, dialog, lambda: write(qtbot, form.count, "5"))
    assert said(dialog).startswith("the 5 likeliest") and "planted" in said(dialog)
    choosing(qtbot, dialog, lambda: pick(form.how, 2))
    assert form.percent.isVisible() and not form.count.isVisible()
    choosing(qtbot, dialog, lambda: write(qtbot, form.percent, "90"))
    share = float(said(dialog).rpartition("\n")[2].split(" %")[0])
    assert share >= 89.0 and "are members (by their p)" in said(dialog)
    known = tmp_path / "known.csv"
    rows = [f"{each.ra},{each.dec}" for each in dialog.found.best[:3]]
    known.write_text("ra,dec\n" + "\n".join(rows) + "\n", encoding="utf-8")
    choosing(qtbot, dialog, lambda: form.known.set_path(known))
    assert "of the known members given" in said(dialog)
    choosing(qtbot, dialog, lambda: write(qtbot, form.least_snr, "20"))
    choosing(qtbot, dialog, lambda: click(qtbot, form.flags["saturated"]))
    kept = len(dialog.chosen.choice.numbers)
    place = tmp_path / "cv.speco3"
    asked = []
    monkeypatch.setattr(
        find_dialog, "choose_new_file", lambda parent, proposed, kinds: asked.append(proposed)
    )
    click(qtbot, dialog.make_button)
    assert asked[0].name == "searched-cv.speco3" and not heard.made
    monkeypatch.setattr(find_dialog, "choose_new_file", lambda *_: tmp_path / "none" / "x.speco3")
    click(qtbot, dialog.make_button)
    assert "not a folder" in dialog.problem.text
    monkeypatch.setattr(find_dialog, "choose_new_file", lambda *_: place)
    click(qtbot, dialog.make_button)  # of a table that was not made by this person
    qtbot.waitUntil(dialog.card.trust.isVisible)
    assert "outside" in dialog.problem.text and not place.exists()
    click(qtbot, dialog.card.trust)
    click(qtbot, dialog.make_button)
    qtbot.waitUntil(lambda: bool(heard.made))
    assert heard.made == [place] and not dialog.isVisible()
    with open_session(place, "Ada") as session:
        assert session.count() == kept > 0 and session.task.id == "CV"
        about = found_choice(session)
    assert about["least_snr"] == 20.0 and about["without"] == ["saturated"]


def test_what_cannot_be_searched_or_chosen_is_told(qtbot, dialog, heard, searched, tmp_path):
    full = tmp_path / "notes"
    full.mkdir()
    (full / "a.txt").write_text("mine")
    type_into(dialog.card.source, searched / "survey")
    type_into(dialog.card.table, full)
    click(qtbot, dialog.card.start_button)
    qtbot.waitUntil(lambda: bool(heard.ended))
    assert isinstance(heard.ended[0], WorkbenchError)
    assert "is not empty" in dialog.problem.text and dialog.card.start_button.isEnabled()
    (full / MANIFEST).write_text(json.dumps({"kind": "other"}))
    type_into(dialog.card.table, tmp_path / "nowhere")
    qtbot.waitUntil(lambda: dialog.found is None)
    type_into(dialog.card.table, full)
    qtbot.waitUntil(lambda: "cannot be used" in dialog.problem.text)
    open_table(qtbot, dialog, searched / "searched.find")
    pick(dialog.form.task_box, dialog.form.task_box.findData("odd"))
    qtbot.waitUntil(lambda: dialog.found.task == "odd")
    dialog.form.known.set_path(full / "a.txt")
    qtbot.waitUntil(lambda: "a.txt" in said(dialog))
    assert dialog.chosen is None and not dialog.make_button.isEnabled()


def test_everything_is_reached_by_tab_and_has_a_name(qtbot, dialog, searched):
    open_table(qtbot, dialog, searched / "searched.find")
    dialog.card.source.edit.setFocus()
    order = []
    while (now := QApplication.focusWidget()) not in order:
        order.append(now)
        QTest.keyClick(now, TAB)
    kinds = QAbstractButton | QComboBox | QLineEdit | QTableView
    assert all(isinstance(each, kinds) or each is dialog.view.tabs.tabBar() for each in order)
    for each in order:
        named = each.accessibleName() or getattr(each, "text", str)()
        assert named or each is dialog.view.tabs.tabBar(), each
    form, card = dialog.form, dialog.card
    wanted = [card.source.edit, card.table.edit, card.processes, form.task_box, form.count]
    wanted += [form.known.edit, dialog.view.best, dialog.close_button, dialog.make_button]
    places = [order.index(each) for each in wanted]
    assert places == sorted(places)


@pytest.mark.usefixtures("chinese")
def test_in_chinese_nothing_is_english(qtbot, dialog, searched):
    open_table(qtbot, dialog, searched / "searched.find")
    texts = [dialog.windowTitle(), said(dialog), dialog.empty.text(), dialog.view.count.text()]
    for kind in (QAbstractButton, QComboBox):
        for each in dialog.findChildren(kind):
            texts += [each.accessibleName(), each.toolTip()]
            texts += [each.text()] if isinstance(each, QAbstractButton) else []
    assert not {word for text in texts for word in english_in(text)}


def rows(scores):
    count = len(scores)
    return {
        "path": [f"{each}.fits" for each in range(count)], "row": [0] * count,
        "object_id": [""] * count, "snr": [10.0] * count, "ra": [None] * count,
        "dec": [None] * count, "oddness": [1.0] * count, "p_CV": scores,
    }  # fmt: skip


def test_the_best_of_each_class_are_kept_and_no_more(monkeypatch):
    monkeypatch.setattr(search_thread, "MOST_KEPT", 3)
    best = BestSoFar(["CV"])
    best.add({})
    best.add(rows([0.1, math.nan, 0.9, 0.2, 0.8, 0.7, 0.6, 0.5]))
    best.add(rows([0.95]))
    kept = best.of("CV")
    assert len(kept) <= 6 and {each.score for each in kept} >= {0.95, 0.9, 0.8, 0.7}
    assert math.isnan(kept[0].ra) and kept[0].name == "2.fits"
    assert len(best.of("odd")) <= 6 and best.of("WD") == []


@pytest.mark.parametrize(
    ("total", "rate", "left"),
    [(200, 10.0, 10.0), (None, 10.0, None), (200, None, None), (50, 10.0, 0.0)],
)
def test_the_time_left_is_told_where_it_is_known(total, rate, left):
    state = SearchState(done=100, known=15)
    assert SearchProgress(state=state, total=total, rate=rate).seconds_left == left


def test_a_session_of_the_best_is_opened(qtbot, searched, tmp_path, monkeypatch):
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path / "config"))
    allow_sources(FindTable(searched / "searched.find"))  # as who searches does
    monkeypatch.setattr(find_dialog, "choose_new_file", lambda *_: tmp_path / "cv.speco3")
    with before_window(qtbot, None) as person:
        click(qtbot, person.window.opening.welcome.find_button)
        dialog = person.window.opening.finding
        open_table(qtbot, dialog, searched / "searched.find")
        click(qtbot, dialog.make_button)
        person.wait(lambda: person.window.view is not None and person.current.is_painted)
        assert person.session.task.id == "CV" and not dialog.isVisible()
        person.press("K", CTRL)
        person.type("find in a")
        person.press(Qt.Key.Key_Return)
        person.wait(dialog.isVisible)
        person.wait(dialog.isActiveWindow)
        QTest.keyClick(dialog, Qt.Key.Key_F1)
        assert person.window.help.guide.page.name == "finding"


def test_a_window_that_closes_while_it_searches_loses_nothing(qtbot, survey, held):
    with before_window(qtbot, None) as person:
        person.window.commands.run("find_in_folder")
        dialog = person.window.opening.finding
        person.wait(lambda: dialog.card.classes)
        type_into(dialog.card.source, survey)
        dialog.finished.connect(held.set)
        click(qtbot, dialog.card.start_button)
        with qtbot.waitSignal(
            dialog.search.told, check_params_cb=lambda told: told.state.looked_at > 0
        ):
            pass
    assert len(FindTable(survey.with_name("survey.find")).columns(["snr"])["snr"]) > 0

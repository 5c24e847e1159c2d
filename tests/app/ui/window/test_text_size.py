"""A new text size of the settings reaches every part of an open window at once."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget
from shiboken6 import isValid

from app.ui.base.apply_theme import ThemeApplier
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.information.information_panel import InformationPanel
from app.ui.program.window_keys import KeysOverlay
from app.ui.review.figures import Figure
from tests.app.ui.candidates import sample_file
from tests.app.ui.whole_window import Person, before_window

SMALL_PT, LARGE_PT = 10, 24
ROUNDED = 0.05
"""Sizes in the style sheet have one decimal."""
PAGES = ("disagreement_page", "agreement_page", "history_page", "judging_page")
DIALOGS = ("settings", "about", "help", "export", "keys")


@pytest.fixture
def person(qtbot, restyled, tmp_path):
    settings = SettingsStore()
    settings.change(font_pt=SMALL_PT, told=("tour",))
    applier = ThemeApplier(restyled, CurrentTheme(), settings)
    with before_window(qtbot, sample_file(tmp_path), settings) as person:
        yield person
    applier.deleteLater()


def test_every_widget_and_what_is_painted_by_hand_takes_a_new_size(person):
    open_everything(person)
    painted = painted_fonts(person)
    before = {
        widget: widget.font().pointSizeF()
        for widget in QApplication.allWidgets()
        if widget.objectName() != "qt_tableview_cornerbutton"  # it has no text
    }
    person.window.settings.change(font_pt=LARGE_PT)
    ratio = LARGE_PT / SMALL_PT
    late = [
        f"{described(widget)}: {size} and {widget.font().pointSizeF()}"
        for widget, size in before.items()
        if isValid(widget)
        and abs(widget.font().pointSizeF() - ratio * size) > ROUNDED * (1 + ratio)
    ]
    assert late == [] and len(before) > 1000
    after = painted_fonts(person)
    assert {name: after[name].pointSizeF() for name in painted} == {
        name: pytest.approx(font.pointSizeF() * ratio, rel=0.02) for name, font in painted.items()
    }
    assert len(painted) > 8


def test_the_plot_keeps_its_share_of_the_height_and_all_comes_back(person):
    window, judging = person.window, person.view.judging
    window.setMinimumSize(100, 100)
    window.resize(1280, 720)
    plot, docks = judging.plot.plot, judging.docks
    person.wait(lambda: window.height() == 720 and docks["windows"].isVisible())
    judging.dock_area.dock_window.resizeDocks([docks["agent"]], [340], Qt.Orientation.Horizontal)
    person.wait(lambda: docks["agent"].width() == 340)
    for size in (14, 18, LARGE_PT):
        window.settings.change(font_pt=size)
        person.wait(lambda: plot.height() >= 0.4 * window.height())
    person.wait(lambda: not docks["windows"].isVisible() and docks["agent"].width() > 340)
    person.press("a")
    strip = judging.strip
    person.wait(strip.isVisible)
    assert strip.geometry().bottom() < plot.y() + plot.stage.geometry().bottom()
    person.press("h")  # plot and windows, then the plot alone, then all that has room
    person.press("h")
    person.press("h")
    assert not docks["windows"].isVisible() and docks["agent"].isVisible()
    window.settings.change(font_pt=SMALL_PT)
    person.wait(lambda: docks["windows"].isVisible() and judging.plot.minimap.isVisible())
    person.wait(lambda: docks["agent"].width() == 340 and judging.tools.isVisible())


def test_the_keys_are_laid_out_again(qtbot, person):
    person.window.resize(1280, 720)
    person.window.commands.run("keys")
    overlay = person.window.findChild(KeysOverlay)
    before = keys_sheet(overlay)
    height = before.height()
    person.window.settings.change(font_pt=LARGE_PT)
    qtbot.waitUntil(lambda: keys_sheet(overlay) is not before)
    sheet = keys_sheet(overlay)
    assert sheet.width() <= overlay.width() and sheet.height() > height
    for text in sheet.findChildren(QLabel):
        assert text.width() >= text.minimumSizeHint().width()


def keys_sheet(overlay):
    return overlay.findChild(QScrollArea).widget()


def test_rows_and_columns_of_the_tables_follow(person):
    judging = person.view.judging
    judging.dock_area.show_dock("object")
    person.wait(lambda: judging.findChild(InformationPanel))
    table, facts = judging.docks["queue"].part.table, judging.findChild(InformationPanel).view
    before = [each.verticalHeader().defaultSectionSize() for each in (table, facts)]
    width = facts.columnWidth(0)
    person.window.settings.change(font_pt=LARGE_PT)
    for each, height in zip((table, facts), before, strict=True):
        now = each.verticalHeader().defaultSectionSize()
        assert now >= each.fontMetrics().height() and now > 1.8 * height
    assert facts.columnWidth(0) > 1.8 * width
    head = table.horizontalHeader()
    assert head.height() >= head.fontMetrics().height()


def open_everything(person: Person) -> None:
    """Every page and every dialog that a window has."""
    for name in (*PAGES, *DIALOGS):
        person.window.commands.run(name)
        QApplication.processEvents()
    for top in QApplication.topLevelWidgets():
        if top is not person.window:
            top.hide()
    person.window.keys.overlay.hide()
    for widget in person.window.findChildren(QWidget):
        widget.ensurePolished()


def painted_fonts(person: Person) -> dict[str, QFont]:
    """Fonts of the texts that no widget of Qt draws: axes, overview, windows, figures."""
    judging = person.view.judging
    plot = judging.plot.plot
    found = {"plot": plot.texts.font, "overview": judging.plot.minimap.texts.font}
    for index, cell in enumerate(judging.docks["windows"].part.cells):
        found[f"window {index}"] = cell.text_font
    for index, figure in enumerate(person.window.findChildren(Figure)):
        for side in ("left", "bottom"):
            axis = figure.getPlotItem().getAxis(side)
            if axis.style["tickFont"] is None:  # nothing to draw in it yet
                continue
            found[f"{side} of figure {index}"] = axis.style["tickFont"]
            found[f"label at the {side} of figure {index}"] = axis.label.font()
    return found


def described(widget: QWidget) -> str:
    names, inner = [], widget
    while inner is not None and len(names) < 4:
        names.append(f"{type(inner).__name__} {inner.property('role') or inner.objectName()}")
        inner = inner.parentWidget()
    return " in ".join(names)

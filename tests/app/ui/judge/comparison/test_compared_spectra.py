"""Which spectra are compared, kept or not, and their curves at the same median with a legend."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from app.ui.base.theme.theme import DARK
from app.ui.judge.comparison.compared_spectra import (
    MOST,
    date_of_mjd,
    observation_date,
    same_median,
    text_of,
)
from app.ui.judge.comparison.ratio import OFF, RATIO
from app.ui.judge.plot import spectrum_panel
from app.ui.judge.plot.trace import trace
from tests.app.ui.judge.comparison.conftest import overlay, put
from tests.app.ui.judge.controls.conftest import tick
from tests.app.ui.judge.plot.conftest import on_to
from tests.app.ui.judge.plot.spectra import spectrum
from tests.app.ui.late_answer import LateAnswer
from tests.app.ui.steps import click, press_tool, said


def numbers(page):
    return {each.candidate.id for each in page.comparison.compared}


def test_epochs_are_found_and_go_with_the_candidate_unless_kept(qtbot, page, context):
    overlay(qtbot, page, context)
    assert numbers(page) == {5, 9}
    dated = next(each for each in page.comparison.compared if each.candidate.id == 5)
    assert dated.facts[0].count("-") == 2
    context.commands.run("overlay_epochs")
    qtbot.waitUntil(lambda: not page.comparison.compared)
    overlay(qtbot, page, context)
    context.current.go_to(3)
    assert not page.comparison.compared
    on_to(qtbot, context, 2)
    overlay(qtbot, page, context)
    page.comparison.keep(True)
    on_to(qtbot, context, 5)
    assert numbers(page) == {9}  # that on screen is not compared with itself
    context.current.go_to(3)
    assert "No other epoch" in said(qtbot, context, "overlay_epochs")


def test_no_more_than_the_most_and_what_cannot_be_compared_is_told(
    qtbot, page, context, session, tmp_path
):
    assert "on screen" in said(qtbot, context, lambda: page.comparison.add(session.candidate(2)))
    put(session, 12, path=str(tmp_path / "gone.fits"))
    with qtbot.waitSignal(context.current.failed) as failed:
        page.comparison.add(session.candidate(12))
    assert "gone.fits" in failed.args[0] and not page.comparison.compared
    for number in (3, 4, 5, 6, 7, 8):
        page.comparison.add(session.candidate(number))
    page.comparison.add(session.candidate(3))
    qtbot.waitUntil(lambda: len(page.comparison.compared) == MOST)
    assert {each.slot for each in page.comparison.compared} == set(range(MOST))
    assert str(MOST) in said(qtbot, context, lambda: page.comparison.add(session.candidate(10)))
    page.comparison.remove(4)
    page.comparison.add(session.candidate(10))
    qtbot.waitUntil(lambda: len(page.comparison.compared) == MOST)


def test_a_spectrum_that_comes_late_is_not_drawn_where_it_was_cleared(
    qtbot, page, context, session, monkeypatch
):
    late = LateAnswer(monkeypatch, context.current.prefetch, "get")
    page.comparison.add(session.candidate(4))
    late.wait_until_known(qtbot)
    context.current.go_to(3)
    page.comparison.add(session.candidate(6))
    qtbot.waitUntil(lambda: numbers(page) == {6})
    on_to(qtbot, context, 2)
    late.arrive(qtbot, context.runner)
    assert not page.comparison.compared


def test_a_kept_spectrum_that_comes_late_is_not_compared_with_itself(
    qtbot, page, context, session, monkeypatch
):
    late = LateAnswer(monkeypatch, context.current.prefetch, "get")
    page.comparison.keep(True)
    page.comparison.add(session.candidate(4))
    late.wait_until_known(qtbot)
    on_to(qtbot, context, 4)
    late.arrive(qtbot, context.runner)
    assert not page.comparison.compared


def test_reset_and_the_menu_of_a_row(qtbot, page, context, session):
    overlay(qtbot, page, context)
    context.commands.run("reset")
    assert not page.comparison.compared
    page.dock_area.show_queue()
    queue = page.docks["queue"].part
    qtbot.waitUntil(lambda: queue.model.blocks.row(3) is not None)
    row = queue.model.blocks.row(3)
    queue.row_menu.open_at(QPoint(10, queue.table.rowViewportPosition(3) + 3))
    next(each for each in queue.row_menu.menu.actions() if "Compare" in each.text()).trigger()
    queue.row_menu.menu.close()
    qtbot.waitUntil(lambda: numbers(page) == {row.candidate.id})


def test_dates_of_headers_and_lists_are_iso():
    for header, own, date in [
        ({"DATE-OBS": "2014-02-19T12:00:00"}, {"mjd": 51544}, "2014-02-19"),
        ({"MJD": 55859}, {}, "2011-10-25"),
        ({}, {"obsdate": "2018-10-05"}, "2018-10-05"),
        ({}, {"MJD": "51544.5"}, "2000-01-01"),
        ({"DATE-OBS": "yesterday", "MJD": -1}, {"date": 20}, ""),
        ({}, {"Obs Date": "x", "obsdate": "2018-10-05T10:00", "mag": 3}, "2018-10-05"),
        ({}, {"mjd": None}, ""),
    ]:
        assert observation_date(header, own) == date
    for value in ["", None, True, "nan", "inf", 0, -4e9, 1e300, "2014"]:
        assert date_of_mjd(value) == ""


def opened(qtbot, page):
    press_tool(qtbot, page.tools, "compare")
    qtbot.waitUntil(page.compare.isVisible)
    return page.compare


def test_the_popover_and_what_its_button_says(qtbot, page, context):
    button = page.tools.buttons["compare"]
    assert button.text() == "Compare ▾" and not button.isChecked()
    control = opened(qtbot, page)
    click(qtbot, control.epochs)
    qtbot.waitUntil(lambda: button.text() == "Compare 2 ▾")
    assert button.isChecked()
    click(qtbot, control.lines[0][1])
    assert button.text() == "Compare 1 ▾"
    click(qtbot, control.clear)
    assert button.text() == "Compare ▾" and not control.lines
    popover = page.tools.popovers["compare"]
    popover.close()
    control = opened(qtbot, page)
    before = popover.geometry()
    click(qtbot, control.epochs)
    qtbot.waitUntil(lambda: popover.height() > before.height())
    click(qtbot, control.clear)
    qtbot.waitUntil(lambda: popover.geometry() == before)
    popover.close()
    control = opened(qtbot, page)
    tick(qtbot, control.kept)
    assert page.comparison.is_kept
    click(qtbot, control.modes[RATIO])
    assert page.ratio.mode == RATIO and control.modes[RATIO].isChecked()
    assert not control.modes[OFF].isChecked()
    click(qtbot, control.modes[OFF])
    assert page.ratio.mode == OFF
    popover.close()


def medians(page, window):
    curves = [page.plot.plot.curve, *page.overlays._curves.values()]
    inside = [
        each.flux[(each.wavelength >= window[0]) & (each.wavelength <= window[1])]
        for each in curves
    ]
    return [float(np.nanmedian(each)) if each.size else 0.0 for each in inside]


def test_they_are_there_when_they_were_ready_before_the_spectrum(qtbot, page, context, monkeypatch):
    overlay(qtbot, page, context)
    show_made, held = page.plot._show_made, []
    monkeypatch.setattr(spectrum_panel, "takes_long", lambda *_: True)
    monkeypatch.setattr(page.plot, "_show_made", lambda *made: held.append(made))
    context.view.change(flux="normalised")
    qtbot.waitUntil(lambda: bool(held) and len(page.overlays._traces) == 2)
    show_made(*held[0])
    assert medians(page, (6000.0, 9000.0)) == pytest.approx([1.0] * 3, abs=0.1)


def test_they_have_the_median_of_the_window_and_the_axis_and_look_of_the_plot(page, qtbot, context):
    assert page.overlays.legend is None and not page.overlays._curves
    overlay(qtbot, page, context)
    first, *others = medians(page, (4000.0, 9000.0))
    assert len(others) == 2 and others == pytest.approx([first] * 2, rel=0.15)
    context.view.set_window((6400.0, 6700.0))
    first, *others = medians(page, (6400.0, 6700.0))
    assert others == pytest.approx([first] * 2, rel=2e-3)
    before = medians(page, (4000.0, 9000.0))
    context.view.change(flux_log=True)
    assert medians(page, (4000.0, 9000.0)) == pytest.approx(np.log10(before), abs=0.02)
    context.view.change(flux_log=False, flux="normalised")
    qtbot.waitUntil(lambda: page.plot.plot.trace.quantity == "normalised")
    qtbot.waitUntil(lambda: medians(page, (6000.0, 9000.0)) == pytest.approx([1.0] * 3, abs=0.1))
    curve = page.overlays._curves[0]
    rough = np.nanstd(np.diff(curve.flux))
    context.view.change(smoothing=4)
    assert np.nanstd(np.diff(curve.flux)) < 0.7 * rough
    context.current_theme.use(DARK)
    assert curve.theme is DARK and page.overlays.legend.theme is DARK


def test_a_click_in_the_legend_hides_and_its_cross_removes(qtbot, page, context):
    overlay(qtbot, page, context)
    legend, plot = page.overlays.legend, page.plot.plot
    qtbot.waitUntil(lambda: len(legend.compared) == 2)
    name = text_of(legend.compared[0])
    assert name.startswith(legend.compared[0].candidate.name)

    def click(rect):
        at = plot.mapFromScene(legend.mapToScene(rect.center()))
        qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=at)

    window = page.plot.window_now
    click(legend.row_rect(0))
    assert [each.is_shown for each in page.comparison.compared] == [False, True]
    slot = page.comparison.compared[0].slot
    assert not page.overlays._curves[slot].flux.size
    click(legend.row_rect(0))
    assert page.overlays._curves[slot].flux.size
    click(legend.cross_rect(1))
    assert len(page.comparison.compared) == 1 and page.plot.window_now == window


def test_medians_where_they_meet():
    one, other = trace(spectrum()), trace(spectrum())
    assert same_median(one, other, None) == pytest.approx(1.0)
    assert same_median(one, other, (1.0, 2.0)) == pytest.approx(1.0)

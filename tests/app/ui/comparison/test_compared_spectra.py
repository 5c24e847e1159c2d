"""Which spectra are compared: epochs, rows of the list, kept or not."""

from __future__ import annotations

from PySide6.QtCore import QPoint

from app.ui.comparison.compared_spectra import MOST
from tests.app.ui.comparison.conftest import overlay, put


def numbers(page):
    return {each.candidate.id for each in page.comparison.compared}


def test_epochs_are_found_and_taken_away_again(qtbot, page, context):
    overlay(qtbot, page, context)
    assert numbers(page) == {5, 9}
    dated = next(each for each in page.comparison.compared if each.candidate.id == 5)
    assert dated.facts[0].count("-") == 2
    context.commands.run("overlay_epochs")
    qtbot.waitUntil(lambda: not page.comparison.compared)


def test_a_source_without_other_epochs_is_told(qtbot, page, context):
    context.current.go_to(3)
    with qtbot.waitSignal(context.current.message) as signal:
        context.commands.run("overlay_epochs")
    assert "No other epoch" in signal.args[0]


def test_they_go_with_the_candidate_unless_kept(qtbot, page, context):
    overlay(qtbot, page, context)
    context.current.go_to(3)
    assert not page.comparison.compared
    context.current.go_to(2)
    qtbot.waitUntil(lambda: context.current.is_painted)
    overlay(qtbot, page, context)
    page.comparison.keep(True)
    context.current.go_to(5)
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert numbers(page) == {9}  # that on screen is not compared with itself


def test_a_row_of_the_queue_is_compared_from_its_menu(qtbot, page, context):
    page.dock_area.show_queue()
    table = page.docks["queue"].part.table
    qtbot.waitUntil(lambda: page.docks["queue"].part.model.blocks.row(3) is not None)
    row = page.docks["queue"].part.model.blocks.row(3)
    page.docks["queue"].part.row_menu.open_at(QPoint(10, table.rowViewportPosition(3) + 3))
    menu = page.docks["queue"].part.row_menu.menu
    compare = [each for each in menu.actions() if "Compare" in each.text()]
    compare[0].trigger()
    menu.close()
    qtbot.waitUntil(lambda: numbers(page) == {row.candidate.id})


def test_no_more_than_the_most_and_each_once(qtbot, page, context, session):
    for number in (3, 4, 5, 6, 7, 8):
        page.comparison.add(session.candidate(number))
    page.comparison.add(session.candidate(3))
    qtbot.waitUntil(lambda: len(page.comparison.compared) == MOST)
    assert {each.slot for each in page.comparison.compared} == set(range(MOST))
    with qtbot.waitSignal(context.current.message) as signal:
        page.comparison.add(session.candidate(10))
    assert str(MOST) in signal.args[0]
    page.comparison.remove(4)
    page.comparison.add(session.candidate(10))
    qtbot.waitUntil(lambda: len(page.comparison.compared) == MOST)


def test_the_current_one_and_unreadable_ones_are_told(qtbot, page, context, session, tmp_path):
    with qtbot.waitSignal(context.current.message) as message:
        page.comparison.add(session.candidate(2))
    assert "on screen" in message.args[0]
    put(session, 7, path=str(tmp_path / "gone.fits"))
    with qtbot.waitSignal(context.current.failed) as failed:
        page.comparison.add(session.candidate(7))
    assert "gone.fits" in failed.args[0]
    assert not page.comparison.compared


def test_what_arrives_after_the_candidate_has_gone_is_dropped(qtbot, page, context, session):
    page.comparison.add(session.candidate(4))
    context.current.go_to(3)
    page.comparison.add(session.candidate(6))
    qtbot.waitUntil(lambda: numbers(page) == {6})


def test_resetting_the_overlays_takes_them_away(qtbot, page, context):
    overlay(qtbot, page, context)
    context.commands.run("reset")
    assert not page.comparison.compared

"""The strip of similar spectra and the order by likeness, used as a person would."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from sqlalchemy import update

from app.core.database.session_file import side_file
from app.core.database.tables import candidates
from app.core.queue import Sort
from app.core.session.records import Opinion, Verdict
from app.core.similar.features import features
from app.core.similar.index import SUFFIX, index_of
from app.core.spectra.prefetch import spectrum_key
from app.ui.judge.judging_page import JudgingPage
from app.ui.judge.similar import similar_feed
from tests.app.ui.judge.plot.conftest import double_click, on_to
from tests.app.ui.steps import click, shown_in
from tests.bench.bench_similar import unit
from tests.processes import LONG_S

COUNT = 12


@pytest.fixture
def page(qtbot, context, session):
    made = JudgingPage(context)
    context.commands.add("next", context.current.next)
    shown_in(qtbot, made, 1280, 800)
    on_to(qtbot, context, 2)
    yield made
    made.dock_area.stop()


@pytest.fixture
def strip(qtbot, page, context):
    """Open, with all spectra of the session read."""
    part = page.docks["similar"].part
    with qtbot.waitSignal(part.feed.ended):
        context.commands.run("show_similar")
    qtbot.waitUntil(lambda: part.panel is not None and shown(page) == nearest(context))
    return part.panel


def shown(page):
    cells = page.docks["similar"].part.panel.cells
    return [cell.neighbour.row.candidate.id for cell in cells if cell.neighbour]


def nearest(context, count=6):
    """As a plain sort of all spectra of the session has them."""
    current, vectors = context.current, {}
    for each in context.bridge.session.candidates(range(1, COUNT + 1)):
        vectors[each.id] = unit(features(current.prefetch.get(spectrum_key(each))))
    here = vectors.pop(current.candidate.id)
    return sorted(vectors, key=lambda number: -float(here @ vectors[number]))[:count]


def test_nothing_is_read_until_it_is_wanted(qtbot, page, context, session):
    assert page.docks["similar"].isHidden() and len(index_of(session.database)) == 0
    assert not side_file(session.location, SUFFIX).exists()
    with qtbot.waitSignal(page.docks["similar"].part.feed.ended):
        context.commands.run("more_like_this")
    expected = nearest(context, 1)
    assert page.docks["similar"].part.panel is None and side_file(session.location, SUFFIX).exists()
    context.commands.run("next")
    assert [context.current.candidate.id] == expected


@pytest.mark.parametrize("most", [10**9, 2])
def test_reading_waits_for_other_work_but_not_for_ever(qtbot, page, context, monkeypatch, most):
    monkeypatch.setattr(similar_feed, "MOST_WAITS", most)
    feed, goes_on = page.docks["similar"].part.feed, threading.Event()
    qtbot.waitUntil(lambda: not context.runner.is_busy)
    context.runner.run(lambda: goes_on.wait(LONG_S))
    with qtbot.waitSignal(feed.ended):
        context.commands.run("show_similar")
        if most > 2:
            qtbot.waitUntil(lambda: feed._waits > 2)
            assert not len(index_of(context.bridge.session.database))
            goes_on.set()
    goes_on.set()


def test_it_shows_the_six_nearest_and_follows_the_candidate(qtbot, strip, page, context):
    likeness = [cell.neighbour.likeness for cell in strip.cells]
    assert likeness == sorted(likeness, reverse=True) and strip.note.text() == "among 12 spectra"
    context.commands.run("next")
    assert shown(page) == []
    qtbot.waitUntil(lambda: shown(page) == nearest(context))
    assert 3 not in shown(page)
    spectrum = context.current.spectrum
    context.current._set_spectrum(replace(spectrum, flux=np.zeros(len(spectrum)), ivar=None))
    qtbot.waitUntil(lambda: "too little" in strip.note.text())
    assert shown(page) == []
    context.commands.run("show_similar")
    assert not strip.isVisible()


def test_clicks_lay_it_over_the_spectrum_and_go_there(qtbot, strip, page, context):
    cell = strip.cells[1]
    click(qtbot, cell)
    qtbot.waitUntil(lambda: cell.slot is not None)
    number = cell.neighbour.row.candidate.id
    assert [each.candidate.id for each in page.comparison.compared] == [number]
    assert cell.accessibleDescription() == "compared"
    click(qtbot, cell)
    assert cell.slot is None and not page.comparison.compared
    wanted = strip.cells[0].neighbour.row.candidate.id
    double_click(strip.cells[0], strip.cells[0].rect().center())
    assert context.current.candidate.id == wanted
    qtbot.waitUntil(lambda: len(shown(page)) == 6)
    wanted = strip.cells[2].neighbour.row.candidate.id
    strip.cells[2].customContextMenuRequested.emit(QPoint(5, 5))
    qtbot.waitUntil(strip.menu.isVisible)
    strip.menu.actions()[0].trigger()
    strip.menu.close()
    assert context.current.candidate.id == wanted


def test_more_like_this_orders_the_queue(qtbot, strip, page, context):
    expected = nearest(context, COUNT)
    click(qtbot, strip.more)
    assert context.current.queue.sort == Sort("like", like=2)
    walked = []
    for _ in expected:
        context.commands.run("next")
        walked.append(context.current.candidate.id)
    order = page.docks["queue"].part.filters.order.text()
    assert walked == expected and order.startswith("most like")


def test_further_examples_and_counter_examples_come_from_the_menu(qtbot, strip, page, context):
    current, numbers = context.current, [cell.neighbour.row.candidate.id for cell in strip.cells]
    for cell, text in ((0, "More like this one, too"), (5, "Less like this one"), (0, "Less")):
        strip.cells[cell].customContextMenuRequested.emit(QPoint(5, 5))
        qtbot.waitUntil(strip.menu.isVisible)
        next(each for each in strip.menu.actions() if each.text().startswith(text)).trigger()
        strip.menu.close()
        if cell == 5:
            sort = Sort("like", like=2, examples=(numbers[0],), counter_examples=(numbers[5],))
            assert current.queue.sort == sort
    assert current.queue.sort == Sort("like", like=2, counter_examples=(numbers[5], numbers[0]))


def test_the_tiles_show_your_verdict_and_no_agents(qtbot, strip, page, context, session):
    number = strip.cells[0].neighbour.row.candidate.id
    with session.database.writing() as connection:
        every = {"agent_verdict": "YES", "agent_p_yes": 0.97, "label": "CV"}
        connection.execute(update(candidates).values(every))
    context.current.blind_mode.set_on(True)
    session.record_verdict(number, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: strip.cells[0].mark == "✓")
    assert strip.cells[0].neighbour.row.candidate.agent_verdict == "YES"
    for cell in strip.cells:
        said = f"{cell.text()} {cell.toolTip()} {cell.accessibleName()} {cell.likeness}"
        assert "YES" not in said and "0.97" not in said and "CV" not in said
    assert [cell.mark for cell in strip.cells[1:]] == [""] * 5
    context.current.blind_mode.set_repeats([number])
    context.commands.run("next")
    context.current.previous()
    qtbot.waitUntil(lambda: shown(page) == nearest(context))
    assert strip.cells[0].mark == ""

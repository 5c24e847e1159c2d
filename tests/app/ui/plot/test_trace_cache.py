"""Curves made by the thread that reads ahead, and used when their spectrum is shown."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest

from app.core.queue import LIST_ORDER, row_of
from app.core.spectra.prefetch import Prefetch, spectrum_key
from app.ui.candidate.view_options import View
from app.ui.plot import trace_cache
from app.ui.plot.trace import asked_trace
from app.ui.plot.trace_cache import TraceCache
from tests.app.ui.plot.spectra import spectrum
from tests.app.ui.plot.steps import on_to


@pytest.fixture
def view() -> View:
    return View()


@pytest.fixture
def prefetch() -> Iterator[Prefetch]:
    with Prefetch() as made:
        yield made


def test_a_prepared_curve_is_the_one_that_is_drawn_until_the_options_change(view, prefetch):
    made, traces = spectrum(), TraceCache(view, prefetch)
    traces.prepare(made)
    drawn = traces.trace(made, asked_trace(view.options))
    assert traces.trace(made, asked_trace(view.options)) is drawn
    assert (drawn.range, False) in drawn.flux_ranges
    view.change(smoothing=3)
    smoothed = traces.trace(made, asked_trace(view.options))
    assert smoothed is not drawn and smoothed.smoothing_px == view.options.smoothing_px


def test_the_flux_range_of_a_kept_window_is_prepared(view, prefetch):
    view.set_window((6400.0, 6700.0))
    made, traces = spectrum(), TraceCache(view, prefetch)
    traces.prepare(made)
    assert ((6400.0, 6700.0), False) in traces.trace(made, (0.0, "file", False)).flux_ranges


def test_a_curve_lives_as_long_as_its_spectrum(view, prefetch):
    made, traces = spectrum(), TraceCache(view, prefetch)
    traces.prepare(made)
    drawn = weakref.ref(traces.trace(made, asked_trace(view.options)))
    del made
    gc.collect()
    assert drawn() is None


def test_a_spectrum_that_was_read_ahead_is_shown_without_making_its_curve(
    qtbot, context, panel, monkeypatch
):
    following = spectrum_key(row_of(context.bridge.session, 2, LIST_ORDER).candidate)
    qtbot.waitUntil(lambda: context.current.prefetch.peek(following) is not None)
    threads, real = [], trace_cache.trace

    def noted(*asked):
        threads.append(threading.current_thread())
        return real(*asked)

    monkeypatch.setattr(trace_cache, "trace", noted)
    on_to(qtbot, context, 2)
    asked = asked_trace(context.view.options)
    assert panel.plot.trace is panel._traces.trace(context.current.spectrum, asked)
    assert threading.main_thread() not in threads

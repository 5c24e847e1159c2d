"""The row of diagnostic windows: their keys, the one on screen, and what is drawn in them."""

from dataclasses import replace

import pytest

from app.core.spectra.prefetch import spectrum_key
from app.ui.judge.diagnostic_windows.windows_row import WindowsRow, measured_texts, short_texts
from app.ui.judge.plot.canvas.plot_box import Scale
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.plot.trace import asked_trace
from tests.app.ui.judge.plot.spectra import spectrum
from tests.app.ui.steps import click, shown_in


@pytest.fixture
def row(qtbot, context):
    panel = shown_in(qtbot, SpectrumPanel(context), 900, 100)
    made = shown_in(qtbot, WindowsRow(context, panel), 900, 100)
    made.panel = panel
    context.current.start()
    qtbot.waitUntil(lambda: panel.spectrum is not None)
    return made


def marked(row):
    return [each.text() for each in row.cells if each.is_current]


def test_windows_are_shown_by_click_and_action_round_and_round(qtbot, row, context):
    window = context.current.session.task.windows[1]
    click(qtbot, row.cells[1])
    assert context.view.window == window.range and context.view.window_name == window.label
    assert marked(row) == [window.label] and row.cells[1].accessibleDescription() == "on screen"
    click(qtbot, row.cells[0])
    context.view.set_window((5000.0, 5100.0))
    assert marked(row) == []
    context.view.set_window(None)
    labels = [each.label for each in context.current.session.task.windows]
    context.commands.run("next_window")
    assert context.view.window_name == labels[0]
    context.commands.run("previous_window")
    assert context.view.window_name == labels[-1]
    context.commands.run("next_window")
    assert context.view.window_name == labels[0]
    context.commands.run("window_3")
    assert context.view.window_name == labels[2]
    assert not context.commands.can(f"window_{len(labels) + 1}")
    context.view.change(z=0.01)
    click(qtbot, row.cells[0])
    low, high = context.current.session.task.windows[0].range
    assert context.view.window == pytest.approx((low * 1.01, high * 1.01))
    context.view.set_window(None)
    context.view.change(z=0.4)
    outside = [each for each in row.cells if not each.is_covered]
    assert outside
    with qtbot.waitSignal(context.current.message) as signal:
        click(qtbot, outside[0])
    assert outside[0].text() in signal.args[0] and context.view.window is None
    for _ in row.cells:
        context.commands.run("next_window")
        assert context.view.window_name not in [each.text() for each in outside]


def test_buttons_show_keys_and_what_to_look_for(row, context, qtbot):
    window = context.current.session.task.windows[0]
    tip = row.cells[0].toolTip()
    assert window.look in tip and window.mimics.split(".")[0] in tip
    assert [each.key for each in row.cells][:2] == ["F2", "F3"]
    context.settings.change(keys={"window_1": ("Alt+1",)})
    assert row.cells[0].key == "Alt+1" and "Alt+1" in row.cells[0].accessibleName()
    low, high = row.cells[1].window_of_task.range
    context.agent.shown.look_changed.emit((low + 5.0, high), "a look")
    assert [each.is_looked_at for each in row.cells].index(True) == 1
    context.agent.shown.look_changed.emit(None, "")
    assert not any(each.is_looked_at for each in row.cells)
    session = context.current.session
    window = replace(session.task.windows[0], label="<b>x", look="<img src=x>", mimics="<u>")
    session.task = replace(session.task, windows=(window,))
    made = WindowsRow(context, row.panel)
    qtbot.addWidget(made)
    assert "<img" not in made.cells[0].toolTip() and "&lt;img" in made.cells[0].toolTip()


def drawn(cell):
    return cell.curves["flux"][0]


def test_each_shows_its_part_and_follows_velocity_and_smoothing(qtbot, row, context):
    qtbot.waitUntil(lambda: all(each.number for each in row.cells))
    for cell in row.cells:
        low, high = cell.window_of_task.range
        assert low <= drawn(cell)[0] < drawn(cell)[-1] <= high and cell.number.endswith(" Å")
        assert cell.numbers[0] in cell.toolTip()
    assert any("Å" in each.numbers[0] for each in row.cells)
    context.view.change(z=0.01)
    low, _ = row.cells[0].window_of_task.range
    assert drawn(row.cells[0])[0] >= low * 1.01 and row.cells[0].number == ""
    _, sharp = row.cells[0].curves["flux"]
    context.view.change_smoothing(4)
    assert (row.cells[0].curves["flux"][1] != sharp).any()
    assert (row.cells[0].curves["error_band"][1] == sharp).any()


def test_what_is_painted_of_the_next_object_is_made_before_its_key(qtbot, row, context):
    current, panel = context.current, row.panel
    with qtbot.waitSignals([panel.plot.painted, panel._preparing.timeout]):
        current.next()
    asked = asked_trace(context.view.options)

    def ahead():
        near = current.repeat_round.neighbours_of(current.row).ahead
        spectrum = near and current.prefetch.peek(spectrum_key(near[0].candidate))
        return spectrum and panel.traces.made_ahead(spectrum, asked)

    qtbot.waitUntil(lambda: bool(ahead()))
    panel._preparing.start()  # on a busy machine it was not read yet when the time was up
    qtbot.waitUntil(lambda: bool(ahead()._polylines))
    made, axes = ahead(), (panel.plot.wavelength_axis, panel.plot.flux_axis)
    kept = made._polylines, made.curves, made.columns, panel.plot.marks._placed
    before = [list(each) for each in (*kept, *(axis._contents for axis in axes))]
    assert len(made.curves) == 2 and len(made._polylines) == len(row.cells)
    with qtbot.waitSignal(panel.plot.painted):
        current.next()
    panel.minimap.grab()
    row.grab()
    assert panel.plot.trace is made
    assert [list(each) for each in (*kept, *(axis._contents for axis in axes))] == before
    for cell in row.cells:
        assert Scale(*cell.ranges, *cell.size_in_dots) in made._polylines


def test_a_window_in_a_gap_of_the_spectrum_is_not_covered(row, context, monkeypatch):
    whole, (low, high) = context.current.spectrum, row.windows[1].range
    gap = (whole.wavelength >= low) & (whole.wavelength <= high)
    monkeypatch.setattr(context.current, "spectrum", replace(whole, ivar=None, mask=gap))
    context.view.set_window(None)
    row._mark()
    assert [each.is_covered for each in row.cells[:2]] == [True, False]
    assert "Not covered by this spectrum." in row.cells[1].toolTip()
    context.commands.run("window_2")
    assert context.view.window is None


def test_texts_of_noise_and_strongest_line_in_ever_fewer_words():
    for has_errors in [True, False]:
        observed = spectrum() if has_errors else spectrum(ivar=None)
        ((text, *_),) = measured_texts(observed, [(6400.0, 6750.0)], 0.0)
        assert text.startswith("S/N ") and " · Hα −39.0 ± " in text
    line = {"name": "HeI_5876", "centroid": 5875.6, "ew": -5.38, "ew_error": 0.12, "sigma": 45.0}
    assert short_texts({"snr": 68.7, "lines": [line]}) == (
        "S/N 68.7 · He I 5876 −5.38 ± 0.12 Å", "He I 5876 −5.38 ± 0.12 Å", "−5.38 ± 0.12 Å",
        "S/N 68.7",
    )  # fmt: skip
    assert short_texts({"snr": 12.3}) == ("S/N 12.3",)

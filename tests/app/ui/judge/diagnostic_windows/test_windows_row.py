"""The row of diagnostic windows: their keys, the one on screen, what is drawn and said in them."""

from dataclasses import replace

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

from agent.tasks.catalogue import find_task, load_tasks
from app.core.spectra.prefetch import spectrum_key
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import load_table
from app.ui.judge.diagnostic_windows.windows_row import (
    WindowCell,
    WindowsRow,
    measured_texts,
    short_names,
    short_texts,
)
from app.ui.judge.plot.canvas.plot_box import Scale
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.plot.trace import asked_trace
from app.ui.widgets.plot_cell import PAD
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
    with qtbot.waitSignal(panel._preparing.timeout):
        panel._preparing.start()  # on a busy machine it was not read, or laid out, the first time
    qtbot.waitUntil(lambda: bool(ahead()._polylines))
    made, axes = ahead(), (panel.plot.wavelength_axis, panel.plot.flux_axis)
    kept = made._polylines, made.curves, made.columns, panel.plot.marks._placed
    before = [list(each) for each in (*kept, *(axis._contents for axis in axes))]
    assert len(made.curves) == 2 and len(made._polylines) == len(row.cells)
    panel._preparing.setInterval(60_000)  # or a busy machine prepares the one after it as well
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
        ((text, *_),) = measured_texts(observed, find_task("CV").windows[:1], 0.0)
        assert text.startswith("S/N ") and " · Hα −39.0 ± " in text
    line = {"name": "HeI_5876", "centroid": 5875.6, "ew": -5.38, "ew_error": 0.12, "sigma": 45.0}
    band = {"name": "OI_7774", "kind": "", "centroid": 7781.3, "ew": -1.84, "sigma": 60.0}
    numbers = {"snr": 68.7, "lines": [band, {**line, "kind": "emission"}], "feature": band}
    assert short_texts(numbers, "He I 5876 and Na D") == TEXTS
    assert short_texts(numbers, "He I 5876") == TEXTS
    without_name = TEXTS[2]
    others = tuple(text for text in TEXTS if text != without_name)
    for title in ("Hα and He I 5876", "He I", "Balmer series", ""):
        assert short_texts(numbers, title) == others
    within_its_error = {**line, "kind": "emission", "ew": -0.2}
    for alone in (band, within_its_error):
        assert short_texts({"snr": 12.3, "lines": [alone]}, "Hα") == ("S/N 12.3",)


TEXTS = (
    "S/N 68.7 · He I 5876 −5.38 ± 0.12 Å",
    "He I 5876 −5.38 ± 0.12 Å",
    "−5.38 ± 0.12 Å",
    "He I 5876",
    "S/N 68.7",
)


@pytest.fixture
def cell(qtbot):
    page = shown_in(qtbot, QWidget(), 600, 120)
    made = WindowCell(find_task("CV").windows[0], CurrentTheme(), page)
    made.page = page
    made.show_numbers(TEXTS)
    made.show()
    return made


def wide(cell, text):
    return QFontMetrics(cell.text_font).horizontalAdvance(text) + 2 * PAD


def test_as_many_words_as_fit_down_to_the_narrowest_cell(cell):
    for number in range(len(TEXTS)):
        cell.resize(wide(cell, TEXTS[number]), 100)
        assert cell.number == TEXTS[number]
        if number + 1 < len(TEXTS):
            cell.resize(cell.width() - 1, 100)
            assert cell.number == TEXTS[number + 1]
    cell.resize(WindowCell.min_width_px, 100)
    assert cell.number in TEXTS and wide(cell, cell.number) <= WindowCell.min_width_px
    cell.resize(300, 100)
    before = cell.grab().toImage()
    cell.show_numbers(())
    assert cell.number == "" and cell.grab().toImage() != before


def test_the_name_is_as_short_as_need_be_and_the_key_goes_before_it_is_cut(cell):
    cell.key = "F2"
    titles = []
    for width in range(300, WindowCell.min_width_px // 2, -1):
        cell.resize(width, 100)
        titles.append(cell.title)
        assert wide(cell, " ".join(cell.title).strip()) <= width + PAD
    assert list(dict.fromkeys(titles)) == [("Hα and He I 6678", "F2"), ("Hα", "F2")]
    cell.resize(wide(cell, "Hα") + 2, 100)
    assert cell.title == ("Hα", "")


SHORTER = {
    "He II 4686, Hβ, [O III]": ("He II 4686, Hβ", "He II 4686", "He II"),
    "Hα and He I 6678": ("Hα",), "Balmer series": ("Balmer",),
    "Ca II triplet and Paschen": ("Ca II triplet", "Ca II"),
    "Ca II K and Hε": ("Ca II K", "Ca II"),
    "TiO of the companion, Na I 8190": ("TiO of the companion", "TiO"),
    "High Balmer lines and Ca II K": ("High Balmer lines", "High Balmer", "Balmer"),
    "M dwarf companion, Paschen": ("M dwarf companion", "M dwarf"),
    "G band, CN 4216, Ca I 4227": ("G band, CN 4216", "G band"),
    "ZrO 6474 excluded": ("ZrO 6474", "ZrO"), "Na D": (), "[O III]": (), "巴耳末线系": ("巴耳末",),
    "Ca II 三重线与帕邢线": ("Ca II 三重线", "Ca II"), "排除 He II 4686": ("He II 4686", "He II"),
    "高次巴耳末线与 Ca II K": ("高次巴耳末线", "高次巴耳末", "巴耳末"),
    "伴星的 TiO、Na I 8190": ("伴星的 TiO", "TiO"), "": (),
}  # fmt: skip


def test_ever_shorter_names_down_to_the_narrowest_cell():
    for label in SHORTER:
        assert short_names(label) == (label, *SHORTER[label])
    labels = {window.label for task in load_tasks() for window in task.windows}
    assert len(labels) > 30
    assert max(len(short_names(label)[-1]) for label in labels) <= len("M dwarf")
    chinese = load_table("tasks", "zh")
    assert max(len(short_names(chinese[label])[-1]) for label in labels) <= len("He II")


def test_texts_keep_off_the_frame(cell):
    """Nothing but the ground stands within five pixels of the edge."""
    cell.key, clear = "F2", 3  # and two of the frame
    cell.resize(300, 100)
    cell.curves = {}
    picture = cell.grab().toImage()
    ground = picture.pixelColor(150, 50)
    inner = cell.rect().adjusted(2, 2, -2, -2)
    edges = [
        inner.adjusted(0, 0, 0, clear - inner.height()),
        inner.adjusted(0, inner.height() - clear, 0, 0),
        inner.adjusted(0, 8, clear - inner.width(), -8),
        inner.adjusted(inner.width() - clear, 8, 0, -8),
    ]
    for edge in edges:
        for x in range(max(edge.left(), 8), min(edge.right(), inner.right() - 8) + 1):
            for y in range(edge.top(), edge.bottom() + 1):
                assert picture.pixelColor(x, y) == ground, (x, y)

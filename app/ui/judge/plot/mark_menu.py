"""What the menu of the plot offers for the line mark under the mouse."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication

from agent.spectra.lines import Line
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Window
from app.ui.judge.plot.marks import Mark
from app.ui.judge.plot.measure_tool import MeasureTool
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.session.session_context import SessionContext

translate = QCoreApplication.translate
BESIDE_KMS = 1000.0
"""Where the continuum is taken on each side of a line that has no windows of its own."""
Entry = tuple[str, Callable[[], object]]


def mark_entries(
    mark: Mark, panel: SpectrumPanel, context: SessionContext, measure: MeasureTool
) -> list[Entry]:
    line, view = mark.line, context.view
    entries: list[Entry] = []
    if not mark.is_band:
        is_shown = view.options.velocity_line == line
        text = translate("mark_menu", "Velocity about {line}")
        if is_shown:
            text = translate("mark_menu", "Wavelengths instead of velocity about {line}")
        change = partial(view.change, velocity_line=None if is_shown else line)
        entries.append((text.replace("{line}", line.label), change))
        text = translate("mark_menu", "Measure {line} here").replace("{line}", line.label)
        entries.append((text, partial(measure.measure, *around(line, view.options.z))))
    frame = panel.frame.of_wavelengths
    for text, is_rest in (
        (translate("mark_menu", "Copy its rest wavelength, {at}"), True),
        (translate("mark_menu", "Copy its observed wavelength, {at}"), False),
    ):
        number = replace(frame, is_rest=is_rest).text(mark.wavelength, 2)
        copy = partial(QGuiApplication.clipboard().setText, number)
        entries.append((text.replace("{at}", number), copy))
    drawn = view.options.line_sets
    drawn = frozenset(context.bridge.session.task.lines) if drawn is None else drawn
    group = panel.lines.lists.set_of(line)
    if group is not None and group.name in drawn:
        text = translate("mark_menu", "Hide these lines: {set}").replace("{set}", group.title)
        entries.append((text, partial(view.change, line_sets=drawn - {group.name})))
    return entries


def around(line: Line, z: float) -> Window:
    """Points of the continuum beside a line, observed."""
    stretch = 1.0 + z
    if len(line.continuum) == 2:
        low, high = (0.5 * (window[0] + window[1]) for window in sorted(line.continuum))
    else:
        apart = line.wavelength * BESIDE_KMS / LIGHT_KMS
        low, high = line.wavelength - apart, line.wavelength + apart
    return low * stretch, high * stretch

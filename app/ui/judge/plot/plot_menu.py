"""The menu of the plot: copy what is under the mouse, measure, go to a window, save."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QMenu

from app.ui.base.actions.actions import ACTIONS
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.plot.line_fit.fit_tool import FitTool
from app.ui.judge.plot.mark_menu import Entry, mark_entries
from app.ui.judge.plot.measure_tool import MeasureTool
from app.ui.judge.plot.readout import readout_text
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import add_action, one_line

COMMANDS = (
    *("measure", "withdraw_measurement", "fit_velocity", "overlay_epochs", "more_like_this", ""),
    *("whole", "autoscale", ""),
)
AFTER_WINDOWS = ("snapshot", "save_spectrum", "copy_range", "", "open_simbad", "open_aladin")
MAX_LOOKS, MAX_LABEL = 6, 50


class PlotMenu(QObject):
    look_chosen = Signal()  # a look of the agent is on the plot; its answer is in the agent's panel

    def __init__(
        self, panel: SpectrumPanel, context: SessionContext, measure: MeasureTool, fit_tool: FitTool
    ) -> None:
        super().__init__(panel)
        self._panel, self._context, self._measure = panel, context, measure
        self._fit_tool = fit_tool
        self.menu = QMenu(panel)
        self.windows = QMenu(self.tr("Go to window"), self.menu)
        for number, window in enumerate(context.bridge.session.task.windows, 1):
            name = task_text(window.label)
            add_action(self.windows, name, partial(context.commands.run, f"window_{number}"))
        panel.plot.stage.menu_requested.connect(self.open_at)

    def open_at(self, wavelength: float) -> None:
        panel, spectrum = self._panel, self._panel.spectrum
        if spectrum is None:
            return
        self.menu.clear()
        mark = panel.plot.marks.at(panel.plot.stage.scale_now.x(wavelength))
        of_mark = [] if mark is None else mark_entries(mark, panel, self._context, self._measure)
        fits = self._fit_tool.entries_at(wavelength)
        text = readout_text(spectrum, wavelength, panel.frame, drawn=panel.plot.trace)
        copy = self.tr("Copy {text}").replace("{text}", text)
        copies = [(copy, partial(QGuiApplication.clipboard().setText, text))]
        for entries in (of_mark, fits, self._looks_at(wavelength), copies):
            for title, call in entries:
                add_action(self.menu, title, call)
            if entries:
                self.menu.addSeparator()
        self._add_commands(COMMANDS)
        self.menu.addMenu(self.windows)
        self._add_commands(AFTER_WINDOWS)
        self.menu.popup(QCursor.pos())

    def _looks_at(self, wavelength: float) -> list[Entry]:
        """The agent's looks whose windows hold this wavelength."""
        shown, view = self._context.agent.shown, self._context.view
        entries: list[Entry] = []
        look, label = self._panel.plot.look.look, self._panel.plot.look.label
        if look is not None and look[0] <= wavelength <= look[1]:
            go = partial(view.set_window, look, label)
            entries.append((self.tr("Go to the window the agent looks at"), go))
        looks = [(index, step) for index, step in enumerate(shown.steps) if step.is_look]
        for number, (index, step) in enumerate(looks, 1):
            window = shown.observed(step)
            if window is None or not window[0] <= wavelength <= window[1]:
                continue
            text = self.tr("Show look {number} and its answer: {label}")
            text = text.replace("{number}", str(number))
            label = one_line(task_text(" ".join(step.label.split())), MAX_LABEL)
            entries.append((text.replace("{label}", label), partial(self._show_look, index)))
        return entries[:MAX_LOOKS]

    def _show_look(self, index: int) -> None:
        self.look_chosen.emit()
        self._context.agent.shown.replay(index)

    def _add_commands(self, names: tuple[str, ...]) -> None:
        commands, keymap = self._context.commands, self._context.keymap
        for name in names:
            if not name:
                self.menu.addSeparator()
                continue
            title, key = ACTIONS[name].title, keymap.label(name)
            add_action(self.menu, f"{title}\t{key}" if key else title, partial(commands.run, name))

"""The menu of the plot: copy what is under the mouse, measure, go to a window, save."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QMenu

from app.ui.actions.actions import ACTIONS
from app.ui.plot.readout import readout_text
from app.ui.plot.spectrum_panel import SpectrumPanel
from app.ui.session_context import SessionContext
from app.ui.translation.data_texts import task_text
from app.ui.widgets.menu_actions import add_action

COMMANDS = ("measure", "withdraw_measurement", "", "whole", "autoscale", "")
AFTER_WINDOWS = ("snapshot", "save_spectrum", "copy_range", "", "open_simbad", "open_aladin")


class PlotMenu(QObject):
    def __init__(self, panel: SpectrumPanel, context: SessionContext) -> None:
        super().__init__(panel)
        self._panel, self._context = panel, context
        self.menu = QMenu(panel)
        self.windows = QMenu(self.tr("Go to window"), self.menu)
        for number, window in enumerate(context.bridge.session.task.windows, 1):
            name = task_text(window.label).replace("&", "&&")
            call = partial(context.commands.run, f"window_{number}")
            add_action(self.windows, name, call)
        panel.plot.menu_requested.connect(self.open_at)

    def open_at(self, wavelength: float) -> None:
        spectrum = self._panel.spectrum
        if spectrum is None:
            return
        self.menu.clear()
        text = readout_text(spectrum, wavelength, self._context.view.options.z)
        copy = self.tr("Copy {text}").replace("{text}", text.replace("&", "&&"))
        self._add(copy, partial(QGuiApplication.clipboard().setText, text))
        self.menu.addSeparator()
        self._add_commands(COMMANDS)
        self.menu.addMenu(self.windows)
        self._add_commands(AFTER_WINDOWS)
        self.menu.popup(QCursor.pos())

    def _add_commands(self, names: tuple[str, ...]) -> None:
        commands, keymap = self._context.commands, self._context.keymap
        for name in names:
            if not name:
                self.menu.addSeparator()
                continue
            title, key = ACTIONS[name].title, keymap.label(name)
            self._add(f"{title}\t{key}" if key else title, partial(commands.run, name))

    def _add(self, text: str, call: Callable[[], object]) -> None:
        add_action(self.menu, text, call)

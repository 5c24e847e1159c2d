"""Tells the window about plug-ins that do not work."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from agent import plugins
from agent.plugins import PluginFault
from app.ui.translation.message_texts import translate_message


class PluginFaults(QObject):
    """Turns the faults of plug-ins, which any thread may find, into a signal of the window."""

    found = Signal(str)
    _reported = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reported.connect(self._show)
        plugins.listeners.append(self._report)
        parent.destroyed.connect(self.stop)

    def stop(self) -> None:
        if self._report in plugins.listeners:
            plugins.listeners.remove(self._report)

    def _report(self, fault: PluginFault) -> None:
        self._reported.emit(str(fault))

    def _show(self, text: str) -> None:
        self.found.emit(translate_message(text))

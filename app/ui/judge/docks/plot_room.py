"""Keeps the plot high enough: where large text leaves it too little, strips around it give way."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, QTimer
from PySide6.QtWidgets import QWidget

from app.ui.judge.docks.dock_area import DockArea
from app.ui.judge.plot.spectrum_panel import SpectrumPanel

LEAST_SHARE = 0.4  # of the height of the window, for the plot


class PlotRoom(QObject):
    """The minimap goes first, then the row of windows, then the row of tools.

    They are hidden one by one, and all come back before a new size of window or text is looked at.
    """

    def __init__(
        self, page: QWidget, panel: SpectrumPanel, docks: DockArea, tools: QWidget
    ) -> None:
        super().__init__(page)
        self._page, self._panel, self._docks, self._tools = page, panel, docks, tools
        self._fitted_for: tuple[QSize, float] | None = None
        # Widgets are not hidden while Qt lays them out.
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit)
        for each in (page, panel, panel.plot):
            each.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange, QEvent.Type.Show):
            self._fitting.start()
        return False

    def _fit(self) -> None:
        if not self._page.isVisible():
            return
        window = self._page.window()
        self._panel.least_px = round(LEAST_SHARE * window.height())
        asked = window.size(), self._page.font().pointSizeF()
        if asked != self._fitted_for:
            self._fitted_for = asked
            self._tools.show()
            self._docks.set_windows_aside(False)
            self._fitting.start()  # once they are laid out
        elif self._panel.height_left < 0 and not self._docks.set_windows_aside(True):
            self._tools.hide()

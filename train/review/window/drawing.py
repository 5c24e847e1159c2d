"""Draws and measures a window of the spectrum in the background; of several only the last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from agent.errors import ToolError, WorkbenchError
from agent.inspection.pictures import PictureMaker
from agent.spectra.spectrum import Window
from app.ui.agent.pictures import qimage
from app.ui.background.runner import Runner


@dataclass(frozen=True, eq=False)
class DrawnLook:
    """What a call shows: the picture as a model sees it, and our measurements; or an error."""

    image: QImage = field(default_factory=QImage)
    measured: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


class LookDrawer(QObject):
    """Draws the windows of one card."""

    drawn = Signal(object)
    """The DrawnLook of the window that was asked for last."""

    def __init__(self, maker: PictureMaker, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._maker, self._runner = maker, runner
        self._waiting: tuple[Window | None, str] | None = None
        self._is_drawing = False

    def draw(self, window: Window | None, label: str = "") -> None:
        """Draw this window, or the whole spectrum for None."""
        self._waiting = window, label
        if not self._is_drawing:
            self._draw_next()

    def _draw_next(self) -> None:
        if self._waiting is None:
            return
        (window, label), self._waiting = self._waiting, None
        self._is_drawing = True
        work = partial(draw_look, self._maker, window, label)
        self._runner.run(work, self._show, self._fail, owner=self)

    def _show(self, look: DrawnLook) -> None:
        self._is_drawing = False
        if self._waiting is None:
            self.drawn.emit(look)
        self._draw_next()

    def _fail(self, error: WorkbenchError) -> None:
        self._show(DrawnLook(error=str(error)))


def draw_look(maker: PictureMaker, window: Window | None, label: str) -> DrawnLook:
    """Any thread."""
    if window is None:
        return DrawnLook(qimage(maker.overview()))
    low, high = window
    try:
        picture, _ = maker.look({"wavelength_range": [low, high], "label": label or None})
    except ToolError as error:
        return DrawnLook(error=str(error))
    return DrawnLook(qimage(picture), maker.measure(low, high))

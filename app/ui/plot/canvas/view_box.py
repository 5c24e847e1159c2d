"""Mouse control of the plot.

Dragging pans, the wheel zooms at the cursor (with Ctrl or over the flux axis the flux), a right or
Shift drag zooms to a box, a Ctrl drag chooses two points of the continuum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from PySide6.QtCore import QPointF, Qt, Signal

from agent.spectra.spectrum import Window
from app.ui.plot.canvas.plot_box import PlotBox
from app.ui.plot.canvas.scale import Scale

WHEEL_ZOOM = 1.0016
"""Zoom factor per unit of the wheel; one notch is 120 units."""
WHEEL_PAN = 0.05
"""Fraction of the window per notch of a horizontal wheel."""
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
FLUX_AXIS = 1


@dataclass(frozen=True)
class Drag:
    start: QPointF
    scale: Scale
    """The scale when the drag began."""
    kind: Literal["pan", "box", "measure"]


class SpectrumViewBox(PlotBox):
    range_requested = Signal(float, float)
    """A window, by panning or zooming."""
    range_drawn = Signal(float, float)
    """The window of a zoom box, when the mouse is released."""
    box_changed = Signal(object)
    """The window of the zoom box while it is dragged, then None."""
    flux_requested = Signal(float, float)
    measure_changed = Signal(object)
    """The two wavelengths while they are dragged, then None."""
    measure_drawn = Signal(float, float)
    menu_requested = Signal(float)
    """Wavelength."""

    def __init__(self) -> None:
        super().__init__()
        self._drag: Drag | None = None
        self._held = Qt.KeyboardModifier.NoModifier

    def mousePressEvent(self, event: Any) -> None:
        """Note which keys are held: pyqtgraph's drags know only what is held later."""
        self._held = event.modifiers()
        event.ignore()

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        if axis is not None or event.button() not in (LEFT, RIGHT):
            event.ignore()
            return
        event.accept()
        if event.isStart():
            kind = self._kind(event.button())
            self._drag = Drag(QPointF(event.buttonDownPos()), self.scale_now, kind)
        if self._drag is None:
            return
        drag, at = self._drag, QPointF(event.pos())
        if event.isFinish():
            self._drag = None
        if drag.kind == "pan":
            shift = (drag.start.x() - at.x()) * drag.scale.per_pixel
            self.range_requested.emit(drag.scale.lo + shift, drag.scale.hi + shift)
            return
        is_box = drag.kind == "box"
        changed = self.box_changed if is_box else self.measure_changed
        changed.emit(None if event.isFinish() else _box(drag, at))
        if event.isFinish():
            (self.range_drawn if is_box else self.measure_drawn).emit(*_box(drag, at))

    def _kind(self, button: Qt.MouseButton) -> Literal["pan", "box", "measure"]:
        if button == LEFT and self._held & Qt.KeyboardModifier.ControlModifier:
            return "measure"
        is_box = button == RIGHT or self._held & Qt.KeyboardModifier.ShiftModifier
        return "box" if is_box else "pan"

    def mouseClickEvent(self, event: Any) -> None:
        at = self.mapFromScene(event.scenePos())
        if event.button() == RIGHT and self.rect().contains(at):
            event.accept()
            self.menu_requested.emit(self.scale_now.wavelength(at.x()))
        else:
            super().mouseClickEvent(event)

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        """Zoom or pan; an axis passes on what happens over it, with its number."""
        event.accept()
        at, turn, scale = self.mapFromScene(event.scenePos()), event.delta(), self.scale_now
        factor = WHEEL_ZOOM**-turn
        with_ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.orientation() == Qt.Orientation.Horizontal:
            step = -turn / 120.0 * WHEEL_PAN * (scale.hi - scale.lo)
            self.range_requested.emit(scale.lo + step, scale.hi + step)
        elif with_ctrl or axis == FLUX_AXIS:
            level = scale.flux(at.y())
            ends = (level + (end - level) * factor for end in (scale.bottom, scale.top))
            self.flux_requested.emit(*ends)
        else:
            centre = scale.wavelength(at.x())
            self.range_requested.emit(
                *(centre + (end - centre) * factor for end in (scale.lo, scale.hi))
            )


def _box(drag: Drag, at: QPointF) -> Window:
    ends = sorted(drag.scale.wavelength(end.x()) for end in (drag.start, at))
    return ends[0], ends[1]

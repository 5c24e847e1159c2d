"""Mouse control of the plot.

Dragging pans, the wheel zooms at the cursor (with Ctrl the flux), a right or Shift drag zooms to a
box.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsItem,
    QGraphicsObject,
    QGraphicsScene,
    QGraphicsView,
    QStyleOptionGraphicsItem,
    QWidget,
)

from agent.spectra.spectrum import Window
from app.ui.plot.scale import Scale
from app.ui.theme.theme import Theme


class Stage(QGraphicsObject):
    """The plotting area. Layers are its children and paint in its pixels.

    Wavelengths are in angstrom, fluxes in units of the trace.
    """

    scale_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemClipsChildrenToShape)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents)
        self._size = QRectF(0.0, 0.0, 1.0, 1.0)
        self._window: Window = (0.0, 1.0)
        self._flux: Window = (0.0, 1.0)
        self._scale: Scale | None = None

    @property
    def scale_now(self) -> Scale:
        if self._scale is None:
            width, height = max(self._size.width(), 1.0), max(self._size.height(), 1.0)
            self._scale = Scale(*self._window, *self._flux, width, height)
        return self._scale

    @property
    def ranges(self) -> tuple[Window, Window]:
        """The wavelength range and the flux range."""
        return self._window, self._flux

    def rect(self) -> QRectF:
        """The area in its own pixels."""
        return self._size

    def geometry(self) -> QRectF:
        """The area in the pixels of the view."""
        return self._size.translated(self.pos())

    def set_geometry(self, geometry: QRectF) -> None:
        self.prepareGeometryChange()
        self.setPos(geometry.topLeft())
        self._size = QRectF(0.0, 0.0, geometry.width(), geometry.height())
        self._reset_scale()

    def show_range(self, window: Window, flux: Window) -> None:
        ranges = _not_empty(window), _not_empty(flux)
        if ranges != (self._window, self._flux) and all(map(math.isfinite, (*window, *flux))):
            self._window, self._flux = ranges
            self._reset_scale()

    def boundingRect(self) -> QRectF:
        return self._size

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Paint nothing; the layers do."""

    def _reset_scale(self) -> None:
        self._scale = None
        self.scale_changed.emit()


def _not_empty(ends: Window) -> Window:
    """Widen an empty range, as of a spectrum with a single pixel."""
    return ends if ends[0] < ends[1] else (ends[0] - 0.5, ends[0] + 0.5)


WHEEL_ZOOM = 1.0016
"""Zoom factor per unit of the wheel; one notch is 120 units."""
WHEEL_PAN = 0.05
"""Fraction of the window per notch of a horizontal wheel."""
DRAG_PX = 4.0
"""A shorter drag is a click."""
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


@dataclass
class Drag:
    start: QPointF
    scale: Scale
    """The scale when the drag began."""
    draws_box: bool
    has_moved: bool = False


class SpectrumViewBox(QGraphicsView):
    """A view whose scene coordinates are the pixels of the widget."""

    range_requested = Signal(float, float)
    """A window, by panning or zooming."""
    range_drawn = Signal(float, float)
    """The window of a zoom box, when the mouse is released."""
    box_changed = Signal(object)
    """The window of the zoom box while it is dragged, then None."""
    flux_requested = Signal(float, float)
    clicked = Signal(float)
    """Wavelength."""
    whole_requested = Signal()
    hovered = Signal(object)
    """Position of the mouse on the stage, pixels; None when it has left."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        scene = QGraphicsScene(self)
        scene.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.setScene(scene)
        self.setBackgroundBrush(QColor(theme.plot))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.stage = Stage()
        self._drag: Drag | None = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        at = self._on_stage(event.position())
        if self._drag is None and event.button() in (LEFT, RIGHT) and self._is_on_stage(at):
            with_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._drag = Drag(at, self.stage.scale_now, event.button() == RIGHT or with_shift)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        event.accept()
        at = self._on_stage(event.position())
        self.hovered.emit(at if self._is_on_stage(at) else None)
        drag = self._drag
        if drag is None:
            return
        drag.has_moved = drag.has_moved or (at - drag.start).manhattanLength() > DRAG_PX
        if drag.has_moved and drag.draws_box:
            self.box_changed.emit(_box(drag, at))
        elif drag.has_moved:
            shift = (drag.start.x() - at.x()) * drag.scale.per_pixel
            self.range_requested.emit(drag.scale.lo + shift, drag.scale.hi + shift)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()
        drag, self._drag = self._drag, None
        if drag is None:
            return
        at = self._on_stage(event.position())
        if drag.has_moved and drag.draws_box:
            self.box_changed.emit(None)
            self.range_drawn.emit(*_box(drag, at))
        elif not drag.has_moved and event.button() == LEFT:
            self.clicked.emit(self.stage.scale_now.wavelength(at.x()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self._drag = None
        if event.button() == LEFT:
            self.whole_requested.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.accept()
        at, turn, scale = self._on_stage(event.position()), event.angleDelta(), self.stage.scale_now
        factor = WHEEL_ZOOM ** -turn.y()
        if abs(turn.x()) > abs(turn.y()):
            step = -turn.x() / 120.0 * WHEEL_PAN * (scale.hi - scale.lo)
            self.range_requested.emit(scale.lo + step, scale.hi + step)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            level = scale.flux(at.y())
            ends = (level + (end - level) * factor for end in (scale.bottom, scale.top))
            self.flux_requested.emit(*ends)
        else:
            centre = scale.wavelength(at.x())
            self.range_requested.emit(
                *(centre + (end - centre) * factor for end in (scale.lo, scale.hi))
            )

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)

    def _on_stage(self, position: QPointF) -> QPointF:
        return QPointF(self.stage.mapFromScene(position))

    def _is_on_stage(self, position: QPointF) -> bool:
        return bool(self.stage.rect().contains(position))


def _box(drag: Drag, at: QPointF) -> Window:
    ends = sorted(drag.scale.wavelength(end.x()) for end in (drag.start, at))
    return ends[0], ends[1]

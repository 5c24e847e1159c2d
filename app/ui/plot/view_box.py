"""What the mouse asks of the plot.

Drag pans, wheel zooms at the cursor (with Ctrl the flux), a right or Shift-drag draws a range.
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

from app.ui.plot.scale import Scale
from app.ui.plot.trace import Range
from app.ui.theme.theme import Theme


class Stage(QGraphicsObject):
    """Wavelengths in angstrom, fluxes in the units of the trace. Layers are its children and paint
    in its pixels."""

    scale_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemClipsChildrenToShape)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents)
        self._size = QRectF(0.0, 0.0, 1.0, 1.0)
        self._window: Range = (0.0, 1.0)
        self._flux: Range = (0.0, 1.0)
        self._scale: Scale | None = None

    @property
    def scale_now(self) -> Scale:
        if self._scale is None:
            width, height = max(self._size.width(), 1.0), max(self._size.height(), 1.0)
            self._scale = Scale(*self._window, *self._flux, width, height)
        return self._scale

    @property
    def ranges(self) -> tuple[Range, Range]:
        """Of wavelength and of flux."""
        return self._window, self._flux

    def rect(self) -> QRectF:
        """In its own pixels."""
        return self._size

    def geometry(self) -> QRectF:
        """In the whole view."""
        return self._size.translated(self.pos())

    def place(self, where: QRectF) -> None:
        self.prepareGeometryChange()
        self.setPos(where.topLeft())
        self._size = QRectF(0.0, 0.0, where.width(), where.height())
        self._forget()

    def show_range(self, window: Range, flux: Range) -> None:
        ranges = _opened(window), _opened(flux)
        if ranges != (self._window, self._flux) and all(map(math.isfinite, (*window, *flux))):
            self._window, self._flux = ranges
            self._forget()

    def boundingRect(self) -> QRectF:
        return self._size

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Nothing: that is for the layers."""

    def _forget(self) -> None:
        self._scale = None
        self.scale_changed.emit()


def _opened(ends: Range) -> Range:
    """A spectrum may have one pixel only."""
    return ends if ends[0] < ends[1] else (ends[0] - 0.5, ends[0] + 0.5)


WHEEL = 1.0016
"""Per unit of the wheel; a notch has 120."""
SIDEWAYS = 0.05
"""Of the window, for a notch of a wheel that turns sideways."""
DRAG_PX = 4.0
"""Less than this is a click."""
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


@dataclass
class Drag:
    start: QPointF
    scale: Scale
    """When it began."""
    draws_box: bool
    has_moved: bool = False


class SpectrumViewBox(QGraphicsView):
    """Of a scene whose units are the pixels of the widget."""

    range_wanted = Signal(float, float)
    """By panning and zooming."""
    range_drawn = Signal(float, float)
    """A box, when it is finished."""
    box_changed = Signal(object)
    """The Range a box covers while it is drawn; None: no longer."""
    flux_wanted = Signal(float, float)
    clicked = Signal(float)
    """On a wavelength."""
    whole_wanted = Signal()
    hovered = Signal(object)
    """The place on the stage, pixels; None: the mouse has left it."""

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
            self.range_wanted.emit(drag.scale.lo + shift, drag.scale.hi + shift)

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
            self.whole_wanted.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.accept()
        at, turn, scale = self._on_stage(event.position()), event.angleDelta(), self.stage.scale_now
        factor = WHEEL ** -turn.y()
        if abs(turn.x()) > abs(turn.y()):
            step = -turn.x() / 120.0 * SIDEWAYS * (scale.hi - scale.lo)
            self.range_wanted.emit(scale.lo + step, scale.hi + step)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            level = scale.flux(at.y())
            ends = (level + (end - level) * factor for end in (scale.bottom, scale.top))
            self.flux_wanted.emit(*ends)
        else:
            here = scale.wavelength(at.x())
            self.range_wanted.emit(*(here + (end - here) * factor for end in (scale.lo, scale.hi)))

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)

    def _on_stage(self, position: QPointF) -> QPointF:
        return QPointF(self.stage.mapFromScene(position))

    def _is_on_stage(self, place: QPointF) -> bool:
        return bool(self.stage.rect().contains(place))


def _box(drag: Drag, at: QPointF) -> tuple[float, float]:
    ends = sorted(drag.scale.wavelength(place.x()) for place in (drag.start, at))
    return ends[0], ends[1]

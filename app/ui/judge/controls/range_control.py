"""Sets the wavelength window on screen, with two boxes and a slider."""

from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from agent.spectra.spectrum import Window
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.theme.theme import CurrentTheme
from app.ui.session.candidate.view_options import USUAL_AXES
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import button, column, keep_current, row, short_label, with_key
from app.ui.widgets.number_box import NumberBox
from app.ui.widgets.painted_button import smooth_painter

DEFAULT_BOUNDS: Window = (3700.0, 9100.0)  # bounds while there is no spectrum
MIN_WIDTH_A = 5.0
MIN_A, MAX_A = 100.0, 100_000.0
LARGEST = 1e9  # no number typed is larger, in whatever unit
HANDLE = 14.0
GROOVE = 4.0
HEIGHT = 22
LOW, HIGH, BOTH = "low", "high", "both"


class RangeControl(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._view, self._current, self._keymap = context.view, context.current, context.keymap
        self.low, self.high = self._box(self.tr("From")), self._box(self.tr("To"))
        self.unit = short_label("", "dim")
        self.whole = button("", call=partial(self._view.set_window, None))
        self.slider = RangeSlider(context.current_theme)
        self.slider.setAccessibleName(self.tr("Wavelength range"))
        parts = (self.low, short_label("–", "dim"), self.high, self.unit, self.whole)
        column(self.slider, row(*parts, spacing=6), spacing=4, parent=self)
        self.slider.values_requested.connect(self._slide)
        self.low.entered.connect(self._apply_boxes)
        self.high.entered.connect(self._apply_boxes)
        context.view.changed.connect(self._follow_axes)
        keep_current(self._show_keys, context.keymap.changed)
        keep_current(self._show, context.view.window_changed, context.current.spectrum_changed)

    @property
    def bounds(self) -> Window:
        spectrum = self._current.spectrum
        return DEFAULT_BOUNDS if spectrum is None else spectrum.range

    @property
    def shown(self) -> Window:
        return self._view.window or self.bounds

    @property
    def text(self) -> str:
        return self.frame.range_text(self.shown)

    @property
    def frame(self) -> WavelengthFrame:
        return self._view.options.frame(self._current.spectrum)

    def _box(self, title: str) -> NumberBox:
        return NumberBox(title, low=-LARGEST, high=LARGEST, decimals=1, parent=self)

    def _slide(self, low: float, high: float) -> None:
        first, last = self.bounds
        if low <= first + 1.0 and high >= last - 1.0:
            self._view.set_window(None)
        else:
            self._set_window(low, high)

    def _apply_boxes(self, *_: object) -> None:
        typed = self.low.value, self.high.value
        if typed[0] is not None and typed[1] is not None:
            observed = (self.frame.observed(each) for each in typed if each is not None)
            low, high = sorted(min(max(each, MIN_A), MAX_A) for each in observed)
            self._set_window(low, high)

    def _set_window(self, low: float, high: float) -> None:
        if high - low < MIN_WIDTH_A:
            middle = 0.5 * (low + high)
            low, high = middle - 0.5 * MIN_WIDTH_A, middle + 0.5 * MIN_WIDTH_A
        self._view.set_window((low, high))

    def _follow_axes(self, names: frozenset[str]) -> None:
        if names & {"z", *USUAL_AXES}:
            self._show()

    def _show(self, *_: object) -> None:
        frame, ends = self.frame, self.shown
        names = self.tr("From"), self.tr("To")
        for box, name, end in zip((self.low, self.high), names, ends, strict=True):
            box.show_value(frame.shown(end))
            box.setAccessibleName(f"{name}, {frame.unit_shown}")
        self.unit.setText(frame.unit_shown)
        self.whole.setEnabled(self._view.window is not None)
        self.slider.show_values(self.bounds, ends)

    def _show_keys(self) -> None:
        self.whole.setText(with_key(self.tr("Whole"), self._keymap.label("whole")))


# A slider with two handles: drag either, or the range between them. superqt has one too, but
# importing it adds 0.3 s to the start of the window.
class RangeSlider(QWidget):
    """Shows the values given to `show_values`; a drag only requests others."""

    values_requested = Signal(float, float)

    def __init__(self, current_theme: CurrentTheme) -> None:
        super().__init__()
        self._current_theme = current_theme
        self.bounds = self.values = (0.0, 1.0)
        self._dragged = ""
        self._grip = (0.0, 0.0)  # distances of the two values from the mouse
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        current_theme.changed.connect(self.update)

    def show_values(self, bounds: Window, values: Window) -> None:
        """Show the values; the bounds are extended to include them."""
        self.values = values
        self.bounds = min(bounds[0], values[0]), max(bounds[1], values[1])
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, HEIGHT)

    def position(self, value: float) -> float:
        low, high = self.bounds
        share = (value - low) / (high - low) if high > low else 0.0
        return HANDLE / 2 + share * (self.width() - HANDLE)

    def value_at(self, pixel: float) -> float:
        low, high = self.bounds
        share = (pixel - HANDLE / 2) / max(self.width() - HANDLE, 1.0)
        return low + share * (high - low)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        x = event.position().x()
        self._dragged = self._part_at(x)
        value = self.value_at(x)
        self._grip = self.values[0] - value, self.values[1] - value
        dragged = self.values[0] if self._dragged == LOW else self.values[1]
        if self._dragged != BOTH and abs(self.position(dragged) - x) > HANDLE:
            self._grip = 0.0, 0.0
            self._drag(value)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged:
            self._drag(self.value_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = ""
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._current_theme.theme, smooth_painter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        middle = self.height() / 2
        first, last = (self.position(value) for value in self.values)
        top, round_ = middle - GROOVE / 2, GROOVE / 2
        whole = 0.0, float(self.width())
        for (left, right), colour in ((whole, theme.border), ((first, last), theme.accent)):
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(QRectF(left, top, right - left, GROOVE), round_, round_)
        painter.setPen(QPen(QColor(theme.accent), 2.0))
        painter.setBrush(QColor(theme.panel))
        for x in (first, last):
            painter.drawEllipse(QPointF(x, middle), HANDLE / 2 - 1, HANDLE / 2 - 1)

    def _part_at(self, x: float) -> str:
        """What a press at `x` drags: a handle close by, the range between, or the nearer handle."""
        first, last = (self.position(value) for value in self.values)
        is_near = min(abs(x - first), abs(x - last)) <= HANDLE
        if first < x < last and not is_near:
            return BOTH
        if first == last:
            return LOW if x < first else HIGH
        return LOW if abs(x - first) <= abs(x - last) else HIGH

    def _drag(self, value: float) -> None:
        low, high = self.values
        first, last = self.bounds
        if self._dragged == BOTH:
            width = high - low
            low = min(max(value + self._grip[0], first), last - width)
            high = low + width
        elif self._dragged == LOW:
            low = min(max(value + self._grip[0], first), high)
        else:
            high = max(min(value + self._grip[1], last), low)
        self.values_requested.emit(low, high)

"""Buttons that paint themselves: one that shows its key, and the base of the start page's."""

from collections.abc import Callable
from operator import attrgetter

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPaintDevice, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.ui.base.keys.keymap import Keymap
from app.ui.base.theme.theme import CurrentTheme, Theme


def hint(text: str, keymap: Keymap, name: str) -> str:
    """A tooltip: the text, with the keys of an action in parentheses."""
    keys = ", ".join(keymap.labels(name))
    return f"{text} ({keys})" if keys else text


Tone = Callable[[Theme], str]

RADIUS = 6.0
HOVER_ALPHA = 30
DISABLED_ALPHA = 190
KEY_SCALE = 0.82  # size of the key relative to the font
PAD, GAP = 10, 6
MARGIN = 6  # least pixels above and below large text, together


class PaintedButton(QAbstractButton):
    """A button that never takes the focus, so that keys stay with the plot.

    It is filled while checked; a quiet button is coloured only then.
    """

    def __init__(
        self,
        current_theme: CurrentTheme,
        tone: Tone,
        parent: QWidget | None = None,
        *,
        mark: str = "",
        height: int = 28,
        is_bold: bool = False,
        is_quiet: bool = False,
    ) -> None:
        super().__init__(parent)
        self._current_theme, self._tone, self.mark = current_theme, tone, mark
        self._height, self._is_quiet = height, is_quiet
        self.key = ""
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        if is_bold:
            font = self.font()
            font.setBold(True)
            self.setFont(font)
        current_theme.changed.connect(self.update)

    def set_label(self, text: str, key: str = "", hint: str = "") -> None:
        """Set the text, the key shown beside it, and the tooltip."""
        self.setText(text)
        self.setAccessibleName(text or hint)
        self.key = key
        self.setToolTip(hint)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.width_of(self.mark, self.text(), self.key), self.height_hint)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def width_of(self, mark: str, text: str, key: str) -> int:
        """The width that such a label needs."""
        width = 2 * PAD + self.fontMetrics().horizontalAdvance(_label(mark, text))
        return width + GAP + self._cap_width(key) if key else width

    @property
    def height_hint(self) -> int:
        return max(self._height, self.fontMetrics().height() + MARGIN)

    def _cap_width(self, key: str) -> int:
        return max(16, round(KEY_SCALE * self.fontMetrics().horizontalAdvance(key)) + 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._current_theme.theme, smooth_painter(self)
        ink = self._ink(theme)
        self._paint_shape(painter, theme)
        box = self.rect().adjusted(PAD, 0, -PAD, 0)
        if self.key:
            box.setRight(box.right() - self._cap_width(self.key) - GAP)
        side = Qt.AlignmentFlag.AlignLeft if self.key else Qt.AlignmentFlag.AlignHCenter
        label, elide = _label(self.mark, self.text()), Qt.TextElideMode.ElideRight
        label = self.fontMetrics().elidedText(label, elide, box.width() + 1)
        painter.setPen(ink)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | side, label)
        if self.key:
            self._paint_key(painter, ink)
        painter.end()

    def _ink(self, theme: Theme) -> QColor:
        if not self.isEnabled():
            return translucent(theme.dim, DISABLED_ALPHA)
        return QColor(theme.on_verdict if self.isChecked() else theme.text)

    def _paint_shape(self, painter: QPainter, theme: Theme) -> None:
        tone = QColor(self._tone(theme))
        shape = QRectF(self.rect()).adjusted(1.0, 1.0, -1.0, -1.0)
        if self.isChecked():
            fill = tone if self.isEnabled() else translucent(theme.dim, 60)
        elif self.isEnabled() and (self.underMouse() or self.isDown()):
            # Of a quiet button in grey: its tone says that it is checked.
            hovered = theme.text if self._is_quiet else self._tone(theme)
            fill = translucent(hovered, HOVER_ALPHA * (2 if self.isDown() else 1))
        else:
            fill = QColor(theme.panel)
        is_plain = self._is_quiet and not self.isChecked()
        edge = tone if self.isEnabled() and not is_plain else QColor(theme.border)
        painter.setPen(QPen(edge, 1.2))
        painter.setBrush(fill)
        painter.drawRoundedRect(shape, RADIUS, RADIUS)

    def _paint_key(self, painter: QPainter, ink: QColor) -> None:
        font = painter.font()
        font.setPointSizeF(KEY_SCALE * font.pointSizeF())
        font.setBold(False)
        painter.setFont(font)
        height = self.fontMetrics().height()
        right = self.width() - PAD
        top = (self.height() - height) / 2
        cap = QRectF(right - self._cap_width(self.key), top, self._cap_width(self.key), height)
        edge = QColor(ink)
        edge.setAlpha(edge.alpha() * 110 // 255)
        painter.setPen(QPen(edge, 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(cap, 3.0, 3.0)
        painter.setPen(ink)
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self.key)


def quiet_button(
    current_theme: CurrentTheme, parent: QWidget, *, mark: str = "", height: int = 28
) -> PaintedButton:
    tone = attrgetter("accent")
    return PaintedButton(current_theme, tone, parent, mark=mark, height=height, is_quiet=True)


def _label(mark: str, text: str) -> str:
    return f"{mark}  {text}" if mark and text else mark + text


def smooth_painter(on: QPaintDevice) -> QPainter:
    """A painter that draws without jagged edges."""
    painter = QPainter(on)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    return painter


def translucent(colour: str, alpha: int) -> QColor:
    made = QColor(colour)
    made.setAlpha(alpha)
    return made


class RowButton(QAbstractButton):
    """Base of the start page's large buttons: Enter presses it."""

    def __init__(self) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

"""Widgets shared by pages: a titled card, a scroll area for wrapped text, the logo."""

from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsDropShadowEffect,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.commands import Commands
from app.ui.base.program_icon import program_icon
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.labels import (
    add_parts,
    button,
    clear_layout,
    column,
    cut,
    narrow,
    row,
    short_label,
    wrapped_label,
)

OPEN, SHUT = "▾", "▸"
READABLE_LETTERS = 60  # longer lines are hard to read


class PageCard(QFrame):
    """A titled card; `body` is the layout for its content."""

    def __init__(self, title: str, note: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.body = column(wrapped_label(title, "title"), margins=(16, 12, 16, 12), parent=self)
        if note:
            self.body.addWidget(wrapped_label(note, "dim"))


class EmptyState(QWidget):
    """In the middle of a page that has nothing to show: the reason, and buttons that lead on."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self.reason = wrapped_label("")
        self.reason.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.reason.setMaximumWidth(READABLE_LETTERS * self.fontMetrics().averageCharWidth())
        self.buttons: list[QPushButton] = []
        self._ways = column()  # in large text they are too wide to stand side by side
        text = row(1, (self.reason, READABLE_LETTERS), 1)
        column(1, text, row(1, self._ways, 1), 1, spacing=16, parent=self)

    def show_reason(self, reason: str, *actions: str) -> None:
        self.reason.setText(reason)
        clear_layout(self._ways)
        run, can = self._commands.run, self._commands.can
        self.buttons = [
            button(ACTIONS[name].title, "", partial(run, name)) for name in actions if can(name)
        ]
        add_parts(self._ways, *self.buttons)


class PageScrollArea(QScrollArea):
    """A scroll area that keeps wrapped text whole, in the place of what is in it.

    QScrollArea squeezes labels that wrap before it scrolls.
    """

    def __init__(self, inner: QWidget) -> None:
        super().__init__(inner.parentWidget())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inner)
        QApplication.instance().focusChanged.connect(self._show_focused)  # type: ignore[union-attr]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_handled = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self._fit()
        return is_handled

    def _show_focused(self, _: QWidget | None, now: QWidget | None) -> None:
        """QScrollArea shows what Tab focuses only where it comes from within."""
        inner = self.widget()
        is_click = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        if now is not None and inner is not None and inner.isAncestorOf(now) and not is_click:
            self.ensureWidgetVisible(now)

    def _fit(self) -> None:
        inner = self.widget()
        layout = None if inner is None else inner.layout()
        if inner is not None and layout is not None:
            wrapped = layout.totalHeightForWidth(self.viewport().width())
            inner.setMinimumHeight(max(wrapped, layout.totalMinimumSize().height()))


class Logo(QWidget):
    def __init__(self, side: int = 64) -> None:
        super().__init__()
        self._icon = program_icon()
        self.setFixedSize(QSize(side, side))
        self.setAccessibleName(self.tr("Program logo"))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._icon.paint(painter, self.rect())


def cast_shadow(widget: QWidget) -> None:
    """For what lies above the page."""
    shadow = QGraphicsDropShadowEffect(widget, blurRadius=32, xOffset=0, yOffset=8)
    shadow.setColor(QColor(0, 0, 0, 90))
    widget.setGraphicsEffect(shadow)


class ProblemLine(QFrame):
    """Hidden while there is nothing to say."""

    def __init__(
        self, parent: QWidget | None = None, *, mark: str = "!", tone: str = "warning"
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "notice" if tone == "warning" else "card")
        self.label = narrow(wrapped_label(""))
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.close_button = QToolButton(autoRaise=True)
        self.close_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.close_button.setText("✕")
        self.close_button.setAccessibleName(self.tr("Close this message"))
        self.close_button.clicked.connect(self.clear)
        parts = short_label(mark, tone), (self.label, 1), self.close_button
        row(*parts, spacing=12, margins=(12, 8, 8, 8), parent=self)
        self.hide()

    def show_problem(self, text: str) -> None:
        self.label.setText(cut(text))
        self.setVisible(bool(text))

    def show_error(self, error: Exception) -> None:
        self.show_problem(translate_message(str(error)))

    def clear(self) -> None:
        self.show_problem("")

    @property
    def text(self) -> str:
        return self.label.text()


class FoldingCard(QFrame):
    """A card of the left column that folds away when its heading is clicked."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.is_folded = False
        self._title = title
        self.heading = _Heading(self)
        self.note = short_label("", "dim", self)
        self.body = QWidget(self)
        self.inside = column(parent=self.body)
        self.head = row(self.heading, (self.note, 0, Qt.AlignmentFlag.AlignRight))
        """Row of the heading and the note; a card may insert more widgets between them."""
        column(self.head, (self.body, 1), spacing=4, margins=(12, 8, 12, 8), parent=self)
        self.heading.clicked.connect(self.flip)
        self._show_heading()

    def flip(self) -> None:
        self.fold(not self.is_folded)

    def fold(self, is_folded: bool) -> None:
        self.is_folded = is_folded
        self.body.setVisible(not is_folded)
        policy, policies = self.sizePolicy(), QSizePolicy.Policy
        policy.setVerticalPolicy(policies.Maximum if is_folded else policies.Preferred)
        self.setSizePolicy(policy)
        self._show_heading()

    def _show_heading(self) -> None:
        self.heading.setText(f"{SHUT if self.is_folded else OPEN} {self._title}")
        self.heading.setAccessibleName(self._title)


class _Heading(QLabel):
    clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "title")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

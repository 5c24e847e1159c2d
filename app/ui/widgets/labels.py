"""Factories for the labels, buttons and rows that panels share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QSize, Qt, SignalInstance
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from agent.ellipsis import shortened
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.text_width import first_that_fits


@dataclass(frozen=True)
class Space:
    """Empty space between parts that does not grow."""

    px: int


Stretched = tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
Part = QWidget | QLayout | Space | int | Stretched
Margins = int | tuple[int, int, int, int]
Box = TypeVar("Box", bound=QBoxLayout)

MAX_NAME, MAX_REASON, MAX_SHOWN, MAX_DETAILS = 200, 1000, 4000, 20_000
"""Characters; Qt lays out the whole of a text, which takes minutes for one without an end."""
NARROW_PX = 40


def cut(text: str, most: int = MAX_SHOWN) -> str:
    """A text of any length, short enough to be shown."""
    return shortened(text, most)


def one_line(text: str, most: int = MAX_NAME) -> str:
    """A name of any length and shape, short enough for a title."""
    return cut(" ".join(text[: 2 * most].split()), most)


def narrow(label: QLabel) -> QLabel:
    """Let a label be narrower than its longest word, which may be that of a path or a stranger."""
    label.setMinimumWidth(NARROW_PX)
    return label


def wrapped_label(text: str, role: str = "", parent: QWidget | None = None) -> QLabel:
    """A label for plain text that wraps."""
    label = QLabel(parent, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    label.setText(text)
    if role:
        label.setProperty("role", role)
    return label


def short_label(text: str, role: str = "", parent: QWidget | None = None) -> QLabel:
    """A label for one line of plain text."""
    label = wrapped_label(text, role, parent)
    label.setWordWrap(False)
    return label


def button(text: str, role: str = "quiet", call: Callable[[], object] | None = None) -> QPushButton:
    """A button that never takes the focus from the plot."""
    made = QPushButton(text)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setAccessibleName(text)
    made.setProperty("role", role)
    if call is not None:
        made.clicked.connect(call)
    return made


def dialog_button(text: str, call: Callable[[], object], role: str = "") -> QPushButton:
    """A button that Enter in a field of its dialog does not press."""
    made = QPushButton(text, autoDefault=False)
    made.clicked.connect(call)
    if role:
        made.setProperty("role", role)
    return made


def check_box(text: str) -> QCheckBox:
    made = QCheckBox(text)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setAccessibleName(text)
    return made


def row(
    *parts: Part, spacing: int | None = 8, margins: Margins = 0, parent: QWidget | None = None
) -> QHBoxLayout:
    """Parts side by side; a pair has a stretch, a number is empty space with that stretch.

    Spacing None is that of the style.
    """
    return _filled(QHBoxLayout(), parts, spacing, margins, parent)


def column(
    *parts: Part, spacing: int | None = 8, margins: Margins = 0, parent: QWidget | None = None
) -> QVBoxLayout:
    """Parts one below another, written as those of a row."""
    return _filled(QVBoxLayout(), parts, spacing, margins, parent)


def card(*parts: Part, spacing: int | None = 8, margins: Margins = 0) -> QFrame:
    """A column of parts on a surface of its own."""
    frame = QFrame()
    frame.setProperty("role", "card")
    column(*parts, spacing=spacing, margins=margins, parent=frame)
    return frame


def flow(*parts: QWidget, spacing: int = 6, parent: QWidget | None = None) -> FlowLayout:
    """Widgets side by side, without margins, that go on in the next row where room ends."""
    layout = FlowLayout(parent, spacing=spacing)
    layout.setContentsMargins(0, 0, 0, 0)
    for part in parts:
        layout.addWidget(part)
    return layout


def flexible_gap() -> QWidget:
    """What takes the room that is left in a row of a flow."""
    gap = QWidget()
    gap.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return gap


def _filled(
    layout: Box, parts: Iterable[Part], spacing: int | None, margins: Margins, on: QWidget | None
) -> Box:
    if on is not None:
        on.setLayout(layout)
    layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        layout.setSpacing(spacing)
    add_parts(layout, *parts)
    return layout


def add_parts(layout: QBoxLayout, *parts: Part) -> None:
    """Add parts after those that are in the layout, written as those of a row."""
    for part in parts:
        what, *how = part if isinstance(part, tuple) else (part,)
        if isinstance(what, int):
            layout.addStretch(what)
        elif isinstance(what, Space):
            layout.addSpacing(what.px)
        elif isinstance(what, QLayout):
            layout.addLayout(what, *how)
        else:
            layout.addWidget(what, *how)  # type: ignore[arg-type]


def keep_current(show: Callable[[], object], *changes: SignalInstance) -> None:
    """Call it now, and whenever one of the signals comes."""
    for each in changes:
        each.connect(show)
    show()


def show_or_hide(label: QLabel, text: str) -> None:
    """Show a text, or hide the label where there is nothing to say."""
    label.setText(text)
    label.setVisible(bool(text))


def bring_forward(window: QWidget) -> None:
    """Show a window before all others, with the keys."""
    window.show()
    window.raise_()
    window.activateWindow()


def clear_layout(layout: QLayout) -> None:
    """Take all widgets of a layout away for good."""
    while item := layout.takeAt(0):
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def escape_mnemonics(text: str) -> str:
    """For buttons and menus, where Qt takes a single & for a mnemonic: names are shown whole."""
    return text.replace("&", "&&")


def with_key(text: str, key: str) -> str:
    return escape_mnemonics(f"{text}  {key}" if key else text)


class ElidedLabel(QLabel):
    """A label for one line of plain text, elided where there is no room for it."""

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.full_text = ""
        self._texts: tuple[str, ...] = ("",)
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str, tooltip: str = "", short: str = "") -> None:
        """Show a text, or what is `short` for it where there is no room for the text."""
        self.show_texts(text, short or text)
        self.setToolTip(tooltip or self.full_text)

    def show_texts(self, *texts: str) -> None:
        """Show the first that fits of several texts, which say the same in fewer words."""
        self.full_text = cut(texts[0])
        lines = tuple(one_line(text, MAX_SHOWN) for text in texts)
        if lines != self._texts:
            self._texts = lines
            self._elide()
        self.setToolTip(self.full_text)

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self._texts[0]) + 4
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(20, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room, metrics = self.contentsRect().width(), self.fontMetrics()
        line = first_that_fits(self._texts, metrics, room)
        elided = metrics.elidedText(line, Qt.TextElideMode.ElideRight, room)
        if elided != self.text():
            self.setText(elided)


# Menu entries that call a function.
def add_action(menu: QMenu, text: str, call: Callable[[], object]) -> QAction:
    """Add an entry; what Qt tells about its check mark is not passed on."""
    action = menu.addAction(escape_mnemonics(text))
    action.triggered.connect(lambda: call())
    return action


def add_check(menu: QMenu, text: str, is_on: bool, call: Callable[[bool], object]) -> QAction:
    """Add an entry with a check mark; `call` is told whether it is set."""
    action = menu.addAction(escape_mnemonics(text))
    action.setCheckable(True)
    action.setChecked(is_on)
    action.triggered.connect(lambda on: call(on))  # Qt gives a partial no argument
    return action

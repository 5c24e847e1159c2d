"""The keys of the main window: what they do, the list of them, and the palette of commands."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QGridLayout, QHBoxLayout, QScrollArea, QWidget
from shiboken6 import isValid

from app.ui.base.actions.actions import ACTIONS, CONTEXT, GROUPS
from app.ui.base.actions.commands import Commands
from app.ui.base.actions.key_profiles import profile_name
from app.ui.base.keys.key_filter import ANYWHERE, KeyFilter
from app.ui.base.keys.keymap import Keymap
from app.ui.base.keys.text_focus import OWN_KEYS
from app.ui.program.command_palette import CommandPalette
from app.ui.widgets.labels import card, row, short_label


class WindowKeys(QObject):
    """`focus_page` gives the keys to the page on screen, `leave_field` also takes back a prompt.

    `page` names the page of the session on screen; empty: there is none.
    """

    def __init__(
        self,
        window: QWidget,
        commands: Commands,
        keymap: Keymap,
        focus_page: Callable[[], None],
        leave_field: Callable[[], None],
        page: Callable[[], str],
    ) -> None:
        super().__init__(window)
        self._commands, self._page = commands, page
        self.overlay = KeysOverlay(keymap, window)
        self.palette = CommandPalette(commands, keymap, window, self.is_available)
        self.palette.closed.connect(focus_page)
        self.filter = KeyFilter(commands, keymap, window, leave_field, self.is_available)

    def is_available(self, name: str) -> bool:
        """Whether the page on screen offers this command."""
        if name in ANYWHERE or self._commands.is_overridden(name):
            return True
        page = self._page()
        return page == "judging_page" or (page == "history_page" and name in ("undo", "redo"))


# An overlay that lists all current keys; any key or click closes it.
MARGIN = 16  # pixels between the page and the edge of the window
SIDE_PX = 20  # beside the texts of the page
MAX_COLUMNS = 4
DROP_PX = 3  # Lifts the small labels so that they share the baseline of the heading
_BACKGROUND_ALPHA = 205
_MODIFIER_KEYS = frozenset(
    {Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt}
    | {Qt.Key.Key_AltGr, Qt.Key.Key_Meta, Qt.Key.Key_CapsLock}
)


KeyRow = tuple[tuple[str, ...], str]  # the keys of an action and its title


class KeysOverlay(QWidget):
    """Returns the focus to the widget that had it before."""

    def __init__(self, keymap: Keymap, window: QWidget) -> None:
        super().__init__(window)
        self._keymap, self._window = keymap, window
        self._focus_before: QWidget | None = None
        self._area = QScrollArea(alignment=Qt.AlignmentFlag.AlignCenter)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setProperty(OWN_KEYS, True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Keys"))
        row(self._area, margins=MARGIN, parent=self)
        # The style sheet is applied to the new text size only after the font.
        self._laying_out = QTimer(self, singleShot=True, interval=0)
        self._laying_out.timeout.connect(self._lay_out)
        window.installEventFilter(self)
        self.hide()

    def toggle(self) -> None:
        if self.isVisible():
            self._close()
        else:
            self._focus_before = QApplication.focusWidget()
            self.setGeometry(self._window.rect())
            self._lay_out()
            self.show()
            self.raise_()
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self._window and self.isVisible():
            self.setGeometry(self._window.rect())
            self._lay_out()
        return False

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.isVisible():
            self._laying_out.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat() and event.key() not in _MODIFIER_KEYS:
            self._close()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._close()

    def paintEvent(self, event: QPaintEvent) -> None:
        background = self.palette().window().color()
        background.setAlpha(_BACKGROUND_ALPHA)
        painter = QPainter(self)
        painter.fillRect(self.rect(), background)
        painter.end()

    def _close(self) -> None:
        self.hide()
        widget, self._focus_before = self._focus_before, None
        if widget is not None and isValid(widget):
            widget.setFocus()

    def _lay_out(self) -> None:
        """Use as many columns as fit; scroll if the page is too high."""
        sections = [(group, rows) for group in GROUPS if (rows := _rows(self._keymap, group))]
        for count in range(MAX_COLUMNS, 0, -1):
            page = _page(self._heading(), _columns(sections, count))
            page.ensurePolished()
            if page.sizeHint().width() <= self.width() - 2 * MARGIN or count == 1:
                break
            page.deleteLater()
        self._area.setWidget(page)

    def _heading(self) -> QWidget:
        line = QWidget()
        layout = row(short_label(self.tr("Keys"), "heading"), spacing=12, parent=line)
        profile = self.tr("Profile: {name}").replace("{name}", profile_name(self._keymap.profile))
        hint = short_label(self.tr("Press any key to close. Change keys in Settings, Keys"), "dim")
        for label, stretch in ((short_label(profile, "dim"), 1), (hint, 0)):
            label.setContentsMargins(0, 0, 0, DROP_PX)
            layout.addWidget(label, stretch, Qt.AlignmentFlag.AlignBottom)
        line.ensurePolished()
        if line.sizeHint().width() > self.width() - 2 * (MARGIN + SIDE_PX):
            layout.setDirection(QHBoxLayout.Direction.TopToBottom)
            layout.setSpacing(0)
        return line


def _rows(keymap: Keymap, group: str) -> list[KeyRow]:
    """The rows of a group; actions with the same title, such as F2 … F10, share one."""
    rows: list[KeyRow] = []
    for name, action in ACTIONS.items():
        keys = tuple(keymap.labels(name))
        if action.group != group or not keys:
            continue
        if rows and rows[-1][1] == action.title:
            keys = (rows.pop()[0][0], "…", keys[-1])
        rows.append((keys, action.title))
    return rows


def _columns(
    sections: list[tuple[str, list[KeyRow]]], count: int
) -> list[list[tuple[str, list[KeyRow]]]]:
    """Distribute the sections over columns of similar length, in order."""
    lengths = [len(rows) + 2 for _, rows in sections]
    height = next(
        limit
        for limit in range(max(lengths, default=1), sum(lengths) + 1)
        if len(list(_filled(lengths, limit))) <= count
    )
    return [[sections[index] for index in column] for column in _filled(lengths, height)]


def _filled(lengths: list[int], limit: int) -> Iterator[list[int]]:
    """Indices of the sections in each column when no column is longer than `limit`."""
    column: list[int] = []
    for index, length in enumerate(lengths):
        if column and sum(lengths[each] for each in column) + length > limit:
            yield column
            column = []
        column.append(index)
    yield column


def _page(heading: QWidget, columns: list[list[tuple[str, list[KeyRow]]]]) -> QFrame:
    grids = []
    for sections in columns:
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(3)
        for group, rows in sections:
            _add_section(grid, group, rows)
        grid.setRowStretch(grid.rowCount(), 1)
        grids.append(grid)
    return card(heading, row(*grids, spacing=32), margins=(SIDE_PX, 12, SIDE_PX, 16))


def _add_section(grid: QGridLayout, group: str, rows: list[KeyRow]) -> None:
    top = grid.rowCount()
    title = short_label(QCoreApplication.translate(CONTEXT, group), "title")
    title.setContentsMargins(0, 8 if top > 1 else 0, 0, 2)
    grid.addWidget(title, top, 0, 1, 2)
    for line, (keys, text) in enumerate(rows, top + 1):
        labels = (short_label(key, "dim" if key == "…" else "key") for key in keys)
        grid.addLayout(row(1, *labels, spacing=4), line, 0)
        grid.addWidget(short_label(text), line, 1)
    grid.setColumnStretch(1, 1)

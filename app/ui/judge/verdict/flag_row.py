"""The star, the current candidate's flags as chips, and the flag menu."""

from collections.abc import Iterable, Mapping
from functools import partial
from operator import attrgetter

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QEvent,
    QObject,
    QPoint,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QMenu, QSizePolicy, QWidget

from app.core.session.records import MAX_FLAG, Opinion
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import escape_mnemonics, keep_current, row
from app.ui.widgets.painted_button import PaintedButton, hint, quiet_button
from app.ui.widgets.text_width import OnEvent, PlaceholderWidth

CHIP_LETTERS, PADDING_PX = 12, 44
"""Width of the longest chip: of so many letters, and of what is around them."""
MAX_CHIPS, CHIPS_PX = 3, 440
"""Chips, none where large text leaves room for one alone; other flags are counted in a button."""
SPACING_PX = 4
REMOVE = "✕"
STAR = "star"
FLAGS: Mapping[str, tuple[str, object]] = {
    "velocity": ("R", QT_TRANSLATE_NOOP("flags", "Redshift or velocity uncertain")),
    "noisy": ("N", QT_TRANSLATE_NOOP("flags", "Too noisy to tell")),
    "sky": ("S", QT_TRANSLATE_NOOP("flags", "Poor sky subtraction")),
    "calibration": ("B", QT_TRANSLATE_NOOP("flags", "Bad calibration, or a step between the arms")),
    "blend": ("M", QT_TRANSLATE_NOOP("flags", "More than one source in the fibre")),
    "duplicate": ("D", QT_TRANSLATE_NOOP("flags", "Duplicate of another candidate")),
    "interesting": ("I", QT_TRANSLATE_NOOP("flags", "Interesting, whatever the verdict")),
    "file": ("P", QT_TRANSLATE_NOOP("flags", "Problem with the file")),
}
"""Key letters and meanings by name; names are stored and used in filters (`flag:noisy`)."""
CUSTOM_KEY = "O"

STAYS = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
"""Reasons after which the focus comes back: another window, or a menu of the line."""


class FlagRow(QWidget):
    """Also handles the commands "star" and "flags"."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._keymap = context.current, context.keymap
        self._current_theme = theme = context.current_theme
        self.star = PaintedButton(theme, attrgetter("unsure"), self, mark="★", is_quiet=True)
        self.star.setCheckable(True)
        self.more = PaintedButton(theme, attrgetter("border"), self)
        self.rest = PaintedButton(theme, attrgetter("border"), self)
        self.rest.hide()
        self.menu = FlagMenu(self)
        self.custom = CustomFlag(self)
        self.custom.setAccessibleName(self.tr("Custom flag"))
        PlaceholderWidth(self.custom, is_fixed=True)
        self.chips: dict[str, PaintedButton] = {}
        self._names: tuple[str, ...] = ()
        self._room = CHIPS_PX
        self._group = QButtonGroup(self, exclusive=False)
        parts = self.star, self.more, self.custom, self.rest
        self._row = row(*parts, spacing=SPACING_PX, parent=self)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        keep_current(self._show_keys, context.keymap.changed)
        context.commands.add("star", self.toggle_star)
        context.commands.add("flags", self.open_menu)
        self.star.clicked.connect(self.toggle_star)
        self.more.clicked.connect(self.open_menu)
        self.rest.clicked.connect(self.open_menu)
        self.menu.chosen.connect(self._current.toggle_flag)
        self.menu.custom_requested.connect(self.custom.ask)
        self.custom.given.connect(self._add_custom)
        self._group.idClicked.connect(lambda at: self._current.toggle_flag(self._names[at]))
        self._current.opinion_changed.connect(self._show)
        keep_current(self._show_row, self._current.candidate_changed)
        OnEvent(self, self._show_chips, QEvent.Type.FontChange)

    def _show_keys(self) -> None:
        keymap = self._keymap
        self.star.set_label("", keymap.label("star"), hint(self.tr("Star"), keymap, "star"))
        self.star.setAccessibleName(self.tr("Star"))
        about = hint(self.tr("Flags"), keymap, "flags")
        self.more.set_label(self.tr("Flag"), keymap.label("flags"), about)

    @property
    def _chip_px(self) -> int:
        return self.fontMetrics().horizontalAdvance("n" * CHIP_LETTERS) + PADDING_PX

    @property
    def bare_px(self) -> int:
        """Width without flags."""
        return self.star.sizeHint().width() + SPACING_PX + self.more.sizeHint().width()

    def set_room(self, room: int) -> None:
        """Set how wide the chips may be together."""
        if room != self._room:
            self._room = room
            self._show_chips()

    def toggle_star(self) -> None:
        self.star.setChecked(STAR in self._current.opinion.flags)  # changed once it is saved
        self._current.toggle_flag(STAR)

    def open_menu(self) -> None:
        if self._current.session.is_read_only:
            self._current.message.emit(self.tr("This session is read-only: flags cannot be saved"))
        elif self._current.row is not None:
            self.menu.show_flags(self._current.opinion.flags)
            self.menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height() + 2)))

    def _show_row(self, _: object = None) -> None:
        can_write = self._current.row is not None and not self._current.session.is_read_only
        for button in (self.star, self.more):
            button.setEnabled(can_write)
        self.custom.close_line()
        self._show(self._current.opinion)

    def _show(self, opinion: Opinion) -> None:
        self.star.setChecked(STAR in opinion.flags)
        names = tuple(each for each in opinion.flags if each != STAR)
        if names != self._names:
            self._names = names
            self._show_chips()

    def _show_chips(self) -> None:
        for chip in self.chips.values():
            self._group.removeButton(chip)
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        fitting = CHIPS_PX // self._chip_px
        shown = self._names[: min(MAX_CHIPS, fitting) if fitting > 1 else 0]
        while shown and self._needed(shown) > self._room:
            shown = shown[:-1]
        hidden = self._names[len(shown) :]
        self.chips = {name: self._chip(number, name) for number, name in enumerate(shown)}
        self.rest.set_label(f"+{len(hidden)}", hint=", ".join(hidden))
        self.rest.setVisible(bool(hidden))

    def _needed(self, shown: tuple[str, ...]) -> int:
        """Width of these chips, and of the count of the others."""
        widths = [min(self.rest.width_of("", name, REMOVE), self._chip_px) for name in shown]
        if hidden := len(self._names) - len(shown):
            widths.append(self.rest.width_of("", f"+{hidden}", ""))
        return sum(width + SPACING_PX for width in widths)

    def _chip(self, number: int, name: str) -> PaintedButton:
        chip = quiet_button(self._current_theme, self)
        about = self.tr("Remove the flag {name}").replace("{name}", name)
        chip.set_label(name, REMOVE, about)
        chip.setAccessibleName(about)
        chip.setMaximumWidth(self._chip_px)
        self._group.addButton(chip, number)
        self._row.insertWidget(self._row.indexOf(self.rest), chip)
        return chip

    def _add_custom(self, name: str) -> None:
        if name not in self._current.opinion.flags:
            self._current.toggle_flag(name)


class FlagMenu(QMenu):
    """Closes after one letter; unlike QMenu it needs no underlined letters in its texts."""

    chosen = Signal(str)
    custom_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by_letter: dict[str, QAction] = {}
        self.triggered.connect(self._choose)

    def show_flags(self, flags: Iterable[str]) -> None:
        """Show the standard flags and the candidate's custom ones; `flags` are those set."""
        flags = [each for each in flags if each != STAR]
        self.clear()
        self._by_letter.clear()
        for name, (letter, text) in FLAGS.items():
            meaning = QCoreApplication.translate("flags", str(text))
            self._add(name, f"{letter}    {meaning}", letter, is_set=name in flags)
        for name in flags:
            if name not in FLAGS:
                self._add(name, escape_mnemonics(name), "", is_set=True)
        self.addSeparator()
        custom = self.tr("{key}    Custom…").replace("{key}", CUSTOM_KEY)
        self._by_letter[CUSTOM_KEY] = self.addAction(custom)

    def add_heading(self, text: str) -> None:
        """Say above the flags whose they are."""
        heading = QAction(escape_mnemonics(text), self)
        heading.setEnabled(False)
        self.insertAction(self.actions()[0], heading)
        self.insertSeparator(self.actions()[1])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (action := self._by_letter.get(event.text().upper())) is None:
            super().keyPressEvent(event)
            return
        self.close()
        action.trigger()

    def _add(self, name: str, text: str, letter: str, *, is_set: bool) -> None:
        action = self.addAction(text)
        action.setCheckable(True)
        action.setChecked(is_set)
        action.setData(name)
        if letter:
            self._by_letter[letter] = action

    def _choose(self, action: QAction) -> None:
        name = action.data()
        if isinstance(name, str):
            self.chosen.emit(name)
        else:
            self.custom_requested.emit()


class CustomFlag(QLineEdit):
    """A line for a flag that is none of the standard ones; without Enter none is given."""

    given = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, maxLength=MAX_FLAG)
        self.setPlaceholderText(self.tr("custom flag, Enter"))
        self.hide()
        self.returnPressed.connect(self._give)
        self.editingFinished.connect(self.close_line)
        FocusLeft(self).left.connect(self.close_line)

    def ask(self) -> None:
        self.clear()
        self.show()
        # The menu is still closing and will return the focus to the former widget.
        focus = partial(self.setFocus, Qt.FocusReason.ShortcutFocusReason)
        QTimer.singleShot(0, self, focus)

    def _give(self) -> None:
        if name := " ".join(self.text().split()):
            self.given.emit(name)
        self.close_line()

    def close_line(self) -> None:
        if self.isHidden():
            return
        self.clear()
        if self.hasFocus():
            self.clearFocus()  # else Qt moves the focus to the next field
        if not self.isHidden():  # losing the focus has closed it
            self.hide()
            self.closed.emit()


class FocusLeft(QObject):
    """Tells when a line edit that comes and goes has lost the focus.

    Qt's `editingFinished` says so only where something was typed, so an untouched line would stay
    open."""

    left = Signal()

    def __init__(self, line: QLineEdit) -> None:
        super().__init__(line)
        line.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() not in STAYS:
            # Once the line has had the event itself.
            QTimer.singleShot(0, self, self.left.emit)
        return super().eventFilter(watched, event)

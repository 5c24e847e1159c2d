"""The star, the flags of the object on the desk as chips, and the menu for more."""

from __future__ import annotations

from operator import attrgetter

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from app.core.session.records import MAX_FLAG, Opinion
from app.ui.judging.flag_menu import STAR, FlagMenu
from app.ui.session_context import SessionContext
from app.ui.widgets.painted_button import PaintedButton, hint

OWN_WIDTH = 120
MOST_CHIPS = 3
"""More are behind one that says how many."""


class FlagRow(QWidget):
    """Answers to the star and the flag menu."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._current_theme, self._keymap = (
            context.current,
            context.current_theme,
            context.keymap,
        )
        self.star = PaintedButton(
            context.current_theme, attrgetter("unsure"), self, mark="★", is_quiet=True
        )
        self.star.setCheckable(True)
        self.more = PaintedButton(context.current_theme, attrgetter("border"), self)
        self.rest = PaintedButton(context.current_theme, attrgetter("border"), self)
        self.rest.hide()
        self.menu = FlagMenu(self)
        self.own = QLineEdit(self)
        self.own.setMaxLength(MAX_FLAG)
        self.own.setFixedWidth(OWN_WIDTH)
        self.own.setPlaceholderText(self.tr("own flag, Enter"))
        self.own.setAccessibleName(self.tr("Own flag"))
        self.own.hide()
        self.chips: dict[str, PaintedButton] = {}
        self._names: tuple[str, ...] = ()
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        for widget in (self.star, self.more, self.own, self.rest):
            self._row.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._show_keys()
        context.keymap.changed.connect(self._show_keys)
        context.commands.add("star", self.toggle_star)
        context.commands.add("flags", self.open_menu)
        self.star.clicked.connect(self.toggle_star)
        self.more.clicked.connect(self.open_menu)
        self.rest.clicked.connect(self.open_menu)
        self.menu.chosen.connect(self._current.toggle_flag)
        self.menu.own_wanted.connect(self._ask_own)
        self.own.returnPressed.connect(self._take_own)
        self.own.editingFinished.connect(self._hide_own)
        self._group.idClicked.connect(self._take_off)
        self._current.opinion_changed.connect(self._show)
        self._current.moved.connect(self._show_line)
        self._show_line(self._current.line)

    def _show_keys(self) -> None:
        keymap = self._keymap
        self.star.say("", keymap.label("star"), hint(self.tr("Star"), keymap, "star"))
        self.star.setAccessibleName(self.tr("Star"))
        self.more.say(
            self.tr("Flag"), keymap.label("flags"), hint(self.tr("Flags"), keymap, "flags")
        )

    def toggle_star(self) -> None:
        self.star.setChecked(STAR in self._current.opinion.flags)  # the desk decides
        self._current.toggle_flag(STAR)

    def open_menu(self) -> None:
        if self._may_write():
            self.menu.show_flags(self._current.opinion.flags)
            self.menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height() + 2)))

    def _may_write(self) -> bool:
        if self._current.session.is_read_only:
            self._current.said.emit(self.tr("Open read-only: nothing can be flagged"))
            return False
        return self._current.line is not None

    def _show_line(self, line: object) -> None:
        is_there = line is not None and not self._current.session.is_read_only
        self.star.setEnabled(is_there)
        self.more.setEnabled(is_there)
        self._hide_own()
        self._show(self._current.opinion)

    def _show(self, opinion: Opinion) -> None:
        self.star.setChecked(STAR in opinion.flags)
        names = tuple(each for each in opinion.flags if each != STAR)
        if names == self._names:
            return
        self._names = names
        for chip in self.chips.values():
            self._group.removeButton(chip)
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        shown = names[:MOST_CHIPS]
        self.chips = {name: self._chip(number, name) for number, name in enumerate(shown)}
        hidden = names[MOST_CHIPS:]
        self.rest.say(f"+{len(hidden)}", hint=", ".join(hidden))
        self.rest.setVisible(bool(hidden))

    def _chip(self, number: int, name: str) -> PaintedButton:
        chip = PaintedButton(self._current_theme, attrgetter("accent"), self, is_quiet=True)
        told = self.tr("Take the flag {name} off").replace("{name}", name)
        chip.say(name, "✕", told)
        chip.setAccessibleName(told)
        chip.setMaximumWidth(OWN_WIDTH)
        self._group.addButton(chip, number)
        self._row.insertWidget(self._row.indexOf(self.rest), chip)
        return chip

    def _take_off(self, number: int) -> None:
        self._current.toggle_flag(self._names[number])

    def _ask_own(self) -> None:
        self.own.clear()
        self.own.show()
        # The menu is still closing, and gives the focus back to where it was.
        QTimer.singleShot(0, self.own, self._focus_own)

    def _focus_own(self) -> None:
        self.own.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _take_own(self) -> None:
        name = " ".join(self.own.text().split())
        self._hide_own()
        if name and name not in self._current.opinion.flags:
            self._current.toggle_flag(name)

    def _hide_own(self) -> None:
        """Leaving the field without Enter flags nothing."""
        self.own.clear()
        if self.own.hasFocus():
            self.own.clearFocus()  # hidden with it, Qt hands the keys to the next field
        self.own.hide()

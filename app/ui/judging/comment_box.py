"""What a person says about an object in their own words, and its flags."""

from __future__ import annotations

from operator import attrgetter

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QWidget

from app.core.queue import QueueRow
from app.core.session.records import MAX_COMMENT, Opinion
from app.ui.judging.flag_row import FlagRow
from app.ui.session_context import SessionContext
from app.ui.widgets.painted_button import PaintedButton, hint

BETWEEN = "; "


class CommentBox(QWidget):
    """Every letter goes to the desk at once, which keeps it with the object it was typed for."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._settings = context.current, context.settings
        self._keymap = context.keymap
        self.flags = FlagRow(context, self)
        self.edit = QLineEdit(self)
        self.edit.setMaxLength(MAX_COMMENT)
        self.edit.setAccessibleName(self.tr("Comment"))
        self.edit.setMinimumWidth(140)
        self.standard = PaintedButton(context.current_theme, attrgetter("border"), self, mark="▾")
        self.menu = QMenu(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.flags)
        row.addWidget(self.edit, 1)
        row.addWidget(self.standard)
        self._show_keys()
        context.keymap.changed.connect(self._show_keys)
        context.commands.add("comment", self.begin)
        self.edit.textEdited.connect(self._keep)
        self.edit.editingFinished.connect(self._save)
        self.edit.returnPressed.connect(self.edit.clearFocus)
        self.standard.clicked.connect(self._open_menu)
        self.menu.triggered.connect(self._take)
        self._current.moved.connect(self._show_line)
        self._current.opinion_changed.connect(self._show)
        self._show_line(self._current.line)

    def _show_keys(self) -> None:
        told = self.tr("Comment ({key})").replace("{key}", self._keymap.label("comment"))
        self.edit.setPlaceholderText(told)
        self.edit.setToolTip(
            hint(self.tr("Comment; Enter or Esc goes back"), self._keymap, "comment")
        )
        self.standard.say("", hint=self.tr("Standard comments"))

    def begin(self) -> None:
        """Start typing, at the end of what is there."""
        if not self.edit.isEnabled():
            return
        if self.edit.isReadOnly():
            self._current.said.emit(self.tr("Open read-only: nothing can be commented"))
            return
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.end(False)

    def _show_line(self, line: QueueRow | None) -> None:
        self.edit.setEnabled(line is not None)
        self.edit.setReadOnly(self._current.session.is_read_only)
        self.standard.setEnabled(line is not None and not self._current.session.is_read_only)
        self._show(self._current.opinion)

    def _show(self, opinion: Opinion) -> None:
        if opinion.comment != self.edit.text():
            self.edit.setText(opinion.comment)
            self.edit.setCursorPosition(0)

    def _keep(self, text: str) -> None:
        self._current.set_comment(text, save=False)

    def _save(self) -> None:
        if self.edit.isEnabled() and not self.edit.isReadOnly():
            self._current.set_comment(self.edit.text())

    def _open_menu(self) -> None:
        self.menu.clear()
        for words in dict.fromkeys((*self._settings.settings.comments, *self._defaults())):
            self.menu.addAction(words.replace("&", "&&")).setData(words)
        self.menu.popup(self.standard.mapToGlobal(QPoint(0, self.standard.height() + 2)))

    def _take(self, action: QAction) -> None:
        """Behind what was typed."""
        there = self.edit.text().strip()
        words = str(action.data())
        if words not in there.split(BETWEEN):
            self._current.set_comment(f"{there}{BETWEEN}{words}" if there else words)

    def _defaults(self) -> tuple[str, ...]:
        return (
            self.tr("follow up"),
            self.tr("binary?"),
            self.tr("another class"),
            self.tr("two sources in the fibre"),
            self.tr("lines are sky residuals"),
            self.tr("flux calibration is wrong in the blue"),
            self.tr("too noisy, needs another spectrum"),
        )

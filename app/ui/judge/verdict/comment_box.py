"""The comment field and the flags, of the current candidate and of the one before."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QMenu, QSizePolicy, QWidget

from app.core.queue import QueueRow
from app.core.session.records import MAX_COMMENT, MAX_FLAG, Opinion
from app.ui.judge.verdict.flag_row import FlagMenu, FlagRow, FocusLeft
from app.ui.judge.verdict.state_block import object_name
from app.ui.session.candidate.current import ChangeOpinion, amend, with_comment, with_flag_toggled
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import escape_mnemonics, keep_current, row, short_label
from app.ui.widgets.painted_button import PaintedButton, hint
from app.ui.widgets.text_width import PlaceholderWidth

MIN_PX = 110
SEPARATOR = "; "


class CommentBox(QWidget):
    """Passes each keystroke on at once, so that a comment stays with the candidate it is for."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._settings = context.current, context.settings
        self._keymap = context.keymap
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.flags = FlagRow(context, self)
        self.edit = QLineEdit(self, maxLength=MAX_COMMENT)
        self.edit.setAccessibleName(self.tr("Comment"))
        self._width = PlaceholderWidth(self.edit, MIN_PX)
        self.standard = PaintedButton(context.current_theme, attrgetter("border"), self, mark="▾")
        self.menu = QMenu(self)
        self._row = row(self.flags, (self.edit, 1), self.standard, spacing=4, parent=self)
        self._over: QLineEdit | None = None
        self._over_title = short_label("", "title", self)
        self._over_title.hide()
        keep_current(self._show_keys, context.keymap.changed)
        context.commands.add("comment", self._start_typing)
        self.edit.textEdited.connect(self._on_edited)
        self.edit.editingFinished.connect(self._save)
        self.edit.returnPressed.connect(self.edit.clearFocus)
        self.standard.clicked.connect(self._open_menu)
        self.menu.triggered.connect(self._append)
        self._current.candidate_changed.connect(self._show_row)
        self._current.opinion_changed.connect(self._show)
        self._show_row(self._current.row)

    def show_over(self, line: QLineEdit | None, title: str) -> None:
        """Show another line with a title in place of the comment, or the comment again."""
        for over, stretch in ((self._over_title, 0), (line, 1)):
            if over is not None and self._row.indexOf(over) < 0:
                self._row.insertWidget(self._row.indexOf(self.edit), over, stretch)
        other, self._over = self._over, line
        for part in (self.flags, self.edit):  # both are about the object on screen
            part.setVisible(line is None)
        self._over_title.setVisible(line is not None)
        self._over_title.setText(title)
        if line is not None:
            line.show()
        elif other is not None:
            other.hide()

    def _show_keys(self) -> None:
        text = self.tr("Comment ({key})").replace("{key}", self._keymap.label("comment"))
        self.edit.setPlaceholderText(text)
        self._width.fit()
        about = hint(self.tr("Comment; Enter or Esc returns to the plot"), self._keymap, "comment")
        self.edit.setToolTip(about)
        self.standard.set_label("", hint=self.tr("Standard comments"))

    def _start_typing(self) -> None:
        if self.edit.isEnabled() and self.edit.isReadOnly():
            text = self.tr("This session is read-only: comments cannot be saved")
            self._current.message.emit(text)
        elif self.edit.isEnabled():
            self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.edit.end(False)

    def _show_row(self, row: QueueRow | None) -> None:
        self.edit.setEnabled(row is not None)
        self.edit.setReadOnly(self._current.session.is_read_only)
        self.standard.setEnabled(row is not None and not self._current.session.is_read_only)
        self._show(self._current.opinion)

    def _show(self, opinion: Opinion) -> None:
        if opinion.comment != self.edit.text():
            self.edit.setText(opinion.comment)
            self.edit.setCursorPosition(0)

    def _on_edited(self, text: str) -> None:
        self._current.set_comment(text, save=False)

    def _save(self) -> None:
        if self.edit.isEnabled() and not self.edit.isReadOnly():
            self._current.set_comment(self.edit.text())

    def _open_menu(self) -> None:
        self.menu.clear()
        for text in dict.fromkeys((*self._settings.settings.comments, *self._defaults())):
            self.menu.addAction(escape_mnemonics(text)).setData(text)
        self.menu.popup(self.standard.mapToGlobal(QPoint(0, self.standard.height() + 2)))

    def _append(self, action: QAction) -> None:
        typed = self.edit.text().strip()
        text = str(action.data())
        if text not in typed.split(SEPARATOR):
            self._current.set_comment(f"{typed}{SEPARATOR}{text}" if typed else text)

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


class PreviousObject(QObject):
    """Handles "comment_previous" and "flags_previous"; both name the object they are about."""

    def __init__(self, context: SessionContext, box: CommentBox, parent: QWidget) -> None:
        super().__init__(parent)
        self._current, self._box = context.current, box
        self._now: QueueRow | None = context.current.row
        self._before: QueueRow | None = None
        self._about: QueueRow | None = None  # the object of the line or menu that is open
        self._was = ""
        self.edit = QLineEdit(box, maxLength=MAX_COMMENT)
        self.edit.hide()
        self.custom = QLineEdit(box, maxLength=MAX_FLAG)
        self.custom.setPlaceholderText(self.tr("custom flag, Enter"))
        self.custom.hide()
        self.menu = FlagMenu(box)
        self.menu.chosen.connect(self._toggle)
        self.menu.custom_requested.connect(self._ask_custom)
        self.custom.returnPressed.connect(self._add_custom)
        self.custom.editingFinished.connect(self._close_custom)
        FocusLeft(self.custom).left.connect(self._close_custom)
        FocusLeft(self.edit).left.connect(self._save)
        self.edit.editingFinished.connect(self._save)
        self.edit.returnPressed.connect(self.edit.clearFocus)
        context.current.candidate_changed.connect(self._on_candidate)
        context.commands.add("comment_previous", self.start_typing)
        context.commands.add("flags_previous", self.open_menu)

    def _on_candidate(self, row: QueueRow | None) -> None:
        if row is None or self._now is None or row.candidate.id != self._now.candidate.id:
            self._before = self._now
            self._save()
            self._close_custom()
        self._now = row

    def start_typing(self) -> None:
        opinion = self._opinion()
        if opinion is None or self._before is None:
            return
        self._about, self._was = self._before, opinion.comment
        self.edit.setText(opinion.comment)
        text = self.tr("Comment on {object}").replace("{object}", object_name(self._about))
        self.edit.setPlaceholderText(self.tr("Comment, Enter"))
        self.edit.setAccessibleName(text)
        self.edit.setToolTip(text)
        self._show_over(self.edit, self._about)
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.end(False)

    def open_menu(self) -> None:
        opinion = self._opinion()
        if opinion is None or self._before is None:
            return
        self._about = self._before
        self.menu.show_flags(opinion.flags)
        heading = self.tr("Flags of {object}").replace("{object}", object_name(self._about))
        self.menu.add_heading(heading)
        more = self._box.flags.more
        self.menu.popup(more.mapToGlobal(QPoint(0, more.height() + 2)))

    def _show_over(self, line: QLineEdit, about: QueueRow) -> None:
        self._box.show_over(line, self.tr("{object}:").replace("{object}", object_name(about)))

    def _opinion(self) -> Opinion | None:
        """What the person said of the previous object; None where nothing can be changed."""
        if self._before is None:
            self._current.message.emit(self.tr("There is no previous object"))
            return None
        if self._current.session.is_read_only:
            self._current.message.emit(self.tr("This session is read-only"))
            return None
        standing = self._current.session.judgement(self._before.candidate.id)
        return Opinion() if standing is None else standing.opinion

    def _save(self) -> None:
        about = self._about
        if about is None or self.edit.isHidden():
            return
        text = self.edit.text()
        self._about = None
        self._box.show_over(None, "")
        if text != self._was:
            self._amend(about, with_comment(text))

    def _toggle(self, flag: str) -> None:
        if self._about is not None:
            self._amend(self._about, with_flag_toggled(flag))

    def _amend(self, about: QueueRow, change: ChangeOpinion) -> None:
        if amend(self._current, about.candidate.id, change):
            said = self.tr("Saved for {object}").replace("{object}", object_name(about))
            self._current.message.emit(said)

    def _ask_custom(self) -> None:
        if self._about is None:
            return
        text = self.tr("Custom flag for {object}").replace("{object}", object_name(self._about))
        self.custom.setAccessibleName(text)
        self.custom.setToolTip(text)
        self.custom.clear()
        self._show_over(self.custom, self._about)
        # The menu is still closing and will return the focus to the former widget.
        focus = partial(self.custom.setFocus, Qt.FocusReason.ShortcutFocusReason)
        QTimer.singleShot(0, self.custom, focus)

    def _add_custom(self) -> None:
        name, opinion = " ".join(self.custom.text().split()), self._opinion()
        if name and opinion is not None and name not in opinion.flags:
            self._toggle(name)
        self._close_custom()

    def _close_custom(self) -> None:
        """Close the line; without Enter no flag is added."""
        if self.custom.isHidden():
            return
        self.custom.clear()
        if self.custom.hasFocus():
            self.custom.clearFocus()  # else Qt moves the focus to the next field
        if not self.custom.isHidden():  # losing the focus has closed it
            self._box.show_over(None, "")

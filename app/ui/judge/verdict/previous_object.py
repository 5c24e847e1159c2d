"""Comment and flags of the object that was on screen before the present one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QLineEdit, QWidget

from app.core.queue import QueueRow
from app.core.session.records import MAX_COMMENT, MAX_FLAG, Opinion
from app.ui.judge.verdict.comment_box import CommentBox
from app.ui.judge.verdict.flag_row import FlagMenu, FocusLeft
from app.ui.judge.verdict.state_block import object_name
from app.ui.session.candidate.current import amend, with_comment, with_flag_toggled
from app.ui.session.session_context import SessionContext


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
        is_other = row is None or self._now is None or row.candidate.id != self._now.candidate.id
        if is_other:
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
        self._box.show_over(
            self.edit, self.tr("{object}:").replace("{object}", object_name(self._about))
        )
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.end(False)

    def open_menu(self) -> None:
        opinion = self._opinion()
        if opinion is None or self._before is None:
            return
        self._about = self._before
        self.menu.show_flags(opinion.flags)
        self.menu.add_heading(
            self.tr("Flags of {object}").replace("{object}", object_name(self._about))
        )
        more = self._box.flags.more
        self.menu.popup(more.mapToGlobal(QPoint(0, more.height() + 2)))

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
        if text != self._was and amend(self._current, about.candidate.id, with_comment(text)):
            said = self.tr("Saved for {object}").replace("{object}", object_name(about))
            self._current.message.emit(said)

    def _toggle(self, flag: str) -> None:
        about = self._about
        if about is None:
            return
        if amend(self._current, about.candidate.id, with_flag_toggled(flag)):
            said = self.tr("Saved for {object}").replace("{object}", object_name(about))
            self._current.message.emit(said)

    def _ask_custom(self) -> None:
        if self._about is None:
            return
        text = self.tr("Custom flag for {object}").replace("{object}", object_name(self._about))
        self.custom.setAccessibleName(text)
        self.custom.setToolTip(text)
        self.custom.clear()
        title = self.tr("{object}:").replace("{object}", object_name(self._about))
        self._box.show_over(self.custom, title)
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

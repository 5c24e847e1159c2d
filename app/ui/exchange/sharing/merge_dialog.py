"""The dialog that brings the work of colleagues into the session, and leads to disagreements."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from agent.errors import WorkbenchError
from app.core.progress import ShouldStop
from app.core.session.session import Session, open_session
from app.core.sharing.merge import MergeReport, merge
from app.ui.base.translation.fill_in import fill_in
from app.ui.exchange.sharing.dialog_parts import SharingDialog
from app.ui.session.session_context import SessionContext
from app.ui.widgets.file_dialogs import choose_sessions_to_merge
from app.ui.widgets.labels import button, wrapped_label

SIZE = 560, 260


class MergeDialog(SharingDialog):
    merged = Signal()

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands, self._is_stopped = context.commands, Event()
        self.setWindowTitle(self.tr("Merge sessions of colleagues"))
        about = self.tr(
            "Brings the verdicts, comments and answers of colleagues into this session. Their "
            "files stay as they are, and merging one again brings only what is new."
        )
        self.outcome = wrapped_label("")
        self.close_button = button(self.tr("Close"), "", self.hide)
        self.disputes = button(self.tr("Show the disagreements"), "", self._show_disputes)
        self.choose = button(self.tr("Choose files…"), "primary", self.choose_files)
        buttons = self.close_button, self.disputes, self.choose
        self._lay_out((wrapped_label(about, "dim"), self.outcome), (), buttons, SIZE)
        self.disputes.hide()
        self._check()

    def choose_files(self) -> None:
        if paths := choose_sessions_to_merge(self):
            self.merge_files(paths)

    def merge_files(self, paths: Sequence[Path]) -> None:
        self.outcome.setText(self.tr("Merging…"))
        self._run(partial(merge_files, self._session, paths, self._is_stopped.is_set), self._show)

    def stop(self) -> None:
        """Give up a merge, which then changes nothing."""
        self._is_stopped.set()

    def _check(self) -> None:
        self.problem.clear()
        self.choose.setEnabled(self.may_write)

    def _show(self, found: Sequence[MergeReport]) -> None:
        self.outcome.setText(self._told(found))
        self.disputes.setVisible(bool(found[-1].disagreements))
        self._check()
        self.merged.emit()

    def _told(self, merged: Sequence[MergeReport]) -> str:
        """What came in, and what people have to look at."""
        text = self.tr("Files merged: {n}. New entries in the log: {lines}.")
        text = fill_in(text, n=len(merged), lines=sum(each.lines for each in merged))
        if conflicts := sum(len(each.conflicts) for each in merged):
            more = self.tr("{text} Given differently by one person on two machines: {n}.")
            text = fill_in(more, text=text, n=conflicts)
        if disputed := len(merged[-1].disagreements):
            more = self.tr("{text} Disagreements to settle: {n}.")
            text = fill_in(more, text=text, n=disputed)
        return text

    def _show_disputes(self) -> None:
        self.hide()
        self._commands.run("disagreement_page")

    def _fail(self, error: WorkbenchError) -> None:
        self.outcome.clear()
        super()._fail(error)


def merge_files(
    session: Session, paths: Sequence[Path], should_stop: ShouldStop
) -> tuple[MergeReport, ...]:
    """Merge what colleagues sent back; a file that cannot be merged ends it, those before stay."""
    merged = []
    for path in paths:
        with open_session(path, session.reviewer, read_only=True) as other:
            merged.append(merge(session, other, should_stop=should_stop))
    return tuple(merged)

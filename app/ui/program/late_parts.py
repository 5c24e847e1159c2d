"""What is imported and made when it is first opened, so that the start does not wait for it.

To add a page of review, add its entry to REVIEW_PAGES.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.ui.program.help.pages import EXPORT, KNOWN, SHARING, STUDY, add_help_key
from app.ui.session.session_context import SessionContext

if TYPE_CHECKING:
    from app.ui.exchange.export.export_dialog import ExportDialog
    from app.ui.exchange.sharing.known_dialog import KnownDialog
    from app.ui.exchange.sharing.merge_dialog import MergeDialog
    from app.ui.exchange.sharing.share_dialog import ShareDialog
    from app.ui.exchange.sharing.study_dialog import StudyDialog
    from app.ui.judge.verdict.fields.fields_dialog import FieldsDialog


def _disagreement(context: SessionContext) -> QWidget:
    from app.ui.review.disagreement_page import DisagreementPage

    return DisagreementPage(context)


def _agreement(context: SessionContext) -> QWidget:
    from app.ui.review.agreement_page import AgreementPage

    return AgreementPage(context)


def _history(context: SessionContext) -> QWidget:
    from app.ui.review.history_page import HistoryPage

    return HistoryPage(context)


def _agent_faults(context: SessionContext) -> QWidget:
    from app.ui.review.agent_faults_page import AgentFaultsPage

    return AgentFaultsPage(context)


REVIEW_PAGES: Mapping[str, Callable[[SessionContext], QWidget]] = {
    "disagreement_page": _disagreement,
    "agreement_page": _agreement,
    "history_page": _history,
    "agent_faults_page": _agent_faults,
}
"""The pages of review by the actions that open them."""


class SessionDialogs(QObject):
    """The dialogs about the whole session. Call `stop` before it is closed."""

    help_requested = Signal(str)  # a page of the guide
    hiding_requested = Signal(object)
    """A `HideOrder`: known answers are hidden while no view shows the list."""

    def __init__(self, context: SessionContext, view: QWidget) -> None:
        super().__init__(view)
        self._context, self._view = context, view
        self._to_stop: list[Callable[[], object]] = []
        for name, show in (
            ("export", lambda: self.export.show_catalogue()),
            ("fields", lambda: self.fields.open_fields()),
            ("report", lambda: self.export.show_report()),
            ("pack", lambda: self.export.show_packing()),
            ("share_out", lambda: self.share.open_again()),
            ("merge", lambda: self.merging.open_again()),
            ("hide_known", lambda: self.known.open_again()),
            ("study", lambda: self.study.open_again()),
        ):
            context.commands.add(name, show)

    def stop(self) -> None:
        while self._to_stop:
            self._to_stop.pop()()

    @cached_property
    def export(self) -> ExportDialog:
        from app.ui.exchange.export.export_dialog import ExportDialog

        dialog = ExportDialog(self._context, self._view)
        add_help_key(dialog, EXPORT, self.help_requested.emit)
        self._to_stop.append(dialog.work.stop)
        return dialog

    @cached_property
    def fields(self) -> FieldsDialog:
        from app.ui.judge.verdict.fields.fields_dialog import FieldsDialog

        return FieldsDialog(self._context, self._view)

    @cached_property
    def share(self) -> ShareDialog:
        from app.ui.exchange.sharing.share_dialog import ShareDialog

        dialog = ShareDialog(self._context, self._view)
        add_help_key(dialog, SHARING, self.help_requested.emit)
        return dialog

    @cached_property
    def merging(self) -> MergeDialog:
        from app.ui.exchange.sharing.merge_dialog import MergeDialog

        dialog = MergeDialog(self._context, self._view)
        add_help_key(dialog, SHARING, self.help_requested.emit)
        dialog.merged.connect(self._on_merged)
        self._to_stop.append(dialog.stop)
        return dialog

    @cached_property
    def known(self) -> KnownDialog:
        from app.ui.exchange.sharing.known_dialog import KnownDialog

        dialog = KnownDialog(self._context, self._view)
        add_help_key(dialog, KNOWN, self.help_requested.emit)
        dialog.wanted.connect(self.hiding_requested)
        return dialog

    @cached_property
    def study(self) -> StudyDialog:
        from app.ui.exchange.sharing.study_dialog import StudyDialog

        dialog = StudyDialog(self._context, self._view)
        add_help_key(dialog, STUDY, self.help_requested.emit)
        return dialog

    def _on_merged(self) -> None:
        """Who has judged how much has changed, too, where it is on the screen."""
        if "share" in vars(self) and self.share.isVisible():
            self.share.read()

"""The pages of review by the actions that open them, each imported when it is first opened.

So the start does not wait for them. To add a page, add its entry to REVIEW_PAGES.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QWidget

from app.ui.session_context import SessionContext


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

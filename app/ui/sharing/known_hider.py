"""Hides known answers in the session of the window, which is closed meanwhile and opened anew."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject

from agent.errors import WorkbenchError
from app.core.database.locations import shown_location
from app.core.session.session import Session
from app.ui.judging.status_line import StatusLine
from app.ui.session_context import SessionContext
from app.ui.session_opener import OpenRequest, SessionOpener

if TYPE_CHECKING:
    from app.ui.sharing.known_work import HideOrder, Hiding


class HidingView(Protocol):
    """The open session in the window."""

    hiding_requested: Any
    session: Session
    context: SessionContext
    status: StatusLine


class HidingHost(Protocol):
    """What the main window does for it."""

    opener: SessionOpener

    @property
    def view(self) -> HidingView | None: ...

    def wait_for(self, text: str) -> None:
        """Close the session and show a text in its place."""

    def show_session(self, session: Session) -> None: ...

    def on_session_failed(
        self, place: Path | str, read_only: bool, error: WorkbenchError
    ) -> None: ...


class KnownHider(QObject):
    """A view on the list would show one spectrum and judge another, while places change."""

    def __init__(self, host: HidingHost) -> None:
        assert isinstance(host, QObject)
        super().__init__(host)
        self._host = host

    def attach(self, view: HidingView) -> None:
        view.hiding_requested.connect(partial(self._hide, view.session))

    def _hide(self, session: Session, order: HideOrder) -> None:
        from app.ui.sharing.known_work import Hiding

        hiding = Hiding(session.database.address, session.reviewer, order)
        text = self.tr("Hiding known answers in {name}")
        self._host.wait_for(text.replace("{name}", shown_location(session.location)))
        shown = partial(self._show, hiding)
        failed = partial(self._host.on_session_failed, hiding.place, False)
        self._host.opener.open(OpenRequest(hiding.open, shown, failed))

    def _show(self, hiding: Hiding, session: Session) -> None:
        self._host.show_session(session)
        view = self._host.view
        if view is None:
            return
        if hiding.error is not None:
            view.context.current.report_error(hiding.error)
        elif hiding.report is not None:
            text = self.tr("Hidden: {n} known answers, {members} of them members")
            text = text.replace("{n}", f"{hiding.report.hidden:,}")
            text = text.replace("{members}", f"{hiding.report.members:,}")
            if hiding.report.inspected:
                text += self.tr(". Run the agent on the list again, or they would be found out")
            view.status.show_message(text)

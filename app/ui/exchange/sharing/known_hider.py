"""Hides known answers in the session of the window, which is closed meanwhile and opened anew."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.core.database.locations import shown_location
from app.core.session.session import Session
from app.ui.start.opening import Opening, OpenRequest

if TYPE_CHECKING:
    from app.ui.exchange.sharing.known_dialog import HideOrder, Hiding


class KnownHider(QObject):
    """A view on the list would show one spectrum and judge another, while places change."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._opening = opening

    def attach(self, view: Any) -> None:
        """Follow a `SessionView`."""
        view.dialogs.hiding_requested.connect(partial(self._hide, view.session))

    def _hide(self, session: Session, order: HideOrder) -> None:
        from app.ui.exchange.sharing.known_dialog import Hiding

        hiding = Hiding(session.database.address, session.reviewer, order)
        text = self.tr("Hiding known answers in {name}")
        self._opening.wait_for(text.replace("{name}", shown_location(session.location)))
        shown = partial(self._show, hiding)
        failed = partial(self._opening.on_session_failed, hiding.place, False)
        self._opening.opener.open(OpenRequest(hiding.open, shown, failed))

    def _show(self, hiding: Hiding, session: Session) -> None:
        self._opening.host.show_session(session)
        view = self._opening.host.view
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

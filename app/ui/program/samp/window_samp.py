"""SAMP in the window: the switch, the commands that send, and what becomes of what arrives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.ui.base.actions.commands import Commands
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.translation.fill_in import fill_in
from app.ui.base.translation.message_texts import translate_message
from app.ui.program.samp.samp_link import SampLink
from app.ui.program.session_view import SessionView
from app.ui.start.importing.given_paths import GivenKind, GivenPaths

if TYPE_CHECKING:
    from app.services.samp.received import FileOffered, NotFollowed
    from app.ui.program.samp.samp_receiver import OfferBar, SampReceiver
    from app.ui.program.samp.samp_sender import SampSender

SENDS = ("samp_list", "samp_row", "samp_selected", "samp_position", "samp_spectrum")
MAX_OFFERS = 100
COLLECT_MS = 100  # of refusals that come faster, the last one is told


class WindowSamp(QObject):
    """Imports and starts nothing until the user turns SAMP on."""

    given = Signal(object)  # `GivenPaths` of a table or a spectrum to open
    failed = Signal(str)  # a text for a window without a session

    def __init__(self, settings: SettingsStore, commands: Commands, parent: QObject) -> None:
        super().__init__(parent)
        self._settings, self._commands = settings, commands
        self.link = SampLink(self)
        self._view: SessionView | None = None
        self._sender: SampSender | None = None
        self._receiver: SampReceiver | None = None
        self.offer: OfferBar | None = None
        self._wanted: FileOffered | None = None
        """What is being fetched for the session that is shown, or the welcome page."""
        self._known: dict[Path, tuple[str, str]] = {}
        """Id and URL of the tables that were opened, by our copy."""
        self._refused: NotFollowed | None = None
        """The last message that was not followed, which is told in a moment."""
        self._telling = QTimer(self, singleShot=True, interval=COLLECT_MS)
        self._telling.timeout.connect(self._tell_refused)
        self.link.received.connect(self._on_received)
        self.link.ready.connect(self._serve)
        self.link.connected.connect(self._on_connected)
        self.link.failed.connect(self._on_failed)
        settings.changed.connect(self._follow_settings)
        if settings.settings.samp:  # not before the window is shown
            QTimer.singleShot(0, self, lambda: self._follow_settings(settings.settings))

    def add_commands(self) -> None:
        self._commands.add("samp", self._toggle)

    def attach(self, view: SessionView) -> None:
        """Serve the session that is shown from now on."""
        self._view, self._wanted = view, None
        for name in SENDS:
            self._commands.add(name, partial(self._send, name))
        view.send_requested.connect(self._send_selection)
        if self.link.is_ready:
            self._serve()

    def detach(self) -> None:
        sender, self._sender, self._wanted = self._sender, None, None
        if self.offer is not None:
            self.offer.close_question()
        self._view = self._receiver = self.offer = None  # deleted with the view
        if sender is not None:
            sender.close()

    def close(self) -> None:
        self.link.close()

    def _toggle(self) -> None:
        self._settings.change(samp=not self._settings.settings.samp)

    def _follow_settings(self, settings: Settings) -> None:
        if settings.samp and not self.link.is_on:
            self.link.turn_on()
        elif not settings.samp and self.link.is_on:
            self.link.turn_off()
            self._say(self.tr("SAMP is off"))

    def _on_connected(self, names: list[str]) -> None:
        alone = self.tr("SAMP is on; no other program is connected yet")
        text = self.tr("SAMP is on; connected: {programs}") if names else alone
        self._say(text.replace("{programs}", ", ".join(names)))

    def _on_failed(self, text: str) -> None:
        message = translate_message(text)
        if self._view is None:
            self.failed.emit(message)
        else:
            self._view.context.current.failed.emit(message, "")

    def _serve(self) -> None:
        """Prepare sending and receiving for the session that is shown, once that is imported."""
        view = self._view
        if view is None or self._sender is not None:
            return
        from app.ui.program.samp.samp_receiver import OfferBar, SampReceiver
        from app.ui.program.samp.samp_sender import SampSender
        from app.ui.program.samp.samp_work import received_table

        self._sender = sender = SampSender(self.link, view.context, view)
        self._receiver = SampReceiver(
            view.context, lambda: sender.table, sender.note_picked, view.select_in_overview, view
        )
        self.offer = OfferBar(view)
        self.offer.accepted.connect(self._fetch)
        self.offer.declined.connect(self.link.decline)
        view.add_notice(self.offer)
        if self._known:
            find = partial(received_table, view.session, dict(self._known))
            view.context.runner.run(find, sender.take_table, owner=sender)

    def _send(self, name: str) -> None:
        if not self.link.is_on or self._sender is None:
            text = self.tr("Not connected: first choose {action} in the menu File")
            self._say(text.replace("{action}", self.tr("Connect to TOPCAT and others (SAMP)")))
            return
        sends: dict[str, Callable[[], None]] = {
            "samp_list": self._sender.send_list,
            "samp_row": self._sender.send_row,
            "samp_selected": partial(
                self._say, self.tr("Select several candidates in the overview first")
            ),
            "samp_position": self._sender.send_position,
            "samp_spectrum": self._sender.send_spectrum,
        }
        sends[name]()

    def _send_selection(self, ids: list[int]) -> None:
        if self._sender is None:
            self._send("samp_selected")
        else:
            self._sender.send_selection(ids)

    def _on_received(self, message: object) -> None:
        from app.services.samp.received import FileOffered, NotFollowed

        if not self.link.is_on:
            return
        if isinstance(message, NotFollowed):
            self._refused = message
            if not self._telling.isActive():
                self._telling.start()
        elif isinstance(message, FileOffered):
            if self.offer is None or replace(message, path=None) == self._wanted:
                self._fetch(message)
            else:
                self.offer.ask(message)
        elif self._receiver is not None:
            self._receiver.take(message)  # type: ignore[arg-type]

    def _tell_refused(self) -> None:
        message, self._refused = self._refused, None
        if message is not None and self.link.is_on:
            text = self.tr("Not followed, from {program}: {what}")
            what = translate_message(message.reason)
            self._say(fill_in(text, program=message.sender, what=what))

    def _fetch(self, offered: FileOffered) -> None:
        path = offered.path
        if path is None:
            self._wanted = offered
            self._say(self.tr("Fetching {name}…").replace("{name}", offered.name))
            self.link.fetch(offered)
            return
        self._wanted = None
        if offered.is_table and len(self._known) < MAX_OFFERS:
            self._known[path] = (offered.table_id, offered.url)
        kind = GivenKind.LIST if offered.is_table else GivenKind.SPECTRUM
        self.given.emit(GivenPaths(kind=kind, paths=(path,)))

    def _say(self, text: str) -> None:
        if self._view is not None:
            self._view.context.current.message.emit(text)

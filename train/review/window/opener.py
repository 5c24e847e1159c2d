"""Opens rooms on pools of drafts and on files of inspections, and closes them with the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from agent.errors import WorkbenchError
from app.ui.base.background.runner import Runner
from app.ui.base.settings.settings import reviewer_name
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message

if TYPE_CHECKING:
    from train.review.pool import Pool
    from train.review.rating_round import RatingRound
    from train.review.window.pool_room import PoolRoom
    from train.review.window.rating_room import RatingRoom


class Host(Protocol):
    """What the main window lends to the rooms."""

    runner: Runner
    settings: SettingsStore
    current_theme: CurrentTheme
    closing: SignalInstance

    def show_guide(self, page: str = "") -> None: ...

    def show_error(self, text: str) -> None: ...


class RoomOpener(QObject):
    failed = Signal(str)  # why it cannot be opened, for the user
    opened = Signal(object)  # the room that is now on the screen

    def __init__(self, host: Host) -> None:
        assert isinstance(host, QWidget)
        super().__init__(host)
        self._host, self._window = host, host
        self.rooms: list[PoolRoom | RatingRoom] = []
        self.failed.connect(host.show_error)
        host.closing.connect(self.close)

    def ask_for_pool(self) -> None:
        """Say what a pool is, then ask for one, and open a room in which it is reviewed."""
        about = self.tr(
            "Here people check inspections that a model has drafted, before it learns from them. "
            "Choose the folder of a pool, which “spec-o3-train curate import” makes."
        )
        self._explain(self.tr("Curation room"), about, "cold-start", self._choose_pool)

    def _choose_pool(self) -> None:
        title = self.tr("Open a pool of drafts")
        if name := QFileDialog.getExistingDirectory(self._window, title):
            self.open_pool(Path(name))

    def ask_for_inspections(self) -> None:
        """Say what they are, then ask for them, and open a room in which they are rated."""
        about = self.tr(
            "Here people rate how well models inspect, without seeing which model it was. Choose "
            "files of inspections (*.jsonl), as the export of a session writes them."
        )
        self._explain(self.tr("Rating room"), about, "rating", self._choose_inspections)

    def _explain(self, title: str, about: str, page: str, choose: Callable[[], object]) -> None:
        question = QMessageBox(QMessageBox.Icon.NoIcon, title, title, parent=self._window)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setInformativeText(about)
        role = QMessageBox.ButtonRole
        chosen = question.addButton(self.tr("Choose…"), role.AcceptRole)
        guide = question.addButton(self.tr("Guide"), role.HelpRole)
        question.addButton(QMessageBox.StandardButton.Cancel)
        question.setDefaultButton(chosen)
        guide.clicked.disconnect()  # it stays open beside the guide
        guide.clicked.connect(partial(self._host.show_guide, page))
        chosen.clicked.connect(choose, Qt.ConnectionType.QueuedConnection)
        question.open()

    def _choose_inspections(self) -> None:
        kinds = self.tr("Inspections") + " (*.jsonl)"
        names, _ = QFileDialog.getOpenFileNames(
            self._window, self.tr("Rate inspections"), "", kinds
        )
        if names:
            from train.review.rating_round import open_round

            files = [Path(name) for name in names]
            work = partial(open_round, files, self._reviewer)
            self._host.runner.run(work, self.show_round, self._report, owner=self)

    def open_pool(self, place: Path | str, by: str = "") -> None:
        """Open a pool; `by` is who reviews, by default the person of the settings."""
        from train.review.pool import open_pool  # brings what draws and measures

        if self._is_open(place):
            return
        show = partial(self._show_pool, by or self._reviewer)
        self._host.runner.run(partial(open_pool, place), show, self._report, owner=self)

    def show_round(self, rating_round: RatingRound) -> None:
        from train.review.window.rating_room import RatingRoom

        self._show(RatingRoom(rating_round, self._host.runner, self._host.current_theme))

    def close(self) -> None:
        for room in list(self.rooms):
            room.close()

    @property
    def _reviewer(self) -> str:
        return reviewer_name(self._host.settings.settings)

    def _show_pool(self, by: str, pool: Pool) -> None:
        from train.review.window.pool_room import PoolRoom

        # It may have been asked for twice while the first was being read.
        if not self._is_open(pool.place):
            self._show(PoolRoom(pool, by, self._host.runner, self._host.current_theme))

    def _show(self, room: PoolRoom | RatingRoom) -> None:
        room.help_requested.connect(self._host.show_guide)
        room.closed.connect(partial(self._forget, room))
        self.rooms.append(room)
        room.show()
        self.opened.emit(room)

    def _is_open(self, place: Path | str) -> bool:
        """Whether there is a room on this pool, which then comes to the front."""
        known = [room for room in self.rooms if room.place == place]
        for room in known:
            room.raise_()
            room.activateWindow()
        return bool(known)

    def _forget(self, room: QWidget) -> None:
        self.rooms = [each for each in self.rooms if each is not room]
        room.deleteLater()

    def _report(self, error: WorkbenchError) -> None:
        self.failed.emit(translate_message(str(error)))


def opener_of(host: Host) -> RoomOpener:
    """The one of this window."""
    assert isinstance(host, QWidget)
    return host.findChild(RoomOpener) or RoomOpener(host)


def ask_for_pool(host: Host) -> None:
    opener_of(host).ask_for_pool()


def ask_for_inspections(host: Host) -> None:
    opener_of(host).ask_for_inspections()


def open_alone(open_room: Callable[[RoomOpener], object], host: Host) -> None:
    """Open a room beside the window that is not shown: the program ends with the room."""
    assert isinstance(host, QWidget)
    window, opener = host, opener_of(host)
    opener.opened.connect(lambda room: room.closed.connect(window.close))
    opener.failed.connect(lambda _: window.show())
    open_room(opener)

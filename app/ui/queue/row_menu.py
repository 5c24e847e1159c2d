"""The menu of a row in the queue: go there, copy its name or position, look it up."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu

from app.core.queue import Sort
from app.core.session.records import Candidate
from app.ui.actions.actions import ACTIONS
from app.ui.controls.web_pages import PAGES, identify
from app.ui.queue.queue_model import QueueModel
from app.ui.session_context import SessionContext
from app.ui.widgets.candidate_table import CandidateTable
from app.ui.widgets.menu_actions import add_action

SITES = {"open_simbad": "SIMBAD", "open_aladin": "Aladin"}


class RowMenu(QObject):
    compare_requested = Signal(object)
    """The `Candidate` to draw over the current spectrum."""

    opening = Signal(object)
    """The `QMenu`, still empty: what stands first may be added."""

    def __init__(self, context: SessionContext, table: CandidateTable, model: QueueModel) -> None:
        super().__init__(table)
        self._current, self._table, self._model = context.current, table, model
        self.menu = QMenu(table)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self.open_at)

    def open_at(self, at: QPoint) -> None:
        row = self._model.blocks.row(self._table.rowAt(at.y()))
        if row is None:
            return
        candidate = row.candidate
        self.menu.clear()
        self.opening.emit(self.menu)
        self._add(self.tr("Go to this object"), partial(self._current.go_to, candidate.id))
        here = self._current.candidate
        if here is not None and here.id != candidate.id:
            compare = partial(self.compare_requested.emit, candidate)
            self._add(self.tr("Compare with the current spectrum"), compare)
        self._add(ACTIONS["more_like_this"].title, partial(self._order_by, candidate.id))
        self.menu.addSeparator()
        self._add(self.tr("Copy the name"), partial(_copy, candidate.object_id))
        if candidate.ra is not None and candidate.dec is not None:
            degrees = f"{candidate.ra:.6f} {candidate.dec:+.6f}"
            self._add(self.tr("Copy RA Dec in degrees"), partial(_copy, degrees))
            hours = sexagesimal(candidate.ra, candidate.dec)
            self._add(self.tr("Copy RA Dec in hours and degrees"), partial(_copy, hours))
        self.menu.addSeparator()
        self._add_places(candidate)
        self.menu.popup(self._table.viewport().mapToGlobal(at))

    def _order_by(self, candidate_id: int) -> None:
        self._current.set_queue(self._current.queue.tree, Sort("like", like=candidate_id))

    def _add_places(self, candidate: Candidate) -> None:
        if candidate.path and Path(candidate.path).parent.is_dir():
            url = QUrl.fromLocalFile(str(Path(candidate.path).parent))
            self._add(self.tr("Open the folder of its file"), partial(_open, url))
        for name, site in SITES.items():
            page = PAGES[name](identify(candidate, None))
            if page.url:
                self._add(site, partial(_open, QUrl(page.url, QUrl.ParsingMode.StrictMode)))

    def _add(self, text: str, call: Callable[[], object]) -> None:
        add_action(self.menu, text, call)


def sexagesimal(ra: float, dec: float) -> str:
    """`hh:mm:ss.ss +dd:mm:ss.s`, rounded as a whole so that no part is 60."""
    hundredths = round(ra / 15.0 * 360_000) % 8_640_000
    tenths = round(abs(dec) * 36_000)
    sign = "-" if dec < 0 else "+"
    hours, minutes, seconds = hundredths // 360_000, hundredths // 6000 % 60, hundredths % 6000
    degrees, arcmin, arcsec = tenths // 36_000, tenths // 600 % 60, tenths % 600
    return (
        f"{hours:02d}:{minutes:02d}:{seconds / 100:05.2f} "
        f"{sign}{degrees:02d}:{arcmin:02d}:{arcsec / 10:04.1f}"
    )


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def _open(url: QUrl) -> None:
    QDesktopServices.openUrl(url)

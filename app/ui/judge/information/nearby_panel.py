"""The panel of nearby objects: other epochs and neighbours in the list; a click goes to one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QHeaderView, QWidget

from agent.errors import WorkbenchError
from app.core.queue import Neighbour, neighbours
from app.core.session.records import Candidate, Change, Judgement
from app.core.session.session import Session
from app.ui.base.settings.settings import Settings
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.comparison.compared_spectra import observation_date
from app.ui.judge.verdict.verdict_text import mark_and_word, verdict_colour
from app.ui.session.session_context import SessionContext
from app.ui.widgets.candidate_table import CELL, CandidateTable, Cell
from app.ui.widgets.labels import column, keep_current, wrapped_label
from app.ui.widgets.page_parts import FoldingCard
from app.ui.widgets.pair_table import Index, Role, RowsModel

MAX_SHOWN = 50


# Table model of other epochs and neighbours of an object.
@dataclass(frozen=True)
class NearbyFile:
    """A neighbour with its date of observation and the reviewer's own judgement."""

    neighbour: Neighbour
    date: str
    mine: Judgement | None


def nearby_files(session: Session, candidate: Candidate, radius_arcsec: float) -> list[NearbyFile]:
    """Neighbours of a candidate, nearest first, at most MAX_SHOWN. Any thread."""
    found = neighbours(session, candidate, radius_arcsec)[:MAX_SHOWN]
    return [
        NearbyFile(
            each, observation_date({}, each.candidate.own), session.judgement(each.candidate.id)
        )
        for each in found
    ]


SEPARATION, OBJECT, DATE, VERDICT = range(4)
SAME = "="  # marks another epoch of the same object


class NearbyModel(RowsModel):
    rows: Sequence[NearbyFile]

    def __init__(self, current_theme: CurrentTheme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.titles = self.tr("sep."), self.tr("object"), self.tr("date"), self.tr("verdict")

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        each = self.rows[index.row()]
        verdict = None if each.mine is None else each.mine.opinion.verdict
        if role == Role.DisplayRole:
            return self._text(each, index.column())
        if role == Role.ToolTipRole:
            same = self.tr("another epoch of the same object")
            near = self.tr("another object nearby")
            about = same if each.neighbour.is_same_object else near
            return f"{each.neighbour.candidate.name}\n{about}"
        if role == CELL:
            theme = self._current_theme.theme
            tone = verdict_colour(theme, verdict) if index.column() == VERDICT else theme.text
            return Cell(self._text(each, index.column()), tone)
        return None

    def _text(self, each: NearbyFile, column: int) -> str:
        candidate, separation = each.neighbour.candidate, each.neighbour.separation
        match column:
            case 0:  # in arcseconds, or in arcminutes from 10 on
                if separation is None:
                    return "–"
                return f'{separation:.1f}"' if separation < 600 else f"{separation / 60:.0f}'"
            case 1:
                mark = f"{SAME} " if each.neighbour.is_same_object else ""
                return mark + candidate.name
            case 2:
                return each.date
        verdict = None if each.mine is None else each.mine.opinion.verdict
        return mark_and_word(verdict) if verdict is not None else "–"


SEARCH_DELAY_MS = 120
"""Delay before the search, which is not worth it while a key is held to move on."""
MAX_ROWS = 5
WIDEST = {SEPARATION: '123.4"', DATE: "2020-10-06", VERDICT: "✓ accepted"}
ROOM_PX = 18


class NearbyPanel(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._answer = context.current, context.runner.latest(self)
        self._radius = context.settings.settings.neighbour_arcsec
        self.card = FoldingCard(self.tr("Nearby objects"), self)
        self.model = NearbyModel(context.current_theme, self)
        self.table = CandidateTable(context.current_theme, self.card)
        self.table.setModel(self.model)
        self.table.setAccessibleName(self.tr("Nearby objects"))
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.message = wrapped_label("", "dim", self.card)
        self.card.inside.addWidget(self.message)
        self.card.inside.addWidget(self.table)
        column(self.card, parent=self)
        keep_current(self._fit_font, self.table.font_changed)
        self._delay = QTimer(self, singleShot=True, interval=SEARCH_DELAY_MS)
        self._delay.timeout.connect(self._search)
        self.table.row_activated.connect(self._go_to)
        self._current.candidate_changed.connect(self._start)
        context.bridge.changed.connect(self._session_changed)
        context.settings.changed.connect(self._apply_settings)
        self._show([])
        self._delay.start()

    def _fit_font(self) -> None:
        metrics = self.table.fontMetrics()
        self.table.horizontalHeader().setSectionResizeMode(OBJECT, QHeaderView.ResizeMode.Stretch)
        for at, words in WIDEST.items():
            self.table.setColumnWidth(at, metrics.horizontalAdvance(words) + ROOM_PX)
        self._fit_height()

    def _start(self, _: object) -> None:
        """What belongs to the object before goes in the turn in which another one comes."""
        self._answer.forget()
        if self.model.rows:
            self._show([])
        self.message.setText("")
        self._delay.start()

    def _apply_settings(self, settings: Settings) -> None:
        if settings.neighbour_arcsec != self._radius:
            self._radius = settings.neighbour_arcsec
            self._delay.start()

    def _session_changed(self, change: Change) -> None:
        shown = {each.neighbour.candidate.id for each in self.model.rows}
        if change.aspect == "list" or shown & change.candidate_ids:
            self._delay.start()

    def _search(self) -> None:
        candidate = self._current.candidate
        if candidate is None:
            self._show([])
            return
        work = partial(nearby_files, self._current.session, candidate, self._radius)
        self._answer.ask(work, self._show, self._search_failed)

    def _search_failed(self, error: WorkbenchError) -> None:
        self._show([])
        self.message.setText(translate_message(str(error)))

    def _show(self, found: list[NearbyFile]) -> None:
        self.model.reset(found)
        self.card.note.setText(str(len(found)) if found else "")
        self.table.setVisible(bool(found))
        self.message.setVisible(not found)
        self.message.setText(self._why_empty())
        self.table.setColumnHidden(DATE, not any(each.date for each in found))
        self._fit_height()

    def _fit_height(self) -> None:
        rows = min(len(self.model.rows), MAX_ROWS)
        head = self.table.horizontalHeader().height()
        self.table.setFixedHeight(head + rows * self.table.row_height + 2)

    def _why_empty(self) -> str:
        candidate = self._current.candidate
        if candidate is None:
            return self.tr("No object selected")
        if candidate.ra is None or candidate.dec is None:
            return self.tr("The list gives no position for this object")
        text = self.tr("No other epoch or neighbour within {radius} arcsec in this list")
        return text.replace("{radius}", f"{self._radius:g}")

    def _go_to(self, row: int) -> None:
        self._current.go_to(self.model.rows[row].neighbour.candidate.id)

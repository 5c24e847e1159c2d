"""Does what other programs ask of one session: opens or selects candidates, offers files."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QWidget

from app.core.queue.neighbours import nearest
from app.services.samp.received import FileOffered, PointedAt, Received, RowPicked, RowsPicked
from app.ui.base.translation.fill_in import fill_in
from app.ui.judge.verdict.state_block import OneLineLabel
from app.ui.program.samp.samp_work import SharedTable
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import button, row

RADIUS_ARCSEC = 30.0
"""Another program points with the mouse, or at the position of another catalogue."""
Select = Callable[[Sequence[int], Callable[[int, int], object]], object]
"""Selects candidates by id, then tells how many it found and how many were wanted."""
COLLECT_MS = 100
"""Of messages that come faster, the last one counts: a stranger may send thousands."""


class SampReceiver(QObject):
    def __init__(
        self,
        context: SessionContext,
        table: Callable[[], SharedTable | None],
        opening: Callable[[int], object],
        select: Select,
        parent: QObject | None = None,
    ) -> None:
        """`table` is what others have of this list; `opening` is told which candidate opens.

        `select` selects several.
        """
        super().__init__(parent)
        self._current, self._session = context.current, context.bridge.session
        self._answer, self._commands = context.runner.latest(self), context.commands
        self._table, self._opening, self._select = table, opening, select
        self._last: Received | None = None
        self._timer = QTimer(self, singleShot=True, interval=COLLECT_MS)
        self._timer.timeout.connect(self._follow)

    def take(self, message: Received) -> None:
        self._last = message
        if not self._timer.isActive():
            self._timer.start()

    def _follow(self) -> None:
        message, self._last = self._last, None
        if isinstance(message, PointedAt):
            find = partial(nearest, self._session, message.ra, message.dec, RADIUS_ARCSEC)
            done = partial(self._show_nearest, message)
            self._answer.ask(find, done, self._current.report_error)
        elif isinstance(message, RowPicked | RowsPicked):
            self._show_rows(message)

    def _show_nearest(self, message: PointedAt, found: tuple[float, int] | None) -> None:
        if found is not None:
            separation, number = found
            text = self.tr("{program} points here: {arcsec} arcsec away")
            self._open(number)
            self._say(text, message.sender, arcsec=f"{separation:.1f}")
            return
        text = self.tr("{program} points at {position}: no candidate within {arcsec} arcsec")
        position = f"{message.ra:.5f} {message.dec:+.5f}"
        self._say(text, message.sender, position=position, arcsec=f"{RADIUS_ARCSEC:g}")

    def _show_rows(self, message: RowPicked | RowsPicked) -> None:
        table = self._table()
        if table is None or not table.is_named(message.table_id, message.url):
            text = self.tr("{program} picks rows of a table that is not open here")
            self._say(text, message.sender)
            return
        rows = (message.row,) if isinstance(message, RowPicked) else message.rows
        candidates = (table.candidate_at(row) for row in rows)
        found = list(dict.fromkeys(each for each in candidates if each is not None))
        if not found:
            if rows:
                self._say(self.tr("{program} picks a row that is no candidate"), message.sender)
            return
        if len(found) > 1:
            self._select(found, partial(self._say_selected, message.sender))
        elif self._current.candidate_id != found[0]:
            self._open(found[0])

    def _say_selected(self, program: str, selected: int, wanted: int) -> None:
        text = self.tr("{program} selects {n} candidates")
        if selected < wanted:
            text = self.tr("{program} selects {n} candidates, of which {here} could be selected")
        self._say(text, program, n=wanted, here=selected)

    def _open(self, number: int) -> None:
        self._opening(number)
        self._current.go_to(number)
        self._commands.run("judging_page")

    def _say(self, text: str, program: str, **values: object) -> None:
        self._current.message.emit(fill_in(text, **values, program=program))


class OfferBar(QFrame):
    """Asks whether to open a table or spectrum that came while a session is open.

    It is above the page and never takes the focus; a later offer takes the place of an earlier one.
    """

    accepted = Signal(object)  # the `FileOffered`
    declined = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "notice")
        self.offered: FileOffered | None = None
        self.text = OneLineLabel(self)
        accept = partial(self._end, self.accepted)
        self.yes = button(self.tr("Open it, closing this session"), "primary", call=accept)
        self.no = button(self.tr("Not now"), call=self.close_question)
        row((self.text, 1), self.yes, self.no, margins=(12, 6, 12, 6), parent=self)
        self.hide()

    def ask(self, offered: FileOffered) -> None:
        self.close_question()
        self.offered = offered
        text = self.tr("{program} sends the spectrum {name}")
        if offered.is_table:
            text = self.tr("{program} sends the table {name}")
        name = offered.name or offered.url.rpartition("/")[2]
        self.text.show_text(fill_in(text, program=offered.sender, name=name))
        self.show()

    def close_question(self) -> None:
        self._end(self.declined)

    def _end(self, answered: SignalInstance, *_: object) -> None:
        offered, self.offered = self.offered, None
        self.hide()
        if offered is not None:
            answered.emit(offered)

"""One dispute side by side: the spectrum, everybody's opinion, and what the reader says to it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.core.session.records import Verdict
from app.core.statistics.adjudication import Dispute, adjudicator_of, set_adjudicator
from app.ui.judging.verdict_words import mark_and_word
from app.ui.review.disputes_found import Details, Disputed, details
from app.ui.review.opinion_card import hidden_agent, of_agent, of_person
from app.ui.review.small_plot import SmallPlot
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import button, row, with_key, words
from app.ui.widgets.page_parts import Scrolling

MOST_SIDES = 6
SIDES_PX = 220
"""At most; the rest scrolls."""


class DisputeView(QWidget):
    """The object shown is the one on the desk: what is judged here is judged there."""

    opened = Signal()
    """The person wants to see it with everything around it."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._runner = context.current, context.runner
        self._session = context.current.session
        self.shown: Disputed | None = None
        self.details: Details | None = None
        self.title = words("", "title")
        self.note = words("", "dim")
        self.plot = SmallPlot(context.current_theme, self.tr("Spectrum"))
        self._sides = QHBoxLayout()
        self._sides.setSpacing(8)
        self.verdict = words("")
        self.accept = button("", "accept")
        self.reject = button("", "reject")
        self.unsure = button("", "unsure")
        self._keymap = context.keymap
        self._show_keys()
        self._keymap.changed.connect(self._show_keys)
        self.settle = button("")
        self.open = button(self.tr("Open it"))
        self._lay_out()
        for each, verdict in (
            (self.accept, Verdict.ACCEPT),
            (self.reject, Verdict.REJECT),
            (self.unsure, Verdict.UNSURE),
        ):
            each.clicked.connect(partial(self.judge, verdict))
        self.settle.clicked.connect(self._settle)
        self.open.clicked.connect(self.opened)
        self.plot.painted.connect(context.current.note_painted)
        context.current.spectrum_changed.connect(self._draw)
        context.current.unreadable.connect(self._draw)
        context.current.row_changed.connect(self._ask_again)

    def show_dispute(self, found: Disputed | None) -> None:
        is_other = found is None or self.shown is None or found.id != self.shown.id
        self.shown = found
        self.setVisible(found is not None)
        if found is None:
            self.details = None
            self.plot.show_nothing()
            return
        if is_other:
            self.details = None
            self._clear_sides()
        self.title.setText(found.line.candidate.object_id)
        if self._current.candidate is None or self._current.candidate.id != found.id:
            self._current.go_to(found.id)
        else:
            self._draw()
        self._ask_again()

    def _lay_out(self) -> None:
        sides = QWidget()
        sides.setLayout(self._sides)
        self._sides.setContentsMargins(0, 0, 0, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        head = row(self.title, self.open)
        head.setStretch(0, 1)
        layout.addLayout(head)
        frame = QFrame()
        frame.setProperty("role", "card")
        inside = row(self.plot)
        inside.setContentsMargins(8, 12, 16, 8)
        frame.setLayout(inside)
        layout.addWidget(frame, 1)
        layout.addWidget(self.note)
        layout.addWidget(Scrolling(sides, SIDES_PX))
        layout.addWidget(self.verdict)
        layout.addLayout(row(self.accept, self.reject, self.unsure, 1, self.settle))

    def judge(self, verdict: Verdict, *_: object) -> bool:
        """It stays here. Whether it was written down."""
        if not self._is_on_desk():
            return False
        was_seen = self._current.is_painted
        self._current.judge(verdict, stay=True)
        return was_seen and self._current.saved.verdict == verdict

    def _show_keys(self) -> None:
        for each, told, action in (
            (self.accept, self.tr("Accept"), "accept"),
            (self.reject, self.tr("Reject"), "reject"),
            (self.unsure, self.tr("Unsure"), "unsure"),
        ):
            each.setText(with_key(told, self._keymap.label(action)))
            each.setAccessibleName(told)

    def _settle(self) -> None:
        """The reader's word ends disputes from now on, or no longer does."""
        me = self._session.reviewer
        set_adjudicator(self._session, None if adjudicator_of(self._session) == me else me)

    def _is_on_desk(self) -> bool:
        candidate = self._current.candidate
        return self.shown is not None and candidate is not None and candidate.id == self.shown.id

    def _is_hidden(self) -> bool:
        line = self._current.line
        return line is None or not self._is_on_desk() or self._current.blind_mode.hides(line)

    def _ask_again(self, *_: object) -> None:
        if self.shown is not None and self.isVisible():
            work = partial(details, self._session, self.shown.id)
            self._runner.run(work, self._take, self._current.tell, owner=self)

    def _take(self, found: Details) -> None:
        if self.shown is None or found.of != self.shown.id:
            return
        self.details = found
        self._show_sides(found)
        self._show_verdict(found.dispute)
        self._draw()

    def _show_sides(self, found: Details) -> None:
        self._clear_sides()
        adjudicator = adjudicator_of(self._session)
        for given in found.dispute.judgements[:MOST_SIDES]:
            self._sides.addWidget(of_person(given, is_adjudicator=given.reviewer == adjudicator))
        if found.agents and self._is_hidden():
            self._sides.addWidget(hidden_agent())
        elif not self._is_hidden():
            for said in found.agents[:MOST_SIDES]:
                self._sides.addWidget(of_agent(said))

    def _clear_sides(self) -> None:
        while item := self._sides.takeAt(0):
            if (widget := item.widget()) is not None:
                widget.deleteLater()

    def _show_verdict(self, dispute: Dispute) -> None:
        final, me = dispute.final, self._session.reviewer
        told = {
            "disagreement": self.tr("Open: people differ, and nobody has settled it."),
            "adjudicator": self.tr("Settled by the adjudicator: {verdict}"),
            "unanimous": self.tr("All people say: {verdict}"),
            "one": self.tr("One person says: {verdict}"),
            "nobody": self.tr("Nobody has judged it."),
        }[final.settled_by]
        self.verdict.setText(told.replace("{verdict}", mark_and_word(final.opinion.verdict)))
        adjudicator = adjudicator_of(self._session)
        if adjudicator == me:
            self.settle.setText(self.tr("My word no longer decides"))
        else:
            self.settle.setText(self.tr("Let my word decide"))
        who = self.tr("The adjudicator is {name}").replace("{name}", adjudicator or "–")
        self.settle.setToolTip(who if adjudicator else self.tr("There is no adjudicator"))

    def _draw(self, *_: object) -> None:
        """The agent's window is drawn only where it may be seen."""
        is_mine = not self._session.is_read_only
        for each in (self.accept, self.reject, self.unsure):
            each.setEnabled(is_mine and self._is_on_desk())
        self.settle.setEnabled(is_mine)
        if not self._is_on_desk() or self.shown is None:
            return
        spectrum = self._current.spectrum
        self.note.setText(self._current.fault)
        self.note.setVisible(bool(self._current.fault))
        if spectrum is None:
            self.plot.show_nothing()
            return
        agents = () if self.details is None or self._is_hidden() else self.details.agents
        look = next((each.look for each in agents if each.look is not None), None)
        self.plot.show_spectrum(self.shown.id, spectrum, look)

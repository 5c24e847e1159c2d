"""Shows one dispute: the spectrum, all opinions side by side, and the buttons to judge it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from app.core.session.records import Verdict
from app.core.statistics.adjudication import Dispute, adjudicator_of, set_adjudicator
from app.ui.judging.verdict_text import mark_and_word
from app.ui.review.dispute_plot import DisputePlot
from app.ui.review.dispute_summary import DisputeDetails, DisputeEntry, dispute_details
from app.ui.review.opinion_card import agent_card, hidden_agent_card, person_card
from app.ui.session_context import SessionContext
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.elided_label import ElidedLabel
from app.ui.widgets.labels import (
    MAX_REASON,
    button,
    clear_layout,
    column,
    flow,
    narrow,
    one_line,
    row,
    with_key,
    wrapped_label,
)
from app.ui.widgets.page_parts import PageScrollArea

MAX_OPINIONS = 6
OPINIONS_PX = 220
"""Maximum height of the opinions; more scrolls."""


class DisputeView(QWidget):
    """Makes the disputed candidate current, so that a verdict given here is a normal verdict."""

    open_requested = Signal()
    """The user wants to see the candidate on the judging page."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._runner = context.current, context.runner
        self._session = context.current.session
        self.shown: DisputeEntry | None = None
        self.details: DisputeDetails | None = None
        self.title = ElidedLabel("title")
        self.note = narrow(wrapped_label("", "dim"))
        self.plot = DisputePlot(context.current_theme, self.tr("Spectrum"))
        self._opinions = row()
        self.verdict = wrapped_label("")
        self.accept = button("", "accept")
        self.reject = button("", "reject")
        self.unsure = button("", "unsure")
        self._keymap = context.keymap
        self._show_keys()
        self._keymap.changed.connect(self._show_keys)
        self.settle = button("")
        self.open = button(self.tr("Open"))
        self._lay_out()
        for each, verdict in (
            (self.accept, Verdict.ACCEPT),
            (self.reject, Verdict.REJECT),
            (self.unsure, Verdict.UNSURE),
        ):
            each.clicked.connect(partial(self.judge, verdict))
        self.settle.clicked.connect(self._toggle_adjudicator)
        self.open.clicked.connect(self.open_requested)
        self.plot.painted.connect(context.current.note_painted)
        context.current.spectrum_changed.connect(self._draw)
        context.current.spectrum_failed.connect(self._draw)
        context.current.row_changed.connect(self._load)

    def show_dispute(self, entry: DisputeEntry | None) -> None:
        is_other = entry is None or self.shown is None or entry.id != self.shown.id
        self.shown = entry
        self.setVisible(entry is not None)
        if entry is None:
            self.details = None
            self.plot.show_nothing()
            return
        if is_other:
            self.details = None
            clear_layout(self._opinions)
        self.title.show_text(entry.row.candidate.object_id)
        if self._current.candidate is None or self._current.candidate.id != entry.id:
            self.plot.show_nothing()  # so that it reports again what it has painted
            self._current.go_to(entry.id)
        else:
            self._draw()
        self._load()

    def _lay_out(self) -> None:
        opinions = QWidget()
        opinions.setLayout(self._opinions)
        layout = column(row((self.title, 1), self.open), parent=self)
        frame = QFrame()
        frame.setProperty("role", "card")
        row(self.plot, margins=(8, 12, 16, 8), parent=frame)
        layout.addWidget(frame, 1)
        layout.addWidget(self.note)
        layout.addWidget(PageScrollArea(opinions, OPINIONS_PX))
        layout.addWidget(self.verdict)
        gap = QWidget()
        gap.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        buttons = (self.accept, self.reject, self.unsure, gap, self.settle)
        layout.addLayout(flow(*buttons, spacing=8))

    def judge(self, verdict: Verdict, *_: object) -> bool:
        """Judge the candidate without going on; returns whether the verdict was saved."""
        if not self._is_current():
            return False
        was_painted = self._current.is_painted
        self._current.judge(verdict, stay=True)
        return was_painted and self._current.saved_opinion.verdict == verdict

    def _show_keys(self) -> None:
        for each, label, action in (
            (self.accept, self.tr("Accept"), "accept"),
            (self.reject, self.tr("Reject"), "reject"),
            (self.unsure, self.tr("Unsure"), "unsure"),
        ):
            each.setText(with_key(label, self._keymap.label(action)))
            each.setAccessibleName(label)

    def _toggle_adjudicator(self) -> None:
        """Make the reviewer the adjudicator, whose verdict settles disputes, or undo that."""
        me = self._session.reviewer
        set_adjudicator(self._session, None if adjudicator_of(self._session) == me else me)

    def _is_current(self) -> bool:
        candidate = self._current.candidate
        return self.shown is not None and candidate is not None and candidate.id == self.shown.id

    def _is_hidden(self) -> bool:
        row = self._current.row
        return row is None or not self._is_current() or self._current.blind_mode.hides(row)

    def _load(self, *_: object) -> None:
        if self.shown is not None and self.isVisible():
            work = partial(dispute_details, self._session, self.shown.id)
            self._runner.run(work, self._show_details, self._current.report_error, owner=self)

    def _show_details(self, details: DisputeDetails) -> None:
        if self.shown is None or details.candidate_id != self.shown.id:
            return
        self.details = details
        clear_layout(self._opinions)
        adjudicator = adjudicator_of(self._session)
        for given in details.dispute.judgements[:MAX_OPINIONS]:
            card = person_card(given, is_adjudicator=given.reviewer == adjudicator)
            self._opinions.addWidget(card)
        if details.agents and self._is_hidden():
            self._opinions.addWidget(hidden_agent_card())
        elif not self._is_hidden():
            for opinion in details.agents[:MAX_OPINIONS]:
                self._opinions.addWidget(agent_card(opinion))
        self._show_verdict(details.dispute)
        self._draw()

    def _show_verdict(self, dispute: Dispute) -> None:
        final, me = dispute.final, self._session.reviewer
        text = {
            "disagreement": self.tr("Unsettled: people disagree, and no adjudicator has decided."),
            "adjudicator": self.tr("Settled by the adjudicator: {verdict}"),
            "unanimous": self.tr("Unanimous: {verdict}"),
            "one": self.tr("Judged by one person: {verdict}"),
            "nobody": self.tr("Not judged yet."),
        }[final.settled_by]
        self.verdict.setText(text.replace("{verdict}", mark_and_word(final.opinion.verdict)))
        adjudicator = adjudicator_of(self._session)
        is_final, is_not = self.tr("My verdict is final"), self.tr("My verdict is not final")
        self.settle.setText(is_not if adjudicator == me else is_final)
        tooltip = self.tr("Adjudicator: {name}").replace("{name}", adjudicator or "–")
        self.settle.setToolTip(tooltip if adjudicator else self.tr("No adjudicator"))

    def _draw(self, *_: object) -> None:
        """Draw the spectrum, with the agent's window unless blind mode hides it."""
        is_writable = not self._session.is_read_only
        for each in (self.accept, self.reject, self.unsure):
            each.setEnabled(is_writable and self._is_current())
        self.settle.setEnabled(is_writable)
        if not self._is_current() or self.shown is None:
            return
        spectrum = self._current.spectrum
        self.note.setText(one_line(translate_message(self._current.fault), MAX_REASON))
        self.note.setVisible(bool(self._current.fault))
        if spectrum is None:
            self.plot.show_nothing()
            return
        agents = () if self.details is None or self._is_hidden() else self.details.agents
        look = next((each.look for each in agents if each.look is not None), None)
        self.plot.show_spectrum(self.shown.id, spectrum, look)

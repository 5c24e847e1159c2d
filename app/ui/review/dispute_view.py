"""Shows one dispute: the spectrum, all opinions side by side, and the buttons to judge it."""

from functools import partial
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QWidget

from agent.spectra.gaps import GAP, with_gaps
from agent.spectra.smoothing import smooth_gaussian
from agent.spectra.spectrum import Spectrum, Window
from agent.trajectory.p_yes import probability_text
from agent.trajectory.trajectory import Trajectory
from app.core.report.evidence import KeyLook
from app.core.session.records import Judgement, Verdict
from app.core.statistics.adjudication import Dispute, adjudicator_of, set_adjudicator
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import task_text
from app.ui.base.translation.measured_texts import translate_panel_text
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.plot.readout import flux_title
from app.ui.judge.plot.trace import trace
from app.ui.judge.verdict.verdict_text import (
    NAMES,
    confidence_meaning,
    mark_and_word,
    verdict_buttons,
)
from app.ui.review.dispute_summary import DisputeDetails, DisputeEntry, dispute_details
from app.ui.review.figures import Figure
from app.ui.review.sentences import marks_of
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import (
    MAX_REASON,
    ElidedLabel,
    button,
    card,
    clear_layout,
    column,
    flexible_gap,
    flow,
    keep_current,
    narrow,
    one_line,
    row,
    show_or_hide,
    wrapped_label,
)
from app.ui.widgets.page_parts import PageScrollArea
from app.ui.widgets.painted_button import translucent

MAX_OPINIONS = 6
LETTERS = 16  # least width of an opinion: in large text they stand one below another

translate = QCoreApplication.translate
MAX_TEXT = 1200  # characters shown of a comment or of the agent's reasons

SMOOTH_PX = 3.0
HEIGHT = 240
CLIP = (0.5, 99.7)  # Percentiles of the flux that set its range, so that a single spike does not


class DisputeView(QWidget):
    """Makes the disputed candidate current, so that a verdict given here is a normal verdict."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._answer = context.current, context.runner.latest(self)
        self._session = context.current.session
        self.shown: DisputeEntry | None = None
        self.details: DisputeDetails | None = None
        self.title = ElidedLabel("title")
        self.note = narrow(wrapped_label("", "dim"))
        self.plot = DisputePlot(context.current_theme, self.tr("Spectrum"))
        self._opinions = row()
        self.verdict = wrapped_label("")
        self.buttons = verdict_buttons(context.current_theme, self)
        for verdict, each in self.buttons.items():
            each.clicked.connect(partial(self.judge, verdict))
        self._keymap = context.keymap
        keep_current(self._show_keys, self._keymap.changed)
        self.settle = button("", call=self._toggle_adjudicator)
        self.open = button(self.tr("Open"))
        self._lay_out()
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
        if self._current.candidate_id != entry.id:
            self.plot.show_nothing()  # so that it reports again what it has painted
            self._current.go_to(entry.id)
        else:
            self._draw()
        self._load()

    def _lay_out(self) -> None:
        opinions = QWidget()
        opinions.setLayout(self._opinions)
        frame = card(self.plot, margins=(8, 12, 16, 8))
        buttons = flow(*self.buttons.values(), flexible_gap(), self.settle, spacing=8)
        inner = QWidget()
        column((frame, 1), self.note, opinions, parent=inner)
        # Together, so that no text is cut while the plot is large, nor the plot by large text.
        parts = (PageScrollArea(inner), 1), self.verdict, buttons
        column(row((self.title, 1), self.open), *parts, parent=self)

    def judge(self, verdict: Verdict, *_: object) -> bool:
        """Judge the candidate without going on; returns whether the verdict was saved."""
        if not self._is_current():
            return False
        was_painted = self._current.is_painted
        self._current.judge(verdict, stay=True)
        return was_painted and self._current.saved_opinion.verdict == verdict

    def _show_keys(self) -> None:
        for verdict, each in self.buttons.items():
            each.set_label(ACTIONS[NAMES[verdict]].title, self._keymap.label(NAMES[verdict]))

    def _toggle_adjudicator(self) -> None:
        """Make the reviewer the adjudicator, whose verdict settles disputes, or undo that."""
        me = self._session.reviewer
        set_adjudicator(self._session, None if adjudicator_of(self._session) == me else me)

    def _is_current(self) -> bool:
        return self.shown is not None and self._current.candidate_id == self.shown.id

    def _is_hidden(self) -> bool:
        row = self._current.row
        return row is None or not self._is_current() or self._current.blind_mode.hides(row)

    def _load(self, *_: object) -> None:
        if self.shown is not None and self.isVisible():
            work = partial(dispute_details, self._session, self.shown.id)
            self._answer.ask(work, self._show_details, self._current.report_error)

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
                self._opinions.addWidget(agent_card(*opinion))
        self._arrange()
        self._show_verdict(details.dispute)
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        least = LETTERS * self.fontMetrics().averageCharWidth() * self._opinions.count()
        beside, below = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._opinions.setDirection(beside if least <= self.width() else below)

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
        for each in self.buttons.values():
            each.setEnabled(is_writable and self._is_current())
        self.settle.setEnabled(is_writable)
        if not self._is_current() or self.shown is None:
            return
        spectrum = self._current.spectrum
        show_or_hide(self.note, one_line(translate_message(self._current.fault), MAX_REASON))
        if spectrum is None:
            self.plot.show_nothing()
            return
        agents = () if self.details is None or self._is_hidden() else self.details.agents
        look = next((look for _, look in agents if look is not None), None)
        self.plot.show_spectrum(self.shown.id, spectrum, look)


# Cards with one opinion in a dispute: the verdict of a person or an agent, and the reasons.
class OpinionCard(QFrame):
    def __init__(self, who: str, verdict: str, role: str, details: str, text: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.verdict = narrow(wrapped_label(verdict, role))
        more = (details, "dim"), (text[:MAX_TEXT], "")
        texts = [narrow(wrapped_label(*each)) for each in more if each[0]]
        title = narrow(wrapped_label(one_line(who), "title"))
        column(title, self.verdict, *texts, 1, spacing=4, margins=(12, 8, 12, 8), parent=self)
        self.setAccessibleName(f"{who}: {verdict}")


def person_card(given: Judgement, *, is_adjudicator: bool) -> OpinionCard:
    opinion = given.opinion
    details = [given.at[:16].replace("T", " ")]
    if opinion.confidence is not None:
        confidence = translate("OpinionCard", "confidence {word}")
        details.append(confidence.replace("{word}", confidence_meaning(opinion.confidence)))
    details += [*opinion.flags, *marks_of(opinion)]
    who = given.reviewer
    if is_adjudicator:
        who += " · " + translate("OpinionCard", "adjudicator")
    role = "dim" if opinion.verdict is None else NAMES[opinion.verdict]
    verdict = mark_and_word(opinion.verdict)
    text = "\n".join(filter(None, (details[0], " · ".join(details[1:]))))
    return OpinionCard(who, verdict, role, text, opinion.comment)


def agent_card(record: Trajectory, look: KeyLook | None) -> OpinionCard:
    roles = {"YES": "accept", "NO": "reject"}
    none = translate("OpinionCard", "no verdict")
    answer = {"YES": "✓ YES", "NO": "✕ NO"}.get(record.verdict or "", none)
    if record.p_yes is not None:
        answer += f" · p(YES) {probability_text(record.p_yes)}"
    looks = translate("OpinionCard", "looks: {count}")
    details = [looks.replace("{count}", str(len(record.looks)))]
    if look is not None:
        low, high = look.range
        details.append(f"{task_text(look.label)} {low:.0f}–{high:.0f} Å")
    who = translate("OpinionCard", "Agent") + f" {record.model.name}"
    role = roles.get(record.verdict or "", "dim")
    reasons = translate_panel_text(record.plain_reasons)
    return OpinionCard(who, answer, role, " · ".join(details), reasons)


def hidden_agent_card() -> OpinionCard:
    text = translate("OpinionCard", "Hidden in blind mode until you have judged it")
    return OpinionCard(translate("OpinionCard", "Agent"), text, "dim", "", "")


class DisputePlot(Figure):
    """The flux in the unit of the judging page, and the window the agent looked at.

    The wheel zooms along the wavelengths, a drag moves, a double click shows all.
    """

    painted = Signal(int)  # id of the candidate whose spectrum was drawn on the screen

    def __init__(self, current_theme: CurrentTheme, name: str) -> None:
        super().__init__(current_theme, name)
        self._candidate_id: int | None = None
        self._is_reported = True
        self._spectrum: Spectrum | None = None
        self._title, self._unit = "", 1.0
        self._whole: tuple[list[float], list[float]] | None = None
        self.setMinimumHeight(HEIGHT)
        self.viewport().installEventFilter(self)
        self.setMouseEnabled(x=True, y=False)
        self.setToolTip(
            translate(
                "DisputePlot", "Wheel zooms, drag moves, double click shows the whole spectrum"
            )
        )

    def show_spectrum(self, candidate_id: int, spectrum: Spectrum, look: KeyLook | None) -> None:
        is_other = spectrum is not self._spectrum
        seen = self.getViewBox().viewRange()
        if is_other:
            self._spectrum = spectrum
            exponent = trace(spectrum).exponent
            self._unit = 10.0**exponent
            self._title = _title(spectrum, exponent)
        self._whole = None  # so that the spectrum sets the ranges
        is_same = candidate_id == self._candidate_id
        self._candidate_id, self._is_reported = candidate_id, is_same and self._is_reported
        self.draw(_draw_spectrum, spectrum, look)
        self.viewport().update()
        self._whole = self.getViewBox().viewRange()
        if not is_other:
            self._show_range(seen)  # more opinions came: the zoom stays

    def show_nothing(self) -> None:
        self._spectrum = self._whole = None
        self._title, self._unit = "", 1.0
        self._candidate_id, self._is_reported = None, True
        self.draw(_draw_nothing)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), HEIGHT)  # the rest is what opinions leave

    def wheelEvent(self, event: Any) -> None:
        pg.PlotWidget.wheelEvent(self, event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        if self._whole is not None:
            self._show_range(self._whole)
        event.accept()

    def _restyle(self, *_: object) -> None:
        seen = self.getViewBox().viewRange()
        super()._restyle()
        if self._spectrum is None:
            return
        axis = self.getPlotItem().getAxis("left")
        axis.enableAutoSIPrefix(False)
        axis.setScale(1.0 / self._unit)
        axis.setLabel(self._title, color=self.theme.dim)
        if self._whole is not None:
            self._show_range(seen)

    def _show_range(self, span: Any) -> None:
        (low, high), (bottom, top) = span
        self.set_ranges(low, high, bottom, top)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Report the first paint; it is on screen by the next turn of the event loop."""
        is_paint = event.type() == QEvent.Type.Paint
        if is_paint and not self._is_reported and self._candidate_id is not None:
            self._is_reported = True
            self.painted.emit(self._candidate_id)
        return bool(super().eventFilter(watched, event))


def _draw_spectrum(figure: Figure, spectrum: Spectrum, look: KeyLook | None) -> None:
    flux = smooth_gaussian(spectrum.flux, spectrum.good, SMOOTH_PX)
    known = flux[np.isfinite(flux)]
    low, high = np.percentile(known, CLIP) if known.size else (0.0, 1.0)
    room = 0.08 * (high - low) or 1.0
    if look is not None:
        brush = translucent(figure.theme.agent, 50)
        figure.add(pg.LinearRegionItem(look.range, movable=False, brush=brush, pen=pg.mkPen(None)))
        _name_look(figure, look, float(high + room), spectrum.range)
    wavelength, flux = with_gaps(spectrum.wavelength, GAP, flux)
    pen = pg.mkPen(figure.theme.flux)
    figure.add(pg.PlotDataItem(wavelength, flux, pen=pen, connect="finite", autoDownsample=True))
    item = figure.getPlotItem()
    name = translate("SpectrumPanel", "Wavelength (Å, vacuum)")
    item.setLabel("bottom", name, color=figure.theme.dim)
    item.setLabel("left", translate("SpectrumPanel", "Relative flux"), color=figure.theme.dim)
    figure.set_ranges(*spectrum.range, float(low - room), float(high + room))


def _name_look(figure: Figure, look: KeyLook, top: float, span: Window) -> None:
    """Write the name into the upper corner that is farther from the region, where it fits."""
    is_left = look.range[0] > (span[0] + span[1]) / 2.0
    text = translate("SmallPlot", "Agent: {label}").replace("{label}", task_text(look.label))
    item = pg.TextItem(text, color=figure.theme.text, anchor=(0.0 if is_left else 1.0, 0.0))
    item.setPos(span[0 if is_left else 1], top)
    figure.add(item)


def _draw_nothing(figure: Figure) -> None:
    for side in ("bottom", "left"):
        figure.getPlotItem().setLabel(side, "")


def _title(spectrum: Spectrum, exponent: int) -> str:
    relative = translate("SpectrumPanel", "Relative flux")
    return flux_title(relative, translate("SpectrumPanel", "Flux"), spectrum.flux_unit, exponent)

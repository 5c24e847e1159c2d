"""The panel of the evidence dock: a card for each source, about the current candidate."""

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDockWidget, QFrame, QWidget

from agent.spectra.spectrum import Spectrum
from app.core.evidence.store import StoredAnswer
from app.core.inspections.seen import is_evidence_revealed, record_evidence_revealed
from app.core.queue import QueueRow, combine, parse_filter
from app.core.queue.filters import FilterError
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.services.catalogues.answer import Answer, State
from app.services.catalogues.service import CURVES, Service, all_services
from app.services.photometry.bands import SERVICES as PHOTOMETRY
from app.ui.judge.controls.web_pages import is_sky_position
from app.ui.judge.evidence.card import SourceCard
from app.ui.judge.evidence.curve_plot import CurveCard
from app.ui.judge.evidence.feed import EvidenceFeed
from app.ui.judge.evidence.hr_plot import GaiaCard
from app.ui.judge.evidence.picture_view import PictureCard, read_picture
from app.ui.judge.evidence.sed_plot import Energy, SedView, energy_of
from app.ui.judge.evidence.weighed_card import WeighedCard
from app.ui.judge.information.nearby_panel import NearbyPanel
from app.ui.session.candidate.blind_mode import BlindMode
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import button, column, row, wrapped_label
from app.ui.widgets.page_parts import FoldingCard, PageScrollArea

IsSeen = Callable[[], bool]  # whether the dock is on screen and in front of its tabs
SHOW_DELAY_MS = 30  # so that the spectrum is painted first
SHOW_S = 0.008  # cards that take longer together are shown in several turns of the event loop
REVEALED = "revealed"  # said in the log of an answer that was revealed before the verdict


class EvidencePanel(QWidget):
    """Call `stop` before the session is closed."""

    def __init__(
        self, context: SessionContext, dock: QDockWidget, is_seen: IsSeen, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._context, self._current = context, context.current
        self._dock, self._is_seen = dock, is_seen
        self.feed = EvidenceFeed(context, self)
        self.hidden = HiddenEvidence(context.bridge.session, self._current.blind_mode)
        self.cards: dict[str, SourceCard] = {}
        self._images: dict[bytes, QImage] = {}
        self._wanted_energy: tuple[object, ...] = (None,)
        self._needs_show = True
        self.empty = EmptyPanel(context, self)
        self.nowhere = wrapped_label("", "warning")
        self.nearby = NearbyPanel(context)
        self.sed_card = FoldingCard(self.tr("Energy distribution"), self)
        self.sed = SedView(context.current_theme, self.sed_card)
        self.sed_card.inside.addWidget(self.sed)
        self.weighed = WeighedCard(context.bridge.session.task, self)
        self._inner = inner = QWidget(self)
        parts = (self.nowhere, self.empty, self.weighed, self.nearby, self.sed_card, 1)
        self._column = column(*parts, spacing=6, margins=4, parent=inner)
        self.area = PageScrollArea(inner)
        column(self.area, parent=self)
        self._unshown: list[str] = []
        """Services whose cards are shown in the next turns of the event loop."""
        self._shown_for: int | None = None
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._show_cards)
        self._delay = QTimer(self, singleShot=True, interval=SHOW_DELAY_MS)
        self._delay.timeout.connect(self._show_if_seen)
        self._current.candidate_changed.connect(self._start)
        self._current.row_changed.connect(self.show_soon)
        self._current.spectrum_changed.connect(self.show_soon)
        self._current.blind_mode.changed.connect(self.show_soon)
        self.feed.services_changed.connect(self.show_soon)
        self.feed.changed.connect(self._answer_changed)
        self.show_now()

    def stop(self) -> None:
        self._delay.stop()
        self._next.stop()
        self.feed.close()

    def _start(self, _: object) -> None:
        """What belongs to the object before goes in the turn in which another one comes."""
        self._next.stop()
        self._inner.hide()
        self.show_soon()

    def show_soon(self, _: object = None) -> None:
        self._needs_show = True
        if not self._delay.isActive():  # it is not restarted, so that it follows a held key
            self._delay.start()

    def show_now(self) -> None:
        self._needs_show = False
        self._inner.show()
        candidate, has_services = self._current.candidate, bool(self.feed.services)
        self.empty.setVisible(not has_services)
        is_nowhere = candidate is not None and not is_sky_position(candidate.ra, candidate.dec)
        self.nowhere.setVisible(is_nowhere and has_services)
        text = self.tr("The list gives no position for this object, so no service can be asked")
        self.nowhere.setText(text)
        stored = set() if candidate is None else self.feed.stored_services(candidate.id)
        there = stored.union(self.feed.services)
        self._unshown = [name for name in all_services() if name in there]
        self._shown_for = self._current.candidate_id
        for name, card in self.cards.items():
            card.setVisible(name in self._unshown)
        self._show_cards()

    def _show_cards(self) -> None:
        """Show as many as can be in a moment, and the others in the next turns of the loop."""
        candidate = self._current.candidate
        if self._shown_for != self._current.candidate_id:
            return  # another is current: all cards are shown anew in a moment
        until = time.perf_counter() + SHOW_S
        while self._unshown:
            name = self._unshown.pop(0)
            is_new = name not in self.cards
            self._show_card(self._card(name), candidate)
            if self._unshown and (is_new or time.perf_counter() > until):
                self._next.start()
                break
        else:
            self._show_weights()
            self._show_energy(candidate)
        self._note_seen()

    def _show_if_seen(self) -> None:
        if self._needs_show and self._is_seen():
            self.show_now()

    def note_visibility(self) -> None:
        """The dock was shown, put behind another tab, or put away."""
        self.feed.pause(self._dock.isHidden())
        self._note_seen()
        self.show_soon()

    def _answer_changed(self, candidate_id: int, service: str) -> None:
        if self._current.candidate_id == candidate_id:
            self.show_soon()

    def _card(self, name: str) -> SourceCard:
        service = self.feed.services.get(name) or all_services()[name]
        card = self.cards.get(name)
        if card is not None and card.service == service:
            return card
        if card is not None:
            self._column.removeWidget(card)
            card.deleteLater()
        card = self.cards[name] = self._make_card(service)
        self._column.insertWidget(self._place_in_column(name), card)
        card.show()
        return card

    def _place_in_column(self, name: str) -> int:
        """Catalogues before the energy distribution, which is before curves and pictures."""
        order = [*all_services()]
        sed = self._column.indexOf(self.sed_card)
        before = [self.cards[each] for each in order[: order.index(name)] if each in self.cards]
        at = max(self._column.indexOf(each) for each in (self.nearby, *before)) + 1
        return min(at, sed) if all_services()[name].kind in ("tap", "dust") else max(at, sed + 1)

    def _make_card(self, service: Service) -> SourceCard:
        theme, inner = self._context.current_theme, self._inner
        card: SourceCard
        if service.id == "gaia":
            card = GaiaCard(service, theme, inner, self._context.bridge.session.task)
        elif service.kind in CURVES:
            card = CurveCard(service, theme, self._context.runner, inner)
        elif service.kind == "picture":
            card = PictureCard(service, theme, inner)
        else:
            card = SourceCard(service, theme, inner)
        card.may_filter = self._may_filter
        card.again_requested.connect(self._ask_again)
        card.reveal.clicked.connect(self._reveal)
        card.filter_requested.connect(self._filter_by)
        card.message.connect(self._current.message)
        return card

    def _show_card(self, card: SourceCard, candidate: Candidate | None) -> None:
        row, name = self._current.row, card.service.id
        if candidate is None or row is None:
            card.show_answer(None, None, State.NOT_ASKED, is_hidden=False)
            return
        asked = self.feed.answer(candidate.id, name)
        stored = None if asked is None else asked.stored
        if isinstance(card, GaiaCard):
            dust = self.feed.answer(candidate.id, "dust")
            card.dust = None if dust is None else dust.stored.answer
        if asked is not None and isinstance(card, CurveCard):
            card.curves = asked.curves
        if asked is not None and isinstance(card, PictureCard):
            spectrum = self._current.spectrum
            survey = "" if spectrum is None else spectrum.survey
            content = b"" if asked.picture is None else asked.picture.content
            card.take_picture(asked.picture, self._image(content), survey)
        state, why_not = self._state(candidate, name, stored), self._why_not(candidate, name)
        is_hidden = self.hidden.hides(row, card.service)
        card.show_answer(candidate, stored, state, is_hidden=is_hidden, why_not=why_not)

    def _state(self, candidate: Candidate, name: str, stored: StoredAnswer | None) -> State:
        if stored is not None and stored.answer.state is not State.FAILED:
            return stored.answer.state
        if not is_sky_position(candidate.ra, candidate.dec):
            return State.NOT_ASKED
        if self.feed.is_asking(candidate.id, name):
            return State.ASKING
        return State.NOT_ASKED if stored is None else State.FAILED

    def _why_not(self, candidate: Candidate, name: str) -> str:
        if not is_sky_position(candidate.ra, candidate.dec):
            return self.tr("The list gives no position for this object")
        if name not in self.feed.services:
            return self.tr("Turned off in the settings")
        return self.tr("Asked as soon as it is this object's turn")

    def _image(self, content: bytes) -> QImage:
        """The picture, decoded in the background; empty until then."""
        if not content:
            return QImage()
        if content not in self._images:
            self._images = {content: QImage()}
            done = partial(self._image_read, content)
            self._context.runner.run(partial(read_picture, content), done, owner=self)
        return self._images[content]

    def _image_read(self, content: bytes, image: QImage) -> None:
        if content in self._images:
            self._images[content] = image
            self.show_soon()

    def _show_weights(self) -> None:
        row, task = self._current.row, self._context.bridge.session.task
        is_shown = row is not None and bool(task.catalogue)
        stored = self.feed.stored_services(row.candidate.id) if row is not None else set()
        self.weighed.setVisible(is_shown and bool(self.feed.services or stored))
        if row is None or not self.weighed.isVisibleTo(self):
            return
        services = all_services()
        asked = {name: self.feed.answer(row.candidate.id, name) for name in stored}
        answers = {name: each.stored.answer for name, each in asked.items() if each is not None}
        self.weighed.show_weights(
            answers,
            row.candidate.agent_p_yes,
            is_opinion_hidden=self._current.blind_mode.hides(row),
            hides=lambda name: name in services and self.hidden.hides(row, services[name]),
        )

    def _show_energy(self, candidate: Candidate | None) -> None:
        spectrum: Spectrum | None = self._current.spectrum
        answers: dict[str, Answer] = {}
        for name in PHOTOMETRY if candidate is not None else ():
            card = self.cards.get(name)
            if card is not None and card.isVisibleTo(self) and card.stored is not None:
                answers[name] = card.stored.answer
        key = (None if candidate is None else candidate.id, spectrum, answers)
        if key != self._wanted_energy:
            if key[0] != self._wanted_energy[0]:
                self.sed_card.hide()  # it is of the object before
            self._wanted_energy = key
            work = partial(energy_of, spectrum, answers)
            self._context.runner.run(work, partial(self._energy_made, key), owner=self)

    def _energy_made(self, key: object, energy: Energy | None) -> None:
        if key == self._wanted_energy:
            self.sed_card.setVisible(energy is not None)
            if energy is not None:
                self.sed.show_energy(energy)

    def _note_seen(self) -> None:
        """Keep with the verdict what is on screen, in the turn that puts it there: a verdict may
        be given before the other cards are shown."""
        row = self._current.row
        if row is None or not self._is_seen():
            return
        for name, card in self._cards_of(row.candidate).items():
            if card.isVisibleTo(self) and card.stored is not None and not card.is_hidden:
                text = card.stored.shown or "-"
                if self.hidden.was_revealed(row, card.service):
                    text = f"{text} {REVEALED}"
                self._current.evidence[row.candidate.id][name] = text

    def _ask_again(self, service: str) -> None:
        if (here := self._current.candidate_id) is not None:
            self.feed.ask_again(here, service)
            self.show_now()

    def _reveal(self) -> None:
        row = self._current.row
        if row is None:
            return
        self.hidden.reveal(row)
        # In this turn, whatever else waits for its own: from now on they count as revealed.
        for card in self._cards_of(row.candidate).values():
            if card.is_hidden:
                self._show_card(card, row.candidate)
        self._note_seen()
        self.show_soon()

    def _cards_of(self, candidate: Candidate) -> dict[str, SourceCard]:
        """Those that show this candidate by now."""
        return {
            name: card
            for name, card in self.cards.items()
            if card.candidate is not None and card.candidate.id == candidate.id
        }

    def _may_filter(self, text: str) -> bool:
        try:
            parse_filter(text)
        except FilterError:
            return False
        return True

    def _filter_by(self, text: str) -> None:
        queue = self._current.queue
        self._current.set_queue(combine(queue.tree, parse_filter(text)), queue.sort)


class EmptyPanel(QFrame):
    """What the panel says while no service is turned on."""

    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.choose = button(self.tr("Choose services…"))
        self.choose.clicked.connect(partial(context.commands.run, "services"))
        title = wrapped_label(self.tr("No service is turned on"), "title")
        text = self.tr(
            "SIMBAD, Gaia, surveys, light curves and pictures of the sky can be asked about each "
            "object, while you judge the one before. All are off at first: to ask, the position of "
            "the object leaves this computer. Turn on each one that you want."
        )
        parts = (title, wrapped_label(text), row(self.choose, 1))
        column(*parts, spacing=6, margins=(12, 10, 12, 10), parent=self)


class HiddenEvidence:
    """Asks the session once for each candidate."""

    def __init__(self, session: Session, blind_mode: BlindMode) -> None:
        self._session, self._blind_mode = session, blind_mode
        self._revealed: dict[int, bool] = {}

    def hides(self, row: QueueRow, service: Service) -> bool:
        if not service.hides_class:
            return False
        if self._blind_mode.in_study or self._blind_mode.is_repeat(row.candidate.id):
            return True
        return self._is_before_verdict(row) and not self._is_revealed(row.candidate.id)

    def reveal(self, row: QueueRow) -> None:
        """Show it all the same, and record that."""
        number = row.candidate.id
        if (
            self._blind_mode.in_study
            or self._blind_mode.is_repeat(number)
            or self._is_revealed(number)
        ):
            return
        self._revealed[number] = True
        if not self._session.is_read_only:
            record_evidence_revealed(self._session, number)

    def was_revealed(self, row: QueueRow, service: Service) -> bool:
        """Whether an answer on screen is there because the person asked for it."""
        is_hiding = service.hides_class and self._is_before_verdict(row)
        return is_hiding and self._is_revealed(row.candidate.id)

    def _is_before_verdict(self, row: QueueRow) -> bool:
        return self._blind_mode.is_on and row.opinion.verdict is None

    def _is_revealed(self, number: int) -> bool:
        if number not in self._revealed:
            self._revealed[number] = is_evidence_revealed(self._session, number)
        return self._revealed[number]

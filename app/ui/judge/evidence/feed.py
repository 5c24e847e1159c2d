"""Asks services about the current candidate and then about the next ones, outside the GUI thread.

Each service is asked one question at a time. What is no longer wanted is cancelled.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from agent.errors import WorkbenchError
from app.core.evidence.choice import choice_from
from app.core.evidence.positions import MOTIONS
from app.core.evidence.store import StoredAnswer, answers
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.services.catalogues.answer import State, failed, now
from app.services.catalogues.service import Service, all_services
from app.services.web.errors import NotAllowed, Stopped
from app.ui.base.background.runner import Runner
from app.ui.session.candidate.queue_neighbours import QueueNeighbours
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import keep_current

if TYPE_CHECKING:
    from app.core.evidence.curves_and_pictures import Asked
    from app.services.web.client import WebClient

AHEAD = 3  # candidates after the current one that are asked about
DELAY_MS = 250  # a candidate that is passed by sooner is not asked about
KEPT = 40  # candidates whose answers stay in memory


@dataclass(frozen=True, eq=False)
class _Question:
    candidate_id: int
    service: Service
    knows_motion: bool
    stop: threading.Event = field(default_factory=threading.Event)


class EvidenceFeed(QObject):
    """Use it on the GUI thread. Call `close` before the session is closed."""

    changed = Signal(int, str)  # candidate id and service id, or an empty text for all services
    services_changed = Signal()

    def __init__(self, context: SessionContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current, self._session = context.current, context.bridge.session
        self._settings = context.settings
        self.services: dict[str, Service] = {}  # those turned on, by id
        self.is_paused = False
        self._known: OrderedDict[int, dict[str, Asked]] = OrderedDict()
        self._done: set[tuple[int, str]] = set()
        self._read: set[int] = set()  # candidates whose stored answers have been read
        self._wanted: list[Candidate] = []
        self._ahead: Sequence[Candidate] | None = None  # None: not known yet
        self._running: dict[str, _Question] = {}
        self._runner: Runner | None = None
        self._client: WebClient | None = None
        self._is_closed = False
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._advance)
        self._current.repeat_round.loaded.connect(self._neighbours_loaded)
        keep_current(self._choose, self._settings.changed)
        keep_current(self._candidate_changed, self._current.candidate_changed)
        if self._current.row is not None:
            self._neighbours_loaded(self._current.repeat_round.neighbours_of(self._current.row))

    def answer(self, candidate_id: int, service: str) -> Asked | None:
        """What is known; None where nothing has been answered yet."""
        return self._known.get(candidate_id, {}).get(service)

    def stored_services(self, candidate_id: int) -> set[str]:
        """Ids of the services that have said something, turned on or not."""
        return set(self._known.get(candidate_id, {}))

    def is_asking(self, candidate_id: int, service: str) -> bool:
        """Whether the question is being asked or waits for its turn."""
        is_wanted = any(each.id == candidate_id for each in self._wanted)
        is_on = service in self.services and not self.is_paused
        return is_on and is_wanted and (candidate_id, service) not in self._done

    def ask_again(self, candidate_id: int, service: str) -> None:
        self._done.discard((candidate_id, service))
        self._known.get(candidate_id, {}).pop(service, None)
        self.changed.emit(candidate_id, service)
        self._advance()

    def pause(self, is_paused: bool) -> None:
        """Ask nothing while the person has put the panel away."""
        if is_paused != self.is_paused:
            self.is_paused = is_paused
            self._stop_unwanted()
            self._delay.start()

    def close(self) -> None:
        """Cancel every question and wait until the threads have ended."""
        self._is_closed = True
        self._delay.stop()
        for question in self._running.values():
            question.stop.set()
        if self._runner is not None:
            self._runner.close()
        if self._client is not None:
            self._client.close()

    def _choose(self, _: object = None) -> None:
        settings = self._settings.settings
        choice = choice_from(settings.services, settings.service_changes)
        chosen: dict[str, Service] = {}
        for name in all_services():
            if name in choice.on:
                with suppress(NotAllowed):  # the settings page says why
                    chosen[name] = choice.service(name)
        if chosen != self.services:
            changed = {name for name, each in chosen.items() if self.services.get(name) != each}
            self._done = {each for each in self._done if each[1] not in changed}
            self.services = chosen
            self._stop_unwanted()
            self.services_changed.emit()
            self._delay.start()

    def _candidate_changed(self, _: object = None) -> None:
        self._ahead = None
        self._want()

    def _neighbours_loaded(self, neighbours: QueueNeighbours) -> None:
        self._ahead = [row.candidate for row in neighbours.ahead[:AHEAD]]
        self._want()

    def _want(self) -> None:
        here = self._current.candidate
        before = {each.id: each for each in self._wanted}
        found = {each.id: each for each in ([] if here is None else [here, *(self._ahead or ())])}
        self._wanted = list(found.values())
        if here is not None and self._ahead is None:
            # The neighbours come in a moment: what is asked about them goes on till then.
            asked = {question.candidate_id for question in self._running.values()}
            going_on = asked - found.keys()
            self._wanted += [each for number, each in before.items() if number in going_on]
        wanted = {each.id for each in self._wanted}
        if wanted != before.keys() or not wanted <= self._read:
            self._delay.start()
        self._stop_unwanted()

    def _stop_unwanted(self) -> None:
        wanted = {each.id for each in self._wanted}
        for name, question in self._running.items():
            is_wanted = question.candidate_id in wanted and name in self.services
            if self.is_paused or not is_wanted:
                question.stop.set()

    def _advance(self) -> None:
        if self._is_closed:
            return
        for candidate in self._wanted:
            if candidate.id not in self._read:
                self._read.add(candidate.id)
                work = partial(_stored, self._session, candidate.id)
                done = partial(self._stored_read, candidate.id)
                self._pool.run(work, done, self._current.report_error, owner=self)
        if self.is_paused:
            return
        for service in self.services.values():
            if service.id not in self._running:
                self._ask_next(service)

    def _ask_next(self, service: Service) -> None:
        open_ = (each for each in self._wanted if (each.id, service.id) not in self._done)
        candidate = next(open_, None)
        if candidate is None:
            return
        question = _Question(candidate.id, service, self._knows_motion(candidate.id))
        self._running[service.id] = question
        work = partial(_ask, self._session, self._web, question, candidate)
        done, failed_ = partial(self._answered, question), partial(self._failed, question)
        self._pool.run(work, done, failed_, owner=self)

    def _knows_motion(self, candidate_id: int) -> bool:
        gaia = self.answer(candidate_id, MOTIONS)
        return gaia is not None and gaia.stored.answer.state is State.FOUND

    def _answered(self, question: _Question, asked: Asked | None) -> None:
        name, number = question.service.id, question.candidate_id
        if self._running.get(name) is question:
            del self._running[name]
        if asked is not None:
            self._keep(number, name, asked)
            # The position may have been wrong by the star's motion, which Gaia has told since.
            is_stale = not question.knows_motion and self._knows_motion(number)
            if not is_stale or name == MOTIONS:
                self._done.add((number, name))
            if name == MOTIONS and is_stale:
                others = [each for each in self.services if each != MOTIONS]
                self._done -= {(number, each) for each in others}
            self.changed.emit(number, name)
        self._advance()

    def _failed(self, question: _Question, error: WorkbenchError) -> None:
        """The session cannot be read or written."""
        from app.core.evidence.curves_and_pictures import Asked

        service = question.service
        stored = StoredAnswer(
            service=service.id,
            release=service.release,
            answer=failed(str(error)),
            asked_at=now(),
            ra=0.0,
            dec=0.0,
            radius_arcsec=service.radius_arcsec,
        )
        self._answered(question, Asked(stored=stored))

    def _stored_read(self, number: int, found: dict[str, Asked]) -> None:
        for name, asked in found.items():
            if self.answer(number, name) is None:
                self._keep(number, name, asked)
        if found:
            self.changed.emit(number, "")

    def _keep(self, number: int, name: str, asked: Asked) -> None:
        self._known.setdefault(number, {})[name] = asked
        self._known.move_to_end(number)
        while len(self._known) > KEPT:
            gone, _ = self._known.popitem(last=False)
            self._read.discard(gone)
            self._done = {each for each in self._done if each[0] != gone}

    @property
    def _pool(self) -> Runner:
        """A pool of its own, as a server may take minutes to answer."""
        if self._runner is None:
            self._runner = Runner(self, threads=len(all_services()) + 1)
        return self._runner

    @property
    def _web(self) -> WebClient:
        if self._client is None:
            from app.services.web.client import WebClient  # brings httpx

            self._client = WebClient()
        return self._client


def _ask(
    session: Session, client: WebClient, question: _Question, candidate: Candidate
) -> Asked | None:
    from app.core.evidence.curves_and_pictures import ask_any

    try:
        return ask_any(session, client, question.service, candidate, question.stop.is_set)
    except Stopped:
        return None


def _stored(session: Session, candidate_id: int) -> dict[str, Asked]:
    from app.core.evidence.curves_and_pictures import with_content

    found = answers(session, candidate_id)
    return {name: with_content(session, each) for name, each in found.items()}

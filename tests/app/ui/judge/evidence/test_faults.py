"""Every fault of every service through the window: the right state, and the window goes on."""

import threading

from sqlalchemy import delete

from app.core.database.tables import evidence as answers
from app.services.catalogues.answer import State
from app.services.catalogues.service import all_services
from app.ui.judge.evidence import evidence_panel
from tests.app.services.fault_server import FAULTS
from tests.app.ui.judge.evidence.conftest import Evidence, give_time
from tests.app.ui.window_work import BLOCKS, counted
from tests.night import BY_NIGHT

TABLES_ONLY = {"nan position", "renamed column", "overflow", "bad rows"}
"""Faults of tables: a light curve or a picture comes back whole."""
MOST_STATEMENTS = 4
"""For each answer that comes: they are written, and most of them read, in other threads."""


def forget(evidence: Evidence) -> None:
    """All answers, so that everything is asked anew."""
    feed = evidence.panel.feed
    feed.pause(True)
    evidence.person.wait(lambda: not feed._running)
    with evidence.person.session.database.writing() as connection:
        connection.execute(delete(answers))
    feed._known.clear()
    feed._done.clear()
    feed.pause(False)


def asked_with(fault: str) -> tuple[str, ...]:
    """By day one service of each kind, but all where the columns matter, which each has its own."""
    services = all_services()
    if BY_NIGHT or fault in TABLES_ONLY:
        return tuple(services)
    return tuple({each.kind: name for name, each in services.items()}.values())


def faults_of(kind: str) -> set[str]:
    is_table = kind in ("tap", "gaia_epochs")
    return set(FAULTS) if is_table else set(FAULTS) - TABLES_ONLY


def is_told(evidence: Evidence, name: str) -> bool:
    """Whether its card shows the answer, a moment after it came."""
    asked = evidence.panel.feed.answer(evidence.person.number, name)
    card = evidence.card(name)
    return asked is not None and card.stored is asked.stored and card.state is not State.ASKING


def test_every_fault_of_every_service_is_a_failure_and_the_window_goes_on(evidence, monkeypatch):
    person = evidence.person
    evidence.turn_on()  # once, so that what is made and imported at first is there
    person.wait(lambda: all(evidence.is_shown(name, "found") for name in all_services()))
    wrong = []
    with counted() as work:
        work.watch(evidence_panel, "read_picture", "picture")
        work.watch(evidence_panel, "energy_of", "fit")
        for fault in FAULTS:
            names = asked_with(fault)
            evidence.server.always = fault
            if fault == "stall":  # waited for in vain, so for a moment
                give_time(monkeypatch, 0.5)
                evidence.turn_on(names[0])
            evidence.turn_on(*names)
            if fault == "stall":
                give_time(monkeypatch, 60.0)
            forget(evidence)
            work.counts.clear()
            person.wait(lambda asked=names: all(is_told(evidence, name) for name in asked))
            assert work.did(*BLOCKS, "picture", "fit") == {}, fault
            assert work.counts["statement"] <= MOST_STATEMENTS * len(names), work.did("statement")
            for name in names:
                wanted = "failed" if fault in faults_of(all_services()[name].kind) else "found"
                said = evidence.text_of(name)
                has_why = wanted == "found" or len(evidence.card(name).stored.answer.reason) > 10
                if not evidence.is_shown(name, wanted) or "nothing there" in said or not has_why:
                    wrong.append((fault, name, said))
    assert wrong == []


def test_closing_the_window_ends_questions_that_nobody_answers(evidence, monkeypatch):
    """Which would otherwise be waited for until this test is ended itself."""
    give_time(monkeypatch, 3600.0)
    evidence.server.always = "stall"
    evidence.turn_on()
    feed = evidence.panel.feed
    evidence.person.wait(lambda: len(feed._running) == len(all_services()))
    evidence.person.window.close()
    assert not any("window work" in thread.name for thread in threading.enumerate())

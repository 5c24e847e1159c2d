"""Events of other threads arrive on the window's, in order and at its pace."""

from __future__ import annotations

import threading

from agent.engines.base import RESTARTED
from agent.trajectory.trajectory import Step
from app.ui.inspection.event_queue import MAX_SAID, EventQueue
from app.worker.inspection import Spoken, Stepped

STEP = Stepped(Step(kind="think", text="so"))


def test_words_become_one_piece_and_order_stays(qtbot):
    hearing, heard = EventQueue(), []
    hearing.heard.connect(lambda number, event: heard.append((number, event)))
    ear, other = hearing.ear(1), hearing.ear(2)

    def speak():
        for piece in ("a", "b", RESTARTED, "c", "d"):
            ear(Spoken(piece))
        other(Spoken("x"))
        ear(Spoken("e"))
        ear(STEP)
        ear(Spoken("f"))

    thread = threading.Thread(target=speak)
    thread.start()
    thread.join()
    assert heard == []
    qtbot.waitUntil(lambda: len(heard) == 7)
    assert heard == [
        (1, Spoken("ab")),
        (1, Spoken(RESTARTED)),
        (1, Spoken("cd")),
        (2, Spoken("x")),
        (1, Spoken("e")),
        (1, STEP),
        (1, Spoken("f")),
    ]


def test_a_flood_stays_small(qtbot):
    hearing, heard = EventQueue(), []
    hearing.heard.connect(lambda number, event: heard.append(event))
    ear = hearing.ear(1)
    for _ in range(20_000):
        ear(Spoken("Well. "))
    qtbot.waitUntil(lambda: bool(heard))
    assert len(heard) == 1 and len(heard[0].text) == MAX_SAID


def test_a_late_word_comes_too(qtbot):
    hearing, heard = EventQueue(), []
    hearing.heard.connect(lambda number, event: heard.append(event))
    hearing.ear(1)(STEP)
    qtbot.waitUntil(lambda: len(heard) == 1)
    hearing.ear(1)(STEP)
    qtbot.waitUntil(lambda: len(heard) == 2)

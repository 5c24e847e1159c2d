"""Events of other threads arrive on the GUI thread in order, a few times per second."""

from __future__ import annotations

import threading

from agent.engines.base import RESTARTED
from agent.trajectory.trajectory import Step
from app.ui.inspection.event_queue import MAX_TEXT, EventQueue
from app.worker.inspection import StepDone, TextGenerated

STEP = StepDone(Step(kind="think", text="so"))


def test_texts_are_merged_and_order_is_kept(qtbot):
    queue, received = EventQueue(), []
    queue.received.connect(lambda number, event: received.append((number, event)))
    listener, other = queue.listener(1), queue.listener(2)

    def speak():
        for piece in ("a", "b", RESTARTED, "c", "d"):
            listener(TextGenerated(piece))
        other(TextGenerated("x"))
        listener(TextGenerated("e"))
        listener(STEP)
        listener(TextGenerated("f"))

    thread = threading.Thread(target=speak)
    thread.start()
    thread.join()
    assert received == []
    qtbot.waitUntil(lambda: len(received) == 7)
    assert received == [
        (1, TextGenerated("ab")),
        (1, TextGenerated(RESTARTED)),
        (1, TextGenerated("cd")),
        (2, TextGenerated("x")),
        (1, TextGenerated("e")),
        (1, STEP),
        (1, TextGenerated("f")),
    ]


def test_merged_text_is_limited(qtbot):
    queue, received = EventQueue(), []
    queue.received.connect(lambda number, event: received.append(event))
    listener = queue.listener(1)
    for _ in range(20_000):
        listener(TextGenerated("Well. "))
    qtbot.waitUntil(lambda: bool(received))
    assert len(received) == 1 and len(received[0].text) == MAX_TEXT


def test_events_after_a_delivery_arrive(qtbot):
    queue, received = EventQueue(), []
    queue.received.connect(lambda number, event: received.append(event))
    queue.listener(1)(STEP)
    qtbot.waitUntil(lambda: len(received) == 1)
    queue.listener(1)(STEP)
    qtbot.waitUntil(lambda: len(received) == 2)

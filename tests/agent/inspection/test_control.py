"""Steering an inspection that runs in another thread."""

from __future__ import annotations

import threading

import pytest

from agent.inspection.control import Control, Interjection
from tests.agent.inspection.scripted_inspection import CV, inspect, inspector
from tests.agent.scenes import answer, call, star


@pytest.mark.parametrize("after", [0, 1])
def test_cancel_between_tokens(after):
    control = Control()
    spoken = []

    def on_text(piece: str) -> None:
        spoken.append(piece)
        if len(spoken) == 3 + 5 * after:
            control.cancel()

    trajectory, _, engine = inspect(
        [call(6400, 6700), "one two three four five six seven"], control=control, on_text=on_text
    )
    assert (trajectory.stopped_by, trajectory.verdict) == ("cancelled", None)
    assert len(spoken) == 3 + 5 * after
    assert "user" in trajectory.stop_reason
    assert engine.conversations[0].is_closed


def test_a_deadline_passes():
    trajectory, steps, _ = inspect([answer()], control=Control(deadline_s=0.0))
    assert (trajectory.stopped_by, steps) == ("cancelled", [])
    assert "deadline" in trajectory.stop_reason


def test_held_until_the_person_lets_it_go_on():
    control = Control()
    control.pause()
    done = threading.Event()

    def work() -> None:
        inspect([answer()], control=control)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert not done.wait(0.05)
    control.resume()
    assert done.wait(30)
    thread.join()


def test_a_look_put_in_does_not_let_it_go_on():
    control = Control()
    control.pause()
    seen: list[str] = []
    two, done = threading.Event(), threading.Event()

    def work() -> None:
        for step in inspector([answer()]).inspect(star(), CV, control=control):
            seen.append(step.by)
            if seen == ["person", "person"]:
                two.set()
        done.set()

    control.insert(Interjection(range=(4600, 4750)))
    thread = threading.Thread(target=work)
    thread.start()
    control.insert(Interjection(text="And its width?"))
    assert two.wait(30)
    assert not done.wait(0.05)
    control.resume()
    assert done.wait(30)
    thread.join()
    assert seen == ["person", "person", "agent", "agent"]


def test_a_held_inspection_can_be_cancelled():
    control = Control()
    control.pause()
    threading.Timer(0.01, control.cancel).start()
    trajectory, _, _ = inspect([answer()], control=control)
    assert trajectory.stopped_by == "cancelled"

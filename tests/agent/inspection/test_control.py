"""Steering an inspection that runs in another thread."""

import threading
from types import SimpleNamespace

import pytest

from agent.child_process.turn_taking import computing
from agent.inspection import control as steering
from agent.inspection.control import Control, Interjection
from tests.agent.inspection.scripted_inspection import CV, inspect, inspector
from tests.agent.scenes import answer, call, star
from tests.processes import LONG_S
from tests.scripted_engine import ScriptedConversation


@pytest.mark.parametrize("after", [0, 1])
def test_cancel_between_tokens(after):
    control = Control()
    spoken = []

    def on_text(piece: str) -> None:
        spoken.append(piece)
        if len(spoken) == 3 + 5 * after:
            control.cancel()

    turns = [call(6400, 6700), "one two three four five six seven"]
    trajectory, _, engine = inspect(turns, control=control, on_text=on_text)
    assert (trajectory.stopped_by, trajectory.verdict) == ("cancelled", None)
    assert len(spoken) == 3 + 5 * after
    assert "user" in trajectory.stop_reason
    assert engine.conversations[0].is_closed


def test_a_deadline_passes():
    trajectory, steps, _ = inspect([answer()], control=Control(deadline_s=0.0))
    assert (trajectory.stopped_by, steps) == ("cancelled", [])
    assert "deadline" in trajectory.stop_reason


@pytest.mark.parametrize("said_before", [[], [call(6400, 6700)]])
def test_the_time_is_up_before_the_model_says_a_word(said_before, monkeypatch):
    """As with a slow server: the turn has no step at all."""
    control = Control()
    generate = ScriptedConversation.generate

    def too_slow(self, *settings, **options):
        if self.replied == len(said_before):
            control.cancel()
        return generate(self, *settings, **options)

    monkeypatch.setattr(ScriptedConversation, "generate", too_slow)
    trajectory, _, _ = inspect([*said_before, "one two three"], control=control)
    assert (trajectory.stopped_by, trajectory.verdict) == ("cancelled", None)


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
    assert done.wait(LONG_S)
    thread.join()


def test_others_compute_while_one_is_held():
    control = Control()
    control.pause()
    done = threading.Event()

    def work() -> None:
        with computing():
            control.wait_while_paused()
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    with computing():
        assert not done.is_set()
        control.resume()
        assert not done.wait(0.05)  # it waits for its turn
    assert done.wait(LONG_S)
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
    assert two.wait(LONG_S)
    assert not done.wait(0.05)
    control.resume()
    assert done.wait(LONG_S)
    thread.join()
    assert seen == ["person", "person", "agent", "agent"]


def test_a_held_inspection_can_be_cancelled():
    control = Control()
    control.pause()
    threading.Timer(0.01, control.cancel).start()
    trajectory, _, _ = inspect([answer()], control=control)
    assert trajectory.stopped_by == "cancelled"


def test_a_look_leaves_time_for_the_eye():
    control, looked, went_on = Control(), threading.Event(), threading.Event()
    control.set_pace(600.0)

    def work() -> None:
        made = inspector([call(6400, 6700), answer()])
        for step in made.inspect(star(), CV, control=control):
            if step.is_look:
                looked.set()
            elif step.kind == "answer":
                went_on.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert looked.wait(LONG_S)
    assert not went_on.wait(0.1)
    control.set_pace(0.0)
    assert went_on.wait(LONG_S)
    thread.join()


@pytest.mark.parametrize("end", ["cancel", "pause", "insert"])
def test_what_a_person_does_ends_the_wait_for_the_eye(end):
    control = Control()
    control.set_pace(600.0)
    thread = threading.Thread(target=control.pace)
    thread.start()
    if end == "insert":
        control.insert(Interjection(text="look here"))
    else:
        getattr(control, end)()
    thread.join(LONG_S)
    assert not thread.is_alive()


def test_the_wait_for_the_eye_lasts_as_long_as_the_pace_says(monkeypatch):
    """Although it is woken for nothing after three quarters of it."""
    now, asked = [0.0], []

    def wait(left: float) -> None:
        asked.append(left)
        now[0] += min(left, 0.375)

    monkeypatch.setattr(steering, "time", SimpleNamespace(monotonic=lambda: now[0]))
    control = Control()
    control.set_pace(0.5)
    monkeypatch.setattr(control._changed, "wait", wait)
    control.pace()
    assert asked == [0.5, 0.125]
    late = Control(deadline_s=0.0)
    late.set_pace(600.0)
    late.pace()

"""A run before and after the worker has it, turn by turn."""

from __future__ import annotations

from dataclasses import replace

from agent.engines.base import RESTARTED
from agent.inspection.control import Interjection
from agent.trajectory.trajectory import ModelRef, Step
from app.ui.inspection.running_state import MAX_PARTIAL_TEXT, RunningState, initial_steps
from tests.app.ui.agent.trajectories import SEVEN_B, look, record


class Inspection:
    """Stands in for a RunningInspection and notes what is called."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *given: self.calls.append((name, *given))


def new_run():
    return RunningState(candidate_id=1, object_id="one", z=None, model=SEVEN_B)


def test_what_was_done_before_the_worker_had_it_is_passed_on():
    run, inspection, remark = new_run(), Inspection(), Interjection(text="see the wings")
    run.set_paused(True)
    run.insert(remark)
    run.attach(inspection)
    assert [call[1:] for call in inspection.calls] == [(), (remark,)]
    assert run.state == "paused"
    run.set_paused(False)
    run.cancel()
    assert len(inspection.calls) == 4 and run.is_stopping
    assert run.state == "waiting"


def test_text_of_a_turn_until_its_step_comes():
    run = new_run()
    run.add_text("abc")
    run.add_text(RESTARTED)
    run.add_text("x" * MAX_PARTIAL_TEXT)
    run.add_text("end")
    assert run.partial_text.endswith("xend") and len(run.partial_text) == MAX_PARTIAL_TEXT
    run.add_step(Step(kind="text", by="person", text="well?"))
    assert run.partial_text and run.turn == 0
    run.add_step(look(6450, 6750))
    assert run.partial_text == "" and run.turn == 1


def test_the_measured_inspector_starts_over_with_the_persons_steps():
    mine = look(5880, 5900, by="person")
    so_far = record(steps=(*record().steps, mine))
    assert initial_steps(None) == []
    assert initial_steps(so_far) == list(so_far.steps)
    measured = replace(so_far, model=ModelRef(name="measured", engine="measured"))
    assert initial_steps(measured) == [mine]

"""Inspections run in a worker process, are steered turn by turn, and their records are saved."""

import sys
import threading
from dataclasses import replace

import pytest

from agent.engines.base import RESTARTED
from agent.inspection.built_in import MEASURED
from agent.inspection.control import Interjection
from agent.trajectory.trajectory import ModelRef, Step
from app.core.inspections.store import inspections_of
from app.ui.session.inspection import controller
from app.ui.session.inspection.controller import MAX_TEXT, EventQueue
from app.ui.session.inspection.shown_trajectory import MAX_PARTIAL_TEXT, RunningState, initial_steps
from app.worker.inspection import StepDone, TextGenerated
from tests.app.ui.judge.agent.trajectories import SEVEN_B, look, record
from tests.app.ui.scripted_agent import show_candidate
from tests.app.ui.session.inspection.conftest import run_to_the_end, windows_seen
from tests.app.ui.steps import heard, is_there


def test_the_measured_inspectors_record_is_saved(qtbot, context, session):
    show_candidate(qtbot, context)
    agent = context.agent
    seen = windows_seen(agent)
    number, trajectory = run_to_the_end(qtbot, agent)
    assert number == 1 and not agent.runs
    assert [each.trajectory for each in inspections_of(session, 1)] == [trajectory]
    shift = 1.0 + (trajectory.spectrum.z or 0.0)
    ranges = [(step.range[0] * shift, step.range[1] * shift) for step in trajectory.looks]
    assert [window for window, _ in seen if window][: len(ranges)] == ranges
    assert agent.shown.trajectory == trajectory and agent.shown.steps == trajectory.steps
    assert context.current.blind_mode.seen_opinion(context.current.row)["model"] == "measured"
    assert session.judgement(1) is None, "an agent never judges"


def test_text_is_streamed_and_stopping_saves_it(qtbot, scripted, session):
    show_candidate(qtbot, scripted, act="endless")
    agent = scripted.agent
    with qtbot.waitSignal(agent.text_received):
        agent.run_here()
    qtbot.waitUntil(lambda: "Well." in agent.shown.run.partial_text)
    with qtbot.waitSignal(agent.finished) as ended:
        assert agent.stop()
    assert ended.args[1].stopped_by == "cancelled"
    assert agent.shown.run is None and not agent.stop()


def test_stopping_before_the_start_leaves_nothing(qtbot, scripted, session):
    show_candidate(qtbot, scripted, act="endless")
    with qtbot.waitSignal(scripted.agent.failed):
        scripted.agent.run_here()
        scripted.agent.stop()
    assert inspections_of(session, 1) == [] and not scripted.agent.runs


def test_a_paused_run_takes_a_window_and_a_remark(qtbot, scripted):
    show_candidate(qtbot, scripted, act="plain")
    scripted.current.spectrum = replace(scripted.current.spectrum, z=0.001)
    agent = scripted.agent
    agent.run_here()
    agent.toggle_pause()
    qtbot.waitUntil(lambda: agent.shown.run.is_started)
    assert agent.is_paused and agent.insert("see the wings", (4404.4, 5005.0), "Hβ")
    qtbot.waitUntil(lambda: bool(agent.shown.run.steps))
    (step,) = agent.shown.run.steps
    assert step.by == "person"
    assert agent.shown.observed(step) == pytest.approx((4404.4, 5005.0), abs=0.02)
    with qtbot.waitSignal(agent.finished) as ended:
        agent.resume()
    (mine,) = [step for step in ended.args[1].steps if step.by == "person"]
    assert (mine.range, mine.label, mine.text) == ((4400.0, 5000.0), "Hβ", "see the wings")


def test_a_record_is_continued_from_a_turn(qtbot, scripted):
    show_candidate(qtbot, scripted, act="plain")
    agent = scripted.agent
    before = run_to_the_end(qtbot, agent)[1]
    agent.continue_from(before, 1)
    assert agent.is_paused and [step.turn for step in agent.shown.steps] == [0, 0]
    with qtbot.waitSignal(agent.finished) as ended:
        agent.resume()
    after = ended.args[1]
    assert after.steps[:2] == before.steps[:2] and len(after.replies) == 3
    assert after.verdict == "YES"


def test_a_crash_is_reported_and_the_next_run_works(qtbot, scripted):
    show_candidate(qtbot, scripted, act="kill")
    agent = scripted.agent
    told = []
    scripted.current.failed.connect(lambda text, detail: told.append(text))
    with qtbot.waitSignal(agent.failed) as broke:
        agent.run_here()
    assert broke.args[0] == 1 and "next request starts a new one" in broke.args[1]
    assert told == [broke.args[1]]
    show_candidate(qtbot, scripted, 2, act="plain")
    assert run_to_the_end(qtbot, agent)[1].verdict == "YES"


def test_a_run_continues_while_the_person_moves_on(qtbot, scripted, session):
    show_candidate(qtbot, scripted, 1, act="endless")
    agent = scripted.agent
    agent.run_here()
    qtbot.waitUntil(lambda: agent.shown.run.is_started)
    show_candidate(qtbot, scripted, 2, act="plain")
    seen = windows_seen(agent)
    agent.run_here()
    assert list(agent.runs) == [1, 2] and agent.shown.run.state == "waiting"
    assert agent.shown.steps == () and not agent.shown.run.is_started
    scripted.current.go_to(1)
    ended = []
    agent.finished.connect(lambda number, trajectory: ended.append(number))
    agent.stop()
    qtbot.waitUntil(lambda: ended == [1, 2])
    assert [window for window, _ in seen if window] == [], "the plot shows another candidate"
    assert inspections_of(session, 2)[0].trajectory.verdict == "YES"


def test_a_second_run_on_a_candidate_is_refused(qtbot, scripted):
    show_candidate(qtbot, scripted, act="endless")
    scripted.agent.run_here()
    assert "already" in heard(qtbot, scripted.current.message, scripted.agent.run_here)


def test_without_a_spectrum_a_run_is_refused(qtbot, context):
    with qtbot.waitSignal(context.current.message) as said:
        context.current.go_to(1)
        context.current.spectrum = None
        context.agent.run_here()
    assert "still loading" in said.args[0]


class TestQuitting:
    def test_while_it_speaks(self, qtbot, scripted):
        show_candidate(qtbot, scripted, act="endless")
        agent = scripted.agent
        agent.run_here()
        qtbot.waitUntil(lambda: agent.shown.run.is_started)
        pid = agent.worker_model.pid
        agent.close()
        assert sys.platform == "win32" or not is_there(pid)

    def test_while_the_list_runs(self, qtbot, context, session):
        context.settings.settings = replace(context.settings.settings, workers=2)
        context.agent.toggle_list_run()
        qtbot.waitUntil(lambda: context.agent.list_run.state.done >= 1)
        context.agent.close()  # threads that are left fail the test

    def test_before_the_model_is_there(self, qtbot, scripted):
        scripted.agent.choose_model("slow")
        show_candidate(qtbot, scripted, act="plain")
        scripted.agent.run_here()
        scripted.agent.close()

    def test_what_has_just_ended_is_kept(self, qtbot, scripted, session):
        show_candidate(qtbot, scripted, act="plain")
        scripted.agent.run_here()
        ended = scripted.agent.shown.run
        qtbot.waitUntil(lambda: ended.inspection is not None)
        ended.inspection.result(60)  # the window has not heard of it yet
        scripted.agent.close()
        assert len(inspections_of(session, 1)) == 1


def test_a_watched_look_waits_for_the_eye(qtbot, scripted, monkeypatch):
    """While a person watches, the next turn waits; otherwise the agent is as fast as it can."""
    monkeypatch.setattr(controller, "WATCH_LOOK_S", 600.0)
    agent = scripted.agent
    agent.set_watched(True)
    show_candidate(qtbot, scripted, act="plain")
    with qtbot.waitSignal(agent.step_ready, check_params_cb=is_look):
        agent.run_here()
    run = agent.shown.run
    assert run.look_s == 600.0
    with qtbot.assertNotEmitted(agent.finished, wait=100):
        pass
    with qtbot.waitSignal(agent.finished):
        agent.set_watched(False)
    assert run.look_s == 0.0 and not scripted.settings.settings.watch


def test_nobody_waits_for_a_run_that_is_not_seen(qtbot, scripted):
    agent = scripted.agent
    agent.set_watched(True)
    assert controller.WATCH_LOOK_S >= 1.5
    show_candidate(qtbot, scripted, act="endless")
    agent.run_here()
    run = agent.shown.run
    qtbot.waitUntil(lambda: run.is_started)
    assert run.look_s == controller.WATCH_LOOK_S
    show_candidate(qtbot, scripted, 2)
    assert run.look_s == 0.0
    show_candidate(qtbot, scripted, 1)
    assert run.look_s == controller.WATCH_LOOK_S
    scripted.current.blind_mode.set_on(True)
    assert run.look_s == 0.0
    with qtbot.waitSignal(agent.finished):
        agent.stop(anywhere=True)


def is_look(candidate_id, step):
    return step.is_look


def test_another_model_is_loaded_at_once_and_inspects(qtbot, scripted):
    holder = scripted.agent.worker_model
    scripted.agent.choose_model("other")
    assert holder.is_loading and holder.name == "other"
    qtbot.waitUntil(lambda: holder.model is not None)
    assert holder.model.name == "other" and not holder.is_loading
    assert scripted.settings.settings.model == "other"
    scripted.agent.choose_model(holder.default)
    assert scripted.settings.settings.model == ""
    scripted.agent.choose_model("other")
    show_candidate(qtbot, scripted, act="plain")
    assert run_to_the_end(qtbot, scripted.agent)[1].model.name == "other"


def test_a_model_that_cannot_be_loaded_is_reported(qtbot, scripted):
    with qtbot.waitSignal(scripted.current.failed) as told:
        scripted.agent.choose_model("refuse")
    assert "no model of that name" in told.args[0]
    assert scripted.agent.worker_model.fault == told.args[0]


def test_once_closed_it_starts_no_process_for_another_model(scripted):
    scripted.agent.close()
    scripted.settings.change(model="other")
    holder = scripted.agent.worker_model
    assert (holder.pid, holder.name, holder.is_loading) == (None, MEASURED, False)


def test_another_device_loads_the_model_anew(qtbot, scripted):
    holder = scripted.agent.worker_model
    scripted.settings.change(device="cpu")
    assert holder.is_loading and holder.load_request().device == "cpu"
    qtbot.waitUntil(lambda: holder.model is not None)
    assert not holder.is_loading


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
        (1, TextGenerated("ab")), (1, TextGenerated(RESTARTED)), (1, TextGenerated("cd")),
        (2, TextGenerated("x")), (1, TextGenerated("e")), (1, STEP), (1, TextGenerated("f")),
    ]  # fmt: skip


def test_events_are_merged_up_to_a_limit_and_arrive_after_a_delivery(qtbot):
    queue, received = EventQueue(), []
    queue.received.connect(lambda number, event: received.append(event))
    listener = queue.listener(1)
    for _ in range(20_000):
        listener(TextGenerated("Well. "))
    qtbot.waitUntil(lambda: bool(received))
    assert len(received) == 1 and len(received[0].text) == MAX_TEXT
    queue, received = EventQueue(), []
    queue.received.connect(lambda number, event: received.append(event))
    queue.listener(1)(STEP)
    qtbot.waitUntil(lambda: len(received) == 1)
    queue.listener(1)(STEP)
    qtbot.waitUntil(lambda: len(received) == 2)


class Inspection:
    """Stands in for a RunningInspection and notes what is called."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *given: self.calls.append((name, *given))


def new_run():
    return RunningState(candidate_id=1, object_id="one", z=None, model=SEVEN_B)


def test_what_was_done_before_the_worker_had_a_run_and_its_text():
    run, inspection, remark = new_run(), Inspection(), Interjection(text="see the wings")
    run.set_paused(True)
    run.insert(remark)
    run.attach(inspection)
    assert [call[1:] for call in inspection.calls] == [(), (remark,)] and run.state == "paused"
    run.set_paused(False)
    run.cancel()
    assert len(inspection.calls) == 4 and run.is_stopping and run.state == "waiting"
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
    assert initial_steps(None) == [] and initial_steps(so_far) == list(so_far.steps)
    measured = replace(so_far, model=ModelRef(name="measured", engine="measured"))
    assert initial_steps(measured) == [mine]

"""The loop of an inspection: mistakes, limits, and a person in between."""

import threading
from types import SimpleNamespace

import pytest

from agent.child_process.turn_taking import computing
from agent.engines.base import SamplingSettings
from agent.inspection import control as steering
from agent.inspection.control import Control, Interjection
from agent.inspection.inspector import run
from agent.protocol.protocol import CUT_SHORT, GO_ON, MAX_TOOL_TURNS
from agent.trajectory.turns import turns_of
from tests.agent.inspection.scripted_inspection import CV, inspect, inspector
from tests.agent.scenes import answer, call, star
from tests.processes import LONG_S
from tests.scripted_engine import ScriptedConversation


@pytest.mark.parametrize(("reply", "kind", "told"), [
    (call(1000, 2000), "zoom", "does not overlap"),
    (call(6700, 6400), "zoom", "must start below its end"),
    ("<think>a</think><tool_call>{]</tool_call>", "zoom", "not valid JSON"),
    (call(1, 2) + call(3, 4), "zoom", "One tool call a turn"),
    ('<tool_call>{"name": "rm", "arguments": {}}</tool_call>', "zoom", "no tool named"),
    ("<tool_call>{", "zoom", "ends before"),
    ("<answer>yes</answer>", "answer", "holds no"),
    ("Let me see.", "text", GO_ON),
    ("", "text", GO_ON),
])  # fmt: skip
def test_the_model_reads_what_it_got_wrong(reply, kind, told):
    trajectory, steps, engine = inspect([reply, answer()])
    wrong = [step for step in steps if step.turn == 0][-1]
    assert wrong.kind == kind
    heard = engine.conversations[0].turns[3]
    assert told in heard.text
    assert heard.role == ("tool" if kind == "zoom" else "user")
    assert wrong.error in ("", heard.text)
    assert not wrong.is_look
    assert trajectory.verdict == "YES"


def test_eight_looks_and_then_an_answer_and_a_ninth_ends_it():
    replies = [call(6400 + n, 6700) for n in range(MAX_TOOL_TURNS)] + [answer("NO")]
    trajectory, _, _ = inspect(replies)
    assert (len(trajectory.looks), trajectory.verdict) == (MAX_TOOL_TURNS, "NO")
    trajectory, steps, _ = inspect(lambda number: call(6400 + number, 6700))
    assert trajectory.stopped_by == "turn_limit"
    assert len(trajectory.looks) == MAX_TOOL_TURNS
    assert len(trajectory.replies) == MAX_TOOL_TURNS + 1
    assert steps[-1].error
    assert (trajectory.verdict, trajectory.p_yes) == (None, None)
    trajectory, _, _ = inspect(lambda number: "Let me think.")
    assert trajectory.stopped_by == "turn_limit"
    assert "without a usable call" in trajectory.stop_reason


def test_a_turn_cut_short_is_said_again():
    rambling = "word " * 40
    short = SamplingSettings(max_new_tokens=20)
    trajectory, steps, engine = inspect([rambling, answer()], sampling=short)
    assert steps[0].error == CUT_SHORT
    assert engine.conversations[0].turns[3].text == CUT_SHORT
    assert trajectory.verdict == "YES"
    short = SamplingSettings(max_new_tokens=20)
    trajectory, _, _ = inspect(lambda number: rambling, sampling=short)
    assert (trajectory.stopped_by, len(trajectory.replies)) == ("length", 2)


def test_a_call_that_just_fits_counts():
    """Cut off behind its end a call is a call all the same."""
    words = len(call(6400, 6700).split(" "))
    turns = [call(6400, 6700) + " and more", answer()]
    trajectory, _, _ = inspect(turns, sampling=SamplingSettings(max_new_tokens=words))
    assert len(trajectory.looks) == 1


def test_invented_tool_answers_are_not_heard():
    reply = call(6400, 6700) + "\n<tool_response> I see a star </tool_response>" + answer("NO")
    trajectory, _, _ = inspect([reply, answer("YES")])
    assert trajectory.verdict == "YES"
    assert trajectory.replies[0].endswith("<tool_response> ")


def test_the_person_puts_in_a_look_and_a_remark():
    control = Control()
    control.insert(Interjection(range=(4600, 4750), label="He II"))
    control.insert(Interjection(text="Mind the noise."))
    control.insert(Interjection(range=(1, 2)))
    trajectory, steps, engine = inspect([answer()], control=control)
    mine = [step for step in steps if step.by == "person"]
    assert [(step.kind, step.turn) for step in mine] == [("zoom", -1), ("text", -1), ("zoom", -1)]
    assert mine[0].is_look
    assert mine[0].measured["n_pixels"] > 0
    assert mine[2].error
    heard = engine.conversations[0]
    assert heard.turns[2].text == (
        "The astronomer shows you the wavelength range (4600, 4750) Å for He II."
    )
    assert heard.turns[2].picture == 1
    assert heard.turns[3].text == "Mind the noise."
    assert heard.turns[4].role == "assistant"
    assert len(heard.pictures) == 2
    assert turns_of(CV, trajectory) == heard.turns
    assert trajectory.verdict == "YES"


def test_a_word_after_the_answer_reopens_the_case():
    control = Control()
    made = inspector([answer("YES"), answer("NO", "It is narrow.")])
    inspection = made.inspect(star(), CV, control=control)
    assert [next(inspection).kind for _ in range(2)] == ["think", "answer"]
    control.insert(Interjection(text="Look at its width."))
    trajectory = run(inspection)
    assert trajectory.verdict == "NO"
    assert trajectory.reasons == "\\boxed{NO} It is narrow."


# Steering an inspection that runs in another thread.
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

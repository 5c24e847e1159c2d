"""The loop over a scripted engine: what goes in, what is recorded, why it stops."""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import pytest

from agent.engines.base import SamplingSettings
from agent.errors import ContextFullError, EngineError, SpectrumError, TrajectoryError
from agent.hashing import picture_hash
from agent.inspection.control import Control, Interjection
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.inspection.pictures import redraw
from agent.protocol.protocol import CUT_SHORT, GO_ON, MAX_TOOL_TURNS
from agent.rendering.render import COMPACT
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.turns import turns_of
from tests.agent.scenes import answer, call, star
from tests.scripted_engine import ScriptedEngine

SURE = {"YES": math.log(0.9), "NO": math.log(0.1)}
CV = find_task("CV")


def inspector(replies, **options):
    engine = ScriptedEngine(replies, choices=SURE)
    return ModelInspector(engine, ModelRef(name="scripted"), style=COMPACT, **options)


def inspect(replies, spectrum=None, **options):
    steps = []
    settings = {key: options.pop(key) for key in ("sampling", "extra_runs") if key in options}
    made = inspector(replies, **settings)
    inspection = made.inspect(spectrum or star(), CV, **options)
    trajectory = run(inspection, steps.append)
    return trajectory, steps, made.engine


def test_a_whole_inspection():
    trajectory, steps, engine = inspect([call(6400, 6700), call(4800, 4930, "Hβ"), answer()])
    assert [step.kind for step in steps] == ["think", "zoom", "think", "zoom", "think", "answer"]
    assert [step.turn for step in steps] == [0, 0, 1, 1, 2, 2]
    assert trajectory.steps == tuple(steps)
    assert (trajectory.verdict, trajectory.stopped_by) == ("YES", "answer")
    assert trajectory.p_yes == pytest.approx(0.9)
    assert trajectory.well_formed
    assert trajectory.reasons == "\\boxed{YES} Broad Hα at 6565 Å."
    look = steps[1]
    assert (look.range, look.label) == ((6400, 6700), "Hα")
    assert look.measured["lines"][0]["name"] == "H_alpha"
    assert trajectory.tokens.evaluated == trajectory.tokens.prompt + trajectory.tokens.generated
    assert 0 < trajectory.tokens.images < trajectory.tokens.prompt
    assert trajectory.seconds > trajectory.engine_seconds > 0
    assert engine.conversations[0].is_closed


def test_the_engine_sees_what_the_record_says():
    """The turns an engine was given, and those made from the record, are the same."""
    replies = [call(6400, 6700), "hm", call(1, 2), "<tool_call>{", call("a", 2), answer()]
    trajectory, _, engine = inspect(replies)
    heard = engine.conversations[0]
    assert turns_of(CV, trajectory) == heard.turns
    again = redraw(trajectory, star())
    assert [picture_hash(picture) for picture in again] == [
        picture_hash(picture) for picture in heard.pictures
    ]


@pytest.mark.parametrize(
    ("reply", "kind", "told"),
    [
        (call(1000, 2000), "zoom", "does not overlap"),
        (call(6700, 6400), "zoom", "must start below its end"),
        ("<think>a</think><tool_call>{]</tool_call>", "zoom", "not valid JSON"),
        (call(1, 2) + call(3, 4), "zoom", "One tool call a turn"),
        ('<tool_call>{"name": "rm", "arguments": {}}</tool_call>', "zoom", "no tool named"),
        ("<tool_call>{", "zoom", "ends before"),
        ("<answer>yes</answer>", "answer", "holds no"),
        ("Let me see.", "text", GO_ON),
        ("", "text", GO_ON),
    ],
)
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


def test_eight_looks_and_then_an_answer():
    replies = [call(6400 + n, 6700) for n in range(MAX_TOOL_TURNS)] + [answer("NO")]
    trajectory, _, _ = inspect(replies)
    assert (len(trajectory.looks), trajectory.verdict) == (MAX_TOOL_TURNS, "NO")


def test_a_ninth_look_ends_it():
    trajectory, steps, _ = inspect(lambda number: call(6400 + number, 6700))
    assert trajectory.stopped_by == "turn_limit"
    assert len(trajectory.looks) == MAX_TOOL_TURNS
    assert len(trajectory.replies) == MAX_TOOL_TURNS + 1
    assert steps[-1].error
    assert (trajectory.verdict, trajectory.p_yes) == (None, None)


def test_chatter_without_end_is_ended():
    trajectory, _, _ = inspect(lambda number: "Let me think.")
    assert trajectory.stopped_by == "turn_limit"
    assert "without a usable call" in trajectory.stop_reason


def test_a_turn_cut_short_is_said_again():
    rambling = "word " * 40
    trajectory, steps, engine = inspect(
        [rambling, answer()], sampling=SamplingSettings(max_new_tokens=20)
    )
    assert steps[0].error == CUT_SHORT
    assert engine.conversations[0].turns[3].text == CUT_SHORT
    assert trajectory.verdict == "YES"
    trajectory, _, _ = inspect(
        lambda number: rambling, sampling=SamplingSettings(max_new_tokens=20)
    )
    assert (trajectory.stopped_by, len(trajectory.replies)) == ("length", 2)


def test_a_call_that_just_fits_counts():
    """Cut off behind its end a call is a call all the same."""
    words = len(call(6400, 6700).split(" "))
    trajectory, _, _ = inspect(
        [call(6400, 6700) + " and more", answer()], sampling=SamplingSettings(max_new_tokens=words)
    )
    assert len(trajectory.looks) == 1


def test_invented_tool_answers_are_not_heard():
    reply = call(6400, 6700) + "\n<tool_response> I see a star </tool_response>" + answer("NO")
    trajectory, _, _ = inspect([reply, answer("YES")])
    assert trajectory.verdict == "YES"
    assert trajectory.replies[0].endswith("<tool_response> ")


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


@pytest.mark.parametrize(
    ("error", "stopped_by"),
    [(EngineError("no memory"), "error"), (ContextFullError("full"), "length")],
)
def test_an_engine_that_fails_leaves_what_was_said(error, stopped_by):
    def reply(number: int) -> str:
        if number == 1:
            raise error
        return call(6400, 6700)

    trajectory, steps, engine = inspect(reply)
    assert (trajectory.stopped_by, trajectory.stop_reason) == (stopped_by, str(error))
    assert trajectory.steps == tuple(steps)
    assert len(trajectory.looks) == 1
    assert engine.conversations[0].is_closed


def test_an_engine_that_does_not_open():
    class Broken(ScriptedEngine):
        def open(self):
            raise EngineError("no such device")

    made = ModelInspector(Broken([]), ModelRef(name="broken"))
    trajectory = run(made.inspect(star(), CV))
    assert (trajectory.stopped_by, trajectory.stop_reason) == ("error", "no such device")


def test_our_own_mistakes_rise():
    def reply(number: int) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        inspect(reply)


def test_nothing_to_draw_is_said_at_once():
    empty = Spectrum(wavelength=[4000.0, 5000.0], flux=[math.nan, math.nan])
    with pytest.raises(SpectrumError):
        inspect([answer()], empty)


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


def test_go_on_from_a_place_in_a_record():
    first, _, _ = inspect([call(6400, 6700), call(4800, 4930), answer("YES")])
    control = Control()
    control.insert(Interjection(range=(4600, 4750), label="He II"))
    second, steps, engine = inspect([answer("NO")], control=control, so_far=first.until(1))
    assert second.steps[:2] == first.steps[:2]
    assert [step.by for step in steps] == ["person", "agent", "agent"]
    assert [step.turn for step in steps] == [0, 1, 1]
    assert second.replies == (first.replies[0], answer("NO"))
    assert turns_of(CV, second) == engine.conversations[0].turns
    assert len(redraw(second, star())) == 3


def test_only_its_own_record_is_gone_on_from():
    first, _, _ = inspect([answer()])
    with pytest.raises(TrajectoryError, match="another spectrum"):
        inspect([answer()], star(seed=2), so_far=first)
    with pytest.raises(TrajectoryError, match="another task"):
        inspect([answer()], so_far=replace(first, task="WD"))


def test_pictures_are_proved():
    trajectory, _, _ = inspect([call(6400, 6700), answer()])
    with pytest.raises(TrajectoryError, match="not the spectrum"):
        redraw(trajectory, star(seed=2))
    with pytest.raises(TrajectoryError, match="picture 0 differs"):
        redraw(replace(trajectory, overview="0" * 64), star())


def test_runs_are_averaged():
    said = []

    def reply(number: int) -> str:
        said.append(number)
        return answer("YES")

    trajectory, steps, engine = inspect(reply, extra_runs=3)
    assert trajectory.p_yes_runs == pytest.approx((0.9,) * 4)
    assert trajectory.p_yes == pytest.approx(0.9)
    assert len(steps) == 2
    assert said == [0, 0, 0, 0]
    assert len(engine.conversations) == 1


def test_runs_without_log_probabilities_are_votes():
    words = iter(["YES", "NO", "NO", "YES"])
    engine = ScriptedEngine(lambda number: answer(next(words)))
    made = ModelInspector(engine, ModelRef(name="scripted"), extra_runs=3)
    trajectory = run(made.inspect(star(), CV))
    assert (trajectory.verdict, trajectory.p_yes) == ("YES", 0.5)


def test_the_frame_is_the_stars_own():
    trajectory, _, _ = inspect([call(6400, 6700), answer()], star(z=0.001))
    assert trajectory.spectrum.z == 0.001
    found = trajectory.looks[0].measured["lines"][0]
    assert found["centroid"] == pytest.approx(6564.6 / 1.001, abs=0.5)
    quasar, _, _ = inspect([answer()], star(z=1.5))
    assert quasar.spectrum.z is None

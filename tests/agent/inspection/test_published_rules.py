"""The loop by the rules of the published models, in a wording."""

import json
import math
from dataclasses import replace

import pytest

from agent.engines.base import SamplingSettings
from agent.errors import TrajectoryError
from agent.hashing import picture_hash
from agent.inspection.control import Control, Interjection
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.inspection.pictures import redraw
from agent.protocol.protocol import GO_ON
from agent.protocol.rules import AS_PUBLISHED
from agent.rendering.render import AS_PUBLISHED as STYLE
from agent.trajectory.trajectory import ModelRef, WordingRef
from agent.trajectory.trajectory_file import from_line, to_line
from agent.trajectory.turns import turns_of
from tests.agent.inspection.scripted_inspection import CV, SURE
from tests.agent.protocol.wordings import call as call_with
from tests.agent.protocol.wordings import text_of, wording
from tests.agent.scenes import answer, call, star
from tests.scripted_engine import ScriptedEngine

WORDING = wording()


def inspect(replies, *, words=WORDING, task=CV, **options):
    engine = ScriptedEngine(replies, choices=SURE)
    made = ModelInspector(
        engine, ModelRef(name="published"), style=STYLE, rules=AS_PUBLISHED, wording=words
    )
    inspection = made.inspect(star(), task, **options)
    return run(inspection), engine.conversations[0]


def test_the_model_is_asked_in_its_words_and_the_record_names_them() -> None:
    trajectory, conversation = inspect([call(6400, 6700), answer()])
    assert conversation.turns[1].text == text_of("cv")
    assert trajectory.wording == WordingRef(name="clerk", sha256=WORDING.sha256)
    assert (trajectory.rules, trajectory.verdict, trajectory.well_formed) == (
        "published", "YES", True,
    )  # fmt: skip
    assert trajectory.p_yes == pytest.approx(0.9)
    assert from_line(to_line(trajectory)) == trajectory
    record = json.loads(to_line(trajectory))
    assert record["wording"] == {"name": "clerk", "sha256": WORDING.sha256}
    assert record["rules"] == "published"


def test_the_conversation_is_rebuilt_word_for_word() -> None:
    replies = [call_with("{}"), call(6700, 6400), answer()]
    trajectory, conversation = inspect(replies)
    assert turns_of(CV, trajectory, WORDING) == conversation.turns
    with pytest.raises(TrajectoryError, match=r"in the wording clerk .* not here"):
        turns_of(CV, trajectory)
    with pytest.raises(TrajectoryError, match="in the wording clerk"):
        turns_of(CV, trajectory, replace(WORDING, system="x"))


def test_seven_calls_and_an_answer_and_the_eighth_turn_cannot_call() -> None:
    replies = [call(6400 + n, 6700) for n in range(7)] + [answer("NO")]
    trajectory, _ = inspect(replies)
    assert (len(trajectory.looks), trajectory.verdict) == (7, "NO")
    trajectory, conversation = inspect(lambda number: call(6400 + number, 6700))
    assert (len(trajectory.replies), len(trajectory.looks)) == (8, 7)
    assert (trajectory.stopped_by, trajectory.verdict) == ("turn_limit", None)
    assert conversation.turns[-1].role == "assistant"


def test_a_turn_without_a_call_ends_it_and_nobody_says_go_on() -> None:
    trajectory, conversation = inspect(["Let me see.", answer()])
    assert len(trajectory.replies) == 1
    assert (trajectory.stopped_by, trajectory.verdict) == ("turn_limit", None)
    assert "without a call" in trajectory.stop_reason
    assert all(turn.text != GO_ON for turn in conversation.turns)
    assert all(turn.text != GO_ON for turn in turns_of(CV, trajectory, WORDING))


@pytest.mark.parametrize(("said", "verdict", "form", "has_p"), [
    (r"<think>t</think><answer>\boxed{yes}</answer>", "YES", True, True),
    (r"<think>t</think><answer>\boxed{NO} not \boxed{YES}</answer>", "NO", True, False),
    (r"<think>t</think><answer>a plain no</answer>", "NO", False, False),
    (r"<think>t</think>\boxed{YES}", "YES", False, True),
])  # fmt: skip
def test_answers_are_read_as_the_published_scorer_does(
    said: str, verdict: str, form: bool, has_p: bool
) -> None:
    trajectory, _ = inspect([said])
    assert (trajectory.stopped_by, trajectory.verdict) == ("answer", verdict)
    assert trajectory.well_formed is form
    assert (trajectory.p_yes is not None) is has_p


def test_the_first_of_two_calls_is_run_and_an_answer_beside_one_counts_at_the_end() -> None:
    trajectory, _ = inspect([call(6400, 6700) + call(4000, 5000), answer()])
    assert [look.range for look in trajectory.looks] == [(6400, 6700)]
    both = r"<think>t</think><answer>\boxed{NO} so</answer>" + call_with("{}")
    trajectory, _ = inspect([both, "Done."])
    assert (len(trajectory.looks), trajectory.verdict, trajectory.well_formed) == (1, "NO", True)


def test_a_call_without_a_range_shows_the_whole_again() -> None:
    label = '{"label": "the  jump"}'
    trajectory, conversation = inspect([call_with("{}"), call_with(label), answer()])
    plain, named = trajectory.looks
    assert plain.whole and named.whole and plain.range == (3800.0, 9000.0)
    assert plain.picture == trajectory.overview == named.picture
    assert conversation.turns[3].text == "The entire tape is unrolled."
    assert conversation.turns[5].text == "The entire tape is unrolled for the  jump."
    pictures = redraw(trajectory, star())
    assert [picture_hash(each) for each in pictures] == [trajectory.overview] * 3


def test_without_a_wording_the_rules_hold_in_our_words() -> None:
    trajectory, conversation = inspect([call_with("{}"), call(9, 5), answer()], words=None)
    assert "At most 7 calls" in conversation.turns[1].text
    assert conversation.turns[3].text == "Generated spectral visualization of the whole spectrum."
    assert "must start below" in conversation.turns[5].text
    assert trajectory.wording == WordingRef()
    assert turns_of(CV, trajectory) == conversation.turns


def test_another_tool_and_a_faulty_range_are_refused() -> None:
    other = call_with("{}").replace("spectral_visualization_tool", "ruler")
    trajectory, conversation = inspect([other, answer()])
    assert "no tool named 'ruler'" in conversation.turns[3].text
    assert trajectory.verdict == "YES"
    replies = [call(10000, 12000.5), call(5, "x"), answer()]
    trajectory, conversation = inspect(replies)
    assert conversation.turns[3].text == (
        "Sorry: [10000, 12000.5] lies beyond what was taped, 3800.0 up to 9000.0."
    )
    assert trajectory.looks == ()
    assert "Sorry: [5, 'x']" in conversation.turns[5].text


@pytest.mark.parametrize("said", ["one two three four", "no, that is no thought to end"])
def test_a_turn_cut_off_ends_the_conversation(said: str) -> None:
    engine = ScriptedEngine([said])
    made = ModelInspector(
        engine, ModelRef(name="published"), style=STYLE,
        sampling=SamplingSettings(max_new_tokens=3), rules=AS_PUBLISHED,
    )  # fmt: skip
    trajectory = run(made.inspect(star(), CV))
    assert (trajectory.stopped_by, len(trajectory.replies)) == ("length", 1)
    assert (trajectory.verdict, trajectory.p_yes) == (None, None)


def test_the_title_names_no_file() -> None:
    ours = ModelInspector(ScriptedEngine([answer()]), ModelRef(name="ours"))
    trajectory, _ = inspect([answer()])
    same = run(ours.inspect(star(), CV))
    assert trajectory.overview != same.overview
    assert trajectory.style == {"name": "as-published", "layout": "published"}


def test_an_inspection_is_continued_in_its_wording() -> None:
    first, _ = inspect([call(6400, 6700), answer()])
    second, conversation = inspect([answer("NO")], so_far=first.until(1))
    assert second.verdict == "NO"
    assert second.replies[:1] == first.replies[:1]
    assert conversation.turns[1].text == text_of("cv")
    with pytest.raises(TrajectoryError, match="another task"):
        inspect([answer()], words=None, so_far=first.until(1))


def test_a_person_may_join_in() -> None:
    control = Control()
    control.insert(Interjection(range=(4000.0, 5000.0)))
    trajectory, conversation = inspect([answer()], control=control)
    assert "The astronomer shows you" in conversation.turns[2].text
    assert trajectory.verdict == "YES"


def test_more_runs_average_p_yes_by_the_same_rules() -> None:
    engine = ScriptedEngine([call(6400, 6700), answer()], choices=SURE)
    made = ModelInspector(
        engine, ModelRef(name="published"), style=STYLE, extra_runs=2, rules=AS_PUBLISHED,
        wording=WORDING,
    )  # fmt: skip
    trajectory = run(made.inspect(star(), CV))
    assert len(trajectory.p_yes_runs) == 3
    assert math.isclose(trajectory.p_yes or 0.0, 0.9)

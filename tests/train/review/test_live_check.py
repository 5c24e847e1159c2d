from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

from agent.tasks.catalogue import find_task
from tests.train.review.helpers import Pairs
from train.review.live_check import check_live, marked_spans
from train.review.revision import Revision

INVENTED = "Li I 6708 is absorbed, 4.2 Å."


def test_what_no_window_supports_is_found_in_its_turn_and_place(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    task = find_task(trajectory.task)
    before = check_live(trajectory, trajectory.replies, example, task)
    assert before.claims >= 5 and before.faults == ()
    revision = Revision.of(trajectory.replies)
    thought = f"{revision.turns[1].thought} {INVENTED}"
    check = check_live(trajectory, revision.with_texts(1, thought).replies, example, task)
    assert check.of_turn(1) == check.faults and check.faults
    spans = marked_spans(thought, check.faults)
    assert [thought[start:end] for start, end in spans] == [INVENTED]


def test_a_call_elsewhere_takes_the_support_away(pairs: Pairs) -> None:
    trajectory, example = next(
        (one, about) for one, about in pairs if len(one.looks) > 1 and not one.steps[0].error
    )
    revision = Revision.of(trajectory.replies)
    high = example.spectrum.range[1]
    for place, turn in enumerate(revision.turns):
        if turn.range is not None:
            revision = revision.with_look(place, round(high) - 20, round(high) - 5, turn.label)
    check = check_live(trajectory, revision.replies, example, find_task(trajectory.task))
    assert len(check.faults) > 1 and any("in no window" in each.reason for each in check.faults)


def test_spelling_does_not_hide_a_sentence() -> None:
    class Said:
        text = "Hα is absorbed"

    text = "H-alpha is absorbed; the rest is well."
    assert marked_spans(text, [Said()]) == [(0, 19)]
    assert marked_spans(text, []) == []

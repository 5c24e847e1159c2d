from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from tests.train.review.helpers import Pairs, audited
from tests.train.review.lies import LIES, planted, retold

LEAST_CAUGHT = {"presence": 0.8, "feature": 0.8}
"""Doubtful features may be denied, and two features may share a number."""


def test_honest_drafts_are_approved(pairs: Pairs) -> None:
    found = [audited(*pair) for pair in pairs]
    assert [each.note for each in found if not each.approves] == []
    assert all(each.claims >= 5 and each.answer_reasons for each in found)
    assert {each.consistency for each in found} <= {4, 5}


def test_planted_lies_are_caught(pairs: Pairs) -> None:
    planned: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    for number, (trajectory, example) in enumerate(pairs[::3]):
        for name, lie in planted(trajectory, example, np.random.default_rng(number)):
            planned[name] += 1
            caught[name] += not audited(lie, example).approves
    assert set(planned) == {*LIES, "forged"}
    for name, count in planned.items():
        assert caught[name] >= LEAST_CAUGHT.get(name, 1.0) * count, (name, caught[name], count)


def test_a_lie_lowers_the_score_and_is_located(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    answer = trajectory.replies[-1].replace("</answer>", " Li I 6708 is absorbed, 4.2 Å.</answer>")
    found = audited(retold(trajectory, example, (*trajectory.replies[:-1], answer)), example)
    assert [fault.turn for fault in found.faults] == [len(trajectory.replies) - 1] * len(
        found.faults
    )
    assert found.consistency < 5 and "Li I" in found.note


def test_records_that_do_not_match_are_refused(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    same_task = [one for _, one in pairs if one.task == example.task]
    other = next(one for one in same_task if one.sha256 != example.sha256)
    cases = {
        "another spectrum": (trajectory, other),
        "another guideline": (replace(trajectory, prompt_sha256="0" * 64), example),
        "the truth": (
            trajectory,
            replace(example, answer="NO" if example.answer == "YES" else "YES"),
        ),
        "differs from the one": (replace(trajectory, overview="0" * 64), example),
    }
    for why, (record, about) in cases.items():
        assert why in audited(record, about).note


def test_an_answer_needs_a_reason_and_different_looks(pairs: Pairs) -> None:
    trajectory, example = pairs[0]
    box = f"\\boxed{{{example.answer}}}"
    bare = f"<think>So.</think>\n<answer>{box} It is what it is.</answer>"
    found = audited(retold(trajectory, example, (*trajectory.replies[:-1], bare)), example)
    assert "no reason to check" in found.note
    twice = (trajectory.replies[0], *trajectory.replies)
    assert audited(retold(trajectory, example, twice), example).flow == 4

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from agent.protocol.reply import Verdict
from train.grpo.judging import RolloutOutcome, metrics
from train.reward import Reading

GOOD = r"<think>Seen.</think><answer>\boxed{YES} a line</answer>"


def judged(verdict: Verdict | None) -> RolloutOutcome:
    replies = (GOOD,) if verdict == "YES" else ("nothing",)
    return RolloutOutcome(replies, Reading(verdict, verdict == "YES"))


def test_figures_by_hand():
    said = [judged("YES"), judged("YES"), judged("NO"), judged(None)]
    answers: list[Verdict] = ["YES", "NO", "YES", "YES"]
    found = metrics(said, answers, ["CV", "CV", "WD", "WD"])
    assert found["f1"] == pytest.approx(2 * 1 / (2 + 3))
    assert (found["accuracy"], found["accuracy/CV"], found["accuracy/WD"]) == (0.25, 0.5, 0.0)
    assert (found["answered"], found["says_yes"], found["well_formed"]) == (0.75, 0.5, 0.5)


def test_no_members_and_none_named():
    assert metrics([judged("NO")], ["NO"], ["CV"])["f1"] == 0.0

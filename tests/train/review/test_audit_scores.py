"""The automatic review grades as people are asked to, and says what it looked at."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("pyarrow")

from tests.train.review.helpers import Pairs, audited
from tests.train.review.planted_faults import planted_faults
from train.review.audit_scores import Checked, coherence_of, consistency_of

ALL = Checked(
    kinds=(("states", 9),), looks=3, used_looks=3, sentences=10, checked_sentences=9, reasons=4
)


def test_planted_faults_lower_the_score_by_what_they_spoil(pairs: Pairs) -> None:
    found = planted_faults(pairs[::2], 24)
    assert len({each.kind for each in found}) == 12
    caught = [each for each in found if not each.audit.approves]
    assert len(caught) >= 22
    assert all(each.audit.consistency < 5 for each in caught)
    scores = {(each.audit.coherence, each.audit.consistency) for each in found}
    assert len(scores) >= 5
    by_kind = {each.kind: each.audit for each in found}
    assert by_kind["verdict"].consistency == by_kind["forged"].consistency == 0
    assert by_kind["verdict"].coherence <= 1
    assert by_kind["unseen"].consistency <= 2  # it is said in the answer


def test_honest_drafts_do_not_all_get_the_same(pairs: Pairs) -> None:
    found = [audited(*pair) for pair in pairs]
    assert len({(each.coherence, each.consistency) for each in found}) > 1
    idle = [each for each in found if each.checked.used_looks < each.checked.looks]
    assert idle and all(each.coherence < each.flow for each in idle)


def test_the_note_says_what_was_checked(pairs: Pairs) -> None:
    found = audited(*pairs[0])
    told = re.search(r"checked (.*), \d of \d looks unused, (\d+) reasons", found.note)
    assert told is not None and int(told[2]) == found.answer_reasons
    numbers = [int(part.split()[0]) for part in told[1].split(", ")]
    assert sum(numbers) == found.claims
    assert re.search(r"\d+ of \d+ sentences hold nothing to check$", found.note)


@pytest.mark.parametrize(
    ("wrong", "slips", "score"),
    [
        ((), True, 5),
        (((1, "a"),), True, 4),
        (((1, "a"),), False, 3),
        (((1, "a"), (2, "b")), True, 3),
        (((1, "a"), (2, "b"), (2, "c"), (0, "d"), (0, "e"), (0, "f")), True, 1),
        (((3, "a"),), True, 2),
        (((3, "a"), (3, "b")), True, 1),
        (((3, "a"), (3, "b"), (3, "c"), (3, "d")), True, 0),
    ],
)
def test_consistency(wrong, slips, score) -> None:
    assert consistency_of(wrong, 10, ALL, 3, are_slips=slips) == score


def test_what_cannot_be_checked_is_not_fully_consistent() -> None:
    phrases = Checked(kinds=(), looks=3, used_looks=3, sentences=10, checked_sentences=3, reasons=4)
    assert consistency_of((), 3, phrases, 3, are_slips=True) == 4


def test_coherence() -> None:
    assert coherence_of(5, ALL, contradicts_itself=False) == 5
    assert coherence_of(5, ALL, contradicts_itself=True) == 1
    idle = Checked(kinds=(), looks=3, used_looks=2, sentences=1, checked_sentences=1, reasons=1)
    assert coherence_of(5, idle, contradicts_itself=False) == 3
    assert coherence_of(0, idle, contradicts_itself=False) == 0

"""Three people, each with a program of their own, bring drafts from screening to an export."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.curation.pool import import_drafts, open_pool
from agent.trajectory.trajectory_file import read_trajectories
from tests.agent.curation.reviewing import PEOPLE, ROUNDS
from tests.app.core.session.recorder import nursery
from train.curate.export import export_approved

DRAFTS = 20


def test_from_screening_to_sft(
    tmp_path: Path, many_drafts: Path, example_set: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "pool"
    pool, count = import_drafts(place, [many_drafts], [example_set])
    assert count == DRAFTS
    with nursery("tests.agent.curation.reviewing") as children:
        children.order("curate", place, copies=len(PEOPLE))
        said = children.until_over(len(PEOPLE))
    assert not [line for line in said if line[0] in ("fault", "refused")]
    told = Counter(tuple(line[1:]) for line in said if line[0] == "kept")
    log = Counter((each.trajectory, each.role, each.by, each.note) for each in pool.store.reviews())
    assert told == log  # nothing is lost, nothing is there twice
    for case in open_pool(place).cases():
        assert case.stage == "approved" and not case.void_reasons
        assert case.rounds == ROUNDS and len(set(case.panel)) == 3  # twice changes were wanted
        roles = Counter(review.role for review in case.reviews)
        assert roles == {"screener": 1, "reviser": ROUNDS, "auditor": 2 * ROUNDS, "voter": 3}
        assert {each.by for each in case.reviews if each.role == "reviser"} == {case.author}
        assert all(each.at for each in case.reviews)
    out = tmp_path / "approved.jsonl"
    assert export_approved(open_pool(place), out) == DRAFTS
    exported = list(read_trajectories(out))
    assert all("for the 3. time" in each.replies[0] for each in exported)
    pytest.importorskip("torch")
    from train.sft.inputs import read_inputs

    assert len(read_inputs([out], [example_set], "recorded").trajectories) == DRAFTS

"""Three people, each with a program of their own, bring drafts from screening to an export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.trajectory.trajectory_file import read_trajectories
from tests.app.core.session.recorder import nursery
from tests.night import BY_NIGHT
from tests.train.review.conftest import first
from tests.train.review.reviewing import PEOPLE, ROUNDS
from train.review.export import export_in_processes
from train.review.pool import import_drafts, open_pool

DRAFTS = 20
ON_A_SERVER = DRAFTS if BY_NIGHT else 5
"""By day fewer, as each act connects to the server anew."""


def test_from_screening_to_sft(
    tmp_path: Path, place: Path | str, many_drafts: Path, example_set: Path
) -> None:
    drafts = ON_A_SERVER if isinstance(place, str) else DRAFTS
    some = first(drafts, many_drafts, tmp_path / "drafts.jsonl")
    pool, count = import_drafts(place, [some], [example_set])
    assert count == drafts
    with nursery("tests.train.review.reviewing") as children:
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
    pool.store.close()
    out = tmp_path / "approved.jsonl"
    done = export_in_processes(open_pool(place), out)
    assert done.count == drafts and not done.left_out
    exported = list(read_trajectories(out))
    assert all("for the 3. time" in each.replies[0] for each in exported)
    pytest.importorskip("torch")
    from train.sft.inputs import read_inputs

    assert len(read_inputs([out], list(done.sets), "recorded").trajectories) == drafts
    if BY_NIGHT:
        train_on(out, done.sets, tmp_path / "run")


def train_on(approved: Path, sets: Sequence[Path], run: Path) -> None:
    """What the guide does next, with a very small model."""
    pytest.importorskip("accelerate")
    from tests.train.sft.recipes import BASE
    from tests.train.sft.samples import MINUTE_MODEL
    from train.sft.run import fine_tune
    from train.sft.settings import SftSettings

    settings = SftSettings(**{**BASE, "steps": 2, "batch": 2, "eval_every": 0})
    folder = fine_tune([approved], list(sets), run, settings, MINUTE_MODEL, seed=3)
    assert (folder / "model.safetensors").stat().st_size > 0

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.protocol.reply import is_well_formed
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from tests.train.review.helpers import Pairs, stages
from tests.train.review.lies import retold
from tests.train.review.people import people
from train.review.export import export_in_processes
from train.review.pool import Pool, import_drafts, open_pool
from train.review.programs import CLAIMS, PROGRAMS, RECORD, SCREENER, run_panel
from train.reward import Reading


class TestPanel:
    def test_honest_drafts_pass_and_are_exported(self, pool: Pool) -> None:
        seen: list[int] = []
        assert run_panel(pool, advance=seen.append) == 7 * 3 and sum(seen) == 3
        assert stages(pool) == ["approved"] * 3
        out = pool.place / "approved.jsonl"
        done = export_in_processes(open_pool(pool.place), out)
        assert (done.path, done.count, done.left_out) == (out, 3, ())
        assert done.sets == pool.store.sets
        answers = {(name, sha): row["answer"] for (sha, name), row in pool.store.truths().items()}
        rewards = [
            Reading(one.verdict, is_well_formed(one.replies)).reward(
                answers[one.task, one.spectrum.sha256]
            )
            for one in read_trajectories(out)
        ]
        assert rewards == [1.0] * 3  # else RL would punish a model for what SFT taught it
        assert run_panel(open_pool(pool.place)) == 0

    def test_the_reviser_removes_wrong_claims(
        self, tmp_path: Path, pairs: Pairs, example_set: Path
    ) -> None:
        trajectory, example = pairs[0]
        lie = " Li I 6708 is absorbed, 4.2 Å.</answer>"
        told = (*trajectory.replies[:-1], trajectory.replies[-1].replace("</answer>", lie))
        write_trajectories(tmp_path / "lie.jsonl", [retold(trajectory, example, told)])
        pool, _ = import_drafts(tmp_path / "pool", [tmp_path / "lie.jsonl"], [example_set])
        run_panel(pool)
        (case,) = pool.cases()
        assert case.stage == "approved" and "Li I" not in "".join(case.replies)
        revision = next(review for review in case.reviews if review.role == "reviser")
        assert "-<answer>" in revision.diff and "Li I 6708" in revision.diff
        assert pool.current_trajectory(case).replies == case.replies
        assert [review.version == case.version for review in case.reviews[-5:]] == [True] * 5
        alone, together = tmp_path / "alone.jsonl", tmp_path / "together.jsonl"
        assert export_in_processes(pool, alone).count == 1
        assert export_in_processes(pool, together, workers=2).count == 1
        assert alone.read_bytes() == together.read_bytes()
        assert [one.replies for one in read_trajectories(alone)] == [case.replies]

    def test_a_wrong_verdict_is_screened_out(
        self, tmp_path: Path, pairs: Pairs, example_set: Path
    ) -> None:
        trajectory, example = pairs[0]
        other = "NO" if example.answer == "YES" else "YES"
        last = trajectory.replies[-1].replace(f"boxed{{{example.answer}}}", f"boxed{{{other}}}")
        told = retold(trajectory, example, (*trajectory.replies[:-1], last))
        write_trajectories(tmp_path / "lie.jsonl", [told])
        pool, _ = import_drafts(tmp_path / "pool", [tmp_path / "lie.jsonl"], [example_set])
        assert run_panel(pool) == 1
        (case,) = pool.cases()
        assert case.stage == "rejected" and case.reviews[0].note == "the verdict is wrong"

    def test_programs_leave_room_for_people(self, pool: Pool) -> None:
        run_panel(pool, names=[SCREENER])
        assert stages(pool) == ["reviser"] * 3
        assert people(pool, "Ben", "reviser", "", "a", "4", "5", "fine") == 1
        run_panel(open_pool(pool.place), names=[CLAIMS])
        assert stages(pool) == ["auditor", "reviser", "reviser"]
        assert people(pool, "Di", "auditor", "a", "5", "4", "") == 1
        run_panel(open_pool(pool.place), names=PROGRAMS)
        assert stages(pool)[0] == "voter"
        for by in ("Ben", "Di"):
            assert people(pool, by, "voter", "a", "") == 1
        assert stages(pool)[0] == "approved"
        case = next(open_pool(pool.place).cases())
        assert case.panel == ("Ben", CLAIMS, "Di") and RECORD not in case.panel

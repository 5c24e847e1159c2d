import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.protocol.reply import is_well_formed
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from tests.app.core.session.recorder import nursery
from tests.night import BY_NIGHT
from tests.train.review.conftest import first
from tests.train.review.helpers import Pairs, stages
from tests.train.review.lies import retold
from tests.train.review.reviewing import PEOPLE, ROUNDS
from train.review.export import export_in_processes
from train.review.pool import Pool, import_drafts, open_pool
from train.review.programs import CLAIMS, PROGRAMS, RECORD, SCREENER, run_panel
from train.review.sheet import review_by_sheet
from train.review.terminal import review_in_terminal
from train.reward import Reading


def people(pool: Pool, by: str, role: str, *answers: str, edit: str = "") -> int:
    left = list(answers)
    console = Console(file=open("/dev/null", "w"), width=80)  # noqa: SIM115, PTH123
    with console.file:
        return review_in_terminal(
            pool, by, role, console, lambda question: left.pop(0), lambda text: edit, limit=1
        )


class TestSheet:
    def test_out_and_back(self, pool: Pool, tmp_path: Path) -> None:
        run_panel(pool, names=[SCREENER])
        sheet = tmp_path / "ben.jsonl"
        assert review_by_sheet(pool, "Ben", "reviser", sheet).startswith("3 trajectories")
        lines = [json.loads(line) for line in sheet.read_text().splitlines()]
        lines[0] |= {"approve": True, "coherence": 5, "consistency": 4}
        lines[1] |= {"approve": False, "coherence": 1, "consistency": 0, "note": "invented"}
        lines[0]["replies"][0] = lines[0]["replies"][0].replace("<think>", "<think>Well. ")
        sheet.write_text("".join(json.dumps(line) + "\n" for line in lines))
        said = review_by_sheet(open_pool(pool.place), "Ben", "reviser", sheet)
        assert said.startswith("2 reviews imported") and "1 lines left open" in said
        assert stages(pool) == ["auditor", "rejected", "reviser"]
        assert "Well." in next(open_pool(pool.place).cases()).replies[0]

    @pytest.mark.parametrize(("change", "why"), [
        ({"coherence": 9}, "0 to 5"),
        ({"trajectory": "nobody"}, "no such trajectory"),
        ({"version": "old"}, "was revised since"),
    ])  # fmt: skip
    def test_mistakes_are_named_by_line(
        self, pool: Pool, tmp_path: Path, change: dict[str, object], why: str
    ) -> None:
        sheet = tmp_path / "ann.jsonl"
        review_by_sheet(pool, "Ann", "screener", sheet)
        line = json.loads(sheet.read_text().splitlines()[0])
        sheet.write_text(json.dumps({**line, "approve": True, **change}))
        with pytest.raises(WorkbenchError, match=f"line 1: .*{why}"):
            review_by_sheet(pool, "Ann", "screener", sheet)


@pytest.fixture
def screened(pool: Pool) -> Pool:
    run_panel(pool, names=[SCREENER])
    return pool


class TestTerminal:
    def test_a_reviser_changes_a_turn(self, screened: Pool) -> None:
        case = next(screened.cases())
        worded = case.replies[0].replace("<think>", "<think>Let us see. ")
        answers = ["99", "1", "", "a", "7", "4", "5", "a greeting"]
        assert people(screened, "Ben", "reviser", *answers, edit=worded) == 1
        after = next(open_pool(screened.place).cases())
        assert "Let us see" in after.replies[0] and after.stage == "auditor"
        assert after.reviews[-1].note == "a greeting" and after.reviews[-1].coherence == 4
        assert "Let us see" in open_pool(screened.place).current_trajectory(after).steps[0].text

    def test_skipping_and_leaving(self, screened: Pool) -> None:
        assert people(screened, "Ben", "reviser", "", "s", "", "x", "q") == 0
        assert stages(screened) == ["reviser"] * 3

    def test_who_wants_changes_says_which(self, screened: Pool) -> None:
        assert people(screened, "Ben", "reviser", "", "a", "5", "5", "") == 1
        assert people(screened, "Cy", "auditor", "c", "2", "5", "", " ", "name the line") == 1
        case = next(case for case in open_pool(screened.place).cases() if case.author)
        assert case.audits[-1].changes and case.audits[-1].note == "name the line"

    def test_a_person_with_another_role_is_not_asked(self, screened: Pool) -> None:
        assert people(screened, "Ben", "reviser", "", "a", "5", "5", "") == 1
        pool = open_pool(screened.place)
        ben = next(case for case in pool.cases() if case.author == "Ben")
        assert ben.stage == "auditor" and people(pool, "Ben", "auditor") == 0


# Three people, each with a program of their own, bring drafts from screening to an export.
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

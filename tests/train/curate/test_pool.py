from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

pytest.importorskip("pyarrow")

from agent.engines.scripted import ScriptedEngine
from agent.errors import WorkbenchError
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from tests.train.curate.lies import retold
from train.curate.approved import export_approved
from train.curate.figures import figures
from train.curate.one_form import one_form
from train.curate.panel import CLAIMS, NAMES, RECORD, SCREENER, run_panel
from train.curate.pool import Pool, import_drafts, open_pool
from train.curate.process import Case
from train.curate.reviewing import judge_waiting, review_by_sheet
from train.curate.reviews import Review
from train.curate.terminal import review_in_terminal
from train.examples import Example

Pairs = list[tuple[Trajectory, Example]]


def stages(pool: Pool) -> list[str]:
    return [case.stage for case in open_pool(pool.folder).cases()]


def people(pool: Pool, by: str, role: str, *answers: str, edit: str = "") -> int:
    left = list(answers)
    console = Console(file=open("/dev/null", "w"), width=80)  # noqa: SIM115, PTH123
    with console.file:
        return review_in_terminal(
            pool, by, role, console, lambda question: left.pop(0), lambda text: edit, limit=1
        )


class TestPool:
    def test_drafts_come_in_once(self, pool: Pool, drafts: Path, example_set: Path) -> None:
        before = len(list(pool.cases()))
        again, new = import_drafts(pool.folder, [drafts], [])
        everything = len(list(read_trajectories(drafts)))
        assert before == 3 and new == everything - 3
        assert import_drafts(pool.folder, [drafts], [example_set])[1] == 0
        assert again.sets == (example_set.resolve(),)

    def test_drafts_of_unknown_spectra_are_refused(
        self, tmp_path: Path, pairs: Pairs, example_set: Path
    ) -> None:
        strange = replace(pairs[0][0], spectrum=replace(pairs[0][0].spectrum, sha256="0" * 64))
        write_trajectories(tmp_path / "strange.jsonl", [strange])
        with pytest.raises(WorkbenchError, match="in none of the sets"):
            import_drafts(tmp_path / "pool", [tmp_path / "strange.jsonl"], [example_set])
        assert not (tmp_path / "pool").exists()

    def test_folders_that_are_no_pools(self, tmp_path: Path) -> None:
        with pytest.raises(WorkbenchError, match="no pool"):
            open_pool(tmp_path)
        (tmp_path / "pool.json").write_text("[]")
        with pytest.raises(WorkbenchError, match="damaged"):
            open_pool(tmp_path)
        with pytest.raises(WorkbenchError, match="--spectra"):
            import_drafts(tmp_path / "new", [], [])


class TestPanel:
    def test_honest_drafts_pass_and_are_exported(self, pool: Pool) -> None:
        seen: list[int] = []
        assert run_panel(pool, advance=seen.append) == 7 * 3 and sum(seen) == 3
        assert stages(pool) == ["approved"] * 3
        out = pool.folder / "approved.jsonl"
        assert export_approved(open_pool(pool.folder), out) == 3
        assert all(one.well_formed for one in read_trajectories(out))
        assert run_panel(open_pool(pool.folder)) == 0

    def test_the_reviser_takes_out_what_is_not_borne_out(
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
        assert pool.current(case).replies == case.replies
        assert [review.version == case.version for review in case.reviews[-5:]] == [True] * 5
        alone, together = tmp_path / "alone.jsonl", tmp_path / "together.jsonl"
        assert export_approved(pool, alone) == export_approved(pool, together, workers=2) == 1
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
        assert case.stage == "rejected" and case.reviews[0].note == "the verdict is not the truth"

    def test_programs_leave_room_for_people(self, pool: Pool) -> None:
        run_panel(pool, names=[SCREENER])
        assert stages(pool) == ["reviser"] * 3
        assert people(pool, "Ben", "reviser", "", "a", "4", "5", "fine") == 1
        run_panel(open_pool(pool.folder), names=[CLAIMS])
        assert stages(pool) == ["auditor", "reviser", "reviser"]
        assert people(pool, "Di", "auditor", "a", "5", "4", "") == 1
        run_panel(open_pool(pool.folder), names=NAMES)
        assert stages(pool)[0] == "voter"
        for by in ("Ben", "Di"):
            assert people(pool, by, "voter", "a", "") == 1
        assert stages(pool)[0] == "approved"
        case = next(open_pool(pool.folder).cases())
        assert case.panel == ("Ben", CLAIMS, "Di") and RECORD not in case.panel


class TestTerminal:
    def test_a_reviser_changes_a_turn(self, pool: Pool) -> None:
        run_panel(pool, names=[SCREENER])
        case = next(pool.cases())
        worded = case.replies[0].replace("<think>", "<think>Let us see. ")
        answers = ["99", "1", "", "a", "7", "4", "5", "a greeting"]
        assert people(pool, "Ben", "reviser", *answers, edit=worded) == 1
        after = next(open_pool(pool.folder).cases())
        assert "Let us see" in after.replies[0] and after.stage == "auditor"
        assert after.reviews[-1].note == "a greeting" and after.reviews[-1].coherence == 4
        assert "Let us see" in open_pool(pool.folder).current(after).steps[0].text

    def test_skipping_and_leaving(self, pool: Pool) -> None:
        run_panel(pool, names=[SCREENER])
        assert people(pool, "Ben", "reviser", "", "s", "", "x", "q") == 0
        assert stages(pool) == ["reviser"] * 3

    def test_whoever_holds_a_role_is_not_asked(self, pool: Pool) -> None:
        run_panel(pool, names=[SCREENER])
        assert people(pool, SCREENER, "reviser") == 0


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
        said = review_by_sheet(open_pool(pool.folder), "Ben", "reviser", sheet)
        assert said.startswith("2 reviews taken") and "1 lines left open" in said
        assert stages(pool) == ["auditor", "rejected", "reviser"]
        assert "Well." in next(open_pool(pool.folder).cases()).replies[0]

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"coherence": 9}, "0 to 5"),
            ({"trajectory": "nobody"}, "no such trajectory"),
            ({"version": "old"}, "was revised since"),
        ],
    )
    def test_mistakes_are_named_by_line(
        self, pool: Pool, tmp_path: Path, change: dict[str, object], why: str
    ) -> None:
        sheet = tmp_path / "ann.jsonl"
        review_by_sheet(pool, "Ann", "screener", sheet)
        line = json.loads(sheet.read_text().splitlines()[0])
        sheet.write_text(json.dumps({**line, "approve": True, **change}))
        with pytest.raises(WorkbenchError, match=f"line 1: .*{why}"):
            review_by_sheet(pool, "Ann", "screener", sheet)


class TestJudge:
    def test_a_model_judges_what_waits(self, pool: Pool) -> None:
        run_panel(pool, names=[SCREENER])
        good = '{"coherence": 5, "consistency": 4, "note": "fine\\u0000"}'
        texts = iter([good, "no idea"])
        engine = ScriptedEngine(lambda turn: next(texts))
        assert judge_waiting(pool, "judge", "reviser", engine, limit=2) == (1, 1)
        assert stages(pool) == ["auditor", "reviser", "reviser"]
        heard = engine.conversations[0]
        assert "You are now its referee" in heard.turns[-2].text
        case = next(open_pool(pool.folder).cases())
        assert len(heard.pictures) == 1 + len(case.trajectory.looks)
        assert case.reviews[-1].consistency == 4 and "\x00" not in case.reviews[-1].note


def test_one_form_makes_spellings_and_spaces_alike() -> None:
    call = '{"name":"spectral_visualization_tool","arguments":{"wavelength_range":[1,2]}}'
    loose = (
        f"<think>\nH alpha,  5 A wide. </think><tool_call>{call}</tool_call>",
        "<think> so</think>\n\n<answer>\n\\boxed{NO}   [OIII] seen\n</answer>",
        "unreadable",
    )
    made = one_form(loose)
    assert made[0].startswith("<think>Hα, 5 Å wide.</think>\n<tool_call>\n{")
    assert made[1] == "<think>so</think>\n<answer>\\boxed{NO} [O III] seen</answer>"
    assert made[2] == "unreadable"
    assert one_form(made) == made


def test_figures_of_a_pool(pool: Pool) -> None:
    run_panel(pool)
    found = figures(open_pool(pool.folder).cases())
    assert found["stages"]["approved"] == 3 and found["approvals"]["auditor"]["n"] == 6
    assert found["scores"]["consistency"]["auditor"]["counts"][5] == 6
    assert {(row["first"], row["n"]) for row in found["agreement"]} >= {(CLAIMS, 3)}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_a_case_is_its_words(pool: Pool) -> None:
    case = next(pool.cases())
    review = Review(
        trajectory=case.id, role="screener", by="A", approve=True, version="other words"
    )
    fresh = Case(case.id, case.trajectory)
    fresh.take([review])
    assert fresh.void and fresh.stage == "screener"

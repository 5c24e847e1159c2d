import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.protocol.reply import is_well_formed
from agent.ratings.records import Rating, trajectory_id
from agent.ratings.rubric import MEANINGS
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from tests.agent.engines.remote.fake_server import Act, Request, Server, answered, refused, spoken
from tests.agent.ratings.made import trajectory
from tests.app.cli.commands import invoke
from tests.app.core.session.recorder import nursery
from tests.night import BY_NIGHT
from tests.processes import served
from tests.train.review.conftest import first
from tests.train.review.helpers import Pairs, give, returned, stages
from tests.train.review.lies import retold
from tests.train.review.reviewing import PEOPLE, ROUNDS
from tests.train.test_recipe import call
from train.cli import app
from train.review.pool import Pool, export_in_processes, import_drafts, open_pool
from train.review.programs import CLAIMS, PROGRAMS, RECORD, SCREENER, run_panel
from train.review.rating_round import open_round, read_records
from train.review.sheet import review_by_sheet
from train.review.terminal import review_in_terminal
from train.reward import Reading

SCORES = '{"coherence": %d, "consistency": %d, "note": "%s"}'


class JudgeServer(Server):
    """Says each reply once and the last one for ever; "down" refuses."""

    def __init__(self, *replies: str) -> None:
        super().__init__([answered(200)])
        self.replies: Sequence[str] = list(replies)
        self.asked = 0

    def next_act(self, request: Request) -> Act:
        with self._lock:
            self.requests.append(request)
            if request.path.endswith("/models"):
                return answered(200, {"data": [{"id": "judge-7b"}]})
            reply = self.replies[min(self.asked, len(self.replies) - 1)]
            self.asked += 1
        return refused(400, "out of order") if reply == "down" else spoken(reply)

    @property
    def conversations(self) -> list[list[dict]]:
        return [each.body["messages"] for each in self.requests if "messages" in each.body]


def test_the_commands_from_drafts_to_approved(
    tmp_path: Path, drafts: Path, example_set: Path, monkeypatch, capsys
) -> None:
    few = first(2, drafts, tmp_path / "few.jsonl")
    folder = str(tmp_path / "pool")

    def run(*words: str) -> str:
        assert call(monkeypatch, "curate", *words) == 0
        return capsys.readouterr().out

    assert "2 new drafts" in run("import", folder, str(few), "--spectra", str(example_set))
    assert "2 wait for the reviser" in run("auto", folder, "--only", "auto-screener")
    sheet = str(tmp_path / "ann.jsonl")
    words = ["review", folder, "--as", "Ann", "--role", "reviser", "--sheet", sheet]
    assert "2 trajectories in" in run(*words)
    assert "12 reviews given; 2 approved" in run("auto", folder)
    assert json.loads(run("stats", folder, "--json"))["stages"]["approved"] == 2
    assert "2 approved, 0 rejected" in run("stats", folder)
    said = run("export", folder)
    assert "2 approved trajectories" in said
    assert f"--sets {example_set}" in said.splitlines()[-1]
    assert len((tmp_path / "pool" / "approved.jsonl").read_text().splitlines()) == 2


def test_errors_are_one_line(tmp_path: Path, monkeypatch, capsys) -> None:
    folder = str(tmp_path)
    for words, why in (
        (["stats", folder], "is not a pool"),
        (["auto", folder, "--only", "hal"], "no program 'hal'"),
        (["review", folder, "--as", "A", "--role", "boss"], "no role 'boss'"),
    ):
        assert call(monkeypatch, "curate", *words) == 1
        assert why in capsys.readouterr().err


def test_replacing_a_silent_auditor(pool: Pool, monkeypatch, capsys) -> None:
    number = next(pool.cases()).id
    returned(pool, number)
    give(pool, number, "Ben", "reviser")
    give(pool, number, "Di", "auditor")
    words = ("curate", "replace", str(pool.place), "Cy", "--as", "Di", "--note", "on leave")
    assert call(monkeypatch, *words) == 0
    assert "no longer waited for Cy: 1 of the drafts" in capsys.readouterr().out
    give(pool, number, "Eve", "auditor")
    assert pool.case(number).stage == "voter"
    assert [each.note for each in pool.store.reviews() if each.role == "lead"] == ["on leave"]


def test_taking_over_from_a_silent_author(placed_pool: Pool, monkeypatch, capsys) -> None:
    pool = placed_pool
    numbers = [case.id for case in pool.cases()]
    for number in numbers[:2]:
        returned(pool, number)
    pool.take(numbers[1], "Ben")
    words = ["curate", "take-over", str(pool.place), "Ben", "--as", "Eve", "--note", "on leave"]
    assert call(monkeypatch, *words) == 0
    assert "taken over from Ben: 1 of the drafts" in capsys.readouterr().out  # he revises one
    assert [pool.case(each).author for each in numbers] == ["Eve", "Ben", ""]
    assert call(monkeypatch, *words, "--draft", numbers[1]) == 1
    assert "Ben is revising" in capsys.readouterr().err
    assert call(monkeypatch, *words[:-1], " ", "--draft", numbers[0]) == 1
    assert "Eve is already the author" in capsys.readouterr().err
    give(pool, numbers[0], "Eve", "reviser")
    for by in ("Di", "Cy"):
        give(pool, numbers[0], by, "auditor")
    assert set(pool.case(numbers[0]).panel) == {"Eve", "Di", "Cy"}
    log = [(each.by, each.replaces, each.note) for each in pool.store.reviews() if each.replaces]
    assert log == [("Eve", "Ben", "on leave")]


def test_nothing_to_export(pool: Pool, monkeypatch, capsys) -> None:
    assert call(monkeypatch, "curate", "export", str(pool.place)) == 1
    why = capsys.readouterr().err
    assert "nothing to export: 0 approved, 0 rejected, 3 wait for the screener" in why
    assert not (pool.place / "approved.jsonl").exists()


def judge(night: Path, server: JudgeServer, out: Path, *more: str):
    address = f"{server.url}#judge-7b"
    words = ["judge", str(night), "--model", address, "--out", str(out), *more]
    return CliRunner().invoke(app, words, terminal_width=200)


def ratings(out: Path) -> list[Rating]:
    return [each for each in read_records(out) if isinstance(each, Rating)]


def test_a_served_model_writes_the_records_of_the_rating_room(night, tmp_path):
    out = tmp_path / "judged.jsonl"
    server = JudgeServer(SCORES % (4, 2, "H&beta; is invented"), SCORES % (5, 5, "all right"))
    with served(server):
        done = judge(night, server, out, "--name", "the judge")
    assert done.exit_code == 0, done.output
    assert "2 rated, 0 without a score" in done.output
    found = ratings(out)
    assert [(each.coherence, each.consistency) for each in found] == [(4, 2), (5, 5)]
    assert {(each.by, each.by_model) for each in found} == {("the judge", True)}
    known = {trajectory_id(one): one for one in read_trajectories(night)}
    assert [each.subject.trajectory for each in found] == list(known)
    # It reads the whole conversation, its pictures and the rubric, but not who inspected.
    trajectory = next(iter(known.values()))
    told = json.dumps(server.conversations[0], ensure_ascii=False)
    assert told.count("data:image/") == 1 + len(trajectory.looks)
    assert all(words in told for words in MEANINGS["consistency"])
    assert trajectory.replies[0][:60] in json.loads(json.dumps(told))
    assert "secret-seven" not in told
    # People's figures take them as they are.
    rating_round = open_round([night], "Ada", out=out)
    assert len(rating_round.records) == 2 and rating_round.rated == 0


def test_it_goes_on_where_it_stopped(night, tmp_path):
    out = tmp_path / "judged.jsonl"
    server = JudgeServer(SCORES % (3, 3, ""), "down")
    with served(server):
        done = judge(night, server, out)
    assert done.exit_code == 1 and len(ratings(out)) == 1
    server = JudgeServer(SCORES % (1, 0, "worse"))
    with served(server):
        done = judge(night, server, out)
    assert "1 rated, 1 rated before" in done.output and server.asked == 1
    assert [each.coherence for each in ratings(out)] == [3, 1]


def test_replies_without_scores_and_lost_spectra_are_counted(night, tmp_path):
    alone = tmp_path / "alone.jsonl"
    alone.write_bytes(night.read_bytes())
    server = JudgeServer("I would rather not")
    with served(server):
        said = judge(night, server, tmp_path / "a.jsonl", "--limit", "1")
        lost = judge(alone, server, tmp_path / "b.jsonl")
    assert "0 rated, 1 without a score (the first: the reply has no scores)" in said.output
    assert "0 rated, 2 without a score" in lost.output and "was not found" in lost.output
    assert not (tmp_path / "b.jsonl").exists()


def test_several_at_once_give_the_same_ratings(night, tmp_path):
    out = tmp_path / "judged.jsonl"
    server = JudgeServer(SCORES % (2, 2, ""))
    with served(server):
        done = judge(night, server, out, "--at-once", "2")
    assert done.exit_code == 0, done.output
    assert len(ratings(out)) == 2


@pytest.mark.parametrize(
    ("words", "why"), [(["--at-once", "2"], "for a model on a server"), (["--limit", "0"], "limit")]
)
def test_what_is_refused(night, tmp_path, words, why):
    done = CliRunner().invoke(app, ["judge", str(night), "--model", "nano-eye", *words])
    assert done.exit_code != 0
    assert why in (done.output + str(done.exception))


# `spec-o3 curate` and `spec-o3 rate` open a room alone, and the program ends with it.
CODE = """
import gc, json, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
application = QApplication([])
def look():
    from train.review.window.room import Room
    rooms = [each for each in application.topLevelWidgets() if isinstance(each, Room)]
    if not rooms or not rooms[0].isVisible() or (rooms[0].place and rooms[0].draft is None):
        return QTimer.singleShot(20, look)
    shown = [type(each).__name__ for each in application.topLevelWidgets() if each.isVisible()]
    facts = {"shown": shown, "collects": gc.isenabled()}
    if rooms[0].place:
        facts |= {"by": rooms[0].by, "place": str(rooms[0].place)}
    else:
        mine = rooms[0].round
        facts |= {"by": mine.by, "place": str(mine.out)}
        facts |= {"inspections": len(mine.trajectories), "pairs": len(mine.pairs)}
    print(json.dumps(facts))
    rooms[0].close()
QTimer.singleShot(0, look)
from app.cli.main import main
from tests.processes import served
sys.argv = ["spec-o3", *sys.argv[1:]]
main()
"""


def shown(folder: Path, *words: object) -> dict[str, object]:
    """What a program of its own showed before its room was closed."""
    own = {"QT_QPA_PLATFORM": "offscreen", "SPEC_O3_CONFIG": str(folder)}
    code = [sys.executable, "-c", CODE, *map(str, words)]
    done = subprocess.run(code, capture_output=True, text=True, check=False, env=os.environ | own)
    assert done.returncode == 0, done.stderr
    facts: dict[str, object] = json.loads(done.stdout)
    # A reading thread may not collect garbage, as it would delete widgets.
    assert facts.pop("collects") is False
    return facts


@pytest.fixture
def two_files(tmp_path: Path) -> Path:
    write_trajectories(tmp_path / "a.jsonl", [trajectory("s1"), trajectory("s2")])
    write_trajectories(tmp_path / "b.jsonl", [trajectory("s1", "theirs")])
    return tmp_path


def test_a_room_on_inspections(two_files):
    files = two_files / "a.jsonl", two_files / "b.jsonl"
    assert shown(two_files, "rate", *files, "--name", "Ada", "--seed", "3") == {
        "shown": ["RatingRoom"], "by": "Ada", "inspections": 3, "pairs": 1,
        "place": str(two_files / "a.ratings.jsonl"),
    }  # fmt: skip


def test_a_room_on_a_pool(pool, tmp_path):
    told = shown(tmp_path, "curate", pool.place, "--reviewer", " Ada ")
    assert told == {"shown": ["PoolRoom"], "by": "Ada", "place": str(pool.place)}


def test_faults_are_told_before_a_window_opens(two_files, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    empty = two_files / "empty.jsonl"
    empty.write_text("")
    done = invoke("rate", empty)
    assert isinstance(done.exception, WorkbenchError) and "no trajectory" in str(done.exception)
    done = invoke("curate", two_files)
    assert isinstance(done.exception, WorkbenchError) and "is not a pool" in str(done.exception)


# Sheets that are filled in, and reviews in the terminal.
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

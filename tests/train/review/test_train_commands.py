import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.ratings.records import Rating, trajectory_id
from agent.ratings.rubric import MEANINGS
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from tests.agent.engines.remote.fake_server import Act, Request, Server, answered, refused, spoken
from tests.agent.ratings.made import trajectory
from tests.app.cli.commands import invoke
from tests.processes import served
from tests.train.review.conftest import first
from tests.train.review.helpers import give, returned
from tests.train.test_recipe import call
from train.cli import app
from train.review.pool import Pool
from train.review.rating_round import open_round, read_records

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

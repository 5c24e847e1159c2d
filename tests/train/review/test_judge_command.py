"""`spec-o3-train judge` through a server on loopback: the rubric, the pictures, the records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.ratings.records import Rating, trajectory_id
from agent.ratings.rubric import MEANINGS
from agent.trajectory.trajectory_file import read_trajectories
from tests.agent.engines.remote.fake_server import serving_this
from tests.train.review.judge_server import SCORES, JudgeServer
from train.cli import app
from train.review.rating_round import open_round
from train.review.ratings_file import read_records


def judge(night: Path, server: JudgeServer, out: Path, *more: str):
    address = f"{server.url}#judge-7b"
    words = ["judge", str(night), "--model", address, "--out", str(out), *more]
    return CliRunner().invoke(app, words, terminal_width=200)


def ratings(out: Path) -> list[Rating]:
    return [each for each in read_records(out) if isinstance(each, Rating)]


def test_a_served_model_writes_the_records_of_the_rating_room(night, tmp_path):
    out = tmp_path / "judged.jsonl"
    server = JudgeServer(SCORES % (4, 2, "H&beta; is invented"), SCORES % (5, 5, "all right"))
    with serving_this(server):
        done = judge(night, server, out, "--name", "the judge")
    assert done.exit_code == 0, done.output
    assert "2 rated, 0 without a score" in done.output
    found = ratings(out)
    assert [(each.coherence, each.consistency, each.by_model) for each in found] == [
        (4, 2, True),
        (5, 5, True),
    ]
    assert {each.by for each in found} == {"the judge"}
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
    with serving_this(server):
        done = judge(night, server, out)
    assert done.exit_code == 1 and len(ratings(out)) == 1
    server = JudgeServer(SCORES % (1, 0, "worse"))
    with serving_this(server):
        done = judge(night, server, out)
    assert "1 rated, 1 rated before" in done.output and server.asked == 1
    assert [each.coherence for each in ratings(out)] == [3, 1]


def test_replies_without_scores_and_lost_spectra_are_counted(night, tmp_path):
    alone = tmp_path / "alone.jsonl"
    alone.write_bytes(night.read_bytes())
    server = JudgeServer("I would rather not")
    with serving_this(server):
        said = judge(night, server, tmp_path / "a.jsonl", "--limit", "1")
        lost = judge(alone, server, tmp_path / "b.jsonl")
    assert "0 rated, 1 without a score (the first: the reply has no scores)" in said.output
    assert "0 rated, 2 without a score" in lost.output and "was not found" in lost.output
    assert not (tmp_path / "b.jsonl").exists()


def test_several_at_once_give_the_same_ratings(night, tmp_path):
    out = tmp_path / "judged.jsonl"
    server = JudgeServer(SCORES % (2, 2, ""))
    with serving_this(server):
        done = judge(night, server, out, "--at-once", "2")
    assert done.exit_code == 0, done.output
    assert len(ratings(out)) == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [(["--at-once", "2"], "for a model on a server"), (["--limit", "0"], "limit")],
)
def test_what_is_refused(night, tmp_path, words, why):
    done = CliRunner().invoke(app, ["judge", str(night), "--model", "nano", *words])
    assert done.exit_code != 0
    assert why in (done.output + str(done.exception))

"""`spec-o3 merge`: what it says of those who differ."""

import shutil
from pathlib import Path

from app.cli import merge as command
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.cli.commands import run
from tests.app.core.exporting.catalogues import ACCEPT, REJECT, listed


def judged(place: Path, reviewer: str, said: dict[int, Opinion]) -> Path:
    with listed(place, [{} for _ in range(4)], reviewer=reviewer) as session:
        for number, opinion in said.items():
            session.record_verdict(number, opinion)
    return place


def test_people_who_differ_are_named(tmp_path, monkeypatch):
    ada = judged(tmp_path / "ada.speco3", "Ada", dict.fromkeys(range(1, 5), ACCEPT))
    others = {1: REJECT, 2: ACCEPT, 3: REJECT, 4: Opinion(comment="later")}
    ben = judged(tmp_path / "ben.speco3", "Ben", others)
    told = run("merge", ada, ben)
    assert "4 log entries" in told and "new reviewers: Ben" in told
    assert "reviewers disagree on 2 candidates; show them with the filter disagree:people" in told
    assert "J000001: Ada ACCEPT, Ben REJECT" in told and "J000003: Ada ACCEPT, Ben REJECT" in told
    monkeypatch.setattr(command, "MAX_SHOWN", 1)
    told = run("merge", ada, ben)
    assert told.startswith(f"{ben}: 0 log entries") and "J000001: " in told
    assert "... and 1 more" in told and "J000003" not in told


def test_one_person_who_said_two_things(tmp_path):
    here = judged(tmp_path / "a.speco3", "Ada", {})
    there = tmp_path / "b.speco3"
    shutil.copy(here, there)
    again = Opinion(verdict=Verdict.ACCEPT, comment="wide")
    for place, said in (
        (here, (ACCEPT, ACCEPT, Opinion(comment="?"))),
        (there, (REJECT, again, ACCEPT)),
    ):
        with open_session(place, "Ada") as session:
            for number, opinion in enumerate(said, 1):
                session.record_verdict(number, opinion)
    told = run("merge", here, there)
    assert "J000001: Ada gave ACCEPT on one machine, REJECT on another, which is kept" in told
    assert "J000002: Ada gave ACCEPT on two machines, with different details; one is kept" in told
    assert "J000003: Ada gave no verdict on one machine, ACCEPT on another, which is kept" in told


def test_two_people_in_one_session(vetted, few, tmp_path):
    place, _ = vetted
    other = tmp_path / "ben.speco3"
    run("new", other, few, "--task", "CV")
    with open_session(other, "Ben") as session:
        session.record_verdict(2, Opinion(verdict=Verdict.REJECT))
    mine = tmp_path / "both.speco3"
    run("pack", place, mine)
    said = run("merge", mine, other)
    assert "1 log entry," in said and "0 new candidates (4 already known)" in said
    assert "reviewers disagree on 1 candidate;" in said
    assert "0 log entries" in run("merge", mine, other)
    assert "Ada and Ben" in run("stats", mine)

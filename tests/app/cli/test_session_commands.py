"""new, vet, export, stats: a session from list to catalogue, as typed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.main import workbench
from app.core.records import Opinion, Verdict
from app.core.session import open_session

SAMPLE = Path(__file__).parents[3] / "resources" / "sample"
FEW = 4


def run(*words: object) -> str:
    result = CliRunner().invoke(workbench(), list(map(str, words)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def fails(*words: object) -> str:
    result = CliRunner().invoke(workbench(), list(map(str, words)))
    assert result.exit_code == 1
    return str(result.exception)


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """A list of four: three that can be read, one whose file is damaged."""
    folder = tmp_path_factory.mktemp("lists")
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["row"] == "0"][: FEW - 1]
    for row in rows:
        source = SAMPLE / row["file"]
        row["file"] = source.name
        (folder / source.name).write_bytes(source.read_bytes())
    damaged = {**rows[0], "file": "damaged.fits", "object_id": "damaged"}
    (folder / "damaged.fits").write_bytes(b"SIMPLE  =                    T" + b" " * 50)
    path = folder / "few.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows([*rows, damaged])
    return path


@pytest.fixture(scope="module")
def vetted(few, tmp_path_factory):
    place = tmp_path_factory.mktemp("sessions") / "night.speco3"
    said = [run("new", place, few, "--task", "cv", "--reviewer", "Ada"), run("vet", place)]
    with open_session(place, "Ada") as session:
        session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT, comment="Hα =broad"))
    return place, said


def test_new_says_what_was_understood(vetted):
    _, (said, _) = vetted
    assert "few.csv (CSV): 4 of 4 rows" in said
    assert "path: file" in said
    assert "4 candidates for cataclysmic variable" in said


def test_vet_goes_on_where_it_stopped(few, tmp_path):
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")
    assert run("vet", place, "--limit", 2).startswith("2 inspected with measured")
    rest = run("vet", place, "--workers", 2)
    assert rest.startswith("2 inspected with measured")
    assert "not readable 1" in rest
    assert run("vet", place).startswith("0 inspected with measured")


def test_vet_judges_for_nobody(few, tmp_path):
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")
    run("vet", place, "--reviewer", "Ada")
    with open_session(place, "Ada") as session:
        assert list(session.history()) == []
        seen = session.candidates(range(1, FEW + 1))
        assert [each.agent_verdict is not None for each in seen] == [True] * 3 + [False]
        assert "damaged.fits" in seen[3].fault


def test_stats(vetted):
    place, _ = vetted
    said = run("stats", place)
    assert "4 candidates: 1 accepted" in said
    assert "1 not readable" in said
    found = json.loads(run("stats", place, "--json"))
    assert found["counts"]["candidates"] == 4
    assert found["agents"][0]["model"] == "measured"


def test_a_catalogue(vetted, tmp_path):
    place, _ = vetted
    out = tmp_path / "night.csv"
    assert f"{out}: 1 rows" in run("export", place, out)
    with out.open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["verdict"], row["reviewer"], row["comment"]) == ("ACCEPT", "Ada", "Hα =broad")
    assert row["survey"]
    assert "4 rows" in run("export", place, out, "--which", "all")
    found = run("export", place, tmp_path / "some.ecsv", "--filter", "agent:no")
    assert "filter: agent:no" in found


def test_records_and_a_report(vetted, tmp_path):
    place, _ = vetted
    assert "3 records" in run("export", place, tmp_path / "night.jsonl")
    run("export", place, tmp_path / "night.html")
    assert "night" in (tmp_path / "night.html").read_text(encoding="utf-8")


def test_the_log(vetted, tmp_path):
    place, _ = vetted
    assert "ACCEPT" in run("log", place)
    assert "1 lines" in run("log", place, "--out", tmp_path / "log.csv")
    with open_session(place, "Ada", read_only=True) as session:
        second, third = (session.candidate(number).object_id for number in (2, 3))
    assert "ACCEPT" in run("log", place, "--object", second)
    assert run("log", place, "--object", third) == ""
    assert "no candidate" in fails("log", place, "--object", "nobody")


def test_two_people_in_one_session(vetted, few, tmp_path):
    place, _ = vetted
    other = tmp_path / "ben.speco3"
    run("new", other, few, "--task", "CV")
    with open_session(other, "Ben") as session:
        session.record_verdict(2, Opinion(verdict=Verdict.REJECT))
    mine = tmp_path / "both.speco3"
    run("pack", place, mine)
    said = run("merge", mine, other)
    assert "1 lines of the log" in said
    assert "0 new candidates (4 were here already)" in said
    assert "people differ on 1 candidates" in said
    assert "0 lines of the log" in run("merge", mine, other)
    assert "Ada and Ben" in run("stats", mine)


def test_a_packed_session_needs_no_files(vetted, few, tmp_path):
    place = tmp_path / "night.speco3"
    for each in few.parent.iterdir():
        (tmp_path / each.name).write_bytes(each.read_bytes())
    run("new", place, tmp_path / "few.csv", "--task", "CV")
    packed = tmp_path / "packed.speco3"
    assert "3 spectra inside" in run("pack", place, packed)
    for each in tmp_path.glob("*.gz"):
        each.unlink()
    assert "NO" in run("vet", packed)
    with open_session(packed, "Ada", read_only=True) as session:
        assert sum(each.agent_verdict is not None for each in session.candidates(range(1, 5))) == 3


def test_what_cannot_be_done_is_said(vetted, few, tmp_path):
    place, _ = vetted
    assert "the suffix says" in fails("export", place, tmp_path / "night.doc")
    assert "there already" in fails("new", place, few, "--task", "CV")
    assert "no task" in fails("new", tmp_path / "a.speco3", few, "--task", "quasar?")
    assert "not there" in fails("vet", tmp_path / "none.speco3")
    missing = tmp_path / "none.csv"
    assert "none.csv" in fails("new", tmp_path / "a.speco3", missing, "--task", "CV")
    assert list(tmp_path.glob("*.speco3")) == []
    assert "no model" in fails("vet", place, "--model", "nobody")


def test_a_role_by_hand(few, tmp_path):
    place = tmp_path / "night.speco3"
    said = run("new", place, few, "--task", "CV", "--role", "score=mag_r", "--role", "label=")
    assert "score: mag_r" in said
    assert "label:" not in said
    result = CliRunner().invoke(
        workbench(), ["new", str(place), str(few), "--task", "CV", "--role", "x"]
    )
    assert result.exit_code == 2

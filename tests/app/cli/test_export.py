"""`spec-o3 export`: which candidates, and what it says of them."""

import csv
from pathlib import Path

import pytest
from sqlalchemy import update

from agent.trajectory.trajectory_file import read_trajectories
from app.core.database.tables import candidates
from app.core.errors import counted_text
from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.cli.commands import MEASURED, fails, invoke, run
from tests.app.core.exporting.catalogues import listed, people
from tests.app.core.inspected import said
from tests.app.core.sessions import made


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """1 accepted by two, 2 disputed, 3 rejected; the agent says YES to 1, 2 and 5."""
    place = tmp_path / "night.speco3"
    with people(place) as session:
        for number in range(1, 6):
            verdict = "NO" if number in (3, 4) else "YES"
            add_inspection(session, number, said(verdict=verdict, number=number))
    return place


def objects(out: Path) -> list[int]:
    with out.open(newline="", encoding="utf-8") as file:
        return [int(row["object_id"].removeprefix("J")) for row in csv.DictReader(file)]


@pytest.mark.parametrize(("words", "wanted"), [
    ((), [1, 2, 3]),
    (("--which", "accepted"), [1]),
    (("--which", "all"), [1, 2, 3, 4, 5]),
    (("--by", "Ada", "--which", "accepted"), [1, 2]),
    (("--filter", "agent:yes"), [1, 2, 5]),
    (("--filter", "agent:yes", "--which", "judged"), [1, 2]),
    (("--filter", "agent:no", "--which", "accepted"), []),
    (("--filter", "agent:yes", "--which", "accepted", "--by", "Ada"), [1, 2]),
])  # fmt: skip
def test_which_candidates(place: Path, words: tuple[str, ...], wanted: list[int]) -> None:
    catalogue, records = place.with_suffix(".csv"), place.with_suffix(".jsonl")
    told = run("export", place, catalogue, *words)
    assert objects(catalogue) == wanted
    assert f"{catalogue}: {counted_text(len(wanted), 'row')}" in told
    if words:
        seen = run("export", place, records, *words)
        assert seen == f"{records}: {counted_text(len(wanted), 'record')}\n"
        found = [each.spectrum.object_id for each in read_trajectories(records)]
        assert found == [f"J{number:06d}" for number in wanted]


def test_the_words_it_was_found_by_and_records_of_all(place: Path) -> None:
    out = place.with_suffix(".csv")
    told = run("export", place, out, "--filter", "agent:yes", "--which", "accepted")
    assert "filter: agent:yes, among the accepted candidates" in told
    assert "of the" not in run("export", place, out, "--filter", "agent:yes", "--which", "all")
    assert "5 records" in run("export", place, place.with_suffix(".jsonl"))


def test_nothing_judged_yet(tmp_path: Path) -> None:
    place = tmp_path / "night.speco3"
    listed(place, [{}]).close()
    assert "--which all" in run("export", place, place.with_suffix(".csv"))
    assert "--which all" in run("export", place, place.with_suffix(".csv"), "--which", "accepted")


def test_nothing_accepted(tmp_path: Path) -> None:
    place = tmp_path / "night.speco3"
    with listed(place, [{}, {}, {}]) as session:
        session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    told = run("export", place, place.with_suffix(".csv"), "--which", "accepted")
    assert "  0 of 3 candidates are accepted (judged: 1): use --which judged" in told
    assert "candidates are" not in run("export", place, place.with_suffix(".csv"))


def test_a_report_is_of_all(place: Path) -> None:
    result = invoke("export", place, place.with_suffix(".html"), "--which", "accepted")
    assert result.exit_code == 2 and "whole session" in result.stderr
    assert "report written" in run("export", place, place.with_suffix(".html"))


def test_a_catalogue_records_and_a_report(vetted, tmp_path):
    place, _ = vetted
    out = tmp_path / "night.csv"
    assert f"{out}: 1 row, " in run("export", place, out)
    with out.open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["verdict"], row["reviewer"], row["comment"]) == ("ACCEPT", "Ada", "Hα =broad")
    assert row["survey"]
    assert "4 rows" in run("export", place, out, "--which", "all")
    found = run("export", place, tmp_path / "some.ecsv", "--filter", "agent:no")
    assert "filter: agent:no" in found
    assert "3 records" in run("export", place, tmp_path / "night.jsonl")
    run("export", place, tmp_path / "night.html")
    assert "night" in (tmp_path / "night.html").read_text(encoding="utf-8")


# `spec-o3 log`.
def test_the_log(vetted, tmp_path):
    place, _ = vetted
    assert "ACCEPT" in run("log", place)
    assert "1 line\n" in run("log", place, "--out", tmp_path / "log.csv")
    with open_session(place, "Ada", read_only=True) as session:
        second, third = (session.candidate(number).object_id for number in (2, 3))
    assert "ACCEPT" in run("log", place, "--object", second)
    assert run("log", place, "--object", third) == ""
    assert "no candidate" in fails("log", place, "--object", "nobody")


def test_the_log_of_an_object(tmp_path):
    """All its epochs; never that of another whose name only begins so."""
    place = tmp_path / "night.speco3"
    with made(place, 12) as session:
        names = {1: "J1", 2: "J1", 3: "J10", 4: "J10b", 5: "Star", 6: "9"}
        with session.database.writing() as connection:
            for number, name in names.items():
                here = candidates.c.id == number
                connection.execute(update(candidates).where(here).values(object_id=name))
        for number in range(1, 13):
            session.record_verdict(number, Opinion(comment=f"of {number}"))

    def commented(words):
        return [line.split('"')[1] for line in run("log", place, "--object", words).splitlines()]

    assert commented("j1") == ["of 1", "of 2"] and commented("J10") == ["of 3"]
    assert commented("Star") == ["of 5"] and commented("Sta") == ["of 5"]
    assert commented("9") == ["of 6"] and commented("7") == ["of 7"]
    assert "could be J000007, J000008" in fails("log", place, "--object", "J00")
    assert "no candidate" in fails("log", place, "--object", "J2")


# `spec-o3 pack`.
def test_a_packed_session_needs_no_files(few, tmp_path):
    place = tmp_path / "night.speco3"
    for each in few.parent.iterdir():
        (tmp_path / each.name).write_bytes(each.read_bytes())
    run("new", place, tmp_path / "few.csv", "--task", "CV")
    packed = tmp_path / "packed.speco3"
    assert "3 spectra packed" in run("pack", place, packed)
    for each in tmp_path.glob("*.gz"):
        each.unlink()
    assert "NO" in run("vet", packed, *MEASURED)
    with open_session(packed, "Ada", read_only=True) as session:
        assert sum(each.agent_verdict is not None for each in session.candidates(range(1, 5))) == 3

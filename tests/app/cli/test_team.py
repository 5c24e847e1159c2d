"""Commands of people who share the work: `spec-o3 assign`, `known` and `study`."""

import json
from importlib.util import find_spec

import pytest

from agent.confidence.scores import Estimate
from app.cli.stats import people_tables, seconds_text
from app.core.session.assignments import parts
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing.share_out import plan_of
from app.core.sharing.study_plan import study_of
from app.core.statistics.number_format import share_text
from app.core.statistics.summary import statistics
from app.core.statistics.working_time import HourFigures, local_time
from tests.app.cli.commands import SAMPLE, fails, invoke, run
from tests.app.core.judged_sessions import say
from tests.app.core.sessions import made
from tests.app.core.sharing.hidden import LIST, known, labels_file
from tests.app.core.sharing.test_study_plan import COUNT, judge, vetted
from tests.app.ui.candidates import sample_file


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "night.speco3"
    made(place, 20).close()
    return place


def test_it_says_who_got_what(place, tmp_path):
    told = run("assign", place, "--to", "ada, grace", "--overlap", 20, "--second-when", "snr<5")
    assert "ada: 12 candidates (12 new), 0 judged, 12 left" in told
    assert "grace: 12 candidates (12 new), 0 judged, 12 left" in told
    assert "4 candidates given to two people" in told
    with open_session(place, "ada") as session:
        plan = plan_of(session)
        assert (plan.people, plan.overlap, plan.second_when) == (("ada", "grace"), 20.0, "snr<5")
        say(session, "ada", dict.fromkeys(range(1, 21), Verdict.REJECT))
    told = run("assign", place, "--to", "li", "--anew")
    assert "12 taken back" in told  # Grace's, as Ada has judged hers
    assert "8 left out: others have judged them already" in told
    told = run("assign", place, "--split", tmp_path)
    assert f"{tmp_path / 'night-li.speco3'}: 0 candidates for li" in told


def test_where_the_files_cannot_be_written_nothing_is_shared_out(place, tmp_path):
    words = ("assign", place, "--to", "ada,grace", "--split")
    (tmp_path / "night-ada.speco3").touch()
    for folder, told in ((tmp_path / "nowhere", "not an existing folder"), (tmp_path, "already")):
        assert told in fails(*words, folder)
    with open_session(place, "ada") as session:
        assert plan_of(session) is None and parts(session) == ()


def test_files_come_back_by_merge_and_stats_tells_of_each(place, tmp_path):
    run(
        "assign", place, "--to", "ada,grace", "--second-when", "verdict:unsure", "--split", tmp_path
    )
    with open_session(tmp_path / "night-ada.speco3", "ada") as part:
        with part.database.reading() as connection:
            mine = connection.exec_driver_sql("SELECT id FROM candidates").scalars().all()
        say(part, "ada", dict.fromkeys(mine, Verdict.UNSURE))
    told = run("merge", place, tmp_path / "night-ada.speco3")
    assert "10 second opinions asked for by the rule" in told
    told = run("stats", place)
    assert "second left" in told
    with open_session(place, "ada") as session:
        assert [(each.assigned, each.left) for each in parts(session)] == [(10, 0), (20, 20)]


def test_what_is_missing_is_told(place):
    assert "not shared out yet" in fails("assign", place)
    for words in (["--overlap", "5"], ["--to", "ada", "--pack"]):
        result = invoke("assign", place, *words)
        assert result.exit_code == 2
    assert "at least two people" in fails("assign", place, "--to", "ada", "--overlap", 5)


# `spec-o3 known`: hides labelled spectra in the list, and `stats` tells how people judged them.
@pytest.fixture
def known_place(tmp_path):
    return sample_file(tmp_path, LIST)


@pytest.fixture
def labels(tmp_path):
    """The further rows of the sample, with their classes."""
    return labels_file(tmp_path, "kind")


def test_from_a_list_of_labels_to_the_figures(known_place, labels):
    words = ("known", known_place, labels, "--role", "label=kind", "--spectra", SAMPLE)
    told = run(*words, "--rate", 20, "--seed", 1)
    assert "5 known answers hidden: 3 CV, 2 look-alikes; 5 simulated" in told
    with open_session(known_place, "Ada") as session:
        answers = known(session)
        assert len(answers) == 5
        say(session, "Ada", dict.fromkeys(answers, Verdict.ACCEPT))
    told = run("stats", known_place)
    row = next(line for line in told.splitlines() if "3 of 3" in line)
    assert "2 of 2" in row and "60 %" in row
    assert f"{LIST} candidates: 0 accepted" in told


def test_other_labels_are_named(known_place, labels):
    words = ("known", known_place, labels, "--role", "label=kind", "--spectra", SAMPLE)
    told = run(*words, "--member", "WD", "--member", "sdb", "--rate", 10)
    assert "1 CV, 1 look-alike;" in told
    assert "name those of the class with --member; labels are" in fails(*words, "--member", "XYZ")
    assert "no row has both a spectrum and a label" in fails("known", known_place, labels)


# Tables about people are printed where there is something to tell.
def test_only_what_is_known_is_printed(tmp_path):
    with made(tmp_path / "a.speco3", 10) as session:
        assert list(people_tables(statistics(session))) == []
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT), seconds=3.0)
        heads = [head for head, _ in people_tables(statistics(session))]
        assert [head[1] for head in heads] == ["assigned", "hour"]
        session.record_verdict(2, Opinion(verdict=Verdict.REJECT, confidence=2), seconds=5.0)
        tables = dict(people_tables(statistics(session)))
        (confidences,) = (rows for head, rows in tables.items() if head[1] == "confidence")
        assert [row[:3] for row in confidences] == [("Ada", "2", "1"), ("Ada", "–", "1")]
        left = next(iter(tables.values()))
        assert left[0][:4] == ("Ada", "–", "8", "0")


def test_words_of_figures():
    assert share_text(Estimate(0.5, 0.25, 0.75)) == "50 % (25 % to 75 %)"
    none = Estimate(None, 0.0, 1.0)
    assert share_text(none) == seconds_text(None) == "–"
    assert seconds_text(2.345) == "2.3"
    hours = [
        HourFigures(hour=each, decisions=1, typical_s=None, accepted=none).local_hour
        for each in ("x", "2026-01-01T22")
    ]
    assert hours[0] == "" and hours[1].endswith(":00")
    assert local_time("0001-01-01T00:00:00+23:59") == ""  # before all years


# `spec-o3 study`: from a plan to a report, and what it would find.
@pytest.fixture
def study_place(tmp_path):
    vetted(tmp_path / "night.speco3").close()
    return tmp_path / "night.speco3"


def test_from_the_plan_to_the_report(study_place, tmp_path):
    names = ("plan.json", "s.html", "s.csv", "labels.csv")
    plan_file, page, table, known_file = (tmp_path / name for name in names)
    rows = [f"/spectra/{n}.fits,{'CV' if n % 4 == 0 else 'star'}" for n in range(1, COUNT + 1)]
    known_file.write_text("\n".join(["path,label", *rows]))
    told = run(
        "study", "new", study_place, "--people", "Ada, Ben", "--design", "crossover", "--seed", 7,
        "--known", known_file, "--trust-paths", "--plan", plan_file,
    )  # fmt: skip
    assert f"{COUNT} candidates, 2 people, {4 * COUNT} readings: crossover" in told
    with open_session(study_place, "Ada") as session:
        assert study_of(session).sha256 in told
        assert study_of(session).text == plan_file.read_text()
    assert json.loads(plan_file.read_text())["design"] == "crossover"
    told = run("study", "report", study_place)
    assert f"0 of {4 * COUNT} readings are given." in told
    for name in ("Ada", "Ben"):
        judge(study_place, name)
    told = " ".join(run("study", "report", study_place, "--out", page, "--csv", table).split())
    assert f"{4 * COUNT} of {4 * COUNT} readings are given." in told
    assert f"of {COUNT} the answer is known" in told and "with the agent" in told
    assert page.read_text().startswith("<!doctype html>")
    assert table.read_text().startswith("section,of,figure,value,low,high\n")
    assert "研究" in run("study", "report", study_place, "--language", "zh")


def test_what_cannot_be_is_said_in_a_sentence(study_place, tmp_path):
    assert "has no study" in fails("study", "report", study_place)
    (tmp_path / "there.json").touch()
    words = ("study", "new", study_place, "--people", "Ada,Ben")
    assert "already exists" in fails(*words, "--plan", tmp_path / "there.json")
    assert "retired early" in fails(*words, "--retire-after", 2)
    run(*words)
    assert "has a study already" in fails(*words)
    if find_spec("mcp") is not None:
        assert "people judge this session for a study" in fails("mcp", study_place)


def test_a_simulated_study_tells_its_power():
    words = ("study", "simulate", "--candidates", 100, "--people", 3, "--studies", 40)
    told = run(*words, "--bias", 60, "--agent", 70)
    assert "tell a bias of 60 % from none in > 95" in told or "in 100 %" in told
    assert "100 % (91 % to 100 %)" not in run(*words, "--bias", 1)

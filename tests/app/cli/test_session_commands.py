"""new, vet, export, stats: a session from list to catalogue, as typed."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import update
from typer.testing import CliRunner

from agent.inspection.inspector_factory import default_model
from app.cli import new as new_command
from app.cli import vet as vet_command
from app.cli.main import workbench
from app.core.database.tables import candidates
from app.core.importing.importer import import_list
from app.core.inspections.batch import inspect_all
from app.core.inspections.shown_opinion import shown_model
from app.core.queue import EVERYTHING, matching, parse_filter, parse_sort
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.statistics.repeats import plan_repeats, record_repeat
from app.worker.pool import WorkerPool
from tests.app.core import judged_sessions
from tests.app.core.sessions import made

SAMPLE = Path(__file__).parents[3] / "resources" / "sample"
FEW = 4
SCRIPTED = [sys.executable, "-P", str(Path(__file__).parents[1] / "worker" / "scripted_child.py")]


def run(*words: object) -> str:
    result = CliRunner().invoke(workbench(), list(map(str, words)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def both_said(*words: object) -> str:
    """On standard output, then on standard error."""
    result = CliRunner().invoke(workbench(), list(map(str, words)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout + result.stderr


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
    name = default_model("CV")
    assert run("vet", place, "--limit", 2).startswith(f"2 inspected with {name}")
    rest = run("vet", place, "--workers", 2)
    assert rest.startswith(f"2 inspected with {name}")
    assert "unreadable 1" in rest
    assert run("vet", place).startswith(f"0 inspected with {name}")


def test_vet_after_a_disk_was_mounted(few, tmp_path):
    """What was not there is inspected once it is; what is damaged when one asks for it."""
    path = tmp_path / few.name
    path.write_bytes(few.read_bytes())
    place = tmp_path / "night.speco3"
    assert "4 files not found" in run("new", place, path, "--task", "CV")
    assert "unreadable 4" in run("vet", place)
    for each in few.parent.glob("*.fits*"):
        (tmp_path / each.name).write_bytes(each.read_bytes())
    said = both_said("vet", place)
    assert said.startswith("4 inspected")
    assert "unreadable 1" in said
    again = both_said("vet", place)
    assert again.startswith("0 inspected")
    assert "1 could not be read before: use --again" in again
    assert f"1 inspected with {default_model('CV')}: unreadable 1" in run("vet", place, "--again")


def test_vet_stopped_by_hand(few, tmp_path, monkeypatch):
    """Ctrl-C: what is there stays, and a shell does not go on to the next command."""
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")

    def interrupted(*words, **options):
        yield next(inspect_all(*words, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(vet_command, "inspect_all", interrupted)
    result = CliRunner().invoke(workbench(), ["vet", str(place)])
    assert result.exit_code == 130
    assert result.stdout.startswith(f"1 inspected with {default_model('CV')}")
    assert "again to continue" in result.stderr
    monkeypatch.undo()
    assert run("vet", place).startswith("3 inspected")


def test_a_second_opinion_shows_where_two_differ(few, tmp_path, monkeypatch):
    """The first stands beside the candidates; a model is no second opinion of itself."""
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")

    def pool(workers, load):
        command = SCRIPTED if load.model == "good" else None
        return WorkerPool(workers, load, command=command)

    monkeypatch.setattr(vet_command, "WorkerPool", pool)
    said = run("vet", place, "--model", "measured", "--second", "good")
    assert "inspected with good: YES 3" in said
    assert "inspected with measured: NO 2, YES 1" in said
    assert "the models disagree on 2 of 3 candidates" in said
    with open_session(place, "Ada") as session:
        assert shown_model(session).name == "measured"
        order = list(matching(session, EVERYTHING, parse_sort("disagreeing")))
        said = [line.candidate.agent_verdict for line in order]
        assert said == ["NO", "NO", "YES", None]
        assert len(list(matching(session, parse_filter("disagree:agents")))) == 2
    monkeypatch.undo()
    assert "the same as the first" in run("vet", place, "--model", "measured", "--second", "measured")


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
    assert "1 unreadable" in said
    found = json.loads(run("stats", place, "--json"))
    assert found["counts"]["candidates"] == 4
    assert found["agents"][0]["model"] == default_model("CV")


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Three people and a model over 600 candidates, of which 200 are judged."""
    place = tmp_path_factory.mktemp("judged") / "night.speco3"
    rng = np.random.default_rng(3)
    truth = rng.random(600) < 0.4
    p_yes = np.where(truth, rng.uniform(0.5, 1.0, 600), rng.uniform(0.0, 0.6, 600))
    with made(place, 600) as session:
        said = {n: ("YES" if p > 0.55 else "NO", float(p)) for n, p in enumerate(p_yes, 1)}
        judged_sessions.inspect(session, "nano", said)
        for name, count in (("Ada", 200), ("Ben", 80), ("Cy [b]", 40)):
            some = judged_sessions.drawn_verdicts(rng, truth[:count], 1.0 if name == "Ada" else 0.9)
            judged_sessions.say(session, name, some)
        judged_sessions.set_snr(session, {n: float(n % 40) for n in range(1, 601)})
        for number in plan_repeats(session):
            record_repeat(session, number, Opinion(verdict=Verdict.ACCEPT))
    return place


def test_stats_of_several_people(judged):
    said = " ".join(run("stats", judged).split())
    assert "Ada and Ben 80 0." in said
    assert "all (Fleiss) 80 0." in said
    assert "Ben and Cy [b] 40 0." in said
    assert "S/N below 5 " in said
    assert "kappa, S/N 10-20 0." in said
    assert "Ada judged 10 candidates twice" in said
    assert "Ada" in said
    assert "off by" in said
    assert "No cut" not in said


def test_stats_with_the_cut_for_a_wanted_precision(judged):
    said = " ".join(run("stats", judged, "--precision", "0.9", "--recall", "0.8").split())
    assert "on at least 90 % are real, with 95 % certainty" in said
    assert "lie at most 20 % of the real ones" in said
    assert "Of 400 not yet judged" in said
    assert "by calibrated p(YES)" in said
    (cut,) = json.loads(run("stats", judged, "--precision", "0.9", "--json"))["cuts"]
    assert cut["model"] == "nano"
    found = cut["plan"]["abstention"]["precision"]
    assert found["bound"] >= 0.9
    assert 0.5 < found["threshold"] < 1.0
    assert "cuts" not in json.loads(run("stats", judged, "--json"))
    for wrong in ("95", "0", "nan"):
        result = CliRunner().invoke(workbench(), ["stats", str(judged), "--recall", wrong])
        assert result.exit_code == 2


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

    assert commented("j1") == ["of 1", "of 2"]
    assert commented("J10") == ["of 3"]
    assert commented("Star") == ["of 5"]
    assert commented("Sta") == ["of 5"]
    assert commented("9") == ["of 6"]
    assert commented("7") == ["of 7"]
    assert "could be J000007, J000008" in fails("log", place, "--object", "J00")
    assert "no candidate" in fails("log", place, "--object", "J2")


def test_two_people_in_one_session(vetted, few, tmp_path):
    place, _ = vetted
    other = tmp_path / "ben.speco3"
    run("new", other, few, "--task", "CV")
    with open_session(other, "Ben") as session:
        session.record_verdict(2, Opinion(verdict=Verdict.REJECT))
    mine = tmp_path / "both.speco3"
    run("pack", place, mine)
    said = run("merge", mine, other)
    assert "1 log entries" in said
    assert "0 new candidates (4 already known)" in said
    assert "reviewers disagree on 1 candidates" in said
    assert "0 log entries" in run("merge", mine, other)
    assert "Ada and Ben" in run("stats", mine)


def test_a_packed_session_needs_no_files(vetted, few, tmp_path):
    place = tmp_path / "night.speco3"
    for each in few.parent.iterdir():
        (tmp_path / each.name).write_bytes(each.read_bytes())
    run("new", place, tmp_path / "few.csv", "--task", "CV")
    packed = tmp_path / "packed.speco3"
    assert "3 spectra packed" in run("pack", place, packed)
    for each in tmp_path.glob("*.gz"):
        each.unlink()
    assert "NO" in run("vet", packed)
    with open_session(packed, "Ada", read_only=True) as session:
        assert sum(each.agent_verdict is not None for each in session.candidates(range(1, 5))) == 3


def test_what_cannot_be_done_is_said(vetted, few, tmp_path):
    place, _ = vetted
    assert "unknown suffix" in fails("export", place, tmp_path / "night.doc")
    assert "already exists" in fails("new", place, few, "--task", "CV")
    assert "no task" in fails("new", tmp_path / "a.speco3", few, "--task", "quasar?")
    assert "does not exist" in fails("vet", tmp_path / "none.speco3")
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


def test_why_there_is_no_cut(tmp_path):
    place = tmp_path / "night.speco3"
    with made(place, 30) as session:
        judged_sessions.inspect(session, "nano", {n: ("YES", n / 31) for n in range(1, 31)})
        judged_sessions.say(session, "Ada", dict.fromkeys(range(1, 31), Verdict.ACCEPT))
    said = " ".join(run("stats", place, "--precision", "0.99").split())
    assert "No cut for a precision of 99 % yet: it takes 230 judged" in said
    assert "nothing is left to decide" in said


@pytest.mark.parametrize("watched", [True, False])
def test_progress_of_a_list_whose_name_looks_like_markup(tmp_path, monkeypatch, watched):
    """Drawn where somebody watches; elsewhere not even an empty line is left in a log."""
    path = tmp_path / "a[b].csv"
    path.write_text("object_id,ra,dec\nJ1,1,2\nJ2,1\n", encoding="utf-8")
    if watched:
        monkeypatch.setenv("FORCE_COLOR", "1")
    said = both_said("new", tmp_path / "n.speco3", path, "--task", "CV")
    assert ("reading a[b].csv" in said) is watched
    assert "a[b].csv (CSV): 1 of 2 rows" in said
    assert "row 2: line 3 of the file: 2 cells instead of 3" in said
    if not watched:
        said = both_said("vet", tmp_path / "n.speco3")
        assert said == f"0 inspected with {default_model('CV')}\n"


def test_new_stopped_by_hand(tmp_path, monkeypatch):
    """Nothing is left of it, so that the same command can be given again."""
    path = tmp_path / "many.csv"
    rows = "".join(f"J{number},1,2\n" for number in range(5000))
    path.write_text(f"object_id,ra,dec\n{rows}", encoding="utf-8")
    place = tmp_path / "night.speco3"
    held = []

    def interrupted(session, *words, **options):
        held.append(open_session(place, "Ben", read_only=True))  # somebody looks at it

        def stop(done, total):
            raise KeyboardInterrupt

        return import_list(session, *words, **{**options, "progress": stop})

    monkeypatch.setattr(new_command, "import_list", interrupted)
    result = CliRunner().invoke(workbench(), ["new", str(place), str(path), "--task", "CV"])
    assert result.exit_code == 130
    held.pop().close()
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    assert "5000 candidates" in run("new", place, path, "--task", "CV")

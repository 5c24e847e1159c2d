"""`spec-o3 vet`."""

import csv
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agent.inspection.built_in import PANEL
from agent.inspection.inspector_factory import default_model
from agent.trajectory.trajectory import ModelRef
from app.cli import vet as vet_command
from app.core.inspections.batch import BatchResult, inspect_all
from app.core.inspections.shown_opinion import shown_model
from app.core.inspections.store import add_inspection, inspections_of
from app.core.queue import EVERYTHING, matching, parse_filter, parse_sort
from app.core.session.session import open_session
from app.core.session.spectra_folders import open_with_spectra
from app.core.statistics import pace
from app.worker.pool import WorkerPool
from tests.agent.engines.remote.fake_model import ModelServer, serving_models
from tests.agent.engines.remote.fake_server import Pieces, answered, dropped
from tests.app.cli.commands import FEW, MEASURED, SAMPLE, both_said, fails, invoke, run, write_list
from tests.app.core import inspected
from tests.app.core.inspected import NANO, said
from tests.night import ray_by_night
from tests.processes import LONG_S, marked, served, wait_until

SCRIPTED = [sys.executable, "-P", str(Path(__file__).parents[1] / "worker" / "scripted_child.py")]


def test_vet_goes_on_where_it_stopped(night, tmp_path):
    name = default_model("CV")
    assert run("vet", night, "--limit", 2).startswith(f"2 inspected with {name}")
    rest = run("vet", night, "--workers", 2)
    assert rest.startswith(f"2 inspected with {name}") and "unreadable 1" in rest
    assert run("vet", night).startswith(f"0 inspected with {name}")
    told = run("export", night, tmp_path / "night.jsonl")
    assert f"{9 if name == PANEL else 3} records" in told  # a panel's members are kept, too


def test_vet_tells_how_long_it_takes_on_which_device_and_judges_for_nobody(night, monkeypatch):
    clock, asked = iter([1000.0, 1090.0]), []

    def pool(workers, load, **options):
        asked.append((load.model, load.device))
        return WorkerPool(workers, load, **options)

    monkeypatch.setattr(pace, "monotonic", lambda: next(clock))
    monkeypatch.setattr(vet_command, "WorkerPool", pool)
    said = both_said("vet", night, *MEASURED, "--device", "cpu", "--reviewer", "Ada")
    assert "about 2 min a spectrum: 4 min for the other 3" in said
    assert asked == [("measured", "cpu")]
    with open_session(night, "Ada") as session:
        assert list(session.history()) == []
        seen = session.candidates(range(1, FEW + 1))
        assert [each.agent_verdict is not None for each in seen] == [True] * 3 + [False]
        assert "damaged.fits" in seen[3].fault


def test_machines_divide_a_list_and_their_copies_are_merged(night, tmp_path):
    place, copy = night, Path(shutil.copy(night, tmp_path / "copy.speco3"))
    one = run("vet", place, "--shard", "1/2", *MEASURED)
    two = run("vet", copy, "--shard", "2/2", *MEASURED)
    assert one.startswith("2 inspected") and two.startswith("2 inspected")
    assert run("vet", place, "--shard", "1/2", *MEASURED).startswith("0 inspected")
    run("merge", place, copy)
    assert run("vet", place, *MEASURED).startswith("0 inspected")


def test_vet_after_a_disk_was_mounted(few, tmp_path):
    """What was not there is inspected once it is; what is damaged when one asks for it."""
    path = tmp_path / few.name
    path.write_bytes(few.read_bytes())
    place = tmp_path / "night.speco3"
    assert "4 files not found" in run("new", place, path, "--task", "CV")
    assert "unreadable 4" in run("vet", place, *MEASURED)
    for each in few.parent.glob("*.fits*"):
        (tmp_path / each.name).write_bytes(each.read_bytes())
    said = both_said("vet", place, *MEASURED)
    assert said.startswith("4 inspected") and "unreadable 1" in said
    again = both_said("vet", place, *MEASURED)
    assert again.startswith("0 inspected") and "1 could not be read before: use --again" in again
    assert "1 inspected with measured: unreadable 1" in run("vet", place, "--again", *MEASURED)


def test_vet_stopped_by_hand(night, monkeypatch):
    """Ctrl-C: what is there stays, and a shell does not go on to the next command."""

    def interrupted(*words, **options):
        yield next(inspect_all(*words, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(vet_command, "inspect_all", interrupted)
    result = invoke("vet", night, *MEASURED)
    assert result.exit_code == 130 and result.stdout.startswith("1 inspected with measured")
    assert "again to continue" in result.stderr
    monkeypatch.undo()
    assert run("vet", night, *MEASURED).startswith("3 inspected")


def test_a_second_opinion_shows_where_two_differ(night, monkeypatch):
    """The first stands beside the candidates; a model is no second opinion of itself."""

    def pool(workers, load, **options):
        command = SCRIPTED if load.model == "good" else None
        return WorkerPool(workers, load, command=command, **options)

    monkeypatch.setattr(vet_command, "WorkerPool", pool)
    said = run("vet", night, "--model", "measured", "--second", "good")
    assert "inspected with good: YES 3" in said and "inspected with measured: NO 2, YES 1" in said
    assert "the models disagree on 2 of 3 candidates" in said
    with open_session(night, "Ada") as session:
        assert shown_model(session).name == "measured"
        order = list(matching(session, EVERYTHING, parse_sort("disagreeing")))
        said = [line.candidate.agent_verdict for line in order]
        assert said == ["NO", "NO", "YES", None]
        assert len(list(matching(session, parse_filter("disagree:agents")))) == 2
    monkeypatch.undo()
    assert "the same as the first" in run("vet", night, *MEASURED, "--second", "measured")


def test_vet_with_a_panel_says_how_often_its_members_disagree(night, monkeypatch):
    opinions = {1: ("YES", "NO"), 2: ("NO", "NO")}

    def judged(session, pool, model, **options):
        for candidate in session.candidates(range(1, 3)):
            members = zip(opinions[candidate.id], (NANO, inspected.MEASURED), strict=True)
            record = replace(
                said("NO", 0.3, ModelRef(name="panel", engine="panel", sha256="cc" * 32)),
                members=tuple(said(verdict, 0.5, ref) for verdict, ref in members),
            )
            add_inspection(session, candidate.id, record)
            yield BatchResult(candidate=candidate, trajectory=record)

    monkeypatch.setattr(vet_command, "inspect_all", judged)
    told = run("vet", night, "--model", "measured")
    assert "the members disagree on 1 of 2 candidates" in told
    with open_session(night, "Ada") as session:
        disputed = matching(session, parse_filter("disagree:agents"))
        assert [row.candidate.id for row in disputed] == [1]
        first = next(iter(matching(session, EVERYTHING, parse_sort("disagreeing"))))
        assert (first.candidate.id, first.candidate.agent_model) == (1, "panel")


# A list whose spectra are on a web server: refused, allowed, inspected and looked at.
@pytest.fixture
def archive(few, tmp_path):
    """The spectra of `few` on a server, one of which is not there, and a list of them."""

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *words):
            super().__init__(*words, directory=str(few.parent))

        def log_message(self, *words):
            asked.append(self.path)

    asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    base = f"http://127.0.0.1:{server.server_port}"
    with few.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rows.append({**rows[0], "object_id": "gone", "file": "gone.fits"})
    (tmp_path / "remote").mkdir()
    path = write_list(
        tmp_path / "remote", [{**row, "file": f"{base}/{row['file']}"} for row in rows], "list.csv"
    )
    with served(server):
        yield path, base, asked


def test_spectra_on_a_web_server(archive, tmp_path):
    path, base, asked = archive
    place = tmp_path / "night.speco3"
    told = fails("new", place, path, "--task", "CV")
    assert f"spectra outside the folder of the list, in {base}" in told.replace("\n", " ")
    said = run("new", place, path, "--task", "CV", "--trust-paths")
    assert f"{FEW + 1} of {FEW + 1} rows imported" in said
    assert asked == [], "the import asks nothing"
    said = both_said("vet", place, *MEASURED)
    assert f"{FEW + 1} inspected with measured" in said and "unreadable 2" in said
    assert "the server answers with status 404" in said
    assert len(asked) >= FEW + 1
    with open_with_spectra(place, "Ada") as session:
        (kept,) = inspections_of(session, 1)
        assert kept.trajectory.spectrum.path.startswith(f"{base}/")


# `spec-o3 vet` with servers: many conversations at once, and each candidate judged once.
READABLE = 12


@pytest.fixture
def many(few, tmp_path):
    """Three spectra, four times each, and one that is damaged."""
    place = tmp_path / "night.speco3"
    with few.open(newline="", encoding="utf-8") as file:
        *readable, damaged = csv.DictReader(file)
    rows = []
    for number in range(READABLE):
        row = readable[number % (FEW - 1)]
        name = f"{number}-{row['file']}"
        shutil.copy(few.with_name(row["file"]), tmp_path / name)
        rows.append({**row, "file": name, "object_id": f"object {number}"})
    shutil.copy(few.with_name(damaged["file"]), tmp_path)
    run("new", place, write_list(tmp_path, [*rows, damaged], "many.csv"), "--task", "CV")
    return place


def counts(place) -> list[int]:
    """How often each candidate was inspected."""
    with open_session(place, "Ada") as session:
        numbers = range(1, READABLE + 2)
        return [len(inspections_of(session, number)) for number in numbers]


EACH_ONCE = [1] * READABLE + [0]


def test_so_many_conversations_are_open_at_each_server(many):
    servers = [ModelServer(gate=3), ModelServer(gate=3)]
    with serving_models(*servers) as urls:
        said = run("vet", many, "--model", urls, "--in-flight", 3)
        assert said == f"{READABLE + 1} inspected with m: YES {READABLE}, unreadable 1\n"
        assert [server.most for server in servers] == [3, 3]
        turns = servers[0].turns + servers[1].turns
        assert sorted(turns.values()) == [2] * READABLE, "an id for each conversation"
        assert counts(many) == EACH_ONCE
        assert run("vet", many, "--model", urls).startswith("0 inspected with m")
        back = ",".join(reversed(urls.split(",")))
        assert run("vet", many, "--model", back).startswith("0 inspected with m")
        assert run("vet", many, "--model", f"{back}#m").startswith("0 inspected with m")


def test_so_many_conversations_are_open_in_each_actor_of_ray(many):
    """Two actors with three each; one server answers that it has too much to do."""
    pytest.importorskip("ray")
    server = ModelServer(gate=6, faults=[answered(429, {}, retry_after="0.01")] * 3)
    with serving_models(server) as url:
        words = ("vet", many, "--model", url, "--in-flight", 3, "--ray", "--actors", 2)
        assert run(*words) == f"{READABLE + 1} inspected with m: YES {READABLE}, unreadable 1\n"
        assert server.most == 6
        assert sorted(server.turns.values()) == [2] * READABLE, "an id for each conversation"
    assert counts(many) == EACH_ONCE


def test_one_of_two_servers_dies_and_the_other_answers_429(many):
    """Half way, in the middle of turns; each candidate is judged exactly once all the same."""
    dying, busy = ModelServer(), ModelServer(faults=[answered(429, {}, retry_after="0.01")] * 3)
    begun = dying.next_act

    def next_act(request):
        act = begun(request)
        return dropped(Pieces().words("<think>")) if len(dying.turns) > 2 else act

    dying.next_act = next_act
    with serving_models(dying, busy) as urls:
        said = run("vet", many, "--model", urls, "--in-flight", 2, "--workers", 2)
    assert said == f"{READABLE + 1} inspected with m: YES {READABLE}, unreadable 1\n"
    assert counts(many) == EACH_ONCE


def test_all_servers_die(many):
    dead = [ModelServer(faults=[dropped(Pieces())] * 500) for _ in range(2)]
    with serving_models(*dead) as urls:
        result = invoke("vet", many, "--model", urls)
    assert result.exit_code == 1 and "inspections in a row failed" in str(result.exception)
    assert "connection broke" in str(result.exception)
    with serving_models(ModelServer()) as url:
        assert f"YES {READABLE}" in run("vet", many, "--model", url)


def test_stopped_by_hand_with_many_in_flight(many, monkeypatch):
    def interrupted(*words, **options):
        running = inspect_all(*words, **options)
        for _ in range(5):
            yield next(running)
        raise KeyboardInterrupt

    with serving_models(ModelServer()) as url:
        monkeypatch.setattr(vet_command, "inspect_all", interrupted)
        command = ["vet", str(many), "--model", url, "--in-flight", "8"]
        result = invoke(*command)
        assert result.exit_code == 130 and result.stdout.startswith("5 inspected")
        monkeypatch.undo()
        both_said(*command)
    assert counts(many) == EACH_ONCE


def test_servers_of_different_models_are_refused(many):
    with serving_models(ModelServer("m"), ModelServer("n")) as urls:
        result = invoke("vet", many, "--model", urls)
    assert "all addresses must serve the same model" in str(result.exception)
    assert counts(many) == [0] * (READABLE + 1)


# `spec-o3 vet --ray`, stopped by Ctrl-C, then killed, then left alone.
MARK = "SPEC_O3_TEST_OF_RAY"
LINES = (SAMPLE / "candidates.csv").read_text(encoding="utf-8").splitlines(keepends=True)
COUNT = 24


def inspected_by(place: Path) -> list[int]:
    with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT candidate_id FROM inspections ORDER BY 1")
        return [number for (number,) in rows]


def started(place: Path) -> subprocess.Popen[str]:
    words = ["-m", "app.cli.main", "vet", str(place), *MEASURED, "--ray", "--actors", "2"]
    return subprocess.Popen(
        [sys.executable, *words],
        env={**os.environ, MARK: place.name},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal sends Ctrl-C to all of a command's processes
    )


def working(place: Path) -> list[str]:
    """The actors and their processes; two of Ray's own that only watch stay for a minute."""
    lines = []
    for pid in marked(MARK, place.name):
        with suppress(OSError):  # it has just ended
            lines.append(Path(f"/proc/{pid}/cmdline").read_text())
    return [line for line in lines if "Shell" in line or "worker" in line]


@ray_by_night
@pytest.mark.timeout(900)  # three commands, one after the other
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
def test_what_was_stopped_and_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    place = tmp_path / f"ray-{os.getpid()}.speco3"
    few = tmp_path / "few.csv"
    few.write_text("".join(LINES[: COUNT + 1]))
    run("new", place, few, "--task", "CV", "--spectra", SAMPLE)

    vet = started(place)
    wait_until(lambda: inspected_by(place) and working(place))
    os.killpg(vet.pid, signal.SIGINT)
    out, err = vet.communicate(timeout=LONG_S)
    first = inspected_by(place)
    assert vet.returncode == 130, err
    # One that is being stored at that moment is kept, but not told.
    assert int(out.split()[0]) in (len(first) - 1, len(first)) and " with measured" in out
    assert "again to continue" in err and "Traceback" not in err

    vet = started(place)
    wait_until(lambda: len(inspected_by(place)) > len(first) + 3)
    vet.kill()
    vet.communicate(timeout=LONG_S)
    wait_until(lambda: not working(place))  # for nobody
    second = inspected_by(place)
    assert len(second) < COUNT

    vet = started(place)
    out, err = vet.communicate(timeout=LONG_S)
    assert vet.returncode == 0, err
    assert out.startswith(f"{COUNT - len(second)} inspected with measured")
    assert out.count("\n") == 1, "nothing of Ray's own"
    whole = inspected_by(place)
    assert len(whole) == len(set(whole)) and set(second) < set(whole)

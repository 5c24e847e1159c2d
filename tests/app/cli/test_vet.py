"""`spec-o3 vet`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from typer.testing import CliRunner

from agent.inspection.built_in import PANEL
from agent.inspection.inspector_factory import default_model
from agent.trajectory.trajectory import ModelRef
from app.cli import vet as vet_command
from app.cli.main import workbench
from app.core.inspections.batch import BatchResult, inspect_all
from app.core.inspections.shown_opinion import shown_model
from app.core.inspections.store import add_inspection
from app.core.queue import EVERYTHING, matching, parse_filter, parse_sort
from app.core.session.session import open_session
from app.core.statistics import time_left
from app.worker.pool import WorkerPool
from tests.app.cli.commands import FEW, MEASURED, both_said, run
from tests.app.core import inspected
from tests.app.core.inspected import NANO, said

SCRIPTED = [sys.executable, "-P", str(Path(__file__).parents[1] / "worker" / "scripted_child.py")]


def test_vet_goes_on_where_it_stopped(few, tmp_path):
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")
    name = default_model("CV")
    assert run("vet", place, "--limit", 2).startswith(f"2 inspected with {name}")
    rest = run("vet", place, "--workers", 2)
    assert rest.startswith(f"2 inspected with {name}")
    assert "unreadable 1" in rest
    assert run("vet", place).startswith(f"0 inspected with {name}")
    told = run("export", place, tmp_path / "night.jsonl")
    assert f"{9 if name == PANEL else 3} records" in told  # a panel's members are kept, too


def test_the_first_inspection_tells_how_long_the_rest_takes(few, tmp_path, monkeypatch):
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")
    clock = iter([1000.0, 1090.0])
    monkeypatch.setattr(time_left, "monotonic", lambda: next(clock))
    said = both_said("vet", place, "--model", "measured")
    assert "about 2 min a spectrum: 4 min for the other 3" in said


def test_machines_divide_a_list_and_their_copies_are_merged(few, tmp_path):
    place, copy = tmp_path / "night.speco3", tmp_path / "copy.speco3"
    run("new", place, few, "--task", "CV")
    copy.write_bytes(place.read_bytes())
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
    assert said.startswith("4 inspected")
    assert "unreadable 1" in said
    again = both_said("vet", place, *MEASURED)
    assert again.startswith("0 inspected")
    assert "1 could not be read before: use --again" in again
    assert "1 inspected with measured: unreadable 1" in run("vet", place, "--again", *MEASURED)


def test_vet_stopped_by_hand(few, tmp_path, monkeypatch):
    """Ctrl-C: what is there stays, and a shell does not go on to the next command."""
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")

    def interrupted(*words, **options):
        yield next(inspect_all(*words, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(vet_command, "inspect_all", interrupted)
    result = CliRunner().invoke(workbench(), ["vet", str(place), *MEASURED])
    assert result.exit_code == 130
    assert result.stdout.startswith("1 inspected with measured")
    assert "again to continue" in result.stderr
    monkeypatch.undo()
    assert run("vet", place, *MEASURED).startswith("3 inspected")


def test_a_second_opinion_shows_where_two_differ(few, tmp_path, monkeypatch):
    """The first stands beside the candidates; a model is no second opinion of itself."""
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")

    def pool(workers, load, **options):
        command = SCRIPTED if load.model == "good" else None
        return WorkerPool(workers, load, command=command, **options)

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
    assert "the same as the first" in run(
        "vet", place, "--model", "measured", "--second", "measured"
    )


def test_vet_judges_for_nobody(few, tmp_path):
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")
    run("vet", place, "--reviewer", "Ada", *MEASURED)
    with open_session(place, "Ada") as session:
        assert list(session.history()) == []
        seen = session.candidates(range(1, FEW + 1))
        assert [each.agent_verdict is not None for each in seen] == [True] * 3 + [False]
        assert "damaged.fits" in seen[3].fault


def test_vet_with_a_panel_says_how_often_its_members_disagree(few, tmp_path, monkeypatch):
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")
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
    told = run("vet", place, "--model", "measured")
    assert "the members disagree on 1 of 2 candidates" in told
    with open_session(place, "Ada") as session:
        disputed = matching(session, parse_filter("disagree:agents"))
        assert [row.candidate.id for row in disputed] == [1]
        first = next(iter(matching(session, EVERYTHING, parse_sort("disagreeing"))))
        assert (first.candidate.id, first.candidate.agent_model) == (1, "panel")


def test_the_device_is_that_of_the_model(few, tmp_path, monkeypatch):
    place = tmp_path / "night.speco3"
    run("new", place, few, "--task", "CV")
    asked = []

    def pool(workers, load, **options):
        asked.append((load.model, load.device))
        return WorkerPool(workers, load, **options)

    monkeypatch.setattr(vet_command, "WorkerPool", pool)
    run("vet", place, "--model", "measured", "--device", "cpu", "--limit", "1")
    assert asked == [("measured", "cpu")]

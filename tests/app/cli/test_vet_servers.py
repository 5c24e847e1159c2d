"""`spec-o3 vet` with servers: many conversations at once, and each candidate judged once."""

from __future__ import annotations

import csv

import pytest
from typer.testing import CliRunner

from app.cli import vet as vet_command
from app.cli.main import workbench
from app.core.inspections.batch import inspect_all
from app.core.inspections.store import inspections_of
from app.core.session.session import open_session
from tests.agent.engines.remote.fake_model import ModelServer, serving_models
from tests.agent.engines.remote.fake_server import Pieces, answered, dropped
from tests.app.cli.commands import FEW, both_said, run

READABLE = 12


@pytest.fixture
def many(few, tmp_path):
    """Three spectra, four times each, and one that is damaged."""
    place = tmp_path / "night.speco3"
    with few.open(newline="", encoding="utf-8") as file:
        *readable, damaged = csv.DictReader(file)
    path = few.with_name("many.csv")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(damaged))
        writer.writeheader()
        for number in range(READABLE):
            source = few.with_name(readable[number % (FEW - 1)]["file"])
            copy = few.with_name(f"{number}-{source.name}")
            copy.write_bytes(source.read_bytes())
            row = readable[number % (FEW - 1)]
            writer.writerow({**row, "file": copy.name, "object_id": f"object {number}"})
        writer.writerow(damaged)
    run("new", place, path, "--task", "CV")
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
        result = CliRunner().invoke(workbench(), ["vet", str(many), "--model", urls])
    assert result.exit_code == 1
    assert "inspections in a row failed" in str(result.exception)
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
        result = CliRunner().invoke(workbench(), command)
        assert result.exit_code == 130
        assert result.stdout.startswith("5 inspected")
        monkeypatch.undo()
        both_said(*command)
    assert counts(many) == EACH_ONCE


def test_servers_of_different_models_are_refused(many):
    with serving_models(ModelServer("m"), ModelServer("n")) as urls:
        result = CliRunner().invoke(workbench(), ["vet", str(many), "--model", urls])
    assert "all addresses must serve the same model" in str(result.exception)
    assert counts(many) == [0] * (READABLE + 1)

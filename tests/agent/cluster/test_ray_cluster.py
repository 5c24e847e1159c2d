"""What is said where there is no Ray to work with."""

import sys
from collections.abc import Iterator

import pytest
import typer
from typer.testing import CliRunner

from agent.cluster.options import (
    ActorsOption,
    GpusEachOption,
    RayCommand,
    RayOption,
    RayPlace,
    ray_place,
    with_ray_address,
)
from agent.cluster.ray_actors import RayActors
from agent.cluster.ray_cluster import RayCluster
from agent.errors import WorkbenchError
from tests.agent.cluster.ray_workers import Obedient
from tests.night import ray_by_night


def test_without_ray_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(WorkbenchError, match=r'pip install "spec-o3-workbench\[cluster\]"'):
        RayCluster(RayPlace())


@pytest.mark.parametrize(("address", "reason"), [
    ("127.0.0.1:1", "no Ray answers at 127.0.0.1:1"),
    ("127.0.0.1:99999", "no Ray answers"),
    ("ray://here:10001", "an address is HOST:PORT"),
    ("night.speco3", "an address is HOST:PORT"),
])  # fmt: skip
def test_a_wrong_address_is_told_at_once(address: str, reason: str) -> None:
    pytest.importorskip("ray")
    with pytest.raises(WorkbenchError, match=reason):
        RayCluster(RayPlace(address=address))


# The options of a command that can work on a Ray cluster.
app = typer.Typer()


@app.command(cls=RayCommand)
def work(ray: RayOption = None, actors: ActorsOption = None, gpus_each: GpusEachOption = 0.0):
    typer.echo(repr(ray_place(ray, actors, gpus_each, workers=1)))


@app.command(cls=RayCommand)
def share(workers: int, ray: RayOption = None):
    ray_place(ray, None, 0.0, workers)


def said(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    return result.stdout if result.exit_code == 0 else result.stderr


def test_the_place_is_what_the_options_say_together() -> None:
    assert said("work") == "None\n"
    assert said("work", "--ray") == "RayPlace(address='', actors=None, gpus_each=0.0)\n"
    assert said("work", "--gpus-each", "0.5", "--ray", "auto", "--actors", "3") == (
        "RayPlace(address='auto', actors=3, gpus_each=0.5)\n"
    )
    assert "need --ray" in said("work", "--actors", "3")
    assert "give --actors instead" in said("share", "2", "--ray")
    for possible in (0, 0.25, 1, 4):
        assert RayPlace(gpus_each=possible).gpus_each == possible
    with pytest.raises(WorkbenchError, match="whole number"):
        RayPlace(gpus_each=1.5)


# Where work is done with Ray, as a command line says it.
@pytest.mark.parametrize(("line", "whole"), [
    ("a.speco3 --ray", ["a.speco3", "--ray", ""]),
    ("a.speco3 --ray --actors 4", ["a.speco3", "--ray", "", "--actors", "4"]),
    ("a.speco3 --ray auto --actors 4", ["a.speco3", "--ray", "auto", "--actors", "4"]),
    ("a.speco3 --ray=auto", ["a.speco3", "--ray=auto"]),
    ("a.speco3 --actors 4", ["a.speco3", "--actors", "4"]),
    ("", []),
])  # fmt: skip
def test_an_address_may_be_left_out(line: str, whole: list[str]) -> None:
    assert with_ray_address(line.split()) == whole


# Machines that join a cluster and leave it while work is done there.
@ray_by_night
def test_what_joins_takes_part_and_what_leaves_is_not_missed() -> None:
    cluster = pytest.importorskip("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    is_enough = False
    taken = 0

    def calls() -> Iterator[tuple[int, str]]:
        nonlocal taken
        while not is_enough:
            yield taken, "one"
            taken += 1

    try:
        found = RayCluster(RayPlace(address=cluster.address, actors=2))
        actors: RayActors[int] = RayActors(found, Obedient)
        told = actors.run(calls())
        first = next(told)
        keys, pids = [first.key], {first.value[1]}
        second = cluster.add_node(num_cpus=1)
        while len(pids) < 2:
            answer = next(told)
            keys.append(answer.key)
            pids.add(answer.value[1])
        cluster.remove_node(second, allow_graceful=False)
        at_least = len(keys) + 100
        for answer in told:
            keys.append(answer.key)
            is_enough = len(keys) > at_least
        assert sorted(keys) == list(range(taken))
        actors.close()
        found.close()
    finally:
        cluster.shutdown()

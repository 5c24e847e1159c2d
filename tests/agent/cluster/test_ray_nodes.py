"""Machines that join a cluster and leave it while work is done there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agent.cluster.place import RayPlace
from agent.cluster.ray_actors import RayActors
from agent.cluster.ray_cluster import RayCluster
from tests.agent.cluster.ray_workers import Obedient

utilities = pytest.importorskip("ray.cluster_utils")


def test_what_joins_takes_part_and_what_leaves_is_not_missed() -> None:
    cluster = utilities.Cluster(
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

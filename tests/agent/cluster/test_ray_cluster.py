"""What is said where there is no Ray to work with."""

from __future__ import annotations

import sys

import pytest

from agent.cluster.place import RayPlace
from agent.cluster.ray_cluster import RayCluster
from agent.errors import WorkbenchError


def test_without_ray_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(WorkbenchError, match=r'pip install "spec-o3-workbench\[cluster\]"'):
        RayCluster(RayPlace())


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1:1", "no Ray answers at 127.0.0.1:1"),
        ("127.0.0.1:99999", "no Ray answers"),
        ("ray://here:10001", "an address is HOST:PORT"),
        ("night.speco3", "an address is HOST:PORT"),
    ],
)
def test_a_wrong_address_is_told_at_once(address: str, reason: str) -> None:
    pytest.importorskip("ray")
    with pytest.raises(WorkbenchError, match=reason):
        RayCluster(RayPlace(address=address))

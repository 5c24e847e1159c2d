"""Where work is done with Ray, as a command line says it."""

from __future__ import annotations

import pytest

from agent.cluster.place import RayPlace, with_ray_address
from agent.errors import WorkbenchError


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("a.speco3 --ray", ["a.speco3", "--ray", ""]),
        ("a.speco3 --ray --actors 4", ["a.speco3", "--ray", "", "--actors", "4"]),
        ("a.speco3 --ray auto --actors 4", ["a.speco3", "--ray", "auto", "--actors", "4"]),
        ("a.speco3 --ray=auto", ["a.speco3", "--ray=auto"]),
        ("a.speco3 --actors 4", ["a.speco3", "--actors", "4"]),
        ("", []),
    ],
)
def test_an_address_may_be_left_out(line: str, whole: list[str]) -> None:
    assert with_ray_address(line.split()) == whole


def test_a_gpu_and_a_half_cannot_be_had() -> None:
    for possible in (0, 0.25, 1, 4):
        assert RayPlace(gpus_each=possible).gpus_each == possible
    with pytest.raises(WorkbenchError, match="whole number"):
        RayPlace(gpus_each=1.5)

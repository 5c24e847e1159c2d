"""Settings of a chain that cannot work are refused."""

from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from train.pipeline.settings import PipelineSettings


@pytest.mark.parametrize("rounds", [(5, 4), (-1, 3)])
def test_rounds_in_order(rounds: tuple[int, int]):
    with pytest.raises(WorkbenchError, match="averaged"):
        PipelineSettings(averaged=rounds)


def test_an_average_needs_a_model_to_continue_from():
    with pytest.raises(WorkbenchError, match=r"chain\.continue_from"):
        PipelineSettings(average_with_start=True)


@pytest.mark.parametrize("wrong", [{"surveys": ()}, {"objects": 19}])
def test_a_chain_without_a_sky(wrong):
    with pytest.raises(WorkbenchError, match="at least one survey and 20 objects"):
        PipelineSettings(**wrong)

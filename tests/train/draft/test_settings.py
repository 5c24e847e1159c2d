from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from train.draft.settings import DraftSettings


@pytest.mark.parametrize(
    "wrong",
    [
        {"fewest_zooms": 4, "most_zooms": 2},
        {"min_chance": 1.5},
        {"guess": -1.0},
        {"per_spectrum": 0},
    ],
)
def test_settings_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(WorkbenchError):
        DraftSettings(**wrong)

"""The likeliest of a survey, from a table of `spec-o3 find`."""

import math
from pathlib import Path
from typing import Any

from app.core.finding.choice import ODD, ChoiceRule, choose
from app.core.finding.table import FindTable

TOLD = (
    "path", "row", "object_id", "ra", "dec", "snr", "kind", "oddness", "velocity_kms", "quality",
)  # fmt: skip


def likeliest(folder: Path, task: str, count: int) -> dict[str, Any]:
    """The best of a class, or the oddest, and what part of the members they are."""
    table = FindTable(folder)
    choice = choose(table, ChoiceRule(task=task, keep=count))
    names = [*TOLD, *(() if task == ODD else (f"p_{task}",))]
    columns = table.rows(choice.numbers, names)
    rows = [
        dict(zip(names, map(_plain, row), strict=True))
        for row in zip(*columns.values(), strict=True)
    ]
    return {"choice": choice.as_json(), "sentence": choice.sentence, "rows": rows}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value

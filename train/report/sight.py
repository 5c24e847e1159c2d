"""The section about tests of sight: what becomes of verdicts when the pictures change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from train.evaluate.sight_figures import HEAD, TABLE, read_sight, sight_rows
from train.report.page import note, section, table


def has_sight(evaluation: Path) -> bool:
    return _file(evaluation).is_file()


def sight_sections(evaluation: Path) -> Iterator[str]:
    """One section for each model and set in an output folder of `spec-o3-train evaluate sight`."""
    if not has_sight(evaluation):
        return
    for name, models in read_sight(_file(evaluation).read_text(encoding="utf-8")).items():
        for model, rows in models.items():
            first = rows[0]
            about = (
                f"{first.positives:,} real, {first.n - first.positives:,} others. The numbers told "
                "stay those of the right spectrum. Shares in per cent of the verdicts and replies "
                "that the pictures as they are give. Follows: verdicts that agree with the picture "
                "where its true answer is another. A model that sees falls to chance on white "
                "paper and follows the picture of another spectrum."
            )
            title = f"Test of sight: {model} on {name}"
            yield section(title, note(about), table(HEAD, sight_rows(rows)))


def _file(evaluation: Path) -> Path:
    return evaluation / f"{TABLE}.json"

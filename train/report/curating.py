"""How curation went: who approved what, the scores given, and how far raters agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from train.report.drawing import cumulative, heat_map
from train.report.page import heading, section, table

SCORES = {"coherence": "coherence", "consistency": "physical consistency"}


def curating_section(pool: Path) -> str:
    from train.curate.figures import figures
    from train.curate.pool import open_pool

    return section("Curation", *_parts(figures(open_pool(pool).cases())))


def _parts(found: Mapping[str, Any]) -> Iterator[str]:
    stages = found["stages"]
    yield table(
        ("trajectories", *stages), [(str(found["trajectories"]), *map(str, stages.values()))]
    )
    rows = [
        (role, str(told["n"]), str(told["approved"]), _share(told["share"]))
        for role, told in found["approvals"].items()
        if told["n"]
    ]
    yield table(("role", "reviews", "approved", "share"), rows)
    for score, name in SCORES.items():
        samples = {
            role: [value for value, count in enumerate(told["counts"]) for _ in range(count)]
            for role, told in found["scores"][score].items()
            if sum(told["counts"])
        }
        if samples:
            yield heading(f"Scores of {name}, 0 to 5")
            yield cumulative(samples, name)
    yield from _agreement(found["agreement"])


def _agreement(pairs: list[dict[str, Any]]) -> Iterator[str]:
    names = sorted({pair[end] for pair in pairs for end in ("first", "second")})
    if len(names) < 2:
        return
    for score, name in SCORES.items():
        grid: list[list[float | None]] = [[None] * len(names) for _ in names]
        for place in range(len(names)):
            grid[place][place] = 1.0
        for pair in pairs:
            one, other = names.index(pair["first"]), names.index(pair["second"])
            grid[one][other] = grid[other][one] = pair[score]
        yield heading(f"Agreement of raters on {name} (Spearman)")
        yield heat_map(names, grid, name)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"

"""The section about curation: approvals, scores and agreement of raters."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agent.ratings.rubric import HIGHEST
from agent.rendering.charts import cumulative, heat_map
from train.report.page import heading, note, section, table

SCORES = {"coherence": "coherence", "consistency": "physical consistency"}


def curating_section(pool: Path) -> str:
    from train.review.pool import open_pool
    from train.review.pool_figures import figures

    return section("Curation", *curation_parts(figures(open_pool(pool).cases())))


def curation_parts(found: Mapping[str, Any]) -> Iterator[str]:
    """The parts of the section, from the result of `train.review.pool_figures`."""
    counts = {"trajectories": found["trajectories"]}
    for stage, count in found["stages"].items():
        # An undecided trajectory waits for the next reviewer in the process.
        decided = stage in ("approved", "rejected")
        counts[stage if decided else f"waiting for the {stage}"] = count
    counts |= {"revised": found["revised"], "reviews that do not count": found["void_reviews"]}
    yield table(("", "number"), [(name, f"{count:,}") for name, count in counts.items()])
    rows = [
        (role, str(given["n"]), str(given["approved"]), _share(given["share"]))
        for role, given in found["approvals"].items()
        if given["n"]
    ]
    yield table(("role", "reviews", "approved", "share"), rows)
    for score, name in SCORES.items():
        samples = {
            role: [value for value, count in enumerate(given["counts"]) for _ in range(count)]
            for role, given in found["scores"][score].items()
            if sum(given["counts"])
        }
        if samples:
            yield heading(f"Scores of {name}")
            yield cumulative(samples, f"{name}, 0 to {HIGHEST}", (0, HIGHEST))
    yield from _agreement(found["agreement"])
    yield from _preference(found["preference"])


def _agreement(pairs: list[dict[str, Any]]) -> Iterator[str]:
    names = sorted({pair[end] for pair in pairs for end in ("first", "second")})
    if len(names) < 2:
        return
    for score, name in SCORES.items():
        yield heading(f"Agreement of raters on {name} (Spearman)")
        if all(pair[score] is None for pair in pairs):
            yield note(
                "Not measured: no two raters scored three common trajectories with different "
                "scores."
            )
            continue
        grid: list[list[float | None]] = [[None] * len(names) for _ in names]
        for place in range(len(names)):
            grid[place][place] = 1.0
        for pair in pairs:
            one, other = names.index(pair["first"]), names.index(pair["second"])
            grid[one][other] = grid[other][one] = pair[score]
        yield heat_map(names, grid)
        if any(cell is None for row in grid for cell in row):
            yield note("-: fewer than three in common, or all with the same score.")


def _preference(found: Mapping[str, Any]) -> Iterator[str]:
    """Which source's drafts of the same spectrum were scored higher."""
    if not found["pairs"]:
        return
    yield heading("Preferred drafts")
    rows = []
    for pair in found["pairs"]:
        rate, low, high = map(_share, (pair["rate"], *pair["interval"]))
        names = f"{pair['first']} to {pair['second']}"
        rows.append((names, str(pair["n"]), f"{rate} ({low} to {high})"))
    yield table(("sources", "pairs", "first preferred (95 %)"), rows)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"

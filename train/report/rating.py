"""The sections about ratings and curation: scores, agreement of raters, wins, ties and losses."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from agent.examples.examples import column
from agent.ratings.records import Rating
from agent.ratings.rubric import CRITERIA, HIGHEST, LOWEST, MEANINGS, SCORES, Score
from agent.rendering.charts import cumulative, heat_map, score_histogram
from train.report.page import folded, heading, note, section, table
from train.review import statistics
from train.review.rating_round import read_records

NAMES: dict[Score, str] = {
    "coherence": "coherence",
    "consistency": "physical consistency",
    "overall": "one number, given in daily use",
}


def rating_section(files: Sequence[Path], bench: Path | None = None) -> str:
    """The section; where the `bench` has several surveys, wins and losses in each of them.

    The window draws its figures from the same functions.
    """
    records = [record for path in files for record in read_records(path)]
    ratings, choices = statistics.latest_ratings(records), statistics.latest_choices(records)
    if not (ratings or choices):
        return section("Ratings", note("There are no ratings in these files."))
    parts = [part for score, name in NAMES.items() for part in _scores(ratings, score, name)]
    left, decided = statistics.share_of_left(choices)
    parts += _duels("Pairwise", statistics.duels_of_choices(choices))
    if decided:
        text = f"Of {decided:,} decided pairs the left one was preferred {left:,} times."
        parts.append(note(text))
    by_scores = "Pairs by one rater's scores of the same spectrum"
    parts += _duels(by_scores, statistics.duels_of_scores(ratings))
    every = product(SCORES, range(LOWEST, HIGHEST + 1))
    meanings = [(f"{NAMES[score]} {n}", MEANINGS[score][n - LOWEST]) for score, n in every]
    parts.append(folded("What the scores mean", table(("score", "meaning"), meanings)))
    surveys: dict[str, set[str]] = {}
    for path in () if bench is None else sorted(bench.glob("*.parquet")):
        for row in column(path, "sha256", "survey"):
            surveys.setdefault(row["survey"] or "unknown", set()).add(row["sha256"])
    for survey, spectra in sorted(surveys.items()) if len(surveys) > 1 else ():
        chosen = [each for each in choices if each.first.spectrum in spectra]
        scored = [each for each in ratings if each.subject.spectrum in spectra]
        parts += _duels(f"Pairwise: {survey}", statistics.duels_of_choices(chosen))
        parts += _duels(f"Pairs by scores: {survey}", statistics.duels_of_scores(scored))
    return section("Ratings", *parts)


def _scores(ratings: Sequence[Rating], score: Score, name: str) -> Iterator[str]:
    found = statistics.distributions(ratings, score)
    if not found:
        return
    yield heading(f"Scores: {name}")
    head = ("model", "n", "mean", *map(str, range(LOWEST, HIGHEST + 1)))
    rows = [(one.model, str(one.n), f"{one.mean:.2f}", *map(str, one.counts)) for one in found]
    yield table(head, rows)
    label = f"{name}, {LOWEST} to {HIGHEST}"
    yield score_histogram({one.model: one.counts for one in found}, label)
    yield cumulative({one.model: one.values for one in found}, label, (LOWEST, HIGHEST))
    raters = statistics.rater_map(ratings, score)
    if len(raters.raters) > 1:
        yield heading(f"Agreement of raters on {name} (Spearman)")
        yield from _map(raters.raters, raters.values)


def _map(raters: Sequence[str], values: Sequence[Sequence[float | None]]) -> Iterator[str]:
    yield heat_map(raters, values)
    if any(value is None for row in values for value in row):
        yield note("-: fewer than three in common, or all with the same score.")


def _duels(title: str, duels: Sequence[statistics.Duel]) -> Iterator[str]:
    if not duels:
        return
    yield heading(title)
    head = ("models", "pairs", "first better (95 %)", "equal (95 %)", "second better (95 %)")
    rows = []
    for duel in duels:
        shares = (_share(duel, count) for count in (duel.wins, duel.ties, duel.losses))
        rows.append((f"{duel.first}, {duel.second}", str(duel.n), *shares))
    yield table(head, rows)


def _share(duel: statistics.Duel, count: int) -> str:
    share, low, high = (100 * each for each in duel.share(count))
    return f"{share:.0f} % ({low:.0f} to {high:.0f})"


# Curation: approvals, scores and agreement of reviewers.
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
        (role, str(given["n"]), str(given["approved"]), _percent(given["share"]))
        for role, given in found["approvals"].items()
        if given["n"]
    ]
    yield table(("role", "reviews", "approved", "share"), rows)
    for score in CRITERIA:
        name = NAMES[score]
        samples = {
            role: [value for value, count in enumerate(given["counts"]) for _ in range(count)]
            for role, given in found["scores"][score].items()
            if sum(given["counts"])
        }
        if samples:
            yield heading(f"Scores of {name}")
            yield cumulative(samples, f"{name}, 0 to {HIGHEST}", (0, HIGHEST))
    yield from _agreements(found["agreement"])
    yield from _preference(found["preference"])


def _agreements(pairs: list[dict[str, Any]]) -> Iterator[str]:
    names = sorted({pair[end] for pair in pairs for end in ("first", "second")})
    if len(names) < 2:
        return
    for score in CRITERIA:
        name = NAMES[score]
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
        yield from _map(names, grid)


def _preference(found: Mapping[str, Any]) -> Iterator[str]:
    """Which source's drafts of the same spectrum were scored higher."""
    if not found["pairs"]:
        return
    yield heading("Preferred drafts")
    rows = []
    for pair in found["pairs"]:
        rate, low, high = map(_percent, (pair["rate"], *pair["interval"]))
        names = f"{pair['first']} to {pair['second']}"
        rows.append((names, str(pair["n"]), f"{rate} ({low} to {high})"))
    yield table(("sources", "pairs", "first preferred (95 %)"), rows)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"

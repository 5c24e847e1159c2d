"""The section about ratings: scores by model, agreement of raters, wins, ties and losses."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from agent.examples.examples import column
from agent.ratings.records import Choice, Rating
from agent.ratings.rubric import HIGHEST, LOWEST, MEANINGS, SCORES, Score
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
    """The section; where the `bench` has several surveys, wins and losses in each of them."""
    records = [record for path in files for record in read_records(path)]
    parts = list(rating_parts(records))
    surveys: dict[str, set[str]] = {}
    for path in () if bench is None else sorted(bench.glob("*.parquet")):
        for row in column(path, "sha256", "survey"):
            surveys.setdefault(row["survey"] or "unknown", set()).add(row["sha256"])
    ratings, choices = statistics.latest_ratings(records), statistics.latest_choices(records)
    for survey, spectra in sorted(surveys.items()) if len(surveys) > 1 else ():
        chosen = [each for each in choices if each.first.spectrum in spectra]
        scored = [each for each in ratings if each.subject.spectrum in spectra]
        parts += _duels(f"Pairwise: {survey}", statistics.duels_of_choices(chosen))
        parts += _duels(f"Pairs by scores: {survey}", statistics.duels_of_scores(scored))
    return section("Ratings", *parts)


def rating_parts(records: Sequence[Rating | Choice]) -> Iterator[str]:
    """The parts of the section; the window draws its figures from the same functions."""
    ratings, choices = statistics.latest_ratings(records), statistics.latest_choices(records)
    if not (ratings or choices):
        yield note("There are no ratings in these files.")
        return
    for score, name in NAMES.items():
        yield from _scores(ratings, score, name)
    left, decided = statistics.share_of_left(choices)
    yield from _duels("Pairwise", statistics.duels_of_choices(choices))
    if decided:
        yield note(f"Of {decided:,} decided pairs the left one was preferred {left:,} times.")
    yield from _duels(
        "Pairs by one rater's scores of the same spectrum", statistics.duels_of_scores(ratings)
    )
    every = product(SCORES, range(LOWEST, HIGHEST + 1))
    meanings = [(f"{NAMES[score]} {n}", MEANINGS[score][n - LOWEST]) for score, n in every]
    yield folded("What the scores mean", table(("score", "meaning"), meanings))


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
    yield from _map(statistics.rater_map(ratings, score), name)


def _map(found: statistics.RaterMap, name: str) -> Iterator[str]:
    if len(found.raters) < 2:
        return
    yield heading(f"Agreement of raters on {name} (Spearman)")
    yield heat_map(found.raters, found.values)
    if any(value is None for row in found.values for value in row):
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

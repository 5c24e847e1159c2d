"""Figures of ratings: distributions by model, agreement of raters, wins, ties, losses, strengths.

The window and the report of training draw both from these functions.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agent.confidence.scores import wilson
from agent.ratings.records import Choice, Rating, Subject
from agent.ratings.rubric import CRITERIA, HIGHEST, LOWEST, Score

UNNAMED = "?"
SHORT_HASH = 6
MODEL_MARK = " (model)"
"""After the name of a rater who is a model, as a person may have the same name."""
Wins = Mapping[tuple[str, str], float]
"""How often the first was preferred to the second; a tie is half a win for each."""
MIN_PAIRS = 3
# Added to both sides of every compared pair, so that no strength becomes infinite.
PRIOR_WINS = 0.5
MAX_ITERATIONS, TOLERANCE = 1000, 1e-9


@dataclass(frozen=True)
class Distribution:
    """How often each score was given to the trajectories of one model."""

    model: str
    counts: tuple[int, ...]

    @property
    def n(self) -> int:
        return sum(self.counts)

    @property
    def mean(self) -> float:
        return sum(score * count for score, count in enumerate(self.counts, LOWEST)) / self.n

    @property
    def values(self) -> tuple[int, ...]:
        """Every score that was given, in order."""
        return tuple(s for s, count in enumerate(self.counts, LOWEST) for _ in range(count))

    @property
    def cumulative(self) -> tuple[float, ...]:
        """The share at or below each score."""
        return tuple(float(each) / self.n for each in np.cumsum(self.counts))


@dataclass(frozen=True)
class RaterMap:
    """Spearman's rank correlation of every two raters, and how many trajectories both rated."""

    raters: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Duel:
    """How often the trajectories of one model were better than, equal to or worse than another's.

    The intervals are Wilson's at 95 %.
    """

    first: str
    second: str
    wins: int
    ties: int
    losses: int

    @property
    def n(self) -> int:
        return self.wins + self.ties + self.losses

    def share(self, count: int) -> tuple[float, float, float]:
        """A share with its interval."""
        return count / self.n, *wilson(count, self.n)


def latest_ratings(records: Iterable[Rating | Choice]) -> list[Rating]:
    """The last rating of each trajectory by each rater."""
    given = (each for each in records if isinstance(each, Rating))
    found = {(each.subject.trajectory, each.by, each.by_model): each for each in given}
    return list(found.values())


def latest_choices(records: Iterable[Rating | Choice]) -> list[Choice]:
    """The last choice between the same two trajectories by each rater."""
    given = (each for each in records if isinstance(each, Choice))
    found = {(both_of(each), each.by, each.by_model): each for each in given}
    return list(found.values())


def both_of(choice: Choice) -> frozenset[str]:
    """The two trajectories that were compared, whichever was the first."""
    return frozenset((choice.first.trajectory, choice.second.trajectory))


def model_names(records: Iterable[Rating | Choice]) -> dict[tuple[str, str], str]:
    """What to call each model: its name, with a hash where several have the same one."""
    models: set[tuple[str, str]] = set()
    for record in records:
        subjects = [record.subject] if isinstance(record, Rating) else [record.first, record.second]
        models |= {(each.model, each.model_sha256) for each in subjects}
    known = Counter(name for name, _ in models)
    hashes = {model: model[1][:SHORT_HASH] if known[model[0]] > 1 else "" for model in models}
    return {model: f"{model[0] or UNNAMED} {hashes[model]}".strip() for model in models}


def distributions(ratings: Sequence[Rating], score: Score) -> list[Distribution]:
    """How each model's trajectories were scored, by name; without such scores it is left out."""
    names = model_names(ratings)
    given: dict[str, list[int]] = defaultdict(list)
    for rating in ratings:
        value = getattr(rating, score)
        if value is not None:
            given[_name(rating.subject, names)].append(value)
    return [
        Distribution(name, tuple(np.bincount(values, minlength=HIGHEST + 1).tolist()))
        for name, values in sorted(given.items())
    ]


def rater_map(ratings: Sequence[Rating], score: Score) -> RaterMap:
    """The agreement of all raters; None where two have too few in common, or no spread."""
    scored: dict[str, dict[str, int]] = defaultdict(dict)
    for rating in ratings:
        value = getattr(rating, score)
        if value is not None:
            scored[rater_name(rating)][rating.subject.trajectory] = value
    names = sorted(scored)
    values: list[list[float | None]] = [[None] * len(names) for _ in names]
    counts = [[0] * len(names) for _ in names]
    for at, name in enumerate(names):
        values[at][at], counts[at][at] = 1.0, len(scored[name])
    for i, j in combinations(range(len(names)), 2):
        one, other = scored[names[i]], scored[names[j]]
        common = sorted(one.keys() & other.keys())
        rho = spearman([one[each] for each in common], [other[each] for each in common])
        values[i][j] = values[j][i] = rho
        counts[i][j] = counts[j][i] = len(common)
    return RaterMap(tuple(names), tuple(map(tuple, values)), tuple(map(tuple, counts)))


def duels_of_choices(choices: Sequence[Choice]) -> list[Duel]:
    """Wins, ties and losses of every two models, from choices between two trajectories."""
    names = model_names(choices)
    outcomes: Counter[tuple[str, str, int]] = Counter()
    for choice in choices:
        first, second = _name(choice.first, names), _name(choice.second, names)
        sign = {"first": 1, "tie": 0, "second": -1}[choice.preferred]
        _count(outcomes, first, second, sign)
    return _duels(outcomes)


def duels_of_scores(ratings: Sequence[Rating]) -> list[Duel]:
    """The same from scores: one rater's sums for two trajectories of one spectrum and task."""
    names = model_names(ratings)
    groups: dict[tuple[str, str, str], dict[str, int]] = defaultdict(dict)
    for rating in ratings:
        scores = [getattr(rating, name) for name in CRITERIA]
        if None not in scores and rating.subject.spectrum:
            about = rating.subject
            group = groups[about.spectrum, about.task, rater_name(rating)]
            group[_name(about, names)] = sum(scores)
    outcomes: Counter[tuple[str, str, int]] = Counter()
    for totals in groups.values():
        for one, other in combinations(sorted(totals), 2):
            _count(outcomes, one, other, int(np.sign(totals[one] - totals[other])))
    return _duels(outcomes)


def share_of_left(choices: Sequence[Choice]) -> tuple[int, int]:
    """How often the trajectory on the left was preferred, and of how many; a half is fair."""
    decided = [choice for choice in choices if choice.preferred != "tie"]
    return sum(choice.preferred == choice.left for choice in decided), len(decided)


def rater_name(record: Rating | Choice) -> str:
    """A rater's name; that of a model says so."""
    return f"{record.by}{MODEL_MARK}" if record.by_model else record.by


def _name(subject: Subject, names: Mapping[tuple[str, str], str]) -> str:
    return names[subject.model, subject.model_sha256]


def _count(outcomes: Counter[tuple[str, str, int]], one: str, other: str, sign: int) -> None:
    """Count an outcome under the names in their order; of one model nothing is learnt."""
    if one < other:
        outcomes[one, other, sign] += 1
    elif other < one:
        outcomes[other, one, -sign] += 1


def _duels(outcomes: Counter[tuple[str, str, int]]) -> list[Duel]:
    pairs = sorted({(one, other) for one, other, _ in outcomes})
    return [Duel(*pair, *(outcomes[(*pair, sign)] for sign in (1, 0, -1))) for pair in pairs]


def spearman(first: ArrayLike, second: ArrayLike) -> float | None:
    """Spearman's rank correlation; None for too few pairs or no spread."""
    from scipy.stats import rankdata

    a, b = rankdata(first), rankdata(second)
    if a.size < MIN_PAIRS or a.size != b.size:
        return None
    a, b = a - a.mean(), b - b.mean()
    spread = math.sqrt(float(a @ a) * float(b @ b))
    return None if spread == 0 else float(a @ b) / spread


def bradley_terry(wins: Wins) -> dict[str, float]:
    """Strengths that sum to 1; one is preferred to another with the probability a / (a + b)."""
    names = sorted({name for pair in wins for name in pair})
    if len(names) < 2:
        return dict.fromkeys(names, 1.0)
    beaten = np.array([[wins.get((one, other), 0.0) for other in names] for one in names])
    np.fill_diagonal(beaten, 0.0)
    beaten += PRIOR_WINS * (beaten + beaten.T > 0)
    met, won = beaten + beaten.T, beaten.sum(axis=1)
    strength = np.full(len(names), 1.0 / len(names))
    for _ in range(MAX_ITERATIONS):
        weight = (met / (strength[:, None] + strength[None, :])).sum(axis=1)
        new = np.where(weight > 0, won / np.maximum(weight, 1e-300), strength)
        new /= new.sum()
        if np.abs(new - strength).max() < TOLERANCE:
            break
        strength = new
    return dict(zip(names, strength.tolist(), strict=True))


def preference(wins: Wins) -> dict[str, Any]:
    """For each pair how often the first was preferred, with its interval, and all strengths."""
    pairs = []
    for first, second in combinations(sorted({name for pair in wins for name in pair}), 2):
        won, lost = wins.get((first, second), 0.0), wins.get((second, first), 0.0)
        n = round(won + lost)
        if not n:
            continue
        low, high = wilson(min(math.floor(won), n), n)
        rate = {"first": first, "second": second, "n": n, "rate": won / n}
        pairs.append({**rate, "interval": [low, max(high, wilson(min(math.ceil(won), n), n)[1])]})
    return {"pairs": pairs, "strengths": bradley_terry(wins)}

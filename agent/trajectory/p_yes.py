"""p(YES) from a model's log-probabilities at the verdict token, or from votes over several runs.

The raw value ranks candidates well. It is a trustworthy probability only after calibration
(`agent.confidence.calibration`).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.confidence.judged import ConfidenceError
from agent.protocol.reply import Verdict

# Servers round: a log-probability may lie slightly above 0
MOST = 0.01
CLOSEST = 1e-6
"""To 0 and 1: no answer of a model is so sure that nothing else could change it."""


@dataclass(frozen=True)
class Vote:
    """Result of one of several runs on the same spectrum.

    `p_yes` is None if the engine gives no log-probabilities, `verdict` if the run ended without.
    """

    verdict: Verdict | None = None
    p_yes: float | None = None

    def __post_init__(self) -> None:
        if self.p_yes is not None and not 0.0 <= self.p_yes <= 1.0:
            raise ConfidenceError(f"p(YES) must be from 0 to 1, but it is {self.p_yes}")


@dataclass(frozen=True)
class PooledRuns:
    """Mean p(YES) over runs and its standard deviation, which is None for fewer than two runs."""

    p_yes: float
    spread: float | None
    runs: int
    votes: int
    """Runs with a verdict but without p(YES)."""
    unanswered: int
    """Runs without a verdict; they count nowhere else."""


def p_from_logprobs(log_yes: float, log_no: float) -> float | None:
    """P(YES) / (P(YES) + P(NO)), ignoring all other tokens; None if it is undefined."""
    if not (-math.inf < max(log_yes, log_no) <= MOST and not math.isnan(log_yes + log_no)):
        return None
    log_odds = log_yes - log_no
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    return math.exp(log_odds) / (1.0 + math.exp(log_odds))


def p_yes_of(choices: Mapping[str, float] | None) -> float | None:
    """p(YES) from the log-probabilities of the words in the answer's box.

    Servers list only the most likely words. A missing word is assumed to have all the remaining
    probability, so that p(YES) errs towards one half.
    """
    if choices is None:
        return None
    yes, no = choices.get("YES"), choices.get("NO")
    if yes is not None and no is not None:
        return p_from_logprobs(yes, no)
    if yes is not None:
        return _probability(yes)
    if no is not None:
        p_no = _probability(no)
        return None if p_no is None else 1.0 - p_no
    return None


def p_from_votes(yes: int, votes: int) -> float:
    """p(YES) from verdicts alone, with half a vote added to each side: a single YES gives 0.75."""
    if not 0 <= yes <= votes:
        raise ConfidenceError(f"{yes} of {votes} votes is not a valid count")
    return (yes + 0.5) / (votes + 1.0)


def pool_runs(runs: Sequence[Vote]) -> PooledRuns | None:
    """Average p(YES) over runs; None if no run reached a verdict.

    Runs with a verdict but no log-probabilities enter together, through `p_from_votes`.
    """
    known = [run.p_yes for run in runs if run.p_yes is not None]
    votes = [run.verdict for run in runs if run.p_yes is None and run.verdict is not None]
    answered = len(known) + len(votes)
    if answered == 0:
        return None
    voted = p_from_votes(votes.count("YES"), len(votes))
    all_values = known + [float(vote == "YES") for vote in votes]
    return PooledRuns(
        p_yes=(math.fsum(known) + len(votes) * voted) / answered,
        spread=statistics.stdev(all_values) if answered > 1 else None,
        runs=answered,
        votes=len(votes),
        unanswered=len(runs) - answered,
    )


def _probability(log_p: float) -> float | None:
    if not -math.inf < log_p <= MOST:  # also if it is NaN
        return None
    return math.exp(min(log_p, 0.0))


def probability_text(p: float) -> str:
    """Format a probability, never as 0 or 1."""
    if p < 0.005:
        return "< 0.01"
    return "> 0.99" if p > 0.995 else f"{p:.2f}"


def combined_p(p_yes: float | None, log_odds: float | None) -> float | None:
    """`p_yes` moved by log-odds in nats; unchanged by None, and None without a `p_yes`.

    Not calibrated, whatever `p_yes` is.
    """
    if p_yes is None or log_odds is None:
        return p_yes
    bounded = min(max(p_yes, CLOSEST), 1.0 - CLOSEST)
    total = math.log(bounded / (1.0 - bounded)) + log_odds
    return 1.0 / (1.0 + math.exp(-total))

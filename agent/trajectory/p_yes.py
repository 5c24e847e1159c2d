"""p(YES): how much likelier an inspector finds YES than NO where its verdict stands.

The number ranks candidates well. As a probability it is only to be believed after calibration on
candidates that people judged.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.confidence.judged import ConfidenceError
from agent.protocol.reply import Verdict


@dataclass(frozen=True)
class Vote:
    """One inspection out of several of the same spectrum. `p_yes` is None where the engine does
    not tell log-probabilities, `verdict` where the run came to none."""

    verdict: Verdict | None = None
    p_yes: float | None = None

    def __post_init__(self) -> None:
        if self.p_yes is not None and not 0.0 <= self.p_yes <= 1.0:
            raise ConfidenceError(f"a p(YES) of {self.p_yes} is no probability")


@dataclass(frozen=True)
class Pooled:
    """The runs as one. `spread` is the standard deviation of their p(YES): above about 0.2 the
    inspector changes its mind from run to run. None for fewer than two runs."""

    p_yes: float
    spread: float | None
    runs: int
    votes: int
    """Runs that only had a verdict to give."""
    unanswered: int
    """Runs that came to no verdict; they are in no other figure."""


def p_from_logprobs(log_yes: float, log_no: float) -> float | None:
    """YES against NO, whatever else could have stood there; None where neither can be read."""
    if math.isnan(log_yes) or math.isnan(log_no) or max(log_yes, log_no) in (math.inf, -math.inf):
        return None
    ahead = log_yes - log_no
    if ahead >= 0:
        return 1.0 / (1.0 + math.exp(-ahead))
    return math.exp(ahead) / (1.0 + math.exp(ahead))


def p_yes_of(choices: Mapping[str, float] | None) -> float | None:
    """p(YES) from the log-probabilities at the box.

    Servers list only the likeliest words. A word that is missing is given all the probability
    that its rival left, so that p(YES) errs towards one half.
    """
    if choices is None:
        return None
    yes, no = choices.get("YES"), choices.get("NO")
    if yes is not None and no is not None:
        return p_from_logprobs(yes, no)
    if yes is not None:
        return _share(yes)
    if no is not None:
        share = _share(no)
        return None if share is None else 1.0 - share
    return None


def p_from_votes(yes: int, votes: int) -> float:
    """p(YES) from verdicts alone, with half a vote added to each side: one YES alone is 0.75."""
    if not 0 <= yes <= votes:
        raise ConfidenceError(f"{yes} of {votes} votes cannot be")
    return (yes + 0.5) / (votes + 1.0)


def pool_runs(runs: Sequence[Vote]) -> Pooled | None:
    """The mean of p(YES) over runs; None where no run came to a verdict.

    Runs with a verdict and no log-probabilities count together as what their votes are worth.
    """
    read = [run.p_yes for run in runs if run.p_yes is not None]
    votes = [run.verdict for run in runs if run.p_yes is None and run.verdict is not None]
    answered = len(read) + len(votes)
    if answered == 0:
        return None
    voted = p_from_votes(votes.count("YES"), len(votes))
    spoken = read + [float(vote == "YES") for vote in votes]
    return Pooled(
        p_yes=(math.fsum(read) + len(votes) * voted) / answered,
        spread=statistics.stdev(spoken) if answered > 1 else None,
        runs=answered,
        votes=len(votes),
        unanswered=len(runs) - answered,
    )


def _share(log_p: float) -> float | None:
    """The share of a word alone; a little above 1 is a server's rounding."""
    if math.isnan(log_p) or log_p > 0.01:
        return None
    return math.exp(min(log_p, 0.0))

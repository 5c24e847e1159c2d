"""p(YES) from a model's log-probabilities at the verdict token, or from votes over several runs.

The raw value ranks candidates well. It is a trustworthy probability only after calibration
(`agent.confidence.calibration`).
"""

import math
from collections.abc import Mapping, Sequence

from agent.protocol.reply import Verdict

# Servers round: a log-probability may lie slightly above 0
MOST = 0.01
CLOSEST = 1e-6  # To 0 and 1: no answer of a model is so sure that nothing else could change it.


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
    return (yes + 0.5) / (votes + 1.0)


def pool_runs(runs: Sequence[tuple[Verdict | None, float | None]]) -> float | None:
    """Mean p(YES) over runs on one spectrum, each given as verdict and p(YES).

    Runs with a verdict but no log-probabilities enter together, through `p_from_votes`; those
    without a verdict do not count, and None means that there is no other.
    """
    known = [p_yes for _, p_yes in runs if p_yes is not None]
    votes = [verdict for verdict, p_yes in runs if p_yes is None and verdict is not None]
    if not known and not votes:
        return None
    voted = p_from_votes(votes.count("YES"), len(votes))
    return (math.fsum(known) + len(votes) * voted) / (len(known) + len(votes))


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

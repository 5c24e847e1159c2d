"""The p(YES) of a spectrum together with evidence from elsewhere."""

from __future__ import annotations

import math

CLOSEST = 1e-6
"""To 0 and 1: no answer of a model is so sure that nothing else could change it."""


def combined_p(p_yes: float | None, log_odds: float | None) -> float | None:
    """`p_yes` moved by log-odds in nats; unchanged by None, and None without a `p_yes`.

    Not calibrated, whatever `p_yes` is.
    """
    if p_yes is None or log_odds is None:
        return p_yes
    bounded = min(max(p_yes, CLOSEST), 1.0 - CLOSEST)
    total = math.log(bounded / (1.0 - bounded)) + log_odds
    return 1.0 / (1.0 + math.exp(-total))

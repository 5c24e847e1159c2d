"""Studies that strangers sent: followed, reported and merged, or refused in one sentence."""

import sys
from collections import Counter

import pytest

from tests.attacks.sandbox import Sandbox
from tests.attacks.sessions.studies import make
from tests.night import BY_NIGHT, seeds

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="cases are forked"),
    pytest.mark.timeout(900),  # a hundred sessions, each with readings of three people
]
COUNT = 100 if BY_NIGHT else 12


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=20))
def test_spoilt_studies(tmp_path, batch):
    """By night 2,000 plans and readings."""
    make(tmp_path)
    kinds: Counter[bool] = Counter()
    with Sandbox("tests.attacks.sessions.studies:attack") as sandbox:
        for seed in range(batch * COUNT, (batch + 1) * COUNT):
            outcome = sandbox.run(seed, str(tmp_path), str(tmp_path / f"{seed}"))
            assert (outcome.error, outcome.status) == ("", 0), (seed, outcome.value, outcome.output)
            assert "Traceback" not in outcome.output, (seed, outcome.output)
            assert outcome.peak_mb <= 600
            kinds[any(outcome.value["told"])] += 1
    assert min(kinds[True], kinds[False]) > COUNT // 12

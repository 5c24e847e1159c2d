"""Studies that strangers sent: followed, reported and merged, or refused in one sentence."""

import sys

import pytest

from tests.attacks.sandbox import read_or_refused
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
    read_or_refused("tests.attacks.sessions.studies:attack", tmp_path, tmp_path, batch, COUNT)

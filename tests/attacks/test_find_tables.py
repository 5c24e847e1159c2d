"""Tables of a search and HATS catalogues that were damaged or edited: read, or refused."""

import sys
from collections import Counter

import pytest

from tests.app.core.finding.conftest import found, survey
from tests.attacks.lists.hats import make
from tests.attacks.sandbox import Sandbox
from tests.night import BY_NIGHT, seeds

__all__ = ["found", "survey"]

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="cases are forked"),
    pytest.mark.timeout(900),
]
COUNT = 100 if BY_NIGHT else 8


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=20))
def test_spoilt_tables(found, tmp_path, batch):
    """By night 2,000 tables, each shown by the command, to an assistant and in the window."""
    read_or_refused("find_tables", found.folder, tmp_path, batch)


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=10))
def test_spoilt_lists_of_a_hats_catalogue(tmp_path, batch):
    """By night 1,000."""
    make(tmp_path / "made")
    read_or_refused("hats", tmp_path / "made", tmp_path, batch)


def read_or_refused(module, made, tmp_path, batch):
    kinds: Counter[bool] = Counter()
    with Sandbox(f"tests.attacks.lists.{module}:attack") as sandbox:
        for seed in range(batch * COUNT, (batch + 1) * COUNT):
            outcome = sandbox.run(seed, str(made), str(tmp_path / f"{seed}"))
            assert (outcome.error, outcome.status) == ("", 0), (seed, outcome.value, outcome.output)
            assert "Traceback" not in outcome.output, (seed, outcome.output)
            assert outcome.peak_mb <= 600
            kinds[any(outcome.value["told"])] += 1
    assert min(kinds[True], kinds[False]) > COUNT // 12

"""Tables of a search and HATS catalogues that were damaged or edited: read, or refused."""

import sys

import pytest

from tests.app.core.finding.conftest import found, survey
from tests.attacks.lists.hats import make
from tests.attacks.sandbox import read_or_refused
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
    read_or_refused("tests.attacks.lists.find_tables:attack", found.folder, tmp_path, batch, COUNT)


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=10))
def test_spoilt_lists_of_a_hats_catalogue(tmp_path, batch):
    """By night 1,000."""
    make(tmp_path / "made")
    read_or_refused("tests.attacks.lists.hats:attack", tmp_path / "made", tmp_path, batch, COUNT)

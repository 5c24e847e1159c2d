from __future__ import annotations

from itertools import chain

import pytest

from app.core.errors import SessionError
from app.core.inspections.share import Share
from app.core.inspections.store import add_inspection, count_pending, pending_candidates
from tests.app.core.inspected import NANO, said
from tests.app.core.sessions import made


def test_a_share_is_read():
    assert Share.parse("2/4") == Share(2, 4)
    assert Share.parse(" 1/1 ") == Share(1, 1)


@pytest.mark.parametrize("text", ["", "0/4", "5/4", "2", "2/0", "-1/4", "1/99999", "a/b", "٢/٤"])
def test_what_is_no_share_is_refused(text):
    with pytest.raises(SessionError, match="no share: write 2/4"):
        Share.parse(text)


def test_each_candidate_is_pending_in_one_share(tmp_path):
    with made(tmp_path / "night.speco3", 120) as session:
        add_inspection(session, 8, said(number=8))
        shares = [Share(part, 7) for part in range(1, 8)]
        found = [[c.id for c in pending_candidates(session, NANO, share=each)] for each in shares]
        assert all(some == sorted(some) for some in found)
        assert sorted(chain(*found)) == [n for n in range(1, 121) if n != 8]
        counts = [count_pending(session, NANO, share=each) for each in shares]
        assert counts == [len(some) for some in found]
        assert len(list(pending_candidates(session, NANO, 3, share=shares[2]))) == 3


def test_nothing_of_other_shares_is_read(tmp_path, monkeypatch):
    with made(tmp_path / "night.speco3", 200) as session:
        read, candidates = [], session.candidates
        monkeypatch.setattr(
            session, "candidates", lambda numbers: read.extend(numbers) or candidates(numbers)
        )
        found = [each.id for each in pending_candidates(session, NANO, share=Share(1, 100))]
        assert found == read == [100, 200]

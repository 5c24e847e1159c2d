"""Opinions are checked before they are stored."""

from __future__ import annotations

import pytest

from app.core.errors import SessionError
from app.core.session.records import Opinion
from tests.app.core.sessions import made


@pytest.mark.parametrize(
    "opinion",
    [
        Opinion(confidence=5),
        Opinion(confidence=-1),
        Opinion(comment="x" * 10_001),
        Opinion(comment="a\0b"),
        Opinion(flags=("",)),
        Opinion(flags=("a",) * 33),
    ],
)
def test_opinions_that_cannot_be_kept(location, opinion):
    with made(location) as session:
        with pytest.raises(SessionError):
            session.record_verdict(1, opinion)
        assert list(session.history()) == []

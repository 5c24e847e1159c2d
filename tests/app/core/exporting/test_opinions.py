"""Whose verdicts a catalogue contains."""

from __future__ import annotations

import pytest

from app.core.errors import SessionError
from app.core.exporting import export
from app.core.statistics.adjudication import set_adjudicator
from tests.app.core.exporting.catalogues import people, read_back


def test_whose_verdict_it_is(session_path):
    out = session_path.with_suffix(".ecsv")
    with people(session_path) as session:
        assert export(session, out, which="all").rows == 5
        found = read_back(out)
        assert found["verdict"] == ["ACCEPT", None, "REJECT", None, None]
        assert found["reviewer"] == ["Ada;Ben", "Ada;Ben", "Ada", "Ada", None]
        assert found["flags"] == [None, "disagreement", "a%3Bb%25;c", None, None]
        assert found["comment"] == ["Ada: clear", None, None, "later", None]
        assert found["seconds_spent"] == [5.0, 1.0, 5.0, None, None]
        # the flags came after the agent had spoken, the verdict before
        assert found["agent_seen_before"] == [False, True, False, False, False]
        assert [bool(at) for at in found["decided_at"]] == [True, False, True, False, False]
        assert export(session, out, which="judged").rows == 3
        assert read_back(out)["object_id"] == ["J000001", "J000002", "J000003"]
        assert export(session, out, which="accepted").rows == 1
        assert export(session, out, which="accepted", reviewer="Ada").rows == 2
        assert read_back(out)["reviewer"] == ["Ada", "Ada"]
        assert export(session, out, reviewer="Ben").rows == 2
        assert read_back(out)["verdict"] == ["ACCEPT", "REJECT"]
        set_adjudicator(session, "Ben")
        assert export(session, out, which="judged").rows == 3
        assert read_back(out)["verdict"] == ["ACCEPT", "REJECT", "REJECT"]
        with pytest.raises(SessionError, match=r"no reviewer Cy.*Ada, Ben"):
            export(session, out, reviewer="Cy")

"""Tables about people are printed where there is something to tell."""

from __future__ import annotations

from agent.confidence.scores import Estimate
from app.cli.team.people_tables import hour_text, people_tables, seconds_text, share_text
from app.core.session.records import Opinion, Verdict
from app.core.statistics.summary import statistics
from tests.app.core.sessions import made


def test_only_what_is_known_is_printed(tmp_path):
    with made(tmp_path / "a.speco3", 10) as session:
        assert list(people_tables(statistics(session))) == []
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT), seconds=3.0)
        heads = [head for head, _ in people_tables(statistics(session))]
        assert [head[1] for head in heads] == ["assigned", "hour"]
        session.record_verdict(2, Opinion(verdict=Verdict.REJECT, confidence=2), seconds=5.0)
        tables = dict(people_tables(statistics(session)))
        (confidences,) = (rows for head, rows in tables.items() if head[1] == "confidence")
        assert [row[:3] for row in confidences] == [("Ada", "2", "1"), ("Ada", "–", "1")]
        left = next(iter(tables.values()))
        assert left[0][:4] == ("Ada", "–", "8", "0")


def test_words_of_figures():
    assert share_text(Estimate(0.5, 0.25, 0.75)) == "50 % (25 % to 75 %)"
    assert share_text(Estimate(None, 0.0, 1.0)) == seconds_text(None) == hour_text("x") == "–"
    assert seconds_text(2.345) == "2.3"
    assert hour_text("2026-01-01T22").endswith(":00")

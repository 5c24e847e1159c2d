"""What is said of a model's p(YES)."""

from __future__ import annotations

from tests.app.core.judged_sessions import A, R, inspect, say
from tests.app.core.report.reading import written
from tests.app.core.sessions import made


def test_not_calibrated_is_said_plainly(location, tmp_path):
    with made(location, 9) as session:
        inspect(session, "nano", {1: ("YES", 0.9), 2: ("NO", 0.1), 3: ("NO", 0.2)})
        say(session, "Ada", {1: A, 2: R})
        text = written(session, tmp_path / "report.html").text()
    assert "Not calibrated: p(YES) ranks candidates but is not a probability." in text
    assert "18 more verdicts, among them at least 4 more ACCEPT and 4 more REJECT" in text
    assert "Its p(YES) is not calibrated." in text
    assert "No cut for a precision of 90\u00a0% yet" in text

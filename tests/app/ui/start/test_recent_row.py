"""One row of the recent sessions."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from PySide6.QtCore import Qt

from app.ui.start.recent import RecentSession
from app.ui.start.recent_row import RecentRow, short_date, short_folder
from app.ui.theme.theme import CurrentTheme


def test_what_a_row_says_of_its_session(qtbot):
    row = RecentRow(RecentSession(location="/data/night.speco3"), CurrentTheme())
    qtbot.addWidget(row)
    assert row.state_text() == ""
    row.show_session(RecentSession(location="/data/night.speco3", task="CV", done=3, total=1200))
    assert row.accessibleName() == "night, 3 of 1,200 judged"
    row.show_session(RecentSession(location="/data/night.speco3", problem="not a session"))
    assert (row.state_text(), row.toolTip()) == ("cannot be opened", "not a session")
    row.show_session(RecentSession(location="postgresql://host/night"))
    assert row.state_text() == "team database"


def test_only_a_session_that_exists_opens(qtbot):
    row = RecentRow(RecentSession(location="/data/night.speco3"), CurrentTheme())
    qtbot.addWidget(row)
    row.show()
    with qtbot.waitSignal(row.opened) as signal:
        qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    assert signal.args == ["/data/night.speco3"]
    row.show_session(RecentSession(location="/data/night.speco3", exists=False))
    with qtbot.assertNotEmitted(row.opened):
        qtbot.mouseClick(row, Qt.MouseButton.LeftButton)


def test_folders_and_dates_are_short():
    beside = str(Path.home() / "lists" / "night.speco3")
    assert short_folder(RecentSession(location=beside)) == "~/lists"
    assert short_folder(RecentSession(location="/data/night.speco3")) == "/data"
    now = datetime.now()
    assert ":" in short_date(now)
    assert ":" not in short_date(now - timedelta(days=40))

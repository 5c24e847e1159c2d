"""`spec-o3 assign`: shares a list out, and writes a file for each person."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from app.cli.main import workbench
from app.core.session.assignments import parts
from app.core.session.records import Verdict
from app.core.session.session import open_session
from app.core.sharing.share_plan import plan_of
from tests.app.cli.commands import fails, run
from tests.app.core.judged_sessions import say
from tests.app.core.sessions import made


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "night.speco3"
    made(place, 20).close()
    return place


def test_it_says_who_got_what(place, tmp_path):
    told = run("assign", place, "--to", "ada, grace", "--overlap", 20, "--second-when", "snr<5")
    assert "ada: 12 candidates (12 new), 0 judged, 12 left" in told
    assert "grace: 12 candidates (12 new), 0 judged, 12 left" in told
    assert "4 candidates given to two people" in told
    with open_session(place, "ada") as session:
        plan = plan_of(session)
        assert (plan.people, plan.overlap, plan.second_when) == (("ada", "grace"), 20.0, "snr<5")
        say(session, "ada", dict.fromkeys(range(1, 21), Verdict.REJECT))
    told = run("assign", place, "--to", "li", "--anew")
    assert "12 taken back" in told  # Grace's, as Ada has judged hers
    assert "8 left out: others have judged them already" in told
    told = run("assign", place, "--split", tmp_path)
    assert f"{tmp_path / 'night-li.speco3'}: 0 candidates for li" in told


def test_files_come_back_by_merge_and_stats_tells_of_each(place, tmp_path):
    run(
        "assign", place, "--to", "ada,grace", "--second-when", "verdict:unsure", "--split", tmp_path
    )
    with open_session(tmp_path / "night-ada.speco3", "ada") as part:
        with part.database.reading() as connection:
            mine = connection.exec_driver_sql("SELECT id FROM candidates").scalars().all()
        say(part, "ada", dict.fromkeys(mine, Verdict.UNSURE))
    told = run("merge", place, tmp_path / "night-ada.speco3")
    assert "10 second opinions asked for by the rule" in told
    told = run("stats", place)
    assert "second left" in told
    with open_session(place, "ada") as session:
        assert [(each.assigned, each.left) for each in parts(session)] == [(10, 0), (20, 20)]


def test_what_is_missing_is_told(place):
    assert "not shared out yet" in fails("assign", place)
    for words in (["--overlap", "5"], ["--to", "ada", "--pack"]):
        result = CliRunner().invoke(workbench(), ["assign", str(place), *words])
        assert result.exit_code == 2
    assert "at least two people" in fails("assign", place, "--to", "ada", "--overlap", 5)

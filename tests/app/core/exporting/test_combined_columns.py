"""What catalogues weigh, in a catalogue: beside p(YES), with units, UCD and words on each claim."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from app.core.database.tables import candidates
from app.core.evidence.store import save
from app.core.exporting import export
from app.core.exporting.columns import read_layout
from app.services.catalogues.answer import Match, answer_of, failed
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from tests.app.core.exporting.catalogues import listed, read_back, read_csv

VSX = all_services()["vsx"]
HERE = Position(ra=10.0, dec=41.0)
NAMES = ("p_combined", "catalogue_log_odds", "catalogue_claims")


@pytest.fixture
def session(session_path):
    with listed(session_path, [{"ra": 10.0, "dec": 41.0}, {}, {}]) as made:
        with made.database.writing() as connection:
            connection.execute(update(candidates).values(agent_p_yes=0.5, p_combined=0.5))
        yield made


def found(session):
    save(session, 1, VSX, answer_of([Match(values={"type": "UGSU"}, separation_arcsec=0.1)]), None,
         HERE)  # fmt: skip
    save(session, 2, VSX, failed("busy"), None, HERE)


@pytest.mark.parametrize("suffix", ["csv", "fits"])
def test_they_stand_beside_the_agents_own(session, tmp_path, suffix):
    found(session)
    out = tmp_path / f"out.{suffix}"
    export(session, out, which="all")
    table = read_csv(out) if suffix == "csv" else read_back(out)
    assert [float(each) for each in table["agent_p_yes"]] == [0.5, 0.5, 0.5]
    combined = [round(float(each), 3) for each in table["p_combined"]]
    assert combined == [0.818, 0.5, 0.5]
    odds = ["" if each is None else str(each) for each in table["catalogue_log_odds"]]
    assert odds[0] == "1.5" and set(odds[1:]) <= {"", "nan", "--"}
    claims = [str(each) for each in table["catalogue_claims"]]
    assert "vsx_type +1.50" in claims[0] and "blue not asked" in claims[0]
    assert "vsx_type failed" in claims[1] and "vsx_type not asked" in claims[2]


def test_they_have_ucd_and_words_and_are_hidden_with_the_agents_opinion(session, tmp_path):
    with session.database.reading() as connection:
        assert read_layout(connection, session.task).weighed is None  # nobody was asked
    found(session)
    with session.database.reading() as connection:
        layout = read_layout(connection, session.task)
        assert read_layout(connection).weighed is None
    columns = {column.name: column for column in layout.columns}
    assert columns["p_combined"].ucd == "stat.probability"
    assert "not calibrated" in columns["p_combined"].description
    hidden = {layout.columns[index].name for index in layout.giving_class_away}
    assert hidden >= {*NAMES, "agent_p_yes", "vsx_type"}
    report = export(session, tmp_path / "blind.csv", which="all", without_agent=True)
    assert not set(NAMES) & set(report.columns)

"""One file for each person: their part and nothing of others; merged, it is the whole again."""

import pytest

from app.core.database.tables import metadata
from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing.merge import merge
from app.core.sharing.parts import OF_CANDIDATES, OF_PEOPLE, split
from app.core.sharing.share_out import SharePlan, share_out
from app.core.spectra.packing import packed_spectrum
from app.core.statistics.summary import statistics
from tests.app.core.sessions import made
from tests.app.core.sharing.hidden import LIST, hide, known
from tests.app.core.sharing.merged_sessions import check, verdicts
from tests.app.core.sharing.test_share_out import seconds
from tests.app.ui.candidates import sample_file

PLAN = SharePlan(people=("Ada", "Grace"), overlap=20.0, second_when="confidence<=2")


@pytest.fixture
def whole(tmp_path):
    with open_session(sample_file(tmp_path, LIST), "Ada") as session:
        hide(session)
        share_out(session, PLAN)
        yield session


def judge_all(path, name, confidence=4):
    """Accept what is known to be a member or has an even number, by that person."""
    with open_session(path, name) as part:
        answers = known(part)
        with part.database.reading() as connection:
            numbers = connection.exec_driver_sql("SELECT id FROM candidates").scalars().all()
        for number in numbers:
            is_member = answers[number].is_member if number in answers else number % 2 == 0
            verdict = Verdict.ACCEPT if is_member else Verdict.REJECT
            part.record_verdict(number, Opinion(verdict=verdict, confidence=confidence))
        check(part)
        return len(numbers)


def test_parts_are_judged_apart_and_merged_to_the_whole(whole, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    whole.record_verdict(1, Opinion(verdict=Verdict.UNSURE, comment="not for Grace to see"))
    written = {each.reviewer: each for each in split(whole, folder)}
    found = sorted(each.name for each in folder.iterdir())
    assert found == [f"{whole.name}-Ada.speco3", f"{whole.name}-Grace.speco3"]
    assert sum(each.candidates for each in written.values()) == LIST + 5 + 5
    assert b"not for Grace" not in written["Grace"].path.read_bytes()
    assert b"not for Grace" in written["Ada"].path.read_bytes()
    for name, each in written.items():
        assert judge_all(each.path, name, 1 if name == "Grace" else 4) >= each.candidates
    for each in written.values():
        with open_session(each.path, "Ada", read_only=True) as part:
            report = merge(whole, part)
            assert (report.candidates, report.known_answers) == (0, 0)
    check(whole)
    numbers = {number for number, _ in verdicts(whole)}
    assert len(numbers) == LIST + 5
    assert len(known(whole)) == 5
    figures = statistics(whole)
    assert sum(each.left for each in figures.working) == len(seconds(whole)) > 0
    assert figures.counts.candidates == figures.counts.judged == LIST
    assert {each.reviewer for each in figures.known} == {"Ada", "Grace"}
    assert all(each.completeness.value == each.purity.value == 1.0 for each in figures.known)


def test_second_opinions_come_with_the_next_parts(whole, tmp_path):
    (tmp_path / "first").mkdir()
    parts = {each.reviewer: each for each in split(whole, tmp_path / "first")}
    judge_all(parts["Grace"].path, "Grace", confidence=0)
    with open_session(parts["Grace"].path, "Ada", read_only=True) as part:
        asked = merge(whole, part).second_opinions
    assert asked == len(seconds(whole)) > 0
    (tmp_path / "second").mkdir()
    again = {each.reviewer: each for each in split(whole, tmp_path / "second")}
    assert again["Ada"].candidates == parts["Ada"].candidates + asked
    with open_session(again["Ada"].path, "Ada", read_only=True) as part:
        assert verdicts(part) == {}


def test_spectra_go_into_the_files(whole, tmp_path):
    (tmp_path / "parts").mkdir()
    for each in split(whole, tmp_path / "parts", with_spectra=True):
        with open_session(each.path, each.reviewer, read_only=True) as part:
            with part.database.reading() as connection:
                numbers = connection.exec_driver_sql("SELECT id FROM candidates").scalars().all()
            assert all(packed_spectrum(part, number) is not None for number in numbers)


def test_a_file_is_never_replaced_and_there_must_be_a_plan(whole, tmp_path):
    (tmp_path / "parts").mkdir()
    split(whole, tmp_path / "parts")
    with pytest.raises(SessionError, match="already exists"):
        split(whole, tmp_path / "parts")
    with pytest.raises(SessionError, match="not an existing folder"):
        split(whole, tmp_path / "none")
    with (
        made(tmp_path / "other.speco3") as session,
        pytest.raises(SessionError, match="not shared out yet"),
    ):
        split(session, tmp_path)
    share_out(whole, SharePlan(people=("A b", "A/b")))
    with pytest.raises(SessionError, match="the same file name"):
        split(whole, tmp_path)


def test_every_table_about_people_or_candidates_is_thought_of():
    """Nothing of others may stay in a part."""
    tables = metadata.tables.values()
    people = {table.name for table in tables if "reviewer_id" in table.c}
    about = {table.name for table in tables if "candidate_id" in table.c} - people
    assert people == {table.name for table in OF_PEOPLE} | {"log"}
    assert about == {table.name for table in OF_CANDIDATES}


def test_a_server_has_nothing_to_split(team_location, tmp_path):
    pytest.importorskip("psycopg")
    with made(team_location) as session:
        share_out(session, PLAN)
        with pytest.raises(SessionError, match="work together on a server"):
            split(session, tmp_path)

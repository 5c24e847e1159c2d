"""Known answers are mixed into the list, and nothing tells them from the others."""

import random

import pytest
from sqlalchemy import select, update

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates, metadata
from app.core.errors import SessionError
from app.core.importing.importer import import_list
from app.core.inspections.store import add_inspection, inspections_of
from app.core.session.known_answers import known_answer_of
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session, open_session
from app.core.sharing.known.hide import (
    FRESH,
    KEEPS,
    MOVES,
    Style,
    altered,
    beside,
    hide_known,
    pattern,
    varied,
)
from app.core.sharing.known.labelled_list import read_labelled
from app.core.sharing.share_out import SharePlan, share_out
from app.core.spectra.packing import read_spectrum
from tests.app.core.database.postgres import name_of
from tests.app.core.importing.lists import listed, text_of
from tests.app.core.inspected import NANO, said
from tests.app.core.session.test_rebuild import derived, rebuilt
from tests.app.core.sharing.hidden import LIST, hide, known, labelled
from tests.app.ui.candidates import SAMPLE, sample_file, sample_list


@pytest.fixture
def session(tmp_path):
    with open_session(sample_file(tmp_path, LIST), "Ada") as opened:
        yield opened


def contents(session):
    """All that the window shows of each candidate, without its id."""
    return {
        (each.object_id, each.path, each.row, each.line, str(dict(each.own)))
        for each in session.candidates(range(1, session.count() + 1))
    }


def test_the_rate_is_of_what_a_person_sees_and_half_are_members(session):
    before = contents(session)
    report = hide_known(session, labelled(), 20.0, 1)
    assert (report.wanted, report.hidden, report.unreadable) == (5, 5, 0)
    assert (report.members, report.others, report.simulated) == (3, 2, 5)
    assert session.count() == LIST + 5 and before < contents(session)


def test_places_are_drawn_and_the_displaced_keep_what_is_known_of_them(session):
    for number in range(1, LIST + 1):
        add_inspection(session, number, said("YES", 0.1 + number / 50, model=NANO, number=number))
    odds = {"catalogue_log_odds": 2.0, "p_combined": 0.9}
    with session.database.writing() as connection:
        connection.execute(update(candidates).values(odds))
    names = {n: session.candidate(n).object_id for n in range(1, LIST + 1)}
    p_yes = {session.candidate(n).object_id: session.candidate(n).agent_p_yes for n in names}
    places = set(hide(session))
    assert min(places) <= LIST // 2 and not places & set(range(LIST + 1, LIST + 6))
    for number in range(LIST + 1, LIST + 6):
        moved = session.candidate(number)
        assert moved.agent_p_yes == p_yes[moved.object_id]
        assert len(inspections_of(session, number)) == 1
        assert (moved.catalogue_log_odds, moved.p_combined) == (2.0, 0.9)
    for hidden in map(session.candidate, places):
        assert (hidden.agent_p_yes, hidden.p_combined, hidden.catalogue_log_odds) == (None,) * 3


def test_the_same_seed_hides_the_same_at_the_same_places(tmp_path):
    found = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        (tmp_path / name).mkdir()
        with open_session(sample_file(tmp_path / name, LIST), "Ada") as session:
            hide(session, seed=seed)
            found.append(known(session))
    assert found[0] == found[1] != found[2]


def test_a_hidden_candidate_looks_like_any_other(session):
    patterns = {pattern(each.object_id) for each in session.candidates(range(1, LIST + 1))}
    folders = {each.path.rpartition("/")[0] for each in session.candidates(range(1, LIST + 1))}
    keys = set(session.candidate(1).own)
    for number, answer in hide(session).items():
        candidate = session.candidate(number)
        assert pattern(candidate.object_id) in patterns
        assert candidate.path.rpartition("/")[0] in folders
        assert set(candidate.own) == keys and candidate.ra is not None
        assert candidate.snr is not None
        spectrum = read_spectrum(session, candidate)
        assert spectrum.path == candidate.path
        assert answer.source.partition(":")[0] == candidate.path.rpartition("/")[2]
        assert (spectrum.ra is None) == (twin(session, candidate).ra is None)
        assert spectrum.warnings == ()


def twin(session, candidate):
    """The spectrum of an ordinary candidate of the same survey."""
    hidden = known(session)
    others = (each for each in range(1, session.count() + 1) if each not in hidden)
    spectra = (read_spectrum(session, session.candidate(number)) for number in others)
    return next(each for each in spectra if each.survey == candidate.own["survey"])


def test_what_somebody_has_touched_stays_where_it_is(session):
    for number in range(1, 16):
        session.record_verdict(number, Opinion(verdict=Verdict.REJECT))
    names = {number: session.candidate(number).object_id for number in range(1, 16)}
    assert set(hide(session, rate=40.0)) <= set(range(16, LIST + 1))
    assert names == {number: session.candidate(number).object_id for number in range(1, 16)}
    assert rebuilt(session) == derived(session)


def test_twice_hides_others(session):
    first = hide(session)
    second = hide(session, seed=2)
    assert first.items() <= second.items()
    assert len({each.source for each in second.values()}) == len(second) > len(first)


def test_what_was_hidden_later_is_shared_out_as_the_rest(session):
    share_out(session, SharePlan(people=("Ada", "Grace")))
    hide(session)
    with session.database.reading() as connection:
        rows = connection.exec_driver_sql("SELECT candidate_id FROM assignments").all()
    assert sorted(row[0] for row in rows) == list(range(1, LIST + 6))


def test_every_table_about_candidates_and_column_of_theirs_is_thought_of():
    """A new table moves with its candidate, or holds it in its place."""
    about = {name for name, table in metadata.tables.items() if "candidate_id" in table.c}
    moving, keeping = ({table.name for table in some} for some in (MOVES, KEEPS))
    # A judgement is derived from the log.
    assert about == moving | keeping | {"judgements", "known_answers"}
    of_its_own = {"object_id", "path", "row", "ra", "dec", "score", "label", "snr", "own"}
    of_the_place = {"id", "list_id", "line"}
    assert set(candidates.c.keys()) == FRESH.keys() | of_its_own | of_the_place


def test_faults_are_told(session):
    for rate in (0.0, 60.0):
        with pytest.raises(SessionError, match="the rate is above 0 and at most 50"):
            hide_known(session, labelled(), rate)
    with pytest.raises(SessionError, match="nothing was hidden"):
        hide_known(session, [], 5.0)
    assert session.count() == LIST and known_answer_of(session, 1) is None


def test_on_a_server_only_when_nobody_else_has_it_open(team_location, cluster):
    psycopg = pytest.importorskip("psycopg")
    with new_session(team_location, find_task("CV"), "Ada") as session:
        import_list(session, sample_list(LIST), spectra=SAMPLE)
        url = cluster.url(name_of(team_location)) + "&application_name=spec-o3%20other"
        with (
            psycopg.connect(url),
            pytest.raises(SessionError, match="somebody has this session open"),
        ):
            hide(session)
        assert len(hide(session)) == 5
        there = session.database.scalars(select(candidates.c.id))
        assert sorted(there) == list(range(1, LIST + 6))


# Names and values that look like a neighbour's.
@pytest.mark.parametrize(("text", "digits"), [
    ("J012345.67+012345.6", 2), ("spec-0001-55555-0123.fits.gz", 3), ("obs 100417", 4),
])  # fmt: skip
def test_only_the_last_digits_change(text, digits):
    draw = random.Random(1)
    made = {varied(text, draw, digits) for _ in range(50)}
    assert len(made) > 20 and {pattern(each) for each in made} == {pattern(text)}
    head = text[
        : min(index for index, _ in enumerate(text) if _digits_after(text, index) == digits)
    ]
    assert all(each.startswith(head) for each in made)


def _digits_after(text, index):
    stem = text.partition(".fit")[0]
    return sum(letter.isdigit() for letter in stem[index + 1 :])


def test_names_of_hidden_ones_look_like_others():
    style, draw = Style(), random.Random(2)
    style.add("J0001", "/a/J0001.fits")
    assert style.free("J0777", "J0001", style.names, draw) == "J0777"
    made = style.free("V1234 Cyg", "J0001", style.names, draw)
    assert pattern(made) == "J9999" and made != "J0001"
    assert style.free("J0001", "J0001", style.names, draw) != "J0001"
    assert style.free("HZ Her", "no digits", {"no digits"}, draw) == "HZ Her"
    draw = random.Random(3)
    assert altered("STAR", draw) == "STAR" and altered(3, draw) == 3
    assert altered(None, draw) is None and altered(100417203, draw) != 100417203
    made = altered(17.25, draw)
    assert made != 17.25 and made == pytest.approx(17.25, rel=0.03)
    assert len(repr(made).partition(".")[2]) <= 2
    assert beside("/data/a/1.fits", "2.fits") == "/data/a/2.fits"
    assert beside("https://host/a/1.fits", "2.fits") == "https://host/a/2.fits"
    assert beside("1.fits", "2.fits") == "2.fits"


def test_a_late_cell_of_another_kind_is_read_all_the_same(tmp_path):
    rows = [(f"o{n}", f"{n}.fits", "CV" if n % 2 else "star", n) for n in range(18_000)]
    rows[-1] = (*rows[-1][:3], "later")
    path = listed(tmp_path, text_of(rows, ("name", "path", "class", "count")))
    found = read_labelled(path, find_task("CV"))
    assert len(found) == len(rows)
    assert found[-1].own == {"count": "later"}
    assert sum(each.is_member for each in found) == len(rows) // 2

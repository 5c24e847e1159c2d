"""Where results come from."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import insert

from agent.errors import ReadError
from agent.hashing import text_hash
from agent.program_version import program_version
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task, task_source
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory, WordingRef
from app.core.database.tables import inspections, known_answers
from app.core.errors import SessionError
from app.core.exporting.formats.fits_file import _provenance_cards
from app.core.inspections.store import add_inspection
from app.core.session import provenance as module
from app.core.session.known_answers import (
    has_known_answers,
    known_answer_of,
    read_known_answers,
    without_known,
)
from app.core.session.provenance import (
    SimulatedCount,
    provenance,
    provenance_in,
    simulated_in,
    simulated_of,
)
from app.core.session.records import Opinion
from app.core.session.session import open_session
from tests.app.core.exporting.catalogues import add_list, listed
from tests.app.core.inspected import MEASURED, NANO, said
from tests.app.core.sessions import ACCEPT, REJECT, change, made


def test_all_of_it(location):
    with listed(location, [{}, {}, {}]) as session:
        add_list(session, [{}], [], {}, path="C:\\Users\\ada\\more.csv")
        session.record_verdict(1, ACCEPT)
        session.record_verdict(1, REJECT)
        session.record_verdict(2, ACCEPT)
        session.record_verdict(3, Opinion(comment="later"))
        with session.database.writing() as connection:
            for number in (1, 2):
                seen = {"candidate_id": number, "model": "nano", "model_sha256": "cd", "at": "2026"}
                said = {"stopped_by": "answer", "well_formed": True, "record": "{}"}
                connection.execute(insert(inspections).values(seen | said))
        with session.database.reading() as connection:
            found = provenance_in(connection, session, "all candidates")
        given = list(session.history())
        assert found.session_id == session.id
    with open_session(location, "Ben") as session:
        session.record_verdict(2, ACCEPT)
        session.undo()
        later = provenance(session)
    assert (found.program, found.program_version) == ("Spec-o3 Workbench", program_version())
    assert (found.task_id, found.task_name) == ("CV", find_task("CV").name)
    assert found.task_sha256 == text_hash(task_source(find_task("CV")))
    assert (found.candidates, found.judged) == (4, 2)
    # of what stands, not of what was said once
    assert (found.first_verdict_at, found.last_verdict_at) == (given[1].at, given[2].at)
    assert [each.file for each in found.lists] == ["list.csv", "more.csv"]
    assert [each.rows_used for each in found.lists] == [3, 1]
    assert [(each.name, each.sha256, each.inspections) for each in found.models] == [
        ("nano", "cd", 2)
    ]
    (ada,) = found.reviewers
    assert (ada.name, dict(ada.verdicts)) == ("Ada", {"ACCEPT": 1, "REJECT": 1, "UNSURE": 0})
    assert [each.name for each in later.reviewers] == ["Ada", "Ben"]
    assert dict(later.reviewers[1].verdicts) == {"ACCEPT": 0, "REJECT": 0, "UNSURE": 0}
    assert later.selection == ""
    pairs = dict(found.as_pairs())
    assert pairs["list_2_file"] == "more.csv"
    assert pairs["reviewer_1_verdicts"] == "ACCEPT 1, REJECT 1, UNSURE 0"
    assert pairs["candidates"] == "4"
    assert "ada\\" not in json.dumps(found.as_record())
    assert json.loads(json.dumps(found.as_record()))["models"][0]["name"] == "nano"


def test_simulated_spectra_are_told(location):
    with listed(location, [{}, {}]) as session:
        assert provenance(session).simulated == ""
        inspected(session, 1, simulated=True)
        found = provenance(session)
    assert found.simulated == "all 1 looked at"
    assert dict(found.as_pairs())["simulated"] == "all 1 looked at"


def test_the_words_that_a_model_was_asked_in_are_named(location):
    words = WordingRef(name="clerk", sha256="ab" * 32)
    with listed(location, [{}, {}]) as session:
        for model, wording in (("ours", WordingRef()), ("theirs", words)):
            inspection = Trajectory(
                task="CV", spectrum=SpectrumRef(), model=ModelRef(name=model, sha256="cd"),
                wording=wording, stopped_by="answer",
            )  # fmt: skip
            add_inspection(session, 1, inspection)
        found = provenance(session)
    assert [(each.name, each.wording) for each in found.models] == [
        ("ours", ""),
        ("theirs", f"clerk {'ab' * 32}"),
    ]
    assert dict(found.as_pairs())["model_2_wording"] == f"clerk {'ab' * 32}"
    assert ("MWORD2", f"clerk {'ab' * 32}", "") in list(_provenance_cards(found))
    assert not any(key == "MWORD1" for key, _, _ in _provenance_cards(found))


def inspected(session, number, *, simulated, model=NANO):
    trajectory = said(model=model, number=number)
    spectrum = replace(trajectory.spectrum, simulated=simulated)
    add_inspection(session, number, replace(trajectory, spectrum=spectrum))


def words(session):
    with session.database.reading() as connection:
        return simulated_in(connection).words


def test_as_the_records_tell(location):
    with listed(location, [{} for _ in range(4)]) as session:
        assert words(session) == ""
        inspected(session, 1, simulated=False)
        assert words(session) == "none of the 1 looked at"
        inspected(session, 2, simulated=True)
        inspected(session, 2, simulated=True, model=MEASURED)
        assert words(session) == "1 of the 2 looked at"
        inspected(session, 1, simulated=True)
        assert words(session) == "all 2 looked at"
        for number in (3, 4):
            inspected(session, number, simulated=True)
        assert words(session) == "all 4"


def test_a_record_of_a_stranger(location):
    with listed(location, [{}, {}]) as session:
        for record in ["", "{}", "[]", '{"spectrum": 1}', "[" * 100_000]:
            for number in (1, 2):
                inspected(session, number, simulated=True)
            with session.database.writing() as connection:
                text = f"UPDATE inspections SET record = '{record}' WHERE candidate_id = 1"
                connection.exec_driver_sql(text)
            assert words(session) == "all 1 looked at"


def test_of_very_many_some_from_first_to_last(file_location, monkeypatch):
    monkeypatch.setattr(module, "MAX_RECORDS", 4)
    with listed(file_location, [{} for _ in range(40)]) as session:
        for number in range(1, 41):
            inspected(session, number, simulated=number == 40)
        assert words(session) == "1 of the 4 looked at"


def read(candidate):
    if candidate.id % 2:
        raise ReadError("truncated")
    wavelength = np.linspace(4000.0, 9000.0, 10)
    return Spectrum(wavelength=wavelength, flux=wavelength, simulated=candidate.id < 5)


def test_spectra_are_read_where_nothing_or_not_all_is_known(location):
    with listed(location, [{} for _ in range(8)]) as session:
        assert simulated_of(session, {}, read) == SimulatedCount(
            simulated=2, checked=4, candidates=8
        )
        assert simulated_of(session, dict.fromkeys(range(1, 9), True), read).words == "all 8"
        # Half of a list may be simulated, and only the other half inspected.
        for number in range(5, 9):
            inspected(session, number, simulated=False)
        assert simulated_of(session, {}, read).words == "2 of the 6 looked at"


def test_no_more_than_a_few_are_read(file_location):
    asked = []
    with listed(file_location, [{} for _ in range(500)]) as session:
        simulated_of(session, {}, lambda candidate: asked.append(candidate.id) or read(candidate))
    assert len(asked) == module.MAX_READ
    assert (min(asked), max(asked)) == (1, 500)


def test_of_nothing(location):
    with listed(location, []) as session:
        assert simulated_of(session, {}, read).words == ""


# Known answers from a stranger's session are checked when they are read.
ROW = {"candidate_id": 2, "is_member": True, "class_name": "CV", "simulated": False, "source": "x"}


def test_it_is_read_as_it_was_stored(location):
    with made(location, 3) as session:
        assert not has_known_answers(session)
        change(session, insert(known_answers).values(**ROW))
        assert has_known_answers(session)
        answer = known_answer_of(session, 2)
        assert (answer.is_member, answer.class_name, answer.is_simulated) == (True, "CV", False)
        assert known_answer_of(session, 1) is None
        with session.database.reading() as connection:
            assert read_known_answers(connection) == {2: answer}
            assert without_known(connection, [3, 2, 1]) == [3, 1]


@pytest.mark.parametrize(
    "spoilt", ["is_member = 7", "class_name = x'00'", "class_name = 'a' || char(10)"]
)
def test_a_spoilt_one_is_damage(file_location, spoilt):
    with made(file_location, 3) as session:
        with session.database.writing() as connection:
            connection.execute(insert(known_answers).values(**ROW))
            connection.exec_driver_sql(f"UPDATE known_answers SET {spoilt}")
        with pytest.raises(SessionError, match="damaged"):
            known_answer_of(session, 2)

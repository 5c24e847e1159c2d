"""Where results come from."""

import json

from sqlalchemy import insert

from agent.hashing import text_hash
from agent.program_version import program_version
from agent.tasks.catalogue import find_task, task_source
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory, WordingRef
from app.core.database.tables import inspections
from app.core.exporting.formats.fits_header import _provenance_cards
from app.core.inspections.store import add_inspection
from app.core.session.provenance import provenance
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.exporting.catalogues import add_list, listed
from tests.app.core.session.test_simulated import inspected


def test_all_of_it(location):
    with listed(location, [{}, {}, {}]) as session:
        add_list(session, [{}], [], {}, path="C:\\Users\\ada\\more.csv")
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
        session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
        session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
        session.record_verdict(3, Opinion(comment="later"))
        with session.database.writing() as connection:
            for number in (1, 2):
                seen = {"candidate_id": number, "model": "nano", "model_sha256": "cd", "at": "2026"}
                said = {"stopped_by": "answer", "well_formed": True, "record": "{}"}
                connection.execute(insert(inspections).values(seen | said))
        found = provenance(session, "all candidates")
        given = list(session.history())
        assert found.session_id == session.id
    with open_session(location, "Ben") as session:
        session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
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

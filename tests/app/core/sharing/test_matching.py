"""Candidates of two sessions are matched by object and file."""

from dataclasses import replace

from sqlalchemy import insert, select

from app.core.database.tables import packed_spectra
from app.core.session.records import Opinion
from app.core.sharing.merge import merge
from tests.app.core.exporting.catalogues import add_list, listed


def test_who_is_who(tmp_path):
    """By object and file name, whatever the folder; else by the file's hash; else it is new."""
    here = [
        {"object_id": "A", "path": "/x/1.fits"},
        {"object_id": "A", "path": "/x/1.fits", "row": 5},
        {"object_id": "B", "path": "/x/2.fits", "file_sha256": "aa"},
        {"object_id": "C", "path": "/x/3.fits"},
        {"object_id": "C", "path": "/x/3.fits"},
        {"object_id": "", "path": "/x/same.fits"},
    ]
    there = [
        {"object_id": "A", "path": "C:\\y\\1.fits", "row": 5},
        {"object_id": "other name", "path": "/z/copy.fits", "file_sha256": "aa"},
        {"object_id": "C", "path": "/y/3.fits"},
        {"object_id": "C", "path": "/y/3.fits"},
        {"object_id": "C", "path": "/y/3.fits"},
        {"object_id": "D", "path": "/x/1.fits"},
        {"object_id": "", "path": "/q/same.fits"},
        {"object_id": "A", "path": "/x/1.fits", "row": 6},
    ]
    with listed(tmp_path / "a.speco3", here) as into, listed(tmp_path / "b.speco3", there) as other:
        for number in range(1, 9):
            other.record_verdict(number, Opinion(comment=f"there {number}"))
        report = merge(into, other)
        assert (report.matched, report.candidates, report.lists) == (5, 3, 0)
        said = {
            number: [each.opinion.comment for each in into.judgements(number)]
            for number in range(1, into.count() + 1)
        }
        assert said == {
            1: [], 2: ["there 1"], 3: ["there 2"], 4: ["there 3"], 5: ["there 4"], 6: ["there 7"],
            7: ["there 5"], 8: ["there 6"], 9: ["there 8"],
        }  # fmt: skip
        assert merge(into, other).matched == 8


def test_new_candidates_bring_all_they_have(into, other):
    columns = [{"name": "Teff", "type": "float", "unit": "K"}]
    row = {"object_id": "new", "path": "/b/n.fits", "ra": 1.5, "dec": -2.5, "score": 0.5}
    row |= {"label": "CV", "snr": 7.0, "own": {"Teff": 1.0}, "file_sha256": "ab", "fault": "bad"}
    add_list(other, [row], columns, {"score": "p"}, path="/b/other.csv")
    with other.database.writing() as connection:
        values = {"candidate_id": 6, "sha256": "x", "content": b"abc"}
        connection.execute(insert(packed_spectra).values(values))
    report = merge(into, other)
    assert (report.candidates, report.lists) == (1, 1)
    assert into.candidate(6) == replace(other.candidate(6), list_id=2, fault="")
    with into.database.reading() as connection:
        packed = connection.execute(select(packed_spectra)).one()
    assert (packed.candidate_id, packed.content) == (6, b"abc")
    assert merge(into, other).lists == 0

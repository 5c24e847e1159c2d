"""A list into a session: the same candidates from every format, all of them or none."""

import gzip
import hashlib
import random
from functools import partial

import pytest
from sqlalchemy import inspect, select

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates
from app.core.errors import ImportFailed, ImportStopped, ReadOnlyError
from app.core.importing import entries, importer
from app.core.importing.entries import InProcessSource
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.importer import DuplicateFilter, import_list, preview
from app.core.importing.opening import open_for_import
from app.core.importing.spectrum_locator import SpectrumLocator
from app.core.queue import LIST_ORDER, page, parse_sort
from app.core.session.records import Change
from app.core.session.session import new_session, open_session
from tests.app.core.importing.lists import (
    NAMES,
    ROWS,
    every,
    import_text,
    listed,
    lists_of,
    owns,
    refusals,
    text_of,
    touch,
    write,
)
from tests.app.core.sessions import ACCEPT
from tests.night import seeds

FORMATS = {
    "csv": "CSV", "tsv": "TSV", "ecsv": "ECSV", "fits": "FITS", "votable-tabledata": "VOTable",
    "votable-binary": "VOTable", "votable-binary2": "VOTable", "parquet": "Parquet",
}  # fmt: skip


def path_of(folder, format_):
    return folder / f"list.{format_.partition('-')[0].replace('votable', 'vot')}"


def test_what_is_there_more_than_once_is_told(session, folder):
    touch(folder, "a.fits", "b.fits", "c.fits")
    text = "name,path,ra,dec\nx,a.fits,0,10\ny,a.fits,5,10\nz,b.fits,359.9999,10\n"
    report = import_text(session, folder, text)
    assert report.warnings[-2:] == (
        "1 file given by more than one row",
        "2 rows within 1 arcsec of another row",
    )
    far = import_text(session, folder, "name,path,ra,dec\nw,c.fits,0.001,10\n", "far.csv")
    assert far.rows_used == 1 and "2 rows" in far.warnings[-1]


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_gives_the_same_candidates(session, folder, format_):
    path = write(path_of(folder, format_), format_)
    touch(folder, "a.fits", "b.fits")
    report = import_list(session, path)
    first, second, third = every(session)
    assert (report.format, report.rows_read, report.rows_used) == (FORMATS[format_], 3, 3)
    assert report.missing_files == 1
    assert [each.object_id for each in (first, second, third)] == [str(row[0]) for row in ROWS]
    assert (first.line, first.row, first.list_id) == (1, 0, 1)
    assert (first.ra, first.dec, first.snr, first.label) == (10.5, -5.25, 12.5, "CV")
    assert (first.score, second.score, third.score) == (0.9, 0.25, None)
    assert (third.snr, third.label) == (None, "")
    assert first.path == str(folder / "a.fits")
    assert third.path == str(folder / "deep" / "c.fits")
    assert dict(first.own) == {"visits": 3, "is_new": True}
    assert type(first.own["visits"]) is int
    if format_ != "votable-binary":
        assert third.own["visits"] is None
    if format_ not in ("votable-binary", "fits"):  # astropy writes no null there
        assert third.own["is_new"] is None


@pytest.mark.parametrize("format_", ["csv", "fits", "parquet"])
def test_what_is_told_of_the_list(session, folder, format_):
    path = write(path_of(folder, format_), format_)
    report = import_list(session, path)
    (listed,) = lists_of(session)
    assert listed["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (listed["name"], listed["path"]) == (path.name, str(path))
    assert (listed["rows_read"], listed["rows_used"]) == (3, 3)
    assert listed["roles"] == report.roles
    assert report.roles == {
        "path": "path", "object_id": "obsid", "ra": "ra", "dec": "dec", "score": "p_cv",
        "label": "subclass", "snr": "snrg",
    }  # fmt: skip
    assert [column["name"] for column in listed["columns"]] == list(NAMES)
    kinds = {column["name"]: column["type"] for column in listed["columns"]}
    assert (kinds["visits"], kinds["is_new"], kinds["p_cv"]) == ("int", "bool", "float")


@pytest.mark.parametrize("format_", ["ecsv", "fits", "votable-binary2"])
def test_units_and_descriptions_are_kept(session, folder, format_):
    import_list(session, write(path_of(folder, format_), format_))
    (listed,) = lists_of(session)
    ra = next(column for column in listed["columns"] if column["name"] == "ra")
    assert ra["unit"] == "deg"
    assert ra["description"] == ("" if format_ == "fits" else "where it was")


def test_it_works_the_same_for_a_team(location, folder):
    text = text_of() + "100000001,1,2,3,x,0.5,1,True,a.fits\n" + "1,2\n"
    with new_session(location, find_task("CV"), "Ada") as session:
        report = import_text(session, folder, text)
        assert (report.rows_used, report.duplicates, report.rows_refused) == (3, 1, 1)
        assert every(session)[0].own == {"visits": 3, "is_new": True}
        import_text(session, folder, text_of([(7, *ROWS[0][1:])]), "more.csv")
        more = lists_of(session)[1]["id"]
        assert every(session)[3].list_id == more
        # Others number on from there.
        with session.database.writing() as connection:
            made = candidates.insert().values(
                list_id=more, line=9, object_id="x", path="", row=0, label="", own="{}"
            )
            key = connection.execute(made.returning(candidates.c.id)).scalar_one()
        assert key == 5


def test_views_are_told_once_and_a_score_is_the_first_order(session, folder):
    told: list[Change] = []
    session.changed.connect(told.append)
    import_text(session, folder, text_of())
    assert told == [Change(aspect="list")]
    assert session.fact("order") == "score"
    sort = parse_sort(session.fact("order"))
    assert [line.candidate.score for line in page(session, sort=sort).rows] == [0.9, 0.25, None]


def test_an_order_that_somebody_chose_stays_and_none_is_chosen_without_a_score(session, folder):
    import_text(session, folder, "name,path\na,a.fits\n")
    assert session.fact("order") is None
    session.set_fact("order", "snr")
    import_text(session, folder, text_of())
    assert session.fact("order") == "snr"


def test_a_read_only_session_takes_nothing(session, folder):
    (folder / "list.csv").write_text(text_of())
    location = session.location
    session.close()
    with open_session(location, "Ada", read_only=True) as looked_at, pytest.raises(ReadOnlyError):
        import_list(looked_at, folder / "list.csv")


def test_roles_can_be_chosen(session, folder):
    report = import_text(
        session,
        folder,
        "a,b,name,label\n0.5,1.fits,x,CV\n0.75,2.fits,y,\n",
        roles={"score": "A", "path": "b", "label": ""},
    )
    assert report.roles == {"score": "a", "path": "b", "object_id": "name"}
    first, second = every(session)
    assert (first.score, second.score) == (0.5, 0.75)
    assert first.own == {"label": "CV"}


def test_a_list_that_changes_while_it_is_read(session, folder):
    path = listed(folder, text_of())

    def add(number, total):
        with path.open("a") as file:
            file.write("x\n")

    with pytest.raises(ImportFailed, match="changed during the import"):
        import_list(session, path, progress=add)
    assert session.count() == 0


def test_what_is_imported_can_be_judged_and_undone_meanwhile(session, folder):
    import_text(session, folder, text_of())
    session.record_verdict(2, ACCEPT)
    import_text(session, folder, "name,path\nx,x.fits\n", "more.csv")
    assert session.judgement(2).opinion == ACCEPT
    assert session.undo().candidate_id == 2


def test_packed_lists(session, folder):
    path = listed(folder, gzip.compress(text_of().encode()), "list.csv.gz")
    assert import_list(session, path).rows_used == 3
    assert every(session)[0].path == str(folder / "a.fits")


def test_a_preview_shows_what_would_be_done_and_what_cannot_be_read(folder):
    path = write(folder / "list.csv", "csv")
    seen = preview(path)
    assert (seen.format, seen.estimate) == ("CSV", 3)
    assert seen.rows[0] == ROWS[0]
    assert seen.roles.columns["score"] == "p_cv"
    assert seen.roles.by_role["path"].reason == "from its name"
    assert preview(path, roles={"score": ""}).roles.number("score") is None
    path = listed(folder, "name,path\na\nb,b.fits\n")
    seen = preview(path)
    assert seen.rows == (("b", "b.fits"),)
    assert [row.line for row in seen.refused] == [1]


# Lists that can or cannot be opened, and the roles of their columns.
@pytest.mark.parametrize(("roles", "said"), [
    ({"scroe": "a"}, 'no role "scroe"; did you mean "score"'),
    ({"score": "nam"}, 'no column "nam"; did you mean "name"'),
    ({"ra": "name"}, "column for ra also needs one for dec"),
])  # fmt: skip
def test_roles_that_cannot_be(session, folder, roles, said):
    with pytest.raises(ImportFailed, match=said):
        import_text(session, folder, "name,path\na,a.fits\n", roles=roles)


def test_lists_that_name_nothing_or_are_not_there_and_rows_that_name_none(session, folder):
    with pytest.raises(ImportFailed, match=r"no column was recognized.*choose one"):
        import_text(session, folder, "u,g\n1.5,2\n3,4\n")
    with pytest.raises(ImportFailed, match=r"gone\.csv: it cannot be read|no such file"):
        import_list(session, folder / "gone.csv")
    report = import_text(session, folder, "name,path\na,coadd.fits\nb,coadd.fits\n")
    assert any("a column must give the row" in warning for warning in report.warnings)


@pytest.mark.parametrize("name", ["~nobody-of-that-name/x.csv", "a\0b.csv", "x" * 300 + ".csv"])
def test_names_of_no_file(session, name):
    for read in (preview, partial(import_list, session)):
        with pytest.raises(ImportFailed) as caught:
            read(name)
        assert str(caught.value).isprintable()


# What has been seen before, against a plain set.
@pytest.mark.parametrize("seed", seeds(by_day=3, by_night=6))
@pytest.mark.parametrize("low_bits", [2**24 - 1, 2**6 - 1])
def test_against_a_set(monkeypatch, seed, low_bits):
    monkeypatch.setattr(importer, "LOW_BITS", low_bits)
    chance = random.Random(seed)
    seen, known = DuplicateFilter(), set()
    for _ in range(60):
        keys = [("o", str(chance.randrange(4000)), 0) for _ in range(chance.randrange(200))]
        fresh = seen.find_new(keys).tolist()
        for key, is_fresh in zip(keys, fresh, strict=True):
            assert is_fresh is (key not in known)
            known.add(key)
    assert sum(run.size for run in seen._runs) == len(known)
    assert len(seen._runs) < 15


def test_indexes_are_there_after_many_rows(session, folder, monkeypatch):
    monkeypatch.setattr(importer, "BULK_ROWS", 100)

    def names():
        with session.database.reading() as connection:
            return {each["name"] for each in inspect(connection).get_indexes("candidates")}

    before = names()
    rows = [(f"o{n}", f"{n}.fits") for n in range(20_000)]
    import_text(session, folder, text_of(rows, ("name", "path")))
    assert names() == before
    with session.database.reading() as connection:
        one = select(candidates.c.id).where(candidates.c.object_id == "o1234")
        assert connection.execute(one).scalar_one() == 1235
        plan = connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT id FROM candidates WHERE object_id = 'x'"
        )
        assert "candidates_object" in str(plan.all())
    assert len(page(session, sort=LIST_ORDER).rows) > 0


# The source of entries in this process.
def test_entries_can_be_read_again_after_a_mismatch(folder):
    path = listed(folder, "name,path,n\n" + "a,a.fits,1\n" * 30_000 + "b,,late\n")
    source = InProcessSource(open_for_import(path, {}), SpectrumLocator(path))
    with pytest.raises(CellMismatch):
        list(source.entries())
    source.recheck_types()
    assert sum(map(len, source.entries())) == 30_001
    summary = source.summary()
    assert [column.kind for column in summary.columns] == ["str", "str", "str"]
    assert (summary.missing_files, summary.without_file) == (30_000, 1)


def test_rows_of_nothing_may_not_fill_the_disk(folder, monkeypatch):
    monkeypatch.setattr(entries, "FREE_BYTES", 0)
    monkeypatch.setattr(entries, "MAX_RATIO", 10)
    names = ",".join(f"magnitude_in_filter_{number:03}" for number in range(300))
    path = listed(folder, f"name,{names}\n" + f"a{',' * 300}\n" * 2000)
    size = path.stat().st_size
    source = InProcessSource(open_for_import(path, {}), SpectrumLocator(path), size)
    with pytest.raises(ImportFailed, match="more than 10 times its size"):
        list(source.entries())
    monkeypatch.setattr(entries, "MAX_RATIO", 1000)
    source = InProcessSource(open_for_import(path, {}), SpectrumLocator(path), size)
    assert sum(map(len, source.entries())) == 2000


# Rows on their way into the tables: counts, duplicates, stops and restarts.
def test_a_second_list_goes_on_where_the_first_ended(session, folder):
    import_text(session, folder, text_of())
    import_text(session, folder, "name,path\nx,x.fits\ny,y.fits\n", "more.csv")
    found = every(session)
    assert [each.id for each in found] == [1, 2, 3, 4, 5]
    assert [each.line for each in found] == [1, 2, 3, 1, 2]
    assert [each.list_id for each in found] == [1, 1, 1, 2, 2]


def test_duplicates_are_kept_once(session, folder):
    rows = [("a", "1.fits", 0), ("a", "1.fits", 1), ("a", "1.fits", 0), ("a", "2.fits", 0)]
    text = text_of([*rows, ("b", "1.fits", 0), rows[1]], ("name", "path", "spec_row"))
    report = import_text(session, folder, text)
    assert (report.rows_used, report.duplicates) == (4, 2)
    again = import_text(session, folder, text, "again.csv")
    assert (again.rows_used, again.duplicates) == (0, 6)
    assert session.count() == 4


def test_only_the_first_refusals_are_kept_but_all_are_counted(session, folder, monkeypatch):
    monkeypatch.setattr("app.core.importing.importer.MAX_REFUSED_KEPT", 5)
    report = import_text(session, folder, "name,path\n" + "x\n" * 40 + "a,a.fits\n")
    assert report.rows_refused == 40
    assert [line for line, _ in refusals(session)] == [1, 2, 3, 4, 5]


def test_a_list_of_which_nothing_can_be_used_is_no_list(session, folder):
    with pytest.raises(
        ImportFailed, match=r"list\.csv: none of its 2 rows can be used; row 1: .*URL"
    ):
        import_text(session, folder, "name,path\na,ftp://x/a.fits\nb,ftp://x/b.fits\n")
    assert session.count() == 0
    assert lists_of(session) == []


def test_a_stop_leaves_nothing(session, folder):
    import_text(session, folder, "name,path\nx,x.fits\n", "first.csv")
    path = listed(folder, "name,path\n" + "".join(f"o{n},{n}.fits\n" for n in range(30_000)))
    done: list[int] = []
    told: list[Change] = []
    session.changed.connect(told.append)
    with pytest.raises(ImportStopped):
        import_list(
            session,
            path,
            progress=lambda number, total: done.append(number),
            should_stop=lambda: len(done) > 1,
        )
    assert len(done) == 2
    assert session.count() == 1
    assert len(lists_of(session)) == 1
    assert refusals(session) == []
    assert told == []
    assert import_list(session, path).rows_used == 30_000


def test_progress_counts_up_to_what_was_expected(session, folder):
    path = listed(folder, "name,path\n" + "".join(f"o{n},{n}.fits\n" for n in range(30_000)))
    seen: list[tuple[int, int | None]] = []
    import_list(session, path, progress=lambda *told: seen.append(told))
    numbers = [number for number, _ in seen]
    assert numbers == sorted(numbers)
    assert numbers[-1] == 30_000
    assert all(25_000 < total < 35_000 for _, total in seen)


def test_a_column_that_turns_out_to_be_of_another_kind(session, folder):
    """The first rows look like numbers; what they were before is not lost."""
    rows = [(f"o{n}", f"{n}.fits", n, f"{n}.50") for n in range(20_000)]
    rows += [("last", "last.fits", "n/a", "> 3"), ("end", "end.fits", "1.5", "")]
    import_text(session, folder, text_of(rows, ("name", "path", "count", "size")))
    kinds = [column["type"] for column in lists_of(session)[0]["columns"]]
    assert kinds == ["str", "str", "float", "str"]
    own = owns(session)
    assert own[7] == {"count": 7.0, "size": "7.50"}
    assert own[-2:] == [{"count": None, "size": "> 3"}, {"count": 1.5, "size": ""}]
    assert [each.id for each in every(session)] == list(range(1, 20_003))

"""Rows on their way into the tables: counts, duplicates, stops and restarts."""

import pytest

from app.core.errors import ImportFailed, ImportStopped
from app.core.importing.importer import import_list
from app.core.session.records import Change
from tests.app.core.importing.lists import every, import_text, lists_of, owns, refusals, text_of


def test_a_second_list_goes_on_where_the_first_ended(session, folder):
    import_text(session, folder, text_of())
    report = import_text(session, folder, "name,path\nx,x.fits\ny,y.fits\n", "more.csv")
    found = every(session)
    assert [each.id for each in found] == [1, 2, 3, 4, 5]
    assert [each.line for each in found] == [1, 2, 3, 1, 2]
    assert {each.list_id for each in found[3:]} == {report.list_id}


def test_duplicates_are_kept_once(session, folder):
    rows = [("a", "1.fits", 0), ("a", "1.fits", 1), ("a", "1.fits", 0), ("a", "2.fits", 0)]
    text = text_of([*rows, ("b", "1.fits", 0), rows[1]], ("name", "path", "spec_row"))
    report = import_text(session, folder, text)
    assert (report.rows_used, report.duplicates) == (4, 2)
    again = import_text(session, folder, text, "again.csv")
    assert (again.rows_used, again.duplicates) == (0, 6)
    assert session.count() == 4


def test_only_the_first_refusals_are_kept_but_all_are_counted(session, folder, monkeypatch):
    monkeypatch.setattr("app.core.importing.import_run.MAX_REFUSED_KEPT", 5)
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
    path = folder / "list.csv"
    path.write_text("name,path\n" + "".join(f"o{n},{n}.fits\n" for n in range(30_000)))
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
    path = folder / "list.csv"
    path.write_text("name,path\n" + "".join(f"o{n},{n}.fits\n" for n in range(30_000)))
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
    report = import_text(session, folder, text_of(rows, ("name", "path", "count", "size")))
    assert [column.kind for column in report.columns] == ["str", "str", "float", "str"]
    own = owns(session)
    assert own[7] == {"count": 7.0, "size": "7.50"}
    assert own[-2:] == [{"count": None, "size": "> 3"}, {"count": 1.5, "size": ""}]
    assert [each.id for each in every(session)] == list(range(1, 20_003))

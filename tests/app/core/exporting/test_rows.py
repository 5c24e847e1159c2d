"""A catalogue keeps paths as the list gives them, and can be imported again anywhere."""

import pytest

from agent.tasks.catalogue import find_task
from app.core.exporting import export
from app.core.exporting.rows import path_cells
from app.core.importing.importer import import_list, look_at
from app.core.session.session import new_session
from tests.app.core.exporting.catalogues import there_and_back
from tests.app.core.importing.lists import every, touch


@pytest.fixture
def folder(tmp_path):
    touch(tmp_path / "night", "spectra/a.fits", "b.fits")
    touch(tmp_path / "far", "c.fits")
    return tmp_path / "night"


@pytest.fixture
def session(folder, tmp_path):
    far = tmp_path / "far" / "c.fits"
    (folder / "list.csv").write_text(f"path\nspectra/a.fits\n./b.fits\n{far}\n")
    with new_session(tmp_path / "night.speco3", find_task("CV"), "Ada") as made:
        import_list(made, folder / "list.csv", allow_absolute=True)
        yield made


@pytest.mark.parametrize("suffix", ["csv", "fits", "vot", "ecsv", "parquet"])
def test_relative_where_it_was_relative(session, folder, tmp_path, suffix):
    found = there_and_back(session, tmp_path, suffix)
    assert list(found["path"]) == ["spectra/a.fits", "./b.fits", str(tmp_path / "far" / "c.fits")]
    assert [each or "" for each in found["path_folder"]] == [str(folder), str(folder), ""]


def again(out, tmp_path, **how):
    with new_session(tmp_path / "again.speco3", find_task("CV"), "Ada") as made:
        import_list(made, out, **how)
        return [each.path for each in every(made)]


def test_imported_again_elsewhere_it_finds_its_files(session, folder, tmp_path):
    (tmp_path / "else").mkdir()
    out = tmp_path / "else" / "out.csv"
    export(session, out, which="all")
    outside = look_at(out).outside
    assert outside.folders == tuple(sorted([str(tmp_path / "far"), str(folder)]))
    assert outside.rows == 3
    paths = [str(folder / "spectra" / "a.fits"), str(folder / "b.fits")]
    far = str(tmp_path / "far" / "c.fits")
    assert again(out, tmp_path, allowed=outside.folders) == [*paths, far]


def test_beside_other_copies_of_the_spectra_those_are_used(session, folder, tmp_path):
    touch(tmp_path / "else", "spectra/a.fits", "b.fits")
    out = tmp_path / "else" / "out.csv"
    export(session, out, which="all")
    assert look_at(out).outside.rows == 1
    found = again(out, tmp_path)
    assert found == [str(out.parent / "spectra" / "a.fits"), str(out.parent / "b.fits")]


def test_what_joined_is_not_the_file_is_given_whole():
    paths = ["/s/a/b.fits", "/s/moved/b.fits", "/s/ab.fits", "/x/b.fits", "/b.fits", "/s/a/b.fits"]
    listed = ["a/b.fits", "old/b.fits", "b.fits", "../x/b.fits", "b.fits", "a\\b.fits"]
    assert path_cells(paths, listed) == (
        ["a/b.fits", "/s/moved/b.fits", "/s/ab.fits", "/x/b.fits", "b.fits", "a\\b.fits"],
        ["/s", None, None, None, "/", "/s"],
    )

"""Absolute paths that lead out of the folder of the list: counted, never followed."""

import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from app.core.errors import ImportFailed, NoRowAllowedError
from app.core.importing import outside_paths
from app.core.importing.importer import import_list, look_at
from app.core.importing.outside_paths import OutsideCounter, OutsidePaths, outside_text
from app.core.session.spectra_folders import MAX_FOLDERS, list_folders, outside_folders
from tests.app.core.importing.lists import every, import_text, touch


@pytest.fixture
def labelled(tmp_path):
    made = tmp_path / "labelled"
    touch(made, *(f"{n // 3}/{n}.fits" for n in range(6)))
    return made


@pytest.fixture
def listed(folder, labelled):
    path = folder / "list.csv"
    rows = [f"{labelled}/{n // 3}/{n}.fits" for n in range(6)]
    path.write_text("path,object_id\n" + "".join(f"{row},o{n}\n" for n, row in enumerate(rows)))
    return path


def counted(*texts, roots=("/home/ada",)):
    counter = OutsideCounter(roots)
    counter.add(texts)
    return counter.found()


def test_a_preview_says_which_folders_and_without_a_yes_no_row_is_used(listed, labelled, session):
    outside = look_at(listed).outside
    assert outside == OutsidePaths(folders=(f"{labelled}/0", f"{labelled}/1"), rows=6)
    assert outside_text(outside).startswith("6 rows name spectra outside the folder of the list")
    with pytest.raises(NoRowAllowedError) as told:
        import_list(session, listed)
    assert str(told.value) == (
        "list.csv: none of its 6 rows can be used: 6 rows name spectra outside the folder of the "
        f"list, in {labelled}/0, {labelled}/1"
    )
    assert session.count() == 0


def test_what_is_inside_or_relative_is_not_asked_about(folder):
    path = folder / "list.csv"
    path.write_text(f"path\n{folder}/a.fits\nb.fits\n../c.fits\nftp://x.org/d.fits\n~/e.fits\n")
    assert look_at(path).outside == OutsidePaths()


def test_after_a_yes_all_rows_come_in_and_it_is_remembered(
    session, listed, labelled, tmp_path, monkeypatch
):
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path / "settings" / "settings.toml"))
    outside = look_at(listed).outside
    report = import_list(session, listed, allowed=outside.folders)
    assert (report.rows_used, report.missing_files, report.outside.rows) == (6, 0, 0)
    assert every(session)[5].path == str(labelled / "1" / "5.fits")
    assert outside_folders(session) == ()
    assert list_folders(listed) == outside.folders
    assert list_folders(listed.with_name("other.csv")) == ()


def test_a_yes_holds_for_its_folders_only(session, listed, labelled, tmp_path):
    touch(tmp_path / "secret", "key.fits")
    with listed.open("a") as file:
        file.write(f"{tmp_path}/secret/key.fits,x\n{labelled}/0/../../secret/key.fits,y\n")
    report = import_list(session, listed, allowed=[str(labelled)])
    assert (report.rows_used, report.rows_refused) == (6, 2)
    assert report.outside == OutsidePaths(folders=(f"{tmp_path}/secret",), rows=2)


def test_hostile_paths_are_counted_without_asking_the_disk(monkeypatch):
    counted("/etc/passwd")  # imports what it needs
    with monkeypatch.context() as patched:
        for name in ("stat", "lstat", "scandir", "listdir", "open", "readlink"):
            patched.setattr(os, name, Mock(side_effect=AssertionError("the disk was asked")))
        found = counted("/etc/passwd", "/dev/zero", "/home/bea/diary.fits", "/home/ada/a.fits")
    assert found == OutsidePaths(folders=("/dev", "/etc", "/home/bea"), rows=3)


def test_no_whole_disk_is_offered(session, folder):
    assert counted("/a.fits", "//b.fits", "/x/../c.fits", "/d/e.fits").folders == ("/d",)
    with pytest.raises(ImportFailed, match=r"row 1: .*is outside the allowed folders"):
        import_text(session, folder, "path\n/a.fits\n", allowed=["/d"])


def test_many_folders_are_few(monkeypatch):
    monkeypatch.setattr(outside_paths, "MAX_NAMED", 50)
    found = counted(*(f"/data/{n}/a.fits" for n in range(500)), "/other/b.fits")
    assert found == OutsidePaths(folders=("/data", "/other"), rows=501)
    scattered = counted(*(f"/{n}/a.fits" for n in range(40)), "/7/b.fits", roots=())
    assert len(scattered.folders) == MAX_FOLDERS
    assert "/7" in scattered.folders
    assert scattered.rows == MAX_FOLDERS + 1


def test_words_for_one_row():
    one = OutsidePaths(folders=("/a",), rows=1)
    assert outside_text(one) == "1 row names spectra outside the folder of the list, in /a"
    many = OutsidePaths(folders=tuple(f"/{n}" for n in range(5)), rows=9)
    assert outside_text(many).endswith("in /0, /1, /2 and 2 more")


def test_an_answer_that_is_damaged_is_none(listed, tmp_path, monkeypatch):
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path / "settings.toml"))
    Path(tmp_path, "list_folders.json").write_text('{"a": 1')
    assert list_folders(listed) == ()


def test_addresses_are_counted_by_their_folders_but_never_beyond_a_bucket():
    rows = ["s3://bucket/night/1.fits", "S3://bucket/night/2.fits", "s3://bucket/day/3.fits"]
    rows += ["https://Host.example/a/4.fits?x=1", "memory://a/../b/5.fits", "file:///etc/passwd"]
    assert counted(*rows) == OutsidePaths(
        folders=("https://host.example/a", "s3://bucket/day", "s3://bucket/night"), rows=4
    )
    assert counted(*rows, roots=("s3://bucket",)).folders == ("https://host.example/a",)
    found = counted(*(f"s3://bucket/{n}/1.fits" for n in range(40)))
    assert found == OutsidePaths(folders=("s3://bucket",), rows=40)
    found = counted(*(f"s3://bucket-{n}/1.fits" for n in range(40)))
    assert (len(found.folders), found.rows) == (MAX_FOLDERS, MAX_FOLDERS)


def test_addresses_come_in_once_allowed_and_are_remembered(session, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path / "settings.toml"))
    path = folder / "list.csv"
    path.write_text("path\ns3://bucket/night/1.fits\ns3://bucket/other/2.fits\n")
    with pytest.raises(NoRowAllowedError, match=r"2 rows name spectra outside .* s3://bucket/"):
        import_list(session, path)
    report = import_list(session, path, allowed=["s3://bucket/night"])
    assert (report.rows_used, report.rows_refused, report.missing_files) == (1, 1, 0)
    assert "not allowed" in report.refused[0].reason
    assert [each.path for each in every(session)] == ["s3://bucket/night/1.fits"]
    assert list_folders(path) == ("s3://bucket/night",)
    assert outside_folders(session) == ()

"""A search looks at every spectrum once, however it was stopped, and tells what is not read."""

import errno
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from astropy.table import Table

from agent.errors import WorkbenchError
from app.core.finding import search as search_module
from app.core.finding.inputs import inputs
from app.core.finding.looking import LookSettings
from app.core.finding.search import Search
from app.core.finding.table import FILES, FindTable
from tests.agent.spectra.readers import samples
from tests.agent.spectra.readers.test_parquet_table import ROWS, records, written
from tests.app.core.finding.surveys import SETTINGS, SameProcess, keys_of, searched


def test_every_spectrum_of_every_file_is_there_once(found, survey):
    keys = keys_of(found)
    assert len(keys) == len(set(keys)) == 40
    assert {path for path, _ in keys} == {str(p) for p in survey.rglob("*.fits.gz")}
    assert not list(found.unread())
    assert not found.damaged()


def test_astropy_reads_a_part_without_a_complaint(found):
    table = Table.read(found.parts()[0])
    assert len(table) == 40
    assert set(map(str, table["planted"])) >= {"", "CV"}


def test_a_stopped_search_goes_on_and_adds_up(survey, tmp_path, monkeypatch):
    monkeypatch.setattr(search_module, "IN_A_CALL", 4)
    told = []
    _, first = searched(
        tmp_path / "a.find", survey, on_state=told.append, should_stop=lambda: len(told) > 2
    )
    assert 0 < first.looked_at < 40
    table, second = searched(tmp_path / "a.find", survey)
    assert first.looked_at + second.looked_at == 40
    keys = keys_of(table)
    assert len(set(keys)) == len(keys) == 40
    _, third = searched(tmp_path / "a.find", survey)
    assert (third.looked_at, third.listed) == (0, third.known)


def test_a_long_file_that_was_half_read_is_read_on(survey, tmp_path, monkeypatch):
    [long_file] = [p for p in survey.rglob("*.fits.gz") if "coadd" in p.name][:1]
    monkeypatch.setattr("app.core.finding.looking.MOST_ROWS", 2)
    told = []
    _, first = searched(
        tmp_path / "a.find", long_file, on_state=told.append, should_stop=lambda: bool(told)
    )
    assert first.looked_at == 2
    table, second = searched(tmp_path / "a.find", long_file)
    keys = keys_of(table)
    assert len(keys) == len(set(keys)) == first.looked_at + second.looked_at > 2
    _, third = searched(tmp_path / "a.find", long_file)
    assert third.looked_at == 0


def test_exposures_beside_a_coadd_are_no_spectra_of_their_own(tmp_path):
    folder = tmp_path / "survey"
    folder.mkdir()
    (folder / "med.fits").write_bytes(samples.lamost_mrs())
    table, first = searched(tmp_path / "a.find", folder)
    _, second = searched(tmp_path / "a.find", folder)
    assert (first.looked_at, second.looked_at, second.known) == (1, 0, 1)
    assert keys_of(table) == [(str(folder / "med.fits"), 0)]


def test_each_row_of_a_parquet_table_is_an_input_of_its_own(tmp_path):
    folder = tmp_path / "survey"
    folder.mkdir()
    place = str(written(folder / "a.parquet", records()))
    written(folder / "catalogue.parquet", {"ra": [1.0], "dec": [2.0]})
    table, first = searched(tmp_path / "a.find", folder)
    assert (first.looked_at, first.listed, first.unread) == (ROWS, ROWS + 1, 1)
    assert sorted(keys_of(table)) == [(place, row) for row in range(ROWS)]
    assert table.columns(["object_id"])["object_id"].tolist()[:2] == ["J0", "J1"]
    [(path, _, why)] = table.unread()
    assert path == str(folder / "catalogue.parquet")
    assert "wavelength" in why
    _, again = searched(tmp_path / "a.find", folder)
    assert (again.looked_at, again.known) == (0, ROWS + 1)


def test_new_files_and_sources_extend_the_table(survey, tmp_path):
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "one.dat").write_bytes(samples.text())
    table, first = searched(tmp_path / "a.find", folder)
    assert first.looked_at == 1
    (folder / "two.dat").write_bytes(samples.text())
    _, second = searched(tmp_path / "a.find", survey)
    assert second.looked_at == 41
    assert len(keys_of(table)) == 42


def test_what_cannot_be_read_is_told_and_stops_nothing(tmp_path):
    folder = tmp_path / "survey"
    (folder / "deep").mkdir(parents=True)
    (folder / "good.dat").write_bytes(samples.text())
    (folder / "bad.fits").write_bytes(b"SIMPLE  =                    T" + bytes(4000))
    (folder / "deep" / "empty.fits.gz").write_bytes(b"")
    table, state = searched(tmp_path / "a.find", folder, tmp_path / "not there")
    assert (state.looked_at, state.unread) == (1, 3)
    reasons = {Path(path).name: reason for path, _, reason in table.unread()}
    assert reasons["not there"] == "there is no such file or folder"
    assert set(reasons) == {"bad.fits", "empty.fits.gz", "not there"}
    _, again = searched(tmp_path / "a.find", folder)
    assert (again.looked_at, again.known) == (0, 3)


def test_a_folder_that_vanishes_is_told(tmp_path):
    told = []
    (tmp_path / "a").mkdir()
    walk = inputs(str(tmp_path), lambda path, reason: told.append((path, reason)))
    assert not list(walk)
    (tmp_path / "b").mkdir()
    (tmp_path / "one.dat").write_bytes(samples.text())
    walk = inputs(str(tmp_path), lambda path, reason: told.append((path, reason)))
    next(walk)
    (tmp_path / "b").rmdir()
    assert not list(walk)
    assert told == [(str(tmp_path / "b"), "the folder cannot be read: No such file or directory")]


def test_a_file_that_ends_whoever_reads_it_is_told_alone(survey, tmp_path):
    deadly = sorted(survey.rglob("spec*.fits.gz"))[0].name
    table = FindTable.made(tmp_path / "a.find", [str(survey)], SETTINGS)
    state = Search(table).run(SameProcess(SETTINGS, [deadly]))
    assert (state.looked_at, state.unread) == (39, 1)
    [(path, _, reason)] = table.unread()
    assert path.endswith(deadly)
    assert reason == "the process that read it was killed by SIGKILL"


def test_a_full_disk_holds_the_search_up_and_loses_nothing(survey, tmp_path, monkeypatch):
    table = FindTable.made(tmp_path / "a.find", [str(survey)], SETTINGS)
    is_full, add = [True, True], table.add

    def add_if_there_is_room(rows, unread):
        if is_full and is_full.pop():
            raise OSError(errno.ENOSPC, "No space left on device")
        add(rows, unread)

    monkeypatch.setattr(table, "add", add_if_there_is_room)
    monkeypatch.setattr(search_module, "RETRY_S", 0.0)
    problems = Counter()
    search = Search(table, on_state=lambda state: problems.update([state.problem]))
    assert search.run(SameProcess(SETTINGS)).looked_at == 40
    assert problems["the disk is full"] == 2
    assert len(set(keys_of(table))) == 40


def test_what_is_not_read_is_told_once_though_the_disk_fills_in_between(
    survey, tmp_path, monkeypatch
):
    bad = tmp_path / "bad.fits"
    bad.write_bytes(b"SIMPLE  =                    T" + bytes(4000))
    table = FindTable.made(tmp_path / "a.find", [str(bad), str(survey)], SETTINGS)
    write, is_full = search_module.FindTable.add, [True]

    def add(table, rows, unread):
        if rows and is_full and is_full.pop():
            raise OSError(errno.ENOSPC, "No space left on device")
        write(table, rows, unread)

    monkeypatch.setattr(search_module.FindTable, "add", add)
    monkeypatch.setattr(search_module, "RETRY_S", 0.0)
    state = Search(table).run(SameProcess(SETTINGS))
    assert (state.looked_at, len(list(table.unread())), len(keys_of(table))) == (40, 1, 40)


def test_a_list_with_rows_that_cannot_be_used(survey, tmp_path):
    files = sorted(survey.rglob("spec*.fits.gz"))[:3]
    listing = tmp_path / "list.csv"
    names = [str(each) for each in files]
    listing.write_text("path,ra,dec\n" + "".join(f"{name},1.5,2.5\n" for name in names))
    _, state = searched(tmp_path / "a.find", listing)
    assert state.looked_at == 0
    assert state.unread == 3
    table, state = searched(tmp_path / "b.find", listing, trust_paths=True)
    assert state.looked_at == 3
    assert set(table.columns(["ra"])["ra"]) == {1.5}


def test_a_table_of_other_settings_or_weights_is_left_alone(found, survey, tmp_path, monkeypatch):
    with pytest.raises(WorkbenchError, match="looks for other classes"):
        FindTable.made(found.folder, [str(survey)], LookSettings(("CV",)))
    monkeypatch.setattr("app.core.finding.table.weights_hash", lambda: "other")
    with pytest.raises(WorkbenchError, match="was made with other weights"):
        FindTable.made(found.folder, [str(survey)], SETTINGS)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(WorkbenchError, match="is not empty and not a table"):
        FindTable.made(tmp_path, [str(survey)], SETTINGS)


@pytest.mark.parametrize(
    "manifest", ["", "{}", "[1]", '{"kind": "spec-o3 find", "version": 99}', "[" * 100_000]
)
def test_a_damaged_manifest_is_one_sentence(tmp_path, manifest):
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(WorkbenchError, match="cannot be used"):
        FindTable(tmp_path)


@pytest.mark.parametrize(
    ("name", "values"), [("row", ["1", "2"]), ("ra", ["x", "y"]), ("row", [1, None])]
)
def test_a_column_that_no_search_writes_is_damage(tmp_path, name, values):
    table = FindTable.made(tmp_path / "a.find", ["/spectra"], SETTINGS)
    rows = {"path": ["/a", "/b"], "row": [0, 0], "rows": [1, 1], name: values}
    pq.write_table(pa.table(rows), table.folder / "part-000001.parquet")
    for read in (lambda: table.columns([name]), lambda: table.rows([0], [name])):
        with pytest.raises(WorkbenchError, match=f"is damaged .{name} is not what a search"):
            read()


@pytest.mark.parametrize(
    "line",
    ["[]", "{}", '{"file": "../a", "sha256": ""}', f'{{"file": "{"x" * 999}", "sha256": ""}}'],
)
def test_a_damaged_log_of_parts_is_one_sentence(tmp_path, line):
    table = FindTable.made(tmp_path / "a.find", ["/spectra"], SETTINGS)
    (table.folder / FILES).write_text(f"{line}\n")
    with pytest.raises(WorkbenchError, match="line 1: not the name of a file and its hash"):
        table.damaged()


def test_a_damaged_part_is_named_and_made_anew_when_it_is_gone(survey, tmp_path):
    table, _ = searched(tmp_path / "a.find", survey)
    [part] = table.parts()
    content = part.read_bytes()
    part.write_bytes(content[:-100])
    assert table.damaged() == [part.name]
    with pytest.raises(WorkbenchError, match="is damaged"):
        keys_of(table)
    part.unlink()
    table, state = searched(tmp_path / "a.find", survey)
    assert state.looked_at == 40
    assert not table.damaged()
    assert (table.folder / FILES).read_text().count("\n") == 2

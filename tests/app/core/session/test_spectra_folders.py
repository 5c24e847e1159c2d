"""A session from a stranger reads no spectra outside its folder until a person allows it."""

import json
from pathlib import Path

import fsspec
import pytest

from agent.errors import ReadError
from agent.tasks.catalogue import find_task
from app.core.errors import SessionError
from app.core.importing.importer import import_list
from app.core.session import spectra_folders
from app.core.session.session import new_session, open_session
from app.core.session.spectra_folders import (
    FILE,
    OutsideFoldersError,
    allow_folders,
    folders_above,
    is_within,
    normalized,
    open_with_spectra,
    outside_folders,
    summarized,
)
from app.core.spectra.packing import pack, packed_spectrum
from tests.agent.spectra.readers import samples
from tests.app.cli.commands import both_said, fails, run
from tests.app.core.exporting.catalogues import listed
from tests.app.core.sessions import change_candidates


@pytest.fixture(autouse=True)
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path / "settings"))
    monkeypatch.setattr(spectra_folders, "_unsaved", {})
    return tmp_path / "settings"


@pytest.fixture
def private(tmp_path):
    """Somebody's own spectra."""
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "secret.fits").write_bytes(samples.sdss())
    return folder


@pytest.fixture
def received(tmp_path, private):
    """A session that names one spectrum of its own folder and one outside."""
    folder = tmp_path / "mail"
    folder.mkdir()
    (folder / "a.fits").write_bytes(samples.sdss())
    rows = [{"path": str(folder / "a.fits")}, {"path": str(private / "secret.fits")}]
    listed(folder / "night.speco3", rows).close()
    return folder / "night.speco3"


def test_nothing_is_packed_before_it_is_allowed(received, private, tmp_path):
    out = tmp_path / "out.speco3"
    with (
        open_session(received, "Ada", read_only=True) as session,
        pytest.raises(OutsideFoldersError, match="outside its own folder") as told,
    ):
        pack(session, out)
    assert told.value.folders == (str(private),)
    assert not out.exists()
    open_with_spectra(received, "Ada", trust_paths=True).close()
    with open_with_spectra(received, "Ada", read_only=True) as session:
        report = pack(session, out)
    assert report.packed == 2
    assert report.folders == (str(received.parent), str(private))


def test_the_answer_is_kept_on_this_computer(received, private, settings, monkeypatch):
    with open_session(received, "Ada", read_only=True) as session:
        before, identity = received.read_bytes(), session.id
        allow_folders(identity, outside_folders(session))
        monkeypatch.setattr(spectra_folders, "_unsaved", {})  # as in another program
        assert outside_folders(session) == ()
    assert received.read_bytes() == before
    assert json.loads((settings / FILE).read_text()) == {identity: [str(private)]}


@pytest.mark.parametrize("text", ["", "[", "[1]", '{"a": 1, "b": [2, "x", null]}', "[" * 100_000])
def test_a_damaged_answer_is_none(received, settings, text):
    settings.mkdir()
    (settings / FILE).write_text(text)
    with pytest.raises(OutsideFoldersError):
        open_with_spectra(received, "Ada")
    open_with_spectra(received, "Ada", trust_paths=True).close()
    open_with_spectra(received, "Ada").close()


def test_an_answer_that_cannot_be_saved_holds_until_the_end(received, monkeypatch):
    monkeypatch.setenv("SPEC_O3_CONFIG", "/dev/null/none")
    open_with_spectra(received, "Ada", trust_paths=True).close()
    open_with_spectra(received, "Ada").close()


@pytest.mark.parametrize(("path", "is_outside"), [
    ("{own}/deeper/b.fits", False),
    ("{own}/../private/secret.fits", True),
    ("{own}/./../private/secret.fits", True),
    ("{own}x/secret.fits", False),  # there is no such folder
    ("/nowhere/at/all.fits", False),
    ("//server/share/a.fits", True),
    ("\\\\server\\share\\a.fits", False),  # on this system a plain name
    ("C:\\data\\a.fits", False),
    ("a\0b.fits", False),
    ("{private}/gone.fits", True),
    ("{private}", False),
    ("", False),
])  # fmt: skip
def test_what_is_outside(tmp_path, private, path, is_outside):
    own = tmp_path / "mail"
    own.mkdir()
    row = {"path": path.format(own=own, private=private)}
    with listed(own / "night.speco3", [row]) as session:
        folders = outside_folders(session)
    if path == "{private}":
        assert folders == (str(tmp_path),)
    else:
        assert bool(folders) == is_outside


def test_a_name_in_the_current_folder(tmp_path, private, monkeypatch):
    (tmp_path / "mail").mkdir()
    monkeypatch.chdir(private)
    with listed(tmp_path / "mail" / "night.speco3", [{"path": "secret.fits"}]) as session:
        assert outside_folders(session) == (str(private),)


def test_links_lead_out_of_a_folder(tmp_path, private):
    folder = tmp_path / "mail"
    folder.mkdir()
    (folder / "a.fits").symlink_to(private / "secret.fits")
    (folder / "all").symlink_to(private)
    rows = [{"path": str(folder / "a.fits")}, {"path": str(folder / "all" / "secret.fits")}]
    with listed(folder / "night.speco3", rows) as session:
        report = pack(session, tmp_path / "out.speco3")
    assert report.packed == 0
    assert all("leads outside" in each.reason for each in report.unreadable)


def test_lists_imported_here_are_known(tmp_path, private):
    (private / "list.csv").write_text("file\nsecret.fits\n")
    place = tmp_path / "sessions" / "night.speco3"
    place.parent.mkdir()
    with new_session(place, find_task("CV"), "Ada") as session:
        import_list(session, private / "list.csv")
    with open_with_spectra(place, "Ada", read_only=True) as session:
        assert pack(session, tmp_path / "out.speco3").packed == 1
    private.rename(tmp_path / "moved")
    with open_with_spectra(tmp_path / "out.speco3", "Bea") as session:
        assert session.count() == 1


def test_what_is_packed_names_no_folder(received, private, tmp_path):
    with open_with_spectra(received, "Ada", trust_paths=True) as session:
        identity = session.id
        pack(session, received.with_name("packed.speco3"))
    spectra_folders._unsaved.clear()
    (tmp_path / "settings" / FILE).unlink()
    with open_with_spectra(received.with_name("packed.speco3"), "Ada") as session:
        assert session.id == identity
        assert pack(session, tmp_path / "again.speco3").folders == ()


def test_commands_ask_for_the_flag(received, private, tmp_path):
    packed = tmp_path / "out.speco3"
    page = tmp_path / "out.html"
    for words in (("pack", received, packed), ("vet", received), ("export", received, page)):
        told = fails(*words)
        assert "--trust-paths" in told
        assert str(private) in told
    run("export", received, tmp_path / "out.csv", "--which", "all")
    run("stats", received)
    told = both_said("pack", received, packed, "--trust-paths")
    assert f"from {private}" in told
    run("export", received, page)


def test_errors_are_of_the_program(received):
    with pytest.raises(SessionError) as told:
        open_with_spectra(received, "Ada")
    assert "\n" not in str(told.value)
    assert not isinstance(told.value, ReadError)
    assert not list(Path(received.parent).glob(".*lock"))


def test_addresses_are_asked_about_like_folders(received, settings, monkeypatch):
    """Nothing is asked of them before, and the answer is kept."""
    with open_session(received, "Ada") as session:
        change_candidates(session, {2: {"path": "s3://somebody/private/1.fits"}})
    with pytest.raises(OutsideFoldersError, match="s3://somebody/private") as told:
        open_with_spectra(received, "Ada")
    assert told.value.folders == ("s3://somebody/private",)
    open_with_spectra(received, "Ada", trust_paths=True).close()
    monkeypatch.setattr(spectra_folders, "_unsaved", {})
    with open_with_spectra(received, "Ada") as session:
        assert "s3://somebody/private" in spectra_folders.allowed_folders(session)


def test_an_address_is_packed_where_it_is_allowed_and_only_there(received, tmp_path):
    store = fsspec.filesystem("memory")
    store.pipe("/box/in/1.fits", samples.sdss())
    store.pipe("/box/out/2.fits", samples.sdss())
    with open_session(received, "Ada") as session:
        places = {1: "memory://box/in/1.fits", 2: "memory://box/out/2.fits"}
        change_candidates(session, {number: {"path": place} for number, place in places.items()})
        allow_folders(session.id, ["memory://box/in"])
        with pytest.raises(OutsideFoldersError, match="memory://box/out"):
            pack(session, tmp_path / "none.speco3")
        allow_folders(session.id, ["memory://box/out"])
        report = pack(session, tmp_path / "out.speco3")
    store.rm("/box", recursive=True)
    assert (report.packed, report.unreadable) == (2, ())
    with open_with_spectra(tmp_path / "out.speco3", "Ada") as copy:
        assert packed_spectrum(copy, 1) is not None


def test_folders_are_compared_whole_and_summarized():
    assert is_within("/data/a", "/data")
    assert is_within("/data", "/data")
    assert is_within("/data", "/")
    assert not is_within("/data2/a", "/data")
    few = [f"/data/{number}" for number in range(8)]
    assert summarized([*few, "/data/1/deeper", "/data/1"]) == tuple(few)
    many = [f"/data/survey/{a}/{b}" for a in range(30) for b in range(30)]
    assert summarized([*many, "/home/ada"]) == ("/data/survey", "/home/ada")
    assert "/" not in summarized([f"/{number}/x" for number in range(20)])
    assert is_within("s3://a/b", "s3://a") and not is_within("s3://ab", "s3://a")
    assert folders_above("s3://a/b/c") == ["s3://a/b", "s3://a"]
    assert folders_above("s3://a") == []
    assert normalized("HTTP://Host/a/") == "http://host/a"
    assert normalized("s3://a/../b") == ""
    many = [f"s3://a/b/{number}" for number in range(20)]
    assert summarized([*many, "/data/x"]) == ("/data/x", "s3://a/b")
    assert len(summarized(f"s3://bucket{number}" for number in range(20))) == 20

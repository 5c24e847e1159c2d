"""`spec-o3 fetch`."""

import signal
import subprocess
import sys

import pytest

from app.cli.services import mcp as command
from app.cli.services.services import GD_153
from app.core.reviewer_name import settings_path
from app.core.session.session import open_session
from app.services.catalogues.service import all_services
from tests.agent.spectra.readers import samples
from tests.app.cli.commands import SAMPLE, fails, invoke, run
from tests.app.services.archives.archive_play import LAMOST_STAR, OBSID, play_archives
from tests.processes import wait_until

STAR = "plate,mjd,fiberid,ra,dec\n266,51602,31,147.32107,-0.0065757249\n"
FIRST = int(OBSID)


@pytest.fixture
def server(server):
    play_archives(server)
    return server


@pytest.fixture
def plates(tmp_path):
    path = tmp_path / "plates.csv"
    path.write_text(STAR, encoding="utf-8")
    return path


def test_what_was_fetched_opens_as_a_session(server, plates, tmp_path):
    folder = tmp_path / "spectra"
    args = ("fetch", plates, "--from", "sdss", "--to", folder, "--url", server.url)
    said = run(*args)
    assert "1 spectrum wanted" in said and "data.sdss.org" in said and "1 file" in said
    assert "were there" in run(*args) and len(server.asked) == 1
    run("new", tmp_path / "s.speco3", folder / "fetched.csv", "--task", "CV")
    with open_session(tmp_path / "s.speco3", "Ada", read_only=True) as session:
        assert session.candidate(1).path == str(folder / "spec-0266-51602-0031.fits")


def test_missing_files_of_a_session_are_fetched(server, plates, tmp_path):
    place = tmp_path / "s.speco3"
    run("new", place, plates, "--task", "CV")
    args = ("fetch", place, "--from", "sdss", "--to", tmp_path / "new", "--url", server.url)
    assert "1 candidate with a new file" in run(*args)
    assert "0 spectra wanted" in run(*args)
    with open_session(place, "Ada", read_only=True) as session:
        assert session.candidate(1).path == str(tmp_path / "new" / "spec-0266-51602-0031.fits")


def test_what_fails_is_said_and_listed(server, plates, tmp_path):
    server.always = "html"
    words = ("fetch", plates, "--from", "sdss", "--to", tmp_path / "x", "--url", server.url)
    result = invoke(*words)
    assert result.exit_code == 1 and "row 1 0266-51602-0031" in result.stderr
    assert "web page" in (tmp_path / "x" / "not_fetched.csv").read_text()


def test_what_cannot_be_fetched_is_refused_with_the_reason(plates, tmp_path):
    said = fails("fetch", plates, "--from", "desi", "--to", tmp_path / "x")
    assert "SPARCL" in said and not (tmp_path / "x").exists()
    assert "address" in fails("fetch", plates, "--from", "ssap", "--to", tmp_path / "x")


def test_a_run_that_was_killed_goes_on_where_it_was(server, tmp_path):
    """Each star has a file of its own; the first run is killed while one is on its way."""
    numbers = range(FIRST, FIRST + 4)
    content = {str(n): samples.lamost_table(OBSID=n) for n in numbers}
    server.answer = lambda path, fields: (content[fields["obsid"]], "application/fits")
    listed = tmp_path / "stars.csv"
    rows = [f"{n},{LAMOST_STAR.ra},{LAMOST_STAR.dec}\n" for n in numbers]
    listed.write_text("obsid,ra,dec\n" + "".join(rows), encoding="utf-8")
    folder = tmp_path / "spectra"
    args = ["fetch", str(listed), "--from", "lamost", "--to", str(folder), "--url", server.url]
    server.faults = ["", "", "stall"]
    child = subprocess.Popen(
        [sys.executable, "-m", "app.cli.main", *args],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: len(server.asked) == 3 or child.poll() is not None)
    assert child.poll() is None
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert len(list(folder.glob("*.fits"))) == 2
    (folder / f".lamost-{FIRST}.fits.abcd1234.part").write_bytes(b"half")
    with (folder / "fetched.ecsv").open("ab") as file:
        file.write(b"half a line")
    asked = len(server.asked)
    said = run(*args)
    assert "4 files" in said and "2 were there" in said
    assert len(server.asked) == asked + 2 and not list(folder.glob(".*"))
    for number in numbers:
        assert (folder / f"lamost-{number}.fits").read_bytes() == content[str(number)]


# `spec-o3 services` against the stand-in.
@pytest.fixture
def settings(tmp_path, monkeypatch, server):
    """The user has turned 2MASS on, at the address of the stand-in."""
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path))
    settings_path().write_text(
        f'services = ["twomass"]\n[service_changes]\n"twomass.url" = "{server.url}"\n'
    )


def test_the_list_says_what_is_on_and_what_is_sent(settings, server):
    lines = run("services", "list").splitlines()
    assert len(lines) == 2 * len(all_services())
    said = [" ".join(line.split()) for line in lines]
    assert any(line.startswith("twomass on 2MASS") and server.url in line for line in said)
    assert any(line.startswith("gaia off Gaia DR3: https://") for line in said)
    assert len({max(line.find("  on "), line.find("  off ")) for line in lines[::2]}) == 1


def test_check_says_what_answers(settings, server):
    row = {each.column: 1.0 for each in all_services()["twomass"].columns}
    row |= {each.error: 1.0 for each in all_services()["twomass"].columns if each.error}
    row |= {"RAJ2000": GD_153.position.ra, "DEJ2000": GD_153.position.dec}
    server.tables['"II/246/out"'] = [row]
    said = run("services", "check", "twomass")
    assert said.split()[:2] == ["twomass", "answers"] and "GD 153" in said


# `spec-o3 mcp`.
def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert 'pip install "spec-o3-workbench[mcp]"' in fails("mcp", "--spectra", SAMPLE)


def test_there_must_be_something_to_serve(tmp_path):
    assert "nothing to serve" in fails("mcp")
    assert "proposals need a session" in fails("mcp", "--spectra", SAMPLE, "--allow-proposals")
    assert "is not a folder" in fails("mcp", "--spectra", tmp_path / "none")
    assert "none.speco3" in fails("mcp", tmp_path / "none.speco3")

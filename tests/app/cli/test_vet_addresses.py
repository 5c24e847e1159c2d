"""A list whose spectra are on a web server: refused, allowed, inspected and looked at."""

from __future__ import annotations

import csv
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from app.core.inspections.store import inspections_of
from app.core.session.spectra_folders import open_with_spectra
from tests.app.cli.commands import FEW, MEASURED, both_said, fails, run


@pytest.fixture
def archive(few, tmp_path):
    """The spectra of `few` on a server, one of which is not there, and a list of them."""

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *words):
            super().__init__(*words, directory=str(few.parent))

        def log_message(self, *words):
            asked.append(self.path)

    asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    base = f"http://127.0.0.1:{server.server_port}"
    path = tmp_path / "remote" / "list.csv"
    path.parent.mkdir()
    with few.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, "file": f"{base}/{row['file']}"})
        writer.writerow({**rows[0], "object_id": "gone", "file": f"{base}/gone.fits"})
    yield path, base, asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_spectra_on_a_web_server(archive, tmp_path):
    path, base, asked = archive
    place = tmp_path / "night.speco3"
    told = fails("new", place, path, "--task", "CV")
    assert f"spectra outside the folder of the list, in {base}" in told.replace("\n", " ")
    said = run("new", place, path, "--task", "CV", "--trust-paths")
    assert f"{FEW + 1} of {FEW + 1} rows imported" in said
    assert asked == [], "the import asks nothing"
    said = both_said("vet", place, *MEASURED)
    assert f"{FEW + 1} inspected with measured" in said
    assert "unreadable 2" in said
    assert "the server answers with status 404" in said
    assert len(asked) >= FEW + 1
    with open_with_spectra(place, "Ada") as session:
        (kept,) = inspections_of(session, 1)
        assert kept.trajectory.spectrum.path.startswith(f"{base}/")

"""Files that others offer: copied only from this machine, bounded, and of the kind they say."""

import gzip
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agent.web.body import never
from app.services.samp import inbox
from app.services.samp.inbox import fetch
from app.services.samp.library import RefusedMessage
from app.services.samp.received import LOAD_FITS, LOAD_SPECTRUM, LOAD_VOTABLE, FileOffered
from tests.app.services.samp.peers import TABLE
from tests.processes import LONG_S, served
from tests.trickling import TRICKLES, trickling


def offer(url: str, mtype: str = LOAD_VOTABLE, name: str = "t") -> FileOffered:
    return FileOffered(sender="x", mtype=mtype, url=url, name=name)


@pytest.fixture
def target(tmp_path) -> Path:
    return tmp_path / "received"


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "a table.vot"
    path.write_text(TABLE)
    return path


def left(target: Path) -> list[str]:
    return sorted(path.name for path in target.iterdir()) if target.exists() else []


def test_a_file_is_copied_under_a_harmless_name(table, target):
    copy = fetch(offer(table.as_uri(), name="../../etc/my table"), target, never)
    assert copy.parent == target and copy.read_text() == TABLE
    assert copy.name.startswith("etc_my_table-") and copy.suffix == ".vot"
    assert fetch(offer(table.as_uri(), name="../../etc/my table"), target, never) == copy
    assert left(target) == [copy.name]


def test_a_fits_spectrum_keeps_its_kind(tmp_path, target):
    path = tmp_path / "s"
    path.write_bytes(b"SIMPLE  =                    T".ljust(2880))
    assert fetch(offer(path.as_uri(), LOAD_SPECTRUM), target, never).suffix == ".fits"
    assert fetch(offer(path.as_uri(), LOAD_FITS), target, never).suffix == ".fits"
    with pytest.raises(RefusedMessage, match="not a table of the kind"):
        fetch(offer(path.as_uri(), LOAD_VOTABLE), target, never)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert fetch(offer(path.as_uri(), LOAD_SPECTRUM), target, never).name.endswith(".fits.gz")
    path.write_bytes(gzip.compress(b"a diary"))
    with pytest.raises(RefusedMessage, match="neither FITS nor VOTable"):
        fetch(offer(path.as_uri(), LOAD_SPECTRUM), target, never)


@pytest.mark.parametrize(("url", "why"), [
    ("file:///etc/hostname", "outside your home folder"),
    ("file:///proc/self/environ", "outside your home folder"),
    ("file:///dev/zero", "outside your home folder"),
    ("file:///tmp/../etc/hostname", "outside your home folder"),
    ("file:///tmp/nowhere/at/all", "cannot be read"),
    ("file://nas/share/t.vot", "another machine"),
    ("file:///tmp/%00", "cannot be read"),
    ("http://192.0.2.7/t.vot", "another machine"),
    ("http://example.org/t.vot", "another machine"),
    ("https://127.0.0.1/t.vot", "neither file: nor http:"),
    ("ftp://127.0.0.1/t.vot", "neither file: nor http:"),
    ("jar:file:///x!/y", "neither file: nor http:"),
    ("http://127.0.0.1:1/t.vot", "could not be fetched"),
    ("http://[::1", "neither file: nor http:"),
    ("http://127.0.0.1/\r\nX: y", "neither file: nor http:"),
    ("/etc/hostname", "neither file: nor http:"),
    ("", "neither file: nor http:"),
])  # fmt: skip
def test_what_is_not_fetched(target, url, why):
    with pytest.raises(RefusedMessage, match=why):
        fetch(offer(url), target, never)
    assert left(target) == []


def test_a_link_that_leads_out_of_the_home_folder_is_refused(tmp_path, target):
    link = tmp_path / "link.vot"
    link.symlink_to("/etc/hostname")
    with pytest.raises(RefusedMessage, match="outside your home folder"):
        fetch(offer(link.as_uri()), target, never)


def test_a_pipe_or_a_folder_is_no_file_and_nobody_waits(tmp_path, target):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        with pytest.raises(RefusedMessage, match=r"not a file|cannot be read"):
            fetch(offer(path.as_uri()), target, never)


def test_a_private_key_is_not_copied(tmp_path, target):
    key = tmp_path / "id_rsa"
    key.write_text("-----BEGIN OPENSSH PRIVATE KEY-----\n")
    for mtype in (LOAD_VOTABLE, LOAD_FITS, LOAD_SPECTRUM):
        with pytest.raises(RefusedMessage, match="a file that is n"):
            fetch(offer(key.as_uri(), mtype), target, never)
    assert left(target) == []


def test_a_file_without_an_end_is_cut_off(table, target, monkeypatch):
    monkeypatch.setattr(inbox, "MAX_TABLE", 100)
    with pytest.raises(RefusedMessage, match="more than"):
        fetch(offer(table.as_uri()), target, never)
    assert left(target) == []


def test_it_stops_when_told(table, target):
    with pytest.raises(RefusedMessage, match="in time"):
        fetch(offer(table.as_uri()), target, lambda: True)
    assert left(target) == []


@contextmanager
def server(answer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *words) -> None:
            pass

    with served(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as made:
        made.daemon_threads = True
        yield f"http://127.0.0.1:{made.server_port}/t.vot?x=1"


def says(status: int, body: str = TABLE, **headers: object):
    """An answer of a server, with these headers."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        assert handler.path == "/t.vot?x=1"
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), str(value))
        handler.end_headers()
        handler.wfile.write(body.encode())

    return answer


WHOLE = says(200, content_length=len(TABLE))


def test_a_file_of_a_server_of_this_machine(target):
    with server(WHOLE) as url:
        assert fetch(offer(url), target, never).read_text() == TABLE
        assert fetch(offer(url.replace("127.0.0.1", "localhost")), target, never).exists()


@pytest.mark.parametrize("part", TRICKLES)
def test_a_server_that_trickles_is_left_in_time_and_when_told(target, monkeypatch, part):
    monkeypatch.setattr(inbox, "TOTAL_S", 0.3)
    with trickling(part) as (url, _), pytest.raises(RefusedMessage, match="in time"):
        fetch(offer(url), target, never)
    monkeypatch.setattr(inbox, "TOTAL_S", LONG_S)
    with trickling(part) as (url, began), pytest.raises(RefusedMessage, match="in time"):
        fetch(offer(url), target, began.is_set)
    assert left(target) == []


@pytest.mark.parametrize(("answer", "why"), [
    (says(404, ""), "404"), (says(302, "", location="http://192.0.2.7/t.vot"), "302"),
    (says(200, content_length=10**12), "more than"),
    (says(200, content_length=len(TABLE) + 100), "not whole"),
    (says(200, "<!DOCTYPE html><html>Please log in</html>"), "not a table"),
])  # fmt: skip
def test_what_a_server_may_do_instead(target, answer, why):
    with server(answer) as url, pytest.raises(RefusedMessage, match=why):
        fetch(offer(url), target, never)
    assert left(target) == []


def test_a_server_that_says_nothing_is_left(target, monkeypatch):
    monkeypatch.setattr(inbox, "SILENCE_S", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        with pytest.raises(RefusedMessage, match="in time"):
            fetch(offer(url), target, never)


def test_no_proxy_is_asked(target, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://192.0.2.9:3128")
    with server(WHOLE) as url:
        assert fetch(offer(url), target, never).exists()

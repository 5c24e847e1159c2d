"""Spectra at addresses: a store in memory, and web servers on loopback that cannot be trusted."""

import gzip
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import fsspec
import pytest

from agent.errors import ReadError
from agent.spectra.fits import source_file
from agent.spectra.fits.source_file import read_url
from agent.spectra.readers import read
from agent.spectra.urls import MAX_URL, is_url, url_folder, url_problem
from agent.web.body import stop_this_thread
from tests.agent.engines.remote.fake_server import Act, Handler, Server, answered, serving
from tests.processes import LONG_S
from tests.trickling import TRICKLES, trickling

TEXT = b"wavelength,flux\n" + b"".join(b"%d,%d\n" % (4000 + n, 1 + n % 3) for n in range(40))


@pytest.fixture
def box() -> Iterator[Any]:
    store = fsspec.filesystem("memory")
    store.pipe("/box/one.csv", TEXT)
    yield store
    store.rm("/box", recursive=True)


def file(content: bytes, **headers: str) -> Act:
    def act(handler: Handler) -> None:
        handler.head(200, content_length=str(len(content)), **headers)
        handler.wfile.write(content)

    return act


def moved(where: str) -> Act:
    return lambda handler: handler.head(302, location=where, content_length="0")


@contextmanager
def web(*acts: Act) -> Iterator[tuple[str, Server]]:
    with serving(*acts) as server:
        yield server.url.removesuffix("/v1"), server


def test_a_spectrum_in_a_store_and_on_a_web_server(box: Any) -> None:
    found = read("memory://box/one.csv")
    assert len(found) == 40
    assert found.path == "memory://box/one.csv", "the address, as it was given"
    box.pipe("/box/two.csv.gz", gzip.compress(TEXT))
    assert len(read("memory://box/two.csv.gz")) == 40
    with web(file(TEXT)) as (url, server):
        assert len(read(f"{url}/night/one.csv?version=2")) == 40
        (request,) = server.requests
        assert request.path == "/night/one.csv?version=2"
        assert not {"authorization", "cookie", "referer"} & set(request.headers)


def test_what_is_not_there_says_so(box: Any) -> None:
    with pytest.raises(ReadError, match=r"two.csv: the store has no such file"):
        read("memory://box/two.csv")
    with (
        web(answered(404, {})) as (url, _),
        pytest.raises(ReadError, match=r"1.fits: the server answers with status 404"),
    ):
        read(f"{url}/1.fits")
    with pytest.raises(ReadError, match="cannot be read"):
        read("http://127.0.0.1:9/1.fits")


def test_too_large_a_file_is_refused_before_it_is_read(
    box: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_file, "MAX_BYTES", 200)
    monkeypatch.setattr(box, "cat_file", lambda *words, **more: pytest.fail("it was read"))
    with pytest.raises(ReadError, match="larger than"):
        read_url("memory://box/one.csv")

    def tells_more_than_it_sends(handler: Handler) -> None:
        handler.head(200, content_length=str(10**12))
        handler.wait_for_hang_up()

    with (
        web(tells_more_than_it_sends) as (url, server),
        pytest.raises(ReadError, match="larger than"),
    ):
        read_url(f"{url}/1.fits")
    assert server.hung_up.is_set()


def endless(handler: Handler, piece: bytes = b"x") -> None:
    handler.head(200, transfer_encoding="chunked")
    while True:
        handler.chunk(piece)


def silent(handler: Handler) -> None:
    handler.head(200, content_length="100")
    handler.wfile.write(b"x")
    handler.wait_for_hang_up()


@pytest.mark.parametrize(("limit", "value", "act", "why"), [
    ("MAX_BYTES", 100_000, partial(endless, piece=b"x" * 5000), "larger than"),
    ("SILENCE_S", 0.2, silent, "cannot be read"),
    ("WHOLE_S", 0.0, endless, "not sent within 0 s"),
])  # fmt: skip
def test_one_that_goes_on_or_stalls_is_given_up(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: float, act: Act, why: str
) -> None:
    monkeypatch.setattr(source_file, limit, value)
    with web(act) as (url, _), pytest.raises(ReadError, match=why):
        read_url(f"{url}/1.fits")


@pytest.mark.parametrize("part", TRICKLES)
def test_one_that_trickles_is_given_up_in_time_and_when_nobody_waits(
    monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.setattr(source_file, "WHOLE_S", 0.3)
    with trickling(part) as (url, _), pytest.raises(ReadError, match=r"not sent within 0\.3 s"):
        read_url(url)
    monkeypatch.setattr(source_file, "WHOLE_S", LONG_S)
    with (
        trickling(part) as (url, began),
        ThreadPoolExecutor(1, initializer=stop_this_thread, initargs=(began.is_set,)) as thread,
        pytest.raises(ReadError, match="nobody waits"),
    ):
        thread.submit(read_url, url).result()


def test_a_packed_reply_that_was_not_asked_for_is_refused() -> None:
    bomb = gzip.compress(bytes(10**6))
    with (
        web(file(bomb, content_encoding="gzip")) as (url, _),
        pytest.raises(ReadError, match="compressed"),
    ):
        read_url(f"{url}/1.fits")


@pytest.mark.parametrize("where", [
    "file:///etc/passwd", "http://169.254.169.254/latest/meta-data", "//other.example/1.fits",
    "https://127.0.0.1/1.fits", "memory://box/one.csv", "http://me:secret@127.0.0.1/x",
])  # fmt: skip
def test_no_redirect_leads_to_another_place(where: str) -> None:
    with (
        web(moved(where)) as (url, server),
        pytest.raises(ReadError, match="the server sends us to") as caught,
    ):
        read_url(f"{url}/1.fits")
    assert len(server.requests) == 1
    assert "secret" not in str(caught.value)


def test_a_redirect_on_the_same_server_is_followed_and_a_loop_ended() -> None:
    with web(moved("/there/1.csv"), file(TEXT)) as (url, server):
        assert read_url(f"{url}/1.csv") == TEXT
        assert server.requests[1].path == "/there/1.csv"
    with web(moved("/1.csv")) as (url, server), pytest.raises(ReadError, match="in a loop"):
        read_url(f"{url}/1.csv")
    assert len(server.requests) == 4


@pytest.mark.parametrize("url", ["file:///etc/passwd", "memory://box/../x", "s3://a/b::file:///x"])
def test_tricks_are_not_tried(url: str) -> None:
    with pytest.raises(ReadError):
        read_url(url)


@pytest.mark.parametrize("scheme", ["s3", "gs"])
def test_what_is_not_installed_is_named(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("s3fs", "gcsfs"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ReadError, match=r'pip install "spec-o3-workbench\[cloud\]"'):
        read_url(f"{scheme}://bucket/1.fits")


def test_a_path_is_still_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A local file may lie in a folder named like an address."""
    place = tmp_path / "http:" / "host" / "1.csv"
    place.parent.mkdir(parents=True)
    place.write_bytes(TEXT)
    assert len(read(place)) == 40
    monkeypatch.chdir(tmp_path)
    assert len(read(Path("http://host/1.csv"))) == 40


def test_a_public_bucket_needs_no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoCredentialsError(Exception):
        """As botocore's."""

    class Store:
        def __init__(self, **options: Any) -> None:
            self.is_public = options.get("anon", False)

        def info(self, path: str) -> dict[str, int]:
            if not self.is_public:
                raise NoCredentialsError("Unable to locate credentials")
            return {"size": len(TEXT)}

        def cat_file(self, path: str, start: int, end: int) -> bytes:
            return TEXT[start:end]

    monkeypatch.setattr(fsspec, "filesystem", lambda scheme, **options: Store(**options))
    assert read_url("s3://public/1.csv") == TEXT


@pytest.mark.parametrize(("url", "folder"), [
    ("s3://bucket/night/1.fits", "s3://bucket/night"),
    ("S3://Bucket/1.fits.gz", "s3://Bucket"),
    ("gs://a-b.c_d/x/y/z.csv", "gs://a-b.c_d/x/y"),
    ("memory://box/1.csv", "memory://box"),
    ("HTTPS://Archive.Example:8443/A/b.fits?id=3", "https://archive.example:8443/A"),
    ("http://[::1]:80/x.fits", "http://[::1]:80"),
    ("http://host/get?file=a/b/c.fits", "http://host"),
    ("http://host/a/", "http://host/a"),
])  # fmt: skip
def test_an_address_and_its_folder(url, folder):
    assert is_url(url)
    assert url_problem(url) == ""
    assert url_folder(url) == folder


@pytest.mark.parametrize(
    "text", ["/data/1.fits", "1.fits", "file:///etc/passwd", "ftp://a/b", "C:/1.fits", "s3:/a", ""]
)
def test_what_is_no_address(text):
    assert not is_url(text)
    assert url_problem(text)
    assert url_folder(text) == ""


@pytest.mark.parametrize("url", [
    "http://me:secret@host/1.fits",
    "http://allowed.example@evil.example/1.fits",
    "s3://bucket/a/../other/1.fits",
    "s3://bucket/./1.fits",
    "http://host/a/%2e%2e/b/1.fits",
    "http://host/a\\..\\1.fits",
    "http://host/%5c%00/1.fits",
    "s3://bucket/1.fits::file:///etc/passwd",
    "memory://a/b::simplecache::s3://c/d",
    "http://host/x?u=file:///etc/passwd",
    "http://host:99999/1.fits",
    "http://host:port/1.fits",
    "http:///1.fits",
    "s3:///1.fits",
    "http://[::1/1.fits",
    "http://ho st/1.fits",
    "http://host/1\n.fits",
    "http://hоst/1.fits",  # a Cyrillic o
    "http://host/" + "x" * MAX_URL,
])  # fmt: skip
def test_tricks_are_refused(url):
    assert is_url(url)
    assert url_problem(url)
    assert url_folder(url) == ""

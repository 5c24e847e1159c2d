"""Our own hub in a process of its own, and how it ends."""

import inspect
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from agent.web.body import never
from app.services.samp import connection as connection_module
from app.services.samp import hub as hub_module
from app.services.samp.connection import FAILURES, hub_proxy, is_alive
from app.services.samp.hub import HubAddress, OwnHub, is_here, lock_path, read_lock_file
from app.services.samp.library import SampError, samp_library
from tests.app.services.samp.peers import running_hub
from tests.processes import LONG_S, runs, wait_until
from tests.trickling import TRICKLES, trickling


def test_it_listens_and_leaves_nothing(lock):
    hub = OwnHub.start(never)
    assert hub is not None and hub.is_running
    address = read_lock_file()
    assert address is not None and address.url.startswith("http://127.0.0.1:") and is_alive(address)
    assert lock.stat().st_mode & 0o077 == 0  # the key is nobody else's
    hub.stop()
    assert not hub.is_running and not lock.exists() and not psutil.pid_exists(hub.pid)


def test_another_that_was_quicker_stays(lock):
    with running_hub():
        written = lock.read_text()
        assert OwnHub.start(never) is None
        assert lock.read_text() == written


def test_it_ends_when_the_program_is_killed(lock):
    code = (
        "import sys; from app.services.samp.hub import OwnHub; hub = OwnHub.start(lambda: False);"
        "print(hub.pid, flush=True); sys.stdin.read()"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert program.stdout is not None and program.stdin is not None
    pid = int(program.stdout.readline())
    assert lock.exists() and psutil.pid_exists(pid)
    os.kill(program.pid, signal.SIGKILL)
    program.wait()
    wait_until(lambda: not lock.exists())
    wait_until(lambda: not runs(pid))
    program.stdin.close()
    program.stdout.close()


def test_one_that_does_not_start_is_said_so(lock, monkeypatch):
    monkeypatch.setattr(hub_module, "MODULE", "app.services.samp.no_such_module")
    with pytest.raises(SampError, match="could not be started"):
        OwnHub.start(never)


@pytest.mark.parametrize(("start_s", "should_stop"), [(0.2, never), (600, lambda: True)])
def test_one_that_hangs_is_killed(lock, monkeypatch, start_s, should_stop):
    monkeypatch.setattr(hub_module, "START_S", start_s)
    monkeypatch.setattr(
        hub_module,
        "child_command",
        lambda *_: [sys.executable, "-c", "import time; time.sleep(600)"],
    )
    with pytest.raises(SampError, match="took too long"):
        OwnHub.start(should_stop)


# The file that says where a hub is: believed only where it leads to this machine.
def test_a_lock_file_is_read_and_a_folder_in_its_place_is_none(lock):
    assert read_lock_file() is None
    url = "http\\://127.0.0.1\\:8000/xmlrpc"  # as Java writes it
    lock.write_text(f"# written by hand\nsamp.secret=a=b\nsamp.hub.xmlrpc.url={url}\n")
    assert read_lock_file() == HubAddress("http://127.0.0.1:8000/xmlrpc", "a=b")
    lock.unlink()
    lock.mkdir()
    assert read_lock_file() is None


@pytest.mark.parametrize("text", ["", "nonsense", "samp.secret=x", "\x00\xff" * 100])
def test_a_lock_file_without_a_hub_is_none(lock, text):
    lock.write_text(text)
    assert read_lock_file() is None


@pytest.mark.parametrize(
    "url", ["http://192.0.2.1/", "http://example.org:80/", "https://127.0.0.1/", "ftp://127.0.0.1/"]
)
def test_a_hub_of_another_machine_is_refused(lock, url):
    lock.write_text(f"samp.secret=x\nsamp.hub.xmlrpc.url={url}\n")
    with pytest.raises(SampError, match="not on this machine"):
        read_lock_file()


@pytest.mark.parametrize(
    "told", ["std-lockurl:http://example.org/.samp", "other:x", "std-lockurl:file://nas/home/.samp"]
)
def test_a_lock_file_of_another_machine_is_refused(monkeypatch, told):
    monkeypatch.setenv("SAMP_HUB", told)
    with pytest.raises(SampError, match="SAMP_HUB"):
        lock_path()


def test_the_usual_place(monkeypatch, tmp_path):
    monkeypatch.delenv("SAMP_HUB", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert lock_path() == Path(tmp_path) / ".samp"


@pytest.mark.parametrize(("url", "expected"), [
    ("http://127.0.0.1:5/", True), ("http://127.9.9.9/", True),
    ("http://localhost:8080/x", True), ("http://[::1]:80/", True),
    ("http://localhost.example.org/", False), ("http://127.0.0.1.example.org/", False),
    ("http://127.0.0.1@example.org/", False), ("http://0.0.0.0/", False),
    ("http://2130706433/", False), ("http://127.0.0.1:99999/", False), ("http://[::1", False),
    ("file:///x", False),
])  # fmt: skip
def test_what_leads_to_this_machine(url, expected):
    assert is_here(url) is expected


# A hub that is slow, silent or talks nonsense is left after a limited time.
@contextmanager
def speaker(answer: bytes | None) -> Iterator[HubAddress]:
    """Takes connections; says this and closes them, or says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held = []

        def serve() -> None:
            while True:
                try:
                    taken, _ = server.accept()
                except OSError:
                    return
                held.append(taken)
                if answer is not None:
                    taken.recv(65536)
                    taken.sendall(answer)
                    taken.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield HubAddress(f"http://127.0.0.1:{server.getsockname()[1]}/", "x")
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for each in held:
                each.close()


def test_a_hub_is_asked(hub):
    address = read_lock_file()
    assert address is not None and is_alive(address)
    proxy = hub_proxy(address)
    assert proxy.is_connected
    proxy.ping()
    proxy.disconnect()
    assert not proxy.is_connected


def test_a_silent_hub_is_left(monkeypatch):
    monkeypatch.setattr(connection_module, "TIMEOUT_S", 0.2)
    with speaker(None) as address:
        with pytest.raises(SampError, match="does not answer"):
            is_alive(address)
        proxy = hub_proxy(address)
        with pytest.raises(FAILURES):
            proxy.ping()
        proxy.disconnect()


@pytest.mark.parametrize("part", TRICKLES)
def test_a_hub_that_trickles_is_left_in_time_and_when_told(monkeypatch, part):
    monkeypatch.setattr(connection_module, "TIMEOUT_S", 0.3)
    with trickling(part) as (url, _), pytest.raises(FAILURES):
        hub_proxy(HubAddress(url, "x")).ping()
    monkeypatch.setattr(connection_module, "TIMEOUT_S", LONG_S)
    with trickling(part) as (url, began), pytest.raises(FAILURES):
        hub_proxy(HubAddress(url, "x"), began.is_set).ping()


def http_answer(body: bytes, more: bytes = b"") -> bytes:
    return b"HTTP/1.0 200 OK\r\n" + more + b"Content-Type: text/xml\r\n\r\n" + body


@pytest.mark.parametrize("answer", [
    b"SSH-2.0-OpenSSH\r\n",
    http_answer(b"nonsense"),
    http_answer(b"<methodResponse><params><param><value><int>x</int></value></param></params>"),
    http_answer(b"<methodResponse></methodResponse>"),
    http_answer(b"<a>" * 10_000),
    http_answer(b"x" * (1024 * 1024)),
    b"HTTP/1.0 500 no\r\n\r\n",
    b"",
])  # fmt: skip
def test_nonsense_is_a_known_failure(answer, monkeypatch):
    monkeypatch.setattr(connection_module, "MAX_ANSWER", 1024 * 512)
    with speaker(answer) as address:
        proxy = hub_proxy(address)
        with pytest.raises(FAILURES):
            proxy.ping()
        proxy.disconnect()
        assert is_alive(address) in (True, False)


def test_it_asks_no_web_site():
    library = samp_library()
    assert library.conf.use_internet is False and library.utils.internet_on() is False


def test_what_we_use_of_it():
    library = samp_library()
    client = library.SAMPClient
    assert {"hub", "name", "metadata", "addr"} <= set(inspect.signature(client).parameters)
    for name in (
        *("start", "stop", "register", "unregister", "get_private_key", "get_public_id"),
        *("bind_receive_message", "bind_receive_response", "unbind_receive_call"),
        *("unbind_receive_response", "declare_subscriptions"),
    ):
        assert callable(getattr(client, name))
    for name in (
        *("call", "notify", "reply", "ping", "disconnect", "get_metadata", "get_subscriptions"),
        "get_subscribed_clients",
    ):
        assert callable(getattr(library.SAMPHubProxy, name))
    hub = inspect.signature(library.SAMPHubServer).parameters
    assert {"addr", "lockfile", "label", "web_profile", "pool_size", "mode"} <= set(hub)
    assert hub["web_profile"].default is True  # why we say False
    assert "SAMPClientError" in dir(library)


def test_without_it_we_say_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyvo.samp", None)
    with pytest.raises(SampError, match="pip install pyvo"):
        samp_library.__wrapped__()

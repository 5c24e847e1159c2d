"""A hub that is slow, silent or talks nonsense is left after a limited time."""

import http.client
import inspect
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.services.samp import connection as module
from app.services.samp.connection import FAILURES, hub_proxy, is_alive
from app.services.samp.hub import HubAddress, read_lock_file
from app.services.samp.library import SampError, samp_library


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
    monkeypatch.setattr(module, "TIMEOUT_S", 0.2)
    with speaker(None) as address:
        with pytest.raises(SampError, match="does not answer"):
            is_alive(address)
        proxy = hub_proxy(address, 0.2)
        with pytest.raises(TimeoutError):
            proxy.ping()
        proxy.disconnect()


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
    monkeypatch.setattr(module, "MAX_ANSWER", 1024 * 512)
    with speaker(answer) as address:
        proxy = hub_proxy(address, 5)
        with pytest.raises(FAILURES):
            proxy.ping()
        proxy.disconnect()
        assert is_alive(address) in (True, False)
    assert http.client.HTTPException in FAILURES


# What we use of pyvo.samp is still there, and it stays off the network.


def test_it_asks_no_web_site():
    library = samp_library()
    assert library.conf.use_internet is False and library.utils.internet_on() is False


def test_it_is_imported_late():
    code = (
        "import sys; import app.services.samp.connection, app.services.samp.hub;"
        "sys.exit('pyvo' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


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

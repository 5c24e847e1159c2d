"""What we use of pyvo.samp is still there, and it stays off the network."""

import inspect
import subprocess
import sys

import pytest

from app.services.samp.library import SampError, samp_library


def test_it_asks_no_web_site():
    library = samp_library()
    assert library.conf.use_internet is False
    assert library.utils.internet_on() is False


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

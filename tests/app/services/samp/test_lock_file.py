"""The file that says where a hub is: believed only where it leads to this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.services.samp.library import SampError
from app.services.samp.lock_file import HubAddress, is_here, lock_path, read_lock_file


def test_a_lock_file_is_read(lock):
    assert read_lock_file() is None
    url = "http\\://127.0.0.1\\:8000/xmlrpc"  # as Java writes it
    lock.write_text(f"# written by hand\nsamp.secret=a=b\nsamp.hub.xmlrpc.url={url}\n")
    assert read_lock_file() == HubAddress("http://127.0.0.1:8000/xmlrpc", "a=b")


@pytest.mark.parametrize("text", ["", "nonsense", "samp.secret=x", "\x00\xff" * 100])
def test_a_lock_file_without_a_hub_is_none(lock, text):
    lock.write_text(text)
    assert read_lock_file() is None


def test_a_folder_in_its_place_is_none(lock):
    lock.mkdir()
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


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:5/", True),
        ("http://127.9.9.9/", True),
        ("http://localhost:8080/x", True),
        ("http://[::1]:80/", True),
        ("http://localhost.example.org/", False),
        ("http://127.0.0.1.example.org/", False),
        ("http://127.0.0.1@example.org/", False),
        ("http://0.0.0.0/", False),
        ("http://2130706433/", False),
        ("http://127.0.0.1:99999/", False),
        ("http://[::1", False),
        ("file:///x", False),
    ],
)
def test_what_leads_to_this_machine(url, expected):
    assert is_here(url) is expected

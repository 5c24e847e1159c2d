"""Where keys come from, and that they stay out of sight."""

from __future__ import annotations

import copy
import sys
import types

import pytest

from agent.engines.remote import address
from agent.engines.remote.address import Key, find_key, key_in_environment, redact_keys
from agent.errors import EngineError

SECRET = "sesame-0123456789"


def test_our_variable_comes_first_and_openais_is_for_openai():
    both = {"SPEC_O3_API_KEY": "ours", "OPENAI_API_KEY": "theirs"}
    assert key_in_environment("api.openai.com", both) == "ours"
    assert key_in_environment("example.org", both) == "ours"
    theirs = {"OPENAI_API_KEY": "theirs", "SPEC_O3_API_KEY": "  "}
    assert key_in_environment("api.openai.com", theirs) == "theirs"
    assert key_in_environment("example.org", theirs) is None
    assert key_in_environment("evil-api.openai.com.example.org", theirs) is None


def test_the_keyring_is_asked_last(monkeypatch):
    asked = []
    ring = types.ModuleType("keyring")
    ring.get_password = lambda service, user: asked.append((service, user)) or "from the ring"
    monkeypatch.setitem(sys.modules, "keyring", ring)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("SPEC_O3_API_KEY", "from the environment")
    assert find_key("example.org") == "from the environment"
    assert asked == []
    monkeypatch.delenv("SPEC_O3_API_KEY")
    assert find_key("example.org") == "from the ring"
    assert asked == [("spec-o3-workbench", "example.org")]


def test_a_keyring_that_fails_is_no_keyring(monkeypatch):
    ring = types.ModuleType("keyring")

    def locked(service, user):
        raise OSError("no bus")

    ring.get_password = locked
    monkeypatch.setitem(sys.modules, "keyring", ring)
    assert address.key_in_keyring("example.org") is None


def test_no_keyring_package_is_no_keyring(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert address.key_in_keyring("example.org") is None


def test_a_key_does_not_print():
    key = Key(f" {SECRET}\n")
    assert SECRET not in repr(key) + str(key) + f"{key!r:>40}"
    assert key.header == f"Bearer {SECRET}"
    with pytest.raises(TypeError):
        copy.copy(key)


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "clé", "x" * 5000])
def test_what_no_header_holds_is_no_key(text):
    with pytest.raises(EngineError) as refusal:
        Key(text)
    assert text.strip() == "" or text not in str(refusal.value)


def test_a_servers_words_lose_the_key():
    said = redact_keys(f"bad key {SECRET}, or sk-proj-abc***xyz?", Key(SECRET))
    assert said == "bad key ***, or ***?"
    assert redact_keys("task-specific-words", None) == "task-specific-words"

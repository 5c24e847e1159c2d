"""Server addresses and API keys, and what may be sent where."""

import copy
import sys
import types
from unittest.mock import Mock

import pytest

from agent.engines.remote import address
from agent.engines.remote.address import (
    Key,
    KeyFilter,
    find_key,
    key_in_environment,
    read_address,
    redact_keys,
)
from agent.errors import EngineError


@pytest.mark.parametrize(("text", "root"), [
    ("http://localhost:8000", "http://localhost:8000/v1"),
    ("http://localhost:8000/", "http://localhost:8000/v1"),
    (" http://127.0.0.1:8000/v1/ ", "http://127.0.0.1:8000/v1"),
    ("http://[::1]:9/v1", "http://[::1]:9/v1"),
    ("https://API.openai.com/v1/chat/completions", "https://api.openai.com/v1"),
    ("https://api.openai.com:443", "https://api.openai.com/v1"),
    ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
    ("http://gpu-node:8000", "http://gpu-node:8000/v1"),
])  # fmt: skip
def test_an_address_becomes_the_root(text, root):
    assert read_address(text).root == root


@pytest.mark.parametrize("text", [
    "",
    "localhost:8000",
    "ftp://localhost/v1",
    "http://",
    "http:///v1",
    "http://host:99999/v1",
    "http://host:0/v1",
    "https://host/v1?api_key=abc",
    "https://host/v1#x",
    "http://[::1",
    "https://" + "a" * 3000,
    "https://a\x00b/v1",
])  # fmt: skip
def test_what_is_no_address_is_refused_in_one_line(text):
    with pytest.raises(EngineError) as refusal:
        read_address(text)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize("text", ["https://me:sesame@host/v1", "https://host/v1?key=sesame"])
def test_a_secret_in_an_address_is_refused_and_not_repeated(text):
    with pytest.raises(EngineError) as refusal:
        read_address(text)
    assert "sesame" not in str(refusal.value)


def test_plain_http_goes_to_near_hosts_alone():
    nearby = ("localhost", "127.9.9.9", "192.168.1.7", "10.1.1.1", "node7", "a.local", "[fd00::1]")
    for near in nearby:
        assert not read_address(f"http://{near}:8000").is_secure
    for far in ("8.8.8.8", "gpu.example.org", "local.example.org"):
        with pytest.raises(EngineError, match="https"):
            read_address(f"http://{far}:8000")
        assert read_address(f"http://{far}:8000", allow_http=True).host == far
        assert read_address(f"https://{far}").is_secure


def test_a_key_may_go_over_https_or_stay_on_this_machine():
    assert read_address("https://example.org").may_receive_key
    assert read_address("http://localhost:1").may_receive_key
    assert read_address("http://127.0.0.1:1").may_receive_key
    assert not read_address("http://192.168.1.7").may_receive_key
    assert not read_address("http://localhost.example.org", allow_http=True).may_receive_key
    assert not read_address("http://0.0.0.0:8000").may_receive_key


def test_another_port_or_road_is_another_server():
    one = read_address("http://localhost:8000/v1")
    assert one.has_same_origin(read_address("http://localhost:8000/other"))
    assert not one.has_same_origin(read_address("http://localhost:8001/v1"))
    assert not one.has_same_origin(read_address("https://localhost:8000/v1"))


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


def test_a_keyring_that_fails_or_is_not_here_is_no_keyring(monkeypatch):
    ring = types.ModuleType("keyring")

    ring.get_password = Mock(side_effect=OSError("no bus"))
    for package in (ring, None):
        monkeypatch.setitem(sys.modules, "keyring", package)
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


@pytest.mark.parametrize("size", [1, 2, 5, 40])
@pytest.mark.parametrize(
    "text",
    [SECRET, f"a {SECRET} b {SECRET}", f"sesame-{SECRET}", "sesame-012345", "none at all", ""],
)
def test_a_key_in_pieces_is_removed_from_a_text(text: str, size: int) -> None:
    hidden = KeyFilter(Key(SECRET))
    pieces = [hidden.add(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join([*pieces, hidden.end()]) == text.replace(SECRET, "***")
    assert hidden.end() == ""


def test_what_cannot_begin_a_key_is_not_held_back() -> None:
    hidden = KeyFilter(Key(SECRET))
    shown = [hidden.add(piece) for piece in ("a ses", "ame x", "sesame-0123")]
    assert shown == ["a ", "sesame x", ""]
    assert hidden.end() == "sesame-0123"


def test_words_that_are_given_as_keys_to_local_servers_stay_in_texts() -> None:
    for short in ("EMPTY", "none", "x"):
        assert KeyFilter(Key(short)).add(f"an {short} box") == f"an {short} box"
    assert KeyFilter(None).add(SECRET) == SECRET


def test_a_key_is_removed_in_any_case() -> None:
    assert Key("Sesame-ABCDEF").redact("http://sesame-abcdef.example") == "http://***.example"

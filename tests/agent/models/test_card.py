"""What a card may contain."""

from __future__ import annotations

import pytest

from agent.engines.kind import ServerAddress
from agent.errors import ResourceError
from agent.models.card_file import parse_card
from tests.agent.models.test_card_file import changed


@pytest.mark.parametrize(
    "path",
    [
        "../nano.gguf",
        "/etc/passwd.json",
        "a/../../b.json",
        "C:/x.json",
        "C:x.json",
        "a\\\\b.json",
        ".hidden.json",
        "a//b.json",
        "a/b/c/d/e.json",
        "x/.json ",
        "nano.bin",
        "nano.pt",
        "modeling.py",
        "nano.gguf.py",
        "con\\u0000.json",
        "",
    ],
)
def test_files_lie_inside_the_folder_and_hold_data_alone(path: str) -> None:
    with pytest.raises(ResourceError):
        parse_card(changed("nano-mmproj.gguf", path))


def test_a_secret_never_gets_into_a_card() -> None:
    text = 'name = "x"\nfamily = "other"\nengine = "remote"\n[server]\nurl = "{}"\n'
    assert parse_card(text.format("https://h/v1/")).server == ServerAddress(url="https://h/v1")
    for url in ("https://me:secret@h/v1", "https://h/v1?key=secret", "ftp://h", "https://"):
        with pytest.raises(ResourceError) as caught:
            parse_card(text.format(url))
        assert "secret" not in str(caught.value)

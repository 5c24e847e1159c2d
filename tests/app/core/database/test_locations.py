"""Passwords and keys never get into what is shown of a location."""

from pathlib import Path

import pytest

from app.core.database.locations import shown_location


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        (Path("/home/ada/a://b:c@d.speco3"), "/home/ada/a:/b:c@d.speco3"),
        ("/home/ada/night.speco3", "/home/ada/night.speco3"),
        ("postgresql://host/night", "postgresql://host/night"),
        ("postgresql://ada@host:5432/night", "postgresql://ada@host:5432/night"),
        ("postgresql://ada:geheim@host/night", "postgresql://ada@host/night"),
        ("postgresql+psycopg://ada:geheim@host/x", "postgresql+psycopg://ada@host/x"),
        ("postgresql://ada:ge/he?i#m@host/night", "postgresql://ada@host/night"),
        ("postgresql://ada:ge@hei:m@host/night", "postgresql://ada@host/night"),
        ("postgresql://:geheim@host/night", "postgresql://host/night"),
        ("postgresql://ada@/x?host=/tmp&password=geheim", "postgresql://ada@/x?host=/tmp"),
        ("postgresql://h/x?sslpassword=geheim&PassWord=geheim", "postgresql://h/x"),
        ("https://geheim@host/v1#model", "https://host/v1#model"),
        ("https://ada:geheim@host/v1", "https://host/v1"),
        ("https://host/v1?key=geheim&api-version=2#m", "https://host/v1?api-version=2#m"),
        ("HTTPS://host/v1?ACCESS_TOKEN=geheim", "HTTPS://host/v1"),
    ],
)
def test_a_location_is_shown_without_its_secrets(location, shown):
    assert shown_location(location) == shown
    assert "geheim" not in shown


@pytest.mark.parametrize("text", ["", "://", "a://", "://@", "x://:@", "a://?#&=", "a" * 100_000])
def test_anything_can_be_shown(text):
    assert isinstance(shown_location(text), str)

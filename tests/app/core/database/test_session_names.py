"""Names and links under which a session lies."""

from __future__ import annotations

import pytest

from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.sessions import made

ACCEPT = Opinion(verdict=Verdict.ACCEPT)


@pytest.mark.parametrize(
    "name", ["a\0b.speco3", "x" * 300 + ".speco3", "loop.speco3", "none/night.speco3"]
)
def test_names_no_file_has(tmp_path, name):
    (tmp_path / "loop.speco3").symlink_to(tmp_path / "loop.speco3")
    with pytest.raises(SessionError):
        made(tmp_path / name)
    with pytest.raises(SessionError):
        open_session(tmp_path / name, "Ada")


@pytest.mark.parametrize("name", ["50% & more #1?mode=rw.speco3", "Ω 宽.speco3", "a\udcffb.speco3"])
def test_names_that_a_file_may_have(tmp_path, name):
    with made(tmp_path / name) as session:
        session.record_verdict(1, ACCEPT)
    with open_session(tmp_path / name, "Ada", read_only=True) as session:
        assert session.judgement(1).opinion == ACCEPT
    assert [path.name for path in tmp_path.glob("*.speco3")] == [name]


def test_a_link_is_held_as_what_it_leads_to(tmp_path):
    location = tmp_path / "there" / "night.speco3"
    location.parent.mkdir()
    made(location).close()
    link = tmp_path / "link.speco3"
    link.symlink_to(location)
    with open_session(link, "Ada") as session:
        with pytest.raises(SessionError, match="another program"):
            open_session(location, "Ben")
        session.record_verdict(1, ACCEPT)
        assert session.location == link
    assert [path.name for path in tmp_path.iterdir() if path.name != "there"] == ["link.speco3"]


def test_where_it_is_does_not_change_with_the_folder_we_are_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with made("night") as session:
        monkeypatch.chdir("/")
        session.record_verdict(1, ACCEPT)
    assert (tmp_path / "night.speco3").exists()

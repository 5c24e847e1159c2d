"""LAMOST by obsid; the token is in no text that anybody sees."""

import keyring
import pytest

from app.services.archives.archive import NotTold, Wanted
from app.services.archives.lamost import TOKEN_VARIABLE, Lamost, lamost_token
from app.services.web.errors import BadReply, ServiceError
from tests.app.services.archives.archive_play import LAMOST_STAR, OBSID, archive, play_archives
from tests.app.services.fault_server import FAULTS

TOKEN = "A1b2-secret&x=y"


def get(server, client, **options):
    made = archive("lamost", server, **options)
    return made.get(made.find(LAMOST_STAR, 2.0)[0], client, lambda: False)


def test_the_token_goes_to_the_server_and_nowhere_else(server, client):
    play_archives(server)
    got = get(server, client, token=TOKEN)
    assert server.asked[0]["token"] == TOKEN and server.asked[0]["obsid"] == OBSID
    assert "secret" not in got.url and "token" not in got.url
    assert "secret" not in repr(Lamost(token=TOKEN))


@pytest.mark.parametrize("fault", [f for f in FAULTS if f not in ("stall", "huge")])
def test_no_failure_shows_the_token(server, client, fault):
    server.always = fault
    try:
        got = get(server, client, token=TOKEN)
    except ServiceError as error:
        assert "secret" not in repr(error) + str(error)
    else:
        assert "secret" not in got.url


def test_a_file_that_holds_the_token_is_not_kept(server, client):
    play_archives(server, lamost=b"SIMPLE  = bad token " + TOKEN.encode())
    with pytest.raises(BadReply):
        get(server, client, token=TOKEN)


def test_the_older_address_is_tried_too(server, client):
    server.files[f"/dr10/v2.0/spectrum/fits/{OBSID}"] = (b"content", "application/fits")
    assert get(server, client).content == b"content"
    assert "/openapi/" in server.asked[0]["path"]


def test_a_token_of_the_environment_comes_before_that_of_the_keyring(monkeypatch):
    kept = {("spec-o3-workbench", "www.lamost.org"): "kept"}
    monkeypatch.setattr(keyring, "get_password", lambda *key: kept.get(key))
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    assert lamost_token() == "kept" and lamost_token("https://example.org") == ""
    monkeypatch.setenv(TOKEN_VARIABLE, " given ")
    assert lamost_token() == "given"


@pytest.mark.parametrize(("release", "part"), [
    ("", "dr10/v2.0/lrs"), ("dr9", "dr9/v2.0/lrs"), ("DR11/v1.1", "dr11/v1.1/lrs"),
    ("dr10/v2.0/mrs", "dr10/v2.0/mrs"),
])  # fmt: skip
def test_releases_are_parts_of_the_address(release, part):
    (found,) = Lamost(release).find(LAMOST_STAR, 2.0)
    assert f"/openapi/{part}/spectrum/fits?obsid={OBSID}" in found.urls[0]


@pytest.mark.parametrize("release", ["dr11", "10", "dr10/v2.0/../x", "dr10/2.0", "dr10/v2.0/xrs"])
def test_other_releases_are_refused(release):
    with pytest.raises(NotTold):
        Lamost(release)


@pytest.mark.parametrize("obsid", ["", "0", "-4", "abc", str(2**40)])
def test_numbers_that_name_no_spectrum_are_refused(obsid):
    with pytest.raises(NotTold):
        Lamost().find(Wanted(ids={"obsid": obsid}), 2.0)

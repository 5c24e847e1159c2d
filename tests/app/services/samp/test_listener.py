"""What any program of this machine may do to the part of us that listens."""

import http.client
import socket
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.samp import connection as listener
from app.services.samp import sent
from app.services.samp.library import RefusedMessage
from app.services.samp.received import (
    HIGHLIGHT,
    LOAD_FITS,
    LOAD_SPECTRUM,
    LOAD_VOTABLE,
    MAX_ROWS,
    MTYPES,
    POINT,
    SELECT,
    FileOffered,
    PointedAt,
    RowPicked,
    RowsPicked,
    checked,
)
from tests.processes import LONG_S, wait_until


@pytest.fixture
def place(hub, connection) -> tuple[str, int]:
    connection.connect()
    return connection._client.client.server_address[:2]


def posted(place, headers: dict[str, str], body: bytes = b"") -> int:
    caller = http.client.HTTPConnection(*place, timeout=LONG_S)
    try:
        caller.putrequest("POST", "/RPC2")
        for key, value in headers.items():
            caller.putheader(key, value)
        caller.endheaders(body or None)
        return caller.getresponse().status
    finally:
        caller.close()


def test_a_large_message_is_refused_unread(place, received):
    assert posted(place, {"Content-Length": str(10**11)}) == 413
    wait_until(lambda: received)
    assert received[0].reason.startswith("a message of 100,000 MB")


def test_a_message_without_a_size_is_refused(place):
    for length in ["", "-5", "x", "1" * 30, "١"]:
        headers = {"Content-Length": length.encode().decode("latin-1")} if length else {}
        assert posted(place, headers) == 411


def test_nonsense_and_who_does_not_know_our_key_are_answered_and_forgotten(place, topcat, received):
    for body in (
        b"nonsense",
        b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'x'><!ENTITY c '"
        + b"&b;" * 1000
        + b"'>]><methodCall><methodName>&c;</methodName></methodCall>",
        b"<methodCall><methodName>samp.client.receiveNotification</methodName><params><param>"
        b"<value>a</value></param></params></methodCall>",
        b"<methodCall><methodName>system.shutdown</methodName><params></params></methodCall>",
        b"<methodCall><methodName>samp.client.receiveNotification</methodName><params>"
        b"<param><value>guessed</value></param><param><value>c1</value></param><param><value>"
        b"<struct><member><name>samp.mtype</name><value>coord.pointAt.sky</value></member>"
        b"<member><name>samp.params</name><value><struct><member><name>ra</name><value>9</value>"
        b"</member><member><name>dec</name><value>9</value></member></struct></value></member>"
        b"</struct></value></param></params></methodCall>",
    ):
        assert posted(place, {"Content-Length": str(len(body))}, body) in (200, 500)
        topcat.tell(POINT, ra="1", dec="2")
        wait_until(lambda: received)
        assert received.pop() == PointedAt(sender="topcat", ra=1.0, dec=2.0) and not received


def test_nothing_is_shown_to_a_browser(place):
    caller = http.client.HTTPConnection(*place, timeout=LONG_S)
    caller.request("GET", "/samp/icon")
    assert caller.getresponse().status == 404
    caller.close()


def test_a_connection_that_says_nothing_is_closed(hub, connection, monkeypatch):
    monkeypatch.setattr(listener, "SILENCE_S", 0.3)
    connection.connect()
    address = connection._client.client.server_address[:2]
    with socket.create_connection(address, timeout=LONG_S) as silent:
        assert silent.recv(1) == b""  # closed by us


def test_a_connection_that_says_nothing_holds_nothing_up(hub, connection, monkeypatch):
    monkeypatch.setattr(listener, "SILENCE_S", 3600.0)
    connection.connect()
    client, taken = connection._client, threading.Event()
    server, take = client.client, client.client.process_request
    monkeypatch.setattr(server, "process_request", lambda *words: (take(*words), taken.set()))
    with socket.create_connection(server.server_address[:2]):
        assert taken.wait(LONG_S)
        connection.close()
        assert not client._thread.is_alive()


# Messages of strangers: what is sound is understood, all else is refused with a reason.


def test_sound_messages():
    row = checked(HIGHLIGHT, {"table-id": "t", "row": "12"}, "topcat")
    assert row == RowPicked(sender="topcat", table_id="t", url="", row=12)
    # Against the standard, but some programs do it.
    found = checked(HIGHLIGHT, {"url": "u", "row": 12}, "x")
    assert found == RowPicked(sender="x", table_id="", url="u", row=12)
    rows = checked(SELECT, {"table-id": "t", "row-list": ["0", "2"]}, "x")
    assert rows == RowsPicked(sender="x", table_id="t", url="", rows=(0, 2))
    assert checked(SELECT, {"table-id": "t", "row-list": []}, "x").rows == ()
    point = checked(POINT, {"ra": "359.9", "dec": "-90"}, "x")
    assert point == PointedAt(sender="x", ra=359.9, dec=-90.0)
    table = checked(LOAD_FITS, {"url": "file:///t", "table-id": "t", "name": "a\nb"}, "x")
    assert table == FileOffered(
        sender="x", mtype=LOAD_FITS, url="file:///t", name="a b", table_id="t"
    )
    assert table.is_table
    spectrum = checked(LOAD_SPECTRUM, {"url": "file:///s", "meta": {"any": "thing"}}, "x")
    assert isinstance(spectrum, FileOffered) and not spectrum.is_table


@pytest.mark.parametrize(("mtype", "params"), [
    *((mtype, None) for mtype in MTYPES),
    *((mtype, []) for mtype in MTYPES),
    *((mtype, {}) for mtype in MTYPES),
    *((HIGHLIGHT, {"table-id": "t", "row": row}) for row in ("-1", "1.5", "٣", "", None, True)),
    *((HIGHLIGHT, {"table-id": "t", "row": row}) for row in ("9" * 19, "9" * 10_000, [], -3)),
    (HIGHLIGHT, {"row": "1"}),
    (HIGHLIGHT, {"table-id": 5, "row": "1"}),
    (HIGHLIGHT, {"table-id": "t" * 10_000, "row": "1"}),
    (SELECT, {"table-id": "t", "row-list": "1"}),
    (SELECT, {"table-id": "t", "row-list": [["1"]]}),
    (SELECT, {"table-id": "t", "row-list": ["1"] * (MAX_ROWS + 1)}),
    *((POINT, {"ra": ra, "dec": "0"}) for ra in ("nan", "inf", "361", "-1", "x", None, [], {})),
    *((POINT, {"ra": "0", "dec": dec}) for dec in ("91", "nan", "1" * 1000, True)),
    (LOAD_VOTABLE, {"url": ["file:///t"]}),
    (LOAD_VOTABLE, {"url": "file:///" + "x" * 10_000}),
    ("client.env.get", {"name": "HOME"}),
])  # fmt: skip
def test_what_is_refused(mtype, params):
    with pytest.raises(RefusedMessage) as refused:
        checked(mtype, params, "x")
    assert str(refused.value) and len(str(refused.value)) < 300


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(("table-id", "url", "row", "row-list", "ra", "dec", "name"))


@given(st.sampled_from(MTYPES), ANYTHING | st.dictionaries(KEYS, ANYTHING))
def test_nothing_but_a_refusal_comes_of_nonsense(mtype, params):
    try:
        found = checked(mtype, params, "x")
    except RefusedMessage:
        return
    assert isinstance(found, RowPicked | RowsPicked | PointedAt | FileOffered)


# TOPCAT refuses anything but texts.
@pytest.mark.parametrize("params", [
    sent.table(Path("/a b/ü.vot"), "t", "n"), sent.row("t", "u", 5),
    sent.rows("t", "u", [1, 2]), sent.position(np.float64(10.5), -3),
    sent.spectrum(Path("/s.vot"), "s", "n"),
])  # fmt: skip
def test_all_values_are_texts(params):
    for value in params.values():
        inner = value.values() if isinstance(value, dict) else value
        for each in inner if not isinstance(value, str) else [value]:
            assert type(each) is str


def test_addresses_and_numbers():
    assert sent.table(Path("/a b/ü.vot"), "t", "n")["url"] == "file:///a%20b/%C3%BC.vot"
    assert sent.position(np.float64(10.5), -3) == {"ra": "10.5", "dec": "-3.0"}

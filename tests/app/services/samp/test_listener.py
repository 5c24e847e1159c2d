"""What any program of this machine may do to the part of us that listens."""

import http.client
import socket
import threading

import pytest

from app.services.samp import listener
from app.services.samp.received import POINT, PointedAt
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

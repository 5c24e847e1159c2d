"""Requests: stopped while they wait, bounded, paced, and never sent on to another place."""

import random
import threading

import pytest

from app.services.web import client as web
from app.services.web import errors
from app.services.web.client import (
    FAULTS_TO_REST,
    REST_S,
    HostPace,
    Request,
    WebClient,
    wait_before_retry,
)


def test_a_question_is_stopped_while_the_server_says_nothing(server, client):
    server.always = "stall"
    with pytest.raises(errors.Stopped):
        client.ask(Request(url=server.url + "/x", total_s=3600.0), lambda: bool(server.asked))
    assert len(server.asked) == 1


def test_a_question_ends_in_its_time(server, client):
    server.always = "stall"
    with pytest.raises(errors.TooLong):
        client.ask(Request(url=server.url + "/x", total_s=0.3))


def test_an_answer_larger_than_allowed_is_not_read(server, client):
    server.always = "huge"
    with pytest.raises(errors.NotAllowed, match="more than 1,000,000 bytes"):
        client.ask(Request(url=server.url + "/x", max_bytes=1_000_000))
    server.always, server.files["/y"] = "", (b"x" * 2000, "text/plain")
    with pytest.raises(errors.NotAllowed, match="more than 1,000 bytes"):
        client.ask(Request(url=server.url + "/y", max_bytes=1000))


def test_a_host_that_fails_again_and_again_is_left_alone(server, client):
    server.always = "down"
    for _ in range(FAULTS_TO_REST):
        with pytest.raises(errors.ServiceError):
            client.ask(Request(url=server.url + "/x", attempts=1, per_second=10.0))
    for _ in range(3):  # what is not asked is no further fault
        with pytest.raises(errors.NotAsked, match="its server failed 5 times in a row"):
            client.ask(Request(url=server.url + "/x", attempts=1, per_second=10.0))
    assert len(server.asked) == FAULTS_TO_REST


def test_questions_to_one_host_keep_their_distance(server, client, monkeypatch):
    server.files["/x"] = (b"1", "text/plain")
    clock = Clock()
    monkeypatch.setattr(web, "HostPace", lambda pace: HostPace(pace, clock.time, clock.wait))
    request = Request(url=server.url + "/x", per_second=2.0, total_s=3600.0)
    threads = [threading.Thread(target=client.ask, args=(request,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.asked) == 4 and clock.now >= 101.5


@pytest.mark.parametrize("url", [
    "http://example.org/x", "ftp://127.0.0.1/x", "file:///etc/passwd", "https://a:b@example.org/",
])  # fmt: skip
def test_an_unsafe_address_is_not_asked(client, url):
    with pytest.raises(errors.NotAllowed):
        client.ask(Request(url=url))


def test_a_public_name_that_leads_into_the_own_network_is_not_asked(server, client, monkeypatch):
    """As a name server of somebody else could do."""
    monkeypatch.setattr(web, "is_local", lambda host: False)
    monkeypatch.setattr("app.services.web.urls.is_local", lambda host: True)
    server.files["/x"] = (b"1", "text/plain")
    with pytest.raises(errors.NotAllowed, match="may not be asked"):
        client.ask(Request(url=server.url + "/x"))
    assert not server.asked


def test_a_closed_client_asks_nobody(server):
    client = WebClient()
    client.close()
    with pytest.raises(errors.Stopped):
        client.ask(Request(url=server.url + "/x"))
    assert not server.asked


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_on_the_same_server_is_followed_as_its_kind_says(server, client, status):
    server.redirects["/tap/sync"] = (status, "/result")
    server.files["/result"] = (b"rows", "text/xml")
    reply = client.ask(Request(url=server.url + "/tap/sync", form={"a": "1"}))
    assert reply.content == b"rows" and reply.url == server.url + "/result"
    assert ("a" in server.asked[1]) == (status in (307, 308))


def test_redirects_in_a_circle_end(server, client):
    server.redirects["/x"] = (302, "/x")
    with pytest.raises(errors.NotAllowed, match="redirects"):
        client.ask(Request(url=server.url + "/x"))
    assert len(server.asked) == 4


# The pace of a host, on a clock of the test.
class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def time(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> HostPace:
    return HostPace(2.0, clock.time, clock.wait)


def go(pace, until=1e9):
    pace.take_turn(until, lambda: False)


def test_turns_are_evenly_spaced(pace, clock):
    for _ in range(3):
        go(pace)
    assert clock.now == pytest.approx(101.0)


def test_a_turn_that_comes_too_late_is_not_waited_for(pace, clock):
    go(pace)
    with pytest.raises(errors.Busy):
        go(pace, until=100.1)
    assert clock.now == 100.0


def test_a_server_that_asks_for_patience_gets_it(pace, clock):
    pace.note_fault(errors.Busy("busy", 20.0))
    go(pace)
    assert clock.now == pytest.approx(120.0)


def test_one_that_asks_for_too_much_patience_is_left_alone(
    pace, clock, server, client, monkeypatch
):
    pace.note_fault(errors.Busy("busy", 120.0))
    with pytest.raises(errors.NotAsked, match="busy for 120 s more"):
        go(pace)
    assert clock.now == 100.0
    clock.now += 120.0
    go(pace)
    monkeypatch.setattr(web, "PATIENCE_S", 0.5)
    server.always = "busy"
    with pytest.raises(errors.Busy):
        client.ask(Request(url=server.url + "/x"))
    assert len(server.asked) == 1


def test_after_a_rest_one_question_tries_the_host_again(pace, clock):
    for _ in range(FAULTS_TO_REST):
        pace.note_fault(errors.Unreachable("gone"))
    with pytest.raises(errors.Busy, match="failed 5 times"):
        go(pace)
    clock.now += REST_S
    go(pace)
    pace.note_fault(errors.Unreachable("still gone"))
    with pytest.raises(errors.Busy):
        go(pace)
    clock.now += REST_S
    pace.note_success()
    go(pace)


def test_a_wrong_answer_is_no_fault_of_the_connection_and_stopping_ends_the_wait(pace):
    for _ in range(2 * FAULTS_TO_REST):
        pace.note_fault(errors.BadReply("html"))
    go(pace)
    go(pace)
    with pytest.raises(errors.Stopped):
        pace.take_turn(1e9, lambda: True)


def test_waits_grow_and_obey_the_server():
    draw = random.Random(1)
    waits = [wait_before_retry(attempt, errors.Unreachable(""), draw) for attempt in (0, 3, 20)]
    assert 0.5 <= waits[0] <= 1.0 and 4.0 <= waits[1] <= 8.0 and 30.0 <= waits[2] <= 60.0
    assert wait_before_retry(0, errors.Busy("", 12.0), draw) == 12.0

"""Our connection on a real hub, with a program that plays TOPCAT, and when either goes away."""

import socket
import threading

import psutil
import pytest

from app.services.samp import connection as module
from app.services.samp import received as messages
from app.services.samp import sent
from app.services.samp.connection import SILENT, SampConnection
from app.services.samp.library import SampError
from tests.app.services.samp.peers import TABLE, Topcat, named, running_hub
from tests.night import BY_NIGHT
from tests.processes import LONG_S, wait_until
from tests.trickling import trickling

pytestmark = pytest.mark.filterwarnings("ignore::pyvo.samp.SAMPWarning")


def test_what_we_send_arrives_as_texts_and_nothing_of_our_environment(topcat, connection):
    connection.connect()
    found = [peer.name for peer in connection.tell(messages.POINT, sent.position(10.5, -3.25))]
    assert found == ["topcat"]
    wait_until(lambda: topcat.got)
    assert topcat.got == [(messages.POINT, {"ra": "10.5", "dec": "-3.25"})]
    (peer,) = connection.peers(messages.SELECT)
    found = connection.ask([peer], messages.SELECT, sent.rows("t1", "file:///t", [3, 5]))
    assert found == {peer: ""}
    found = topcat.params(messages.SELECT)
    assert found == [{"table-id": "t1", "url": "file:///t", "row-list": ["3", "5"]}]
    workbench = topcat.workbench()
    assert set(topcat.client.get_subscriptions(workbench)) == {*messages.MTYPES, "samp.app.ping"}
    with pytest.raises(Exception, match="not subscribed"):
        topcat.client.call_and_wait(
            workbench, {"samp.mtype": "client.env.get", "samp.params": {"name": "HOME"}}, "5"
        )


def test_what_others_send_is_handed_on_checked(topcat, connection, received, tmp_path):
    connection.connect()
    topcat.tell(messages.HIGHLIGHT, table_id="t1", url="file:///t", row="7")
    wait_until(lambda: len(received) == 1)
    topcat.tell(messages.POINT, ra="10.5", dec="-3.25")
    wait_until(lambda: len(received) == 2)
    answer = topcat.ask(messages.SELECT, table_id="t1", row_list=["1", "2"])
    assert answer["samp.status"] == "samp.ok"
    wait_until(lambda: len(received) == 3)
    row, point, rows = received
    assert row == messages.RowPicked(sender="topcat", table_id="t1", url="file:///t", row=7)
    assert point == messages.PointedAt(sender="topcat", ra=10.5, dec=-3.25)
    assert rows == messages.RowsPicked(sender="topcat", table_id="t1", url="", rows=(1, 2))


@pytest.fixture
def answers(topcat):
    """What was answered to the calls of `call`."""
    found = []
    topcat.client.bind_receive_response("tag", lambda *words: found.append(words[-1]))
    return found


def call(topcat, mtype, **params):
    message = {"samp.mtype": mtype, "samp.params": named(params)}
    topcat.client.call(topcat.workbench(), "tag", message)


def test_a_file_is_fetched_and_answered_only_when_it_is_wanted(
    topcat, connection, received, answers, tmp_path
):
    connection.connect()
    place = tmp_path / "t.vot"
    place.write_text(TABLE)
    for name in ("not this", "my table"):
        call(topcat, messages.LOAD_VOTABLE, url=place.as_uri(), name=name, table_id="t9")
    wait_until(lambda: len(received) == 2)
    unwanted, offered = received
    assert offered.path is None and not answers and not list(tmp_path.glob("received/*"))
    connection.decline(unwanted)
    wait_until(lambda: answers)
    assert "not wanted" in answers.pop()["samp.error"]["samp.errortxt"]
    connection.fetch(offered)
    wait_until(lambda: answers and len(received) == 3)
    assert answers == [{"samp.status": "samp.ok", "samp.result": {}}]
    place.unlink()  # as a program does that has sent it
    table = received[2]
    assert (table.name, table.table_id) == ("my table", "t9")
    assert table.path is not None and table.path.read_text() == TABLE


def test_a_slow_file_holds_up_no_message_no_other_file_and_no_closing(
    topcat, connection, received, answers, tmp_path
):
    connection.connect()
    with trickling("header") as (url, began), trickling("header") as (other, began_too):
        for each, begun in ((url, began), (other, began_too)):
            call(topcat, messages.LOAD_VOTABLE, url=each)
            wait_until(lambda: received)
            connection.fetch(received.pop())
            assert begun.wait(LONG_S)
        wait_until(lambda: answers)  # the first, in whose place the second is fetched
        topcat.tell(messages.POINT, ra="10.5", dec="-3.25")
        wait_until(lambda: received)
        connection.close()
    assert received == [messages.PointedAt(sender="topcat", ra=10.5, dec=-3.25)]


def test_a_message_that_is_refused_says_why_to_both(topcat, connection, received):
    connection.connect()
    for mtype, params, why in (
        (messages.HIGHLIGHT, {"table_id": "t", "row": "one"}, "no number"),
        (messages.SELECT, {"table_id": "t", "row_list": ["1"] * 100_001}, "100,001 rows"),
        (messages.POINT, {"ra": ["1"], "dec": "2"}, "no angle"),
        (messages.LOAD_VOTABLE, {"url": "http://192.0.2.7/t.vot"}, "another machine"),
        (messages.LOAD_VOTABLE, {"url": "file:///etc/hostname"}, "outside your home folder"),
    ):
        answer = topcat.ask(mtype, **params)
        assert answer["samp.status"] == "samp.error"
        assert why in answer["samp.error"]["samp.errortxt"]
        wait_until(lambda: received)
        refused = received.pop()
        assert isinstance(refused, messages.NotFollowed)
        assert refused.sender == "topcat" and why in refused.reason


def test_an_answer_quicker_than_the_hub_is_not_lost(hub, topcat, connection, monkeypatch):
    connection.connect()
    call, reply, answered = hub._call, hub._reply_, threading.Event()

    def slow_call(*words):
        message_id = call(*words)
        assert answered.wait(LONG_S)
        return message_id

    monkeypatch.setattr(hub, "_call", slow_call)
    monkeypatch.setattr(hub, "_reply_", lambda *words: reply(*words) or answered.set())
    assert topcat.ask(messages.POINT, ra="1", dec="2")["samp.status"] == "samp.ok"
    assert not hub._sync_msg_ids_heap


def test_a_million_rows_are_refused_before_they_are_read(topcat, connection, received):
    connection.connect()
    rows = 1_000_000 if BY_NIGHT else 450_000  # most of the time is the hub's
    topcat.tell(messages.SELECT, table_id="t", row_list=["123456"] * rows)
    wait_until(lambda: received)
    assert "too large" in received[0].reason
    topcat.tell(messages.POINT, ra="1", dec="2")  # and it goes on
    wait_until(lambda: received[-1] == messages.PointedAt(sender="topcat", ra=1.0, dec=2.0))


def test_more_messages_than_can_be_worked_off_are_refused(
    topcat, connection, received, answers, monkeypatch
):
    connection.connect()
    gate = threading.Event()
    monkeypatch.setattr(connection._inbox, "_receive", lambda message: gate.wait(LONG_S))
    try:
        for _ in range(60):
            call(topcat, messages.LOAD_VOTABLE, url="ftp://127.0.0.1/t.vot")
        wait_until(lambda: any("too many" in str(each.get("samp.error")) for each in answers))
    finally:
        gate.set()


def test_of_picks_that_wait_the_last_one_counts(topcat, connection, received, answers, monkeypatch):
    connection.connect()
    gate, began = threading.Event(), threading.Event()

    def slowly(message):
        received.append(message)
        began.set()
        gate.wait(LONG_S)

    monkeypatch.setattr(connection._inbox, "_receive", slowly)
    topcat.tell(messages.POINT, ra="1", dec="2")
    assert began.wait(LONG_S)
    for ra in range(10, 20):
        call(topcat, messages.POINT, ra=str(ra), dec="2")
    wait_until(lambda: len(answers) == 9)
    assert all("took its place" in each["samp.error"]["samp.errortxt"] for each in answers)
    gate.set()
    wait_until(lambda: len(received) == 2 and len(answers) == 10)
    assert 10.0 <= received[-1].ra < 20.0


def has_own_hub(connection):
    return connection._hub is not None and connection._hub.is_running


def test_only_loopback_listens(lock, connection):
    connection.connect()
    assert has_own_hub(connection)
    me = psutil.Process()
    ours = [me, *me.children(recursive=True)]
    listening = [
        each.laddr.ip
        for process in ours
        for each in process.net_connections(kind="inet")
        if each.status == psutil.CONN_LISTEN
    ]
    assert len(listening) >= 2  # our hub's and our own
    assert set(listening) == {"127.0.0.1"}
    with socket.socket() as web_profile:  # of any web page
        assert web_profile.connect_ex(("127.0.0.1", 21012)) != 0


def test_our_own_hub_only_where_none_runs_and_its_lock_file_goes(lock, connection, received, hub):
    connection.connect()
    assert not has_own_hub(connection)
    connection.close()
    hub.stop()
    assert not lock.exists()
    connection.connect()
    assert has_own_hub(connection) and lock.exists()
    connection.close()
    assert not lock.exists()


def test_a_stale_lock_file_is_no_hub(lock, connection):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    lock.write_text(f"samp.secret=x\nsamp.hub.xmlrpc.url=http://127.0.0.1:{port}/\n")
    connection.connect()
    assert has_own_hub(connection)


def test_a_hub_that_ended_is_replaced_on_the_next_send(lock, connection):
    with running_hub():
        connection.connect()
    with pytest.raises(SampError):
        connection.peers(messages.POINT)
    assert connection.tell(messages.POINT, sent.position(1, 2)) == [] and has_own_hub(connection)
    program = Topcat()
    try:
        found = [peer.name for peer in connection.tell(messages.POINT, sent.position(1, 2))]
        assert found == ["topcat"]
        wait_until(lambda: program.got)
    finally:
        program.close()


def test_two_windows_share_a_hub_and_send_one_another_nothing(lock, connection, received, tmp_path):
    others: list[object] = []
    other = SampConnection(others.append, tmp_path / "other")
    try:
        connection.connect()
        other.connect()
        assert has_own_hub(connection) and not has_own_hub(other)
        assert other.tell(messages.POINT, sent.position(1, 2)) == []
        connection.close()
        assert other.tell(messages.POINT, sent.position(1, 2)) == []  # with a hub of its own now
        assert has_own_hub(other)
        assert (received, others) == ([], [])
    finally:
        other.close()


def test_a_program_that_died_is_waited_for_once(hub, connection, monkeypatch):
    monkeypatch.setattr(module, "REPLY_S", 0.3)
    asked, call = [], connection._ask
    monkeypatch.setattr(connection, "_ask", lambda *words: asked.append(words[0]) or call(*words))
    program = Topcat(hub, "dying")
    connection.connect()
    (peer,) = connection.peers(messages.HIGHLIGHT)
    program.client.client.stop()  # without a word to the hub
    assert connection.ask([peer], messages.HIGHLIGHT, sent.row("t", "", 1), 0.3)[peer] == SILENT
    assert connection.ask_again(peer, messages.HIGHLIGHT, sent.row("t", "", 1)) == SILENT
    assert asked.count("call") == 2
    program.close()


def test_what_is_waited_for_ends_when_we_stop(hub, connection):
    program = Topcat(hub, "silent", ())
    # It never answers, and we stop once it has the message.
    program.client.bind_receive_call(messages.HIGHLIGHT, lambda *words: connection.stop_soon())
    connection.connect()
    (peer,) = connection.peers(messages.HIGHLIGHT)
    assert connection.ask([peer], messages.HIGHLIGHT, sent.row("t", "", 1), 3600)[peer] == SILENT
    program.close()


def test_a_row_is_tried_again_until_the_table_is_known(topcat, connection):
    connection.connect()
    (peer,) = connection.peers(messages.HIGHLIGHT)
    topcat.fault = lambda mtype, params: "" if len(topcat.got) >= 3 else "No table with table-id=t"
    assert connection.ask_again(peer, messages.HIGHLIGHT, sent.row("t", "", 1)) == ""
    assert len(topcat.got) == 4
    topcat.fault = lambda mtype, params: "No table\nwith " + "x" * 5000
    fault = connection.ask([peer], messages.HIGHLIGHT, sent.row("t", "", 1))[peer]
    assert fault.startswith("No table with") and len(fault) < 200


def test_a_hub_elsewhere_is_not_used(lock, connection):
    lock.write_text("samp.secret=x\nsamp.hub.xmlrpc.url=http://192.0.2.1:8000/\n")
    with pytest.raises(SampError, match="not on this machine"):
        connection.connect()
    assert lock.exists() and not has_own_hub(connection)


def test_names_of_strangers_are_short_and_printable(hub, connection):
    program = Topcat(hub, "bad\u202ename\n" + "x" * 5000)
    connection.connect()
    (peer,) = connection.peers(messages.POINT)
    assert len(peer.name) < 100 and peer.name.isprintable()
    program.close()

"""Serving over HTTP, asked by the SDK's own client and by a hostile one."""

import asyncio
import json
import re
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import anyio
import httpx
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.responses import PlainTextResponse
from uvicorn.server import ServerState

from agent.errors import WorkbenchError
from app.mcp import http
from tests.app.mcp.clients import COMMAND, ENVIRONMENT, ROOT, TOKEN, refused
from tests.processes import LONG_S

GOOD = {
    "Authorization": f"Bearer {TOKEN}",
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def address(night):
    server = subprocess.Popen(
        [*COMMAND, str(night), "--http", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, env=ENVIRONMENT, cwd=ROOT,
    )  # fmt: skip
    with server:
        url = re.search(r"http://127\.0\.0\.1:\d+/mcp", server.stderr.readline())[0]
        yield url
        # Ctrl-C while a request is open, of which the body is being waited for
        said = {**GOOD, "Host": url.split("/")[2], "Content-Length": 9, "Expect": "100-continue"}
        head = "".join(f"{name}: {value}\r\n" for name, value in said.items())
        with socket.create_connection(("127.0.0.1", int(url.split(":")[2][:-4]))) as asking:
            asking.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode())
            assert asking.recv(100).startswith(b"HTTP/1.1 100 ")
            server.send_signal(signal.SIGINT)
            rest = server.communicate(timeout=LONG_S)[1]
    assert rest == ""


@pytest.fixture(scope="module")
def web():
    with httpx.Client(trust_env=False, verify=False, timeout=LONG_S) as client:
        yield client


def post(web, address, headers, content=None):
    body = json.dumps(PING) if content is None else content
    return web.post(address, headers=headers, content=body)


def test_the_sdks_client_over_http(address):
    async def talk():
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False, timeout=LONG_S) as web,
            Client(streamable_http_client(address, http_client=web)) as client,
        ):
            drawn = await client.call_tool("draw_spectrum", {"candidate": 1})
            return drawn, await client.call_tool("get_candidate", {"candidate": 2**80})

    drawn, wrong = anyio.run(talk)
    assert [each.type for each in drawn.content] == ["text", "image"]
    assert "candidate" in refused(wrong)


@pytest.mark.parametrize(("changes", "status"), [
    ({"Authorization": ""}, 401),
    ({"Authorization": "Bearer wrong"}, 401),
    ({"Authorization": TOKEN}, 401),
    ({"Authorization": f"bearer {TOKEN}x"}, 401),
    ({"Authorization": f"Bearer {TOKEN}é".encode("latin-1")}, 401),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://127.0.0.1.evil.example"}, 403),
    ({"Host": "evil.example"}, 421),
    ({"Host": "127.0.0.1.evil.example:80"}, 421),
    ({"Content-Type": "text/plain"}, 400),
])  # fmt: skip
def test_other_programs_and_web_pages_are_refused(web, address, changes, status):
    assert post(web, address, {**GOOD, **changes}).status_code == status


def test_what_is_no_message_is_refused_shortly(web, address):
    for content in ("", "[" * 100_000, "null", "9" * 100_000, "\x00", '{"a":1}'):
        answer = post(web, address, GOOD, content)
        assert 400 <= answer.status_code < 500 and len(answer.text) < 3000
        assert "Traceback" not in answer.text
    assert post(web, address, GOOD, "x" * (http.MAX_BODY + 1)).status_code == 413
    for path in ("/", "/mcp/../etc/passwd", "/.well-known/oauth-protected-resource"):
        there = address.removesuffix("/mcp") + path
        assert web.get(there, headers=GOOD).status_code == 404
        assert web.get(there).status_code == 401


def test_a_flood_is_answered_and_leaves_it_working(web, address):
    with ThreadPoolExecutor(16) as threads:
        seen = {*threads.map(lambda _: post(web, address, {}).status_code, range(200))}
    assert seen <= {401, 503}
    assert post(web, address, GOOD).status_code == 200


HALF = b"POST /mcp HTTP/1.1\r\nHost: x\r\n"
NO_BODY = HALF + b"Content-Length: 9\r\n\r\n"
WHOLE = HALF + b"Content-Length: 0\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "status"), [(b"", b""), (HALF, b""), (NO_BODY, b"401"), (WHOLE + HALF, b"401")]
)
def test_who_sends_no_whole_request_holds_no_connection(monkeypatch, sent, status):
    monkeypatch.setattr(http, "IDLE_S", 0.3)
    answer = anyio.run(talk_to, http.TokenCheck(never, TOKEN), sent)
    assert answer.split(b"\r\n")[0].partition(b" ")[2][:3] == status
    assert answer.count(b"HTTP/1.1") <= 1


def test_a_long_answer_is_waited_for(monkeypatch):
    monkeypatch.setattr(http, "IDLE_S", 0.3)

    async def slow(scope, receive, send):
        await anyio.sleep(2 * http.IDLE_S)
        await PlainTextResponse("done")(scope, receive, send)

    assert anyio.run(talk_to, slow, WHOLE).endswith(b"done")


async def never(scope, receive, send):
    raise AssertionError("a request without the token came through")


async def talk_to(app, sent):
    """All that a server with this application answers until it hangs up."""
    config = uvicorn.Config(app, lifespan="off", log_level="error", access_log=False)
    config.load()
    make = partial(
        http.IdleTimeoutProtocol, config=config, server_state=ServerState(), app_state={}
    )
    server = await asyncio.get_running_loop().create_server(make, http.LOOPBACK, 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(sent)
        answer = await asyncio.wait_for(reader.read(), LONG_S)
        writer.close()
        await writer.wait_closed()
    return answer


def test_only_this_machine_reaches_it(address):
    port = int(address.rpartition(":")[2].partition("/")[0])
    with http.loopback_socket(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
    with pytest.raises(WorkbenchError, match=f"port {port} of 127.0.0.1 cannot be used"):
        http.loopback_socket(port)
    # Another address of this machine, at which nothing of ours listens.
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", port), timeout=5):
        pass


def test_a_token_may_be_chosen_that_is_no_weak_one(monkeypatch):
    monkeypatch.delenv(http.TOKEN_VARIABLE, raising=False)
    assert http.token_from_environment() is None
    for bad in ("", "short", "with spaces in it all", "é" * 20, "x" * 500):
        monkeypatch.setenv(http.TOKEN_VARIABLE, bad)
        with pytest.raises(WorkbenchError, match="printable ASCII"):
            http.token_from_environment()

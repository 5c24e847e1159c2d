"""Every tool of the server for assistants gets arguments of any kind, and goes on answering."""

import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

pytest.importorskip("mcp")

from tests.app.mcp.clients import COMMAND, ENVIRONMENT, ROOT
from tests.app.ui.candidates import sample_file
from tests.attacks.sessions.studies import NUMBERS, WORDS, changed
from tests.night import seeds

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="what is sent and answered goes by turns"),
    pytest.mark.timeout(900),
]
AT_ONCE = 20
HELLO = {
    "protocolVersion": "2025-11-25", "capabilities": {},
    "clientInfo": {"name": "hostile", "version": "1"},
}  # fmt: skip
USUAL = (1, 2, "J1", "CV", [4800.0, 4900.0], ["H_alpha"], 5000.0, "snr>3", True, "list")
ODD = (*WORDS, *NUMBERS, None, [], {}, [[]], "../../etc/passwd", "/dev/zero", "[" * 10_000)


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=10))
def test_hostile_lines(tmp_path, batch):
    """1,000 by night; after every 20 a ping is answered."""
    chance = random.Random(batch)
    words = [*COMMAND, str(sample_file(tmp_path)), "--model", "measured"]
    errors = (tmp_path / "errors").open("w")
    server = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
        env=ENVIRONMENT, cwd=ROOT,
    )  # fmt: skip
    # A writer of its own, as the server may wait until its answers are read.
    with server, ThreadPoolExecutor(1) as writer:

        def send(message):
            return writer.submit(write, server.stdin, message)

        def told(id_, method, params=None):
            send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}})
            while True:
                line = server.stdout.readline()
                assert line, (tmp_path / "errors").read_text()[-3000:]
                assert len(line) < 2_000_000 and b"Traceback" not in line
                answer = json.loads(line)
                if answer.get("id") == id_:
                    return answer

        told("hello", "initialize", HELLO)
        send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools = told("tools", "tools/list")["result"]["tools"]
        for number in range(100 // AT_ONCE):
            for _ in range(AT_ONCE):
                send(hostile(chance, tools))
            assert "result" in told(f"ping {number}", "ping")
        assert psutil.Process(server.pid).memory_info().rss < 600 * 1024**2
        writer.submit(server.stdin.close)
        while server.stdout.readline():  # what it still has to answer
            pass
    errors.close()
    assert "Traceback" not in (tmp_path / "errors").read_text()
    assert server.returncode == 0


def hostile(chance, tools):
    """A call with usual and odd arguments, or any message of which a part is changed."""
    tool = chance.choice(tools)
    names = list(tool["inputSchema"].get("properties", {}))
    given = {
        name: chance.choice(USUAL if chance.random() < 0.6 else ODD)
        for name in names if chance.random() < 0.8
    }  # fmt: skip
    call = {"name": tool["name"], "arguments": given}
    message = {"jsonrpc": "2.0", "id": chance.randrange(10**6), "method": "tools/call"}
    message["params"] = call
    if chance.random() < 0.3:
        changed(message, chance)
    return message


def write(stdin, message):
    stdin.write(json.dumps(message).encode() + b"\n")
    stdin.flush()

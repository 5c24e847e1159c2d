"""Serving on standard input and output."""

import io
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import stdio_client

from app.mcp.server import MAX_LINE, BoundedLines
from tests.app.mcp.clients import COMMAND, ENVIRONMENT, ROOT, said, started

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "hostile", "version": "1"},
    },
}


def test_the_sdks_client_over_stdio(night, tmp_path):
    async def talk(errors):
        async with Client(stdio_client(started(night, "--model", "measured"), errlog=errors)) as it:
            facts = await it.call_tool("read_spectrum", {"candidate": 1})
            # The worker's process neither reads our input nor writes to our output.
            seen = await it.call_tool("inspect_spectrum", {"candidate": 1})
            return facts, seen

    with (tmp_path / "errors").open("w+") as errors:
        facts, seen = anyio.run(talk, errors)
        errors.seek(0)
        assert "Traceback" not in errors.read()
    assert facts.structured_content["n_pixels"] > 100, said(facts)
    assert seen.structured_content["verdict"] in ("YES", "NO"), said(seen)


@pytest.mark.parametrize("size", [1, 3, 4096])
def test_long_lines_are_cut(size):
    reader, writer = os.pipe()
    os.write(writer, b"one\n" + b"x" * 30 + b"\n\ntwo\n" + b"y" * 30)
    os.close(writer)
    lines = io.BufferedReader(BoundedLines(reader, 8), size).readlines()
    os.close(reader)
    assert lines == [b"one\n", b"x" * 8 + b"\n", b"\n", b"two\n", b"y" * 8]


def test_a_hostile_client_gets_answers_and_ends_nothing(night):
    call = {"jsonrpc": "2.0", "method": "tools/call"}
    candidate = {"name": "get_candidate", "arguments": {"candidate": 10**300}}
    path = {"name": "read_spectrum", "arguments": {"file": "../" * 300 + "etc/passwd"}}
    sent = [
        json.dumps(HELLO),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "not json",
        "[" * 100_000,
        '{"jsonrpc": "2.0", "id": ' + "9" * 5000 + ', "method": "ping"}',
        json.dumps({**call, "id": 2, "params": 7}),
        json.dumps({**call, "id": 3, "params": {"name": 3, "arguments": "x"}}),
        json.dumps({**call, "id": 4, "params": candidate}),
        json.dumps({**call, "id": 5, "params": path}),
        json.dumps({"jsonrpc": "2.0", "id": 6, "method": "x" * 10_000}),
        json.dumps({**call, "id": 7, "params": {"name": "y" * (MAX_LINE + 10)}}),
        "\x00\x1b\udcff",
        *(json.dumps({**call, "id": 100 + n, "params": path}) for n in range(300)),
        json.dumps({"jsonrpc": "2.0", "id": 9999, "method": "ping"}),
    ]
    server = subprocess.Popen(
        [*COMMAND, str(night)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=ENVIRONMENT, cwd=ROOT,
    )  # fmt: skip
    text = ("\n".join(sent) + "\n").encode(errors="surrogateescape")
    wanted, answers, by_id = {3, 4, 5, 6, 9999, *range(100, 400)}, [], {}
    with server, ThreadPoolExecutor(1) as threads:
        threads.submit(lambda: (server.stdin.write(text), server.stdin.flush()))
        while not wanted <= set(by_id):
            answers.append(server.stdout.readline())
            told = json.loads(answers[-1])
            by_id[told.get("id")] = told
        server.stdin.close()
        errors = server.stderr.read()
    assert server.returncode == 0 and b"Traceback" not in b"".join([*answers, errors])
    assert by_id[4]["result"]["isError"] and by_id[5]["result"]["isError"]
    assert {3, 6} <= {number for number, each in by_id.items() if "error" in each}
    assert "result" in by_id[9999]
    assert all(len(line) < 20_000 for line in answers)

"""Few calls at once, each with a time limit."""

import threading

import anyio
import pytest
from mcp.server.mcpserver.exceptions import ToolError

from agent.errors import WorkbenchError
from app.mcp.calls import Calls
from tests.processes import LONG_S


def test_a_call_that_takes_too_long_is_given_up_and_still_counts():
    calls, go_on = Calls("test", at_once=1, max_open=2, limit_s=0.05), threading.Event()

    async def talk():
        with pytest.raises(ToolError, match=r"longer than 0\.05 s"):
            await calls.run(go_on.wait)
        # Its thread is busy: the next waits for it in vain, and is not begun later.
        with pytest.raises(ToolError, match="longer than"):
            await calls.run(lambda: started.append(1))
        go_on.set()

    started = []
    anyio.run(talk)
    calls.close()
    assert started == []


def test_a_flood_is_refused():
    calls, go_on = Calls("test", at_once=2, max_open=5, limit_s=LONG_S), threading.Event()
    told = []

    async def one():
        try:
            told.append(await calls.run(go_on.wait))
        except ToolError as error:
            told.append(str(error))
            if len(told) == 95:
                go_on.set()

    async def flood():
        async with anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(one)

    anyio.run(flood)
    calls.close()
    assert told.count(True) == 5
    assert sum("too many calls" in str(each) for each in told) == 95


def test_only_messages_for_users_reach_the_client():
    calls = Calls("test", limit_s=LONG_S)

    def fail(error):
        raise error

    async def talk():
        with pytest.raises(ToolError) as told:
            await calls.run(lambda: fail(WorkbenchError("a\nb\x1b" + "c" * 10_000)))
        assert str(told.value).startswith("a b?ccc") and len(str(told.value)) < 600
        with pytest.raises(ZeroDivisionError):  # the SDK tells nothing of it
            await calls.run(lambda: 1 / 0)

    anyio.run(talk)
    calls.close()

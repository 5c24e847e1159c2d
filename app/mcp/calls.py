"""Runs the work of tool calls in threads: few at once, each with a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import anyio
from mcp.server.mcpserver.exceptions import ToolError

from agent.checked_toml import printable
from agent.errors import WorkbenchError

AT_ONCE = 2
MAX_OPEN = 16
TIME_LIMIT_S = 60.0
MAX_MESSAGE = 500

Result = TypeVar("Result")


class Calls:
    """A call that took too long goes on in its thread, and counts until it has ended.

    So a client cannot have more work done at once than there are threads.
    """

    def __init__(
        self, name: str, *, at_once: int = AT_ONCE, max_open: int = MAX_OPEN, limit_s: float
    ) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._max_open = max_open
        self._limit_s = limit_s
        self._open: set[Future[Any]] = set()

    async def run(self, work: Callable[[], Result]) -> Result:
        """What `work` returns. Raises ToolError, with a text for the client."""
        if len(self._open) >= self._max_open:
            raise ToolError("too many calls at once: wait until the others are answered")
        future = self._threads.submit(work)
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        try:
            with anyio.fail_after(self._limit_s):
                return await asyncio.wrap_future(future)
        except TimeoutError as error:
            raise ToolError(f"it took longer than {self._limit_s:g} s and was given up") from error
        except WorkbenchError as error:
            raise ToolError(one_line(str(error))) from error

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def one_line(text: str) -> str:
    return printable(" ".join(text.split()), MAX_MESSAGE)

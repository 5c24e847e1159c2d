"""Trying again: what passes by itself, how long to wait, when to give up."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol, TypeVar

from agent.backends.base import Cancelled, ShouldStop
from agent.errors import EngineError

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 20.0
MAX_RETRY_AFTER_S = 120.0
SLICE_S = 0.05

Result = TypeVar("Result")


class Passing(Exception):
    """A fault that may be gone the next time. `retry_after_s` is what the server asked for;
    `speechless`: it promised a stream of words and closed it before the first."""

    def __init__(self, reason: str, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = retry_after_s
        self.speechless = False


class Clock(Protocol):
    """Time, so that tests need not spend any."""

    def now(self) -> float: ...

    def wait(self, seconds: float) -> None: ...


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        threading.Event().wait(seconds)


class Retrying:
    """How often, and how long between: exponential with jitter, or what the server asks for."""

    def __init__(
        self, retries: int, *, clock: Clock | None = None, rng: random.Random | None = None
    ) -> None:
        if not 0 <= retries <= 100:
            raise EngineError(f"{retries} retries are not usable (0 to 100)")
        self.retries = retries
        self.clock = clock or SystemClock()
        self._rng = rng or random.Random()  # so that many clients do not come back together

    def run(
        self, attempt: Callable[[], Result], who: str, should_stop: ShouldStop | None = None
    ) -> Result:
        """The first result. Raises EngineError when the faults do not pass, and Cancelled."""
        for number in range(self.retries + 1):
            try:
                return attempt()
            except Passing as fault:
                if number == self.retries:
                    raise EngineError(given_up(who, fault.reason, number + 1)) from fault
                seconds = self.wait_s(number, fault.retry_after_s)
                if seconds is None:
                    raise EngineError(
                        f"{who}: {fault.reason}; it asks to wait {fault.retry_after_s:.0f} s"
                    ) from fault
            self._wait(seconds, should_stop)
        raise AssertionError("unreachable")

    def wait_s(self, number: int, retry_after_s: float | None = None) -> float | None:
        """Before the retry of that number, from 0; None where the server asks for too long."""
        if retry_after_s is not None:
            return retry_after_s if retry_after_s <= MAX_RETRY_AFTER_S else None
        longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(number, 20))
        return longest * self._rng.uniform(0.5, 1.0)

    def _wait(self, seconds: float, should_stop: ShouldStop | None) -> None:
        end = self.clock.now() + seconds
        while (left := end - self.clock.now()) > 0:
            if should_stop is not None and should_stop():
                raise Cancelled
            self.clock.wait(min(SLICE_S, left))
        if should_stop is not None and should_stop():
            raise Cancelled


def given_up(who: str, reason: str, tries: int) -> str:
    return f"{who}: {reason}" + (f"; gave up after {tries} tries" if tries > 1 else "")


def read_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds from a Retry-After header, a number or a date; None where it is neither."""
    if value is None or len(value) > 100:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value, now or datetime.now(UTC))
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _until(date: str, now: datetime) -> float:
    try:
        then = parsedate_to_datetime(date)
        return (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp() - now.timestamp()
    except (ValueError, TypeError, OverflowError):
        return math.nan

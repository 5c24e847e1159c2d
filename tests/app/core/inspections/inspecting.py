"""Children that inspect one session at once, with an inspector that answers at once; two judge.

Run as a program: the nursery they come from.
"""

import os
import random
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, cast

from app.core.inspections.batch import inspect_all
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.worker.pool import PoolResult, WorkerPool
from tests.app.core.inspected import NANO, said
from tests.app.core.session import recorder
from tests.app.core.session.recorder import Order, line_of, tell

AT_WORK = 3
PEOPLE = ("Ada", "Ben")
PRESSES = 60


class Telling:
    """A pool that tells what it is given, some at once, and says YES to it."""

    def run(self, requests: Iterable[tuple[int, Any]]) -> Iterator[PoolResult[int]]:
        source = iter(requests)
        while given := list(islice(source, AT_WORK)):
            for number, _ in given:
                tell("begun", number)
            for number, _ in given:
                yield PoolResult(number, said(number=number))


def work(order: Order) -> None:
    if order["copy"] < len(PEOPLE):
        judge(order, PEOPLE[order["copy"]])
    else:
        inspect(order)


def judge(order: Order, reviewer: str) -> None:
    chance = random.Random(reviewer)
    with open_session(order["location"], reviewer) as session:
        for _ in range(PRESSES):
            opinion = Opinion(verdict=chance.choice(list(Verdict)))
            entry = session.record_verdict(chance.randint(1, session.count()), opinion)
            if entry is not None:
                tell("judged", entry.id, line_of(entry))


def inspect(order: Order) -> None:
    with open_session(order["location"], "Ada") as session:
        tell("inspector", os.getpid())
        pool = cast(WorkerPool, Telling())
        for each in inspect_all(session, pool, NANO, wait=True, lease_s=order["lease_s"]):
            tell("stored", each.candidate.id)


recorder.WORKS["inspect"] = work

if __name__ == "__main__":
    recorder.main()

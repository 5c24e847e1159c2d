"""Divides the candidates of a server's session between the programs that inspect them at once.

A program leases a few candidates in a short transaction, inspects them outside of it, and renews
its leases meanwhile. The leases of a program that died expire, and others take them up.
"""

import logging
import math
import os
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Self
from uuid import uuid4

from sqlalchemy import Double, cast, delete, exists, extract, func, literal, select, update

from agent.trajectory.trajectory import ModelRef
from app.core.database.database import insert_or_update
from app.core.database.tables import candidates, leases
from app.core.errors import SessionError
from app.core.inspections.store import ONE_EACH, pending_among, pending_condition
from app.core.session.records import Candidate
from app.core.session.session import Session

LEASE_S = 120.0  # a lease that was not renewed for so long is free again
POLL_S = 1.0
# So few that the work on them takes some seconds: what one program leases, the others cannot do.
MAX_AT_ONCE = 64
BATCH_S = 5.0

# The server's clock, as those of the programs may differ.
NOW = cast(extract("epoch", func.statement_timestamp()), Double)

_log = logging.getLogger("app.inspections")


class Leases:
    """The candidates that this program inspects with a model now. `take` and `rounds`: one thread.

    Within its `with` block a thread renews the leases; at the end of the block they are given up.
    """

    def __init__(
        self, session: Session, model: ModelRef, *, retry: bool = False, lease_s: float = LEASE_S
    ) -> None:
        self._session = session
        self._model = model
        self._retry = retry
        self._lease_s = lease_s
        self._holder = f"{socket.gethostname()} {os.getpid()} {uuid4().hex}"
        self._mine = leases.c.holder == self._holder
        self._finished: list[int] = []
        self._passed: list[int] = []
        self._taken = 0
        self._size = 1
        self._is_over = threading.Event()
        self._renewing = threading.Thread(target=self._renew, name="leases", daemon=True)

    def __enter__(self) -> Self:
        with self._session.database.writing() as connection:
            connection.execute(delete(leases).where(leases.c.expires < NOW))
        self._renewing.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._is_over.set()
        self._renewing.join()
        try:
            with self._session.database.writing() as connection:
                connection.execute(delete(leases).where(self._mine))
        except SessionError as reason:  # they expire by themselves
            _log.info("the leases are not given up: %s", reason)

    def rounds(
        self, wanted: Iterable[Candidate], limit: int | None = None, *, wait: bool = False
    ) -> Iterator[Iterator[Candidate]]:
        """Iterate over the wanted candidates that nobody else inspects, at most `limit` of them.

        With `wait` more rounds follow, until nothing is pending of what others had claimed: they
        may stop, or die.
        """
        yield self._claimed(wanted, limit)
        while wait and self._taken != limit:
            left = pending_among(self._session, self._model, self._passed, retry=self._retry)
            if not left:
                return
            self._passed.clear()
            before = self._taken
            yield self._claimed(self._session.candidates(left), limit)
            if self._taken == before:
                self._is_over.wait(min(POLL_S, self._lease_s / 4))

    def finished(self, candidate_id: int) -> None:
        """Give up a claim with the next transaction; call it when the result is stored."""
        self._finished.append(candidate_id)

    def take(self, candidate_ids: Sequence[int]) -> set[int]:
        """Claim those of these candidates that are pending and that nobody else has claimed."""
        name, sha256, until = self._model.name, self._model.sha256, NOW + self._lease_s
        is_same = (leases.c.model == name) & (leases.c.model_sha256 == sha256)
        is_claimed = exists().where(
            leases.c.candidate_id == candidates.c.id, is_same, leases.c.expires >= NOW
        )
        # Not FOR UPDATE: a log line or a claim refers to the candidate, and would wait for it.
        free = (
            select(candidates.c.id, *map(literal, (name, sha256, self._holder)), until)
            .where(candidates.c.id.in_(candidate_ids), ~is_claimed)
            .order_by(candidates.c.id)
            .with_for_update(key_share=True, skip_locked=True, of=candidates)
        )
        numbers = leases.c.candidate_id
        with self._session.database.writing() as connection:
            connection.execute(delete(leases).where(self._mine, numbers.in_(self._finished)))
            made = insert_or_update(connection, leases)
            made = made.from_select([*ONE_EACH, "holder", "expires"], free).on_conflict_do_update(
                index_elements=ONE_EACH,
                set_={"holder": made.excluded.holder, "expires": made.excluded.expires},
                where=leases.c.expires < NOW,
            )
            taken = set(connection.execute(made.returning(numbers)).scalars())
            # A new statement sees what others stored before they gave up their leases.
            is_pending = pending_condition(self._session, self._model, retry=self._retry)
            still = select(candidates.c.id).where(candidates.c.id.in_(sorted(taken)), is_pending)
            pending = set(connection.execute(still).scalars())
            done = sorted(taken - pending)
            connection.execute(delete(leases).where(self._mine, numbers.in_(done)))
        self._finished.clear()
        return pending

    def _claimed(self, wanted: Iterable[Candidate], limit: int | None) -> Iterator[Candidate]:
        source = iter(wanted)
        left = math.inf if limit is None else limit
        while some := list(islice(source, int(min(self._size, left - self._taken)))):
            free = self.take([each.id for each in some])
            self._passed += [each.id for each in some if each.id not in free]
            self._taken += len(free)
            began = time.monotonic()
            yield from (each for each in some if each.id in free)
            took_s = time.monotonic() - began
            # More at once where inspections are quick, and fewer where they are slow.
            if free and took_s < BATCH_S / 2:
                self._size = min(2 * self._size, MAX_AT_ONCE)
            elif free and took_s > 2 * BATCH_S:
                self._size = max(self._size // 2, 1)

    def _renew(self) -> None:
        lasting = self._mine & (leases.c.expires >= NOW)
        renewed = update(leases).where(lasting).values(expires=NOW + self._lease_s)
        while not self._is_over.wait(self._lease_s / 4):
            try:
                with self._session.database.writing() as connection:
                    connection.execute(renewed)
            except SessionError as reason:
                _log.info("the leases are not renewed: %s", reason)

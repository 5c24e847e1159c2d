"""The order by likeness to one candidate's spectrum, kept in memory like those by own columns."""

from __future__ import annotations

import threading
from collections import OrderedDict
from weakref import WeakKeyDictionary

import numpy as np
from sqlalchemy import Connection, func, select

from app.core.database.database import Database
from app.core.database.tables import candidates
from app.core.queue.own_orders import HELD, OwnOrder
from app.core.similar.index import SimilarIndex, index_of

_lock = threading.Lock()
_orders: WeakKeyDictionary[Database, OrderedDict[int, OwnOrder]] = WeakKeyDictionary()


def like_order(database: Database, connection: Connection, candidate_id: int) -> OwnOrder:
    """That candidate, then the most alike, then those whose spectra are not known, as listed.

    It stays as it is while spectra are read, so that a person can walk along it, and is made anew
    when all have been.
    """
    index = index_of(database)
    last_id = connection.execute(select(func.max(candidates.c.id))).scalar() or 0
    with _lock:
        held = _orders.setdefault(database, OrderedDict())
        order, generation = held.get(candidate_id), index.generation
        if order is None or (order.last_id, order.last_reply) != (last_id, generation):
            order = _made(connection, index, candidate_id, last_id, generation)
            held[candidate_id] = order
        held.move_to_end(candidate_id)
        while len(held) > HELD:
            held.popitem(last=False)
    return order


def _made(
    connection: Connection, index: SimilarIndex, candidate_id: int, last_id: int, generation: int
) -> OwnOrder:
    numbers = connection.execute(select(candidates.c.id).order_by(candidates.c.id)).scalars()
    every = np.array(numbers.all(), dtype=np.int64)
    vector = index.vector(candidate_id)
    alike = np.empty(0, np.int64) if vector is None else index.order(vector)
    first = np.concatenate([[candidate_id], alike[alike != candidate_id]])
    first = first[np.isin(first, every)].astype(np.int64)
    ids = np.concatenate([first, np.setdiff1d(every, first, assume_unique=True)])
    return OwnOrder(ids, last_id, generation)

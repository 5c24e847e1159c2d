"""The order that learns: what a person said yes and no to decides what comes next.

It is held in memory and changes only by `adopt`, which takes an order made anew in which all up to
the next candidate stands where it stood; so what is on screen and next never moves. Candidates
whose answer is known are ordered like all others, and nothing is learned from them. In blind mode
nothing is learned from what agents say.
"""

from __future__ import annotations

import json
import math
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from app.core.database.database import Database, read_fact
from app.core.database.tables import candidates, inspections, judgements, known_answers
from app.core.queue.blind_filters import FACT as BLIND
from app.core.queue.column_values import QueryContext, context_of
from app.core.queue.filter_parser import filter_text
from app.core.queue.filters import EVERYTHING, UNJUDGED, Filter, combine
from app.core.queue.own_columns import HELD, OwnOrder
from app.core.queue.sorts import Sort, sort_text
from app.core.queue.sql_conditions import condition
from app.core.session.records import Verdict
from app.core.session.session import Session
from app.core.session.subclass_and_fields import subclass_levels
from app.core.similar.index import SimilarIndex, index_of
from app.core.similar.learner import Floats, Learned, at_most_left, best_first, learn

MOST_LEARNED = 4000
"""Verdicts learned from, the newest: a fit on more takes too long, and learns no more."""
LAST = 20  # verdicts of which the line tells how many were yes
AT_RANDOM = 10  # of the mixed order every tenth
MIXED_AHEAD = 2000  # places behind the next that have every tenth at random
ENOUGH_P = 0.5  # share of candidates with a p(YES), from which learning begins there
CLIP_P = 1e-4
UNIT_OF_SNR = 0.5  # S/N is one of many hints
MOST_DRAWS = 100_000
SEED = 61
IN_POOL = (candidates, inspections)
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class LearnedSo:
    """What the order was learned from, and what is to be expected of the rest."""

    has_both: bool  # whether there is a yes and a no to learn from
    verdicts: int
    last: int
    yes_of_last: int
    at_random: int
    yes_at_random: int
    left: int
    at_most: int | None  # how many yes are left at most (95 %); None if nothing was drawn at random


@dataclass(frozen=True, eq=False)
class HeldOrder:
    order: OwnOrder
    so: LearnedSo
    learned: Learned
    is_blind: bool
    words: str  # the filter of the queue
    at_random: frozenset[int]  # candidates that stand where they do by chance
    draws: Mapping[int, int]
    """Those of them with a verdict, and from how many each was drawn."""
    kept: int = 0  # so many stand where they stood before
    made_from: HeldOrder | None = None


class Pool:
    """All candidates by id, with the numbers beside their likeness."""

    def __init__(self, connection: Connection, *, is_blind: bool) -> None:
        columns = [candidates.c.id, candidates.c.snr, candidates.c.agent_p_yes]
        rows = connection.execute(select(*columns).order_by(candidates.c.id)).all()
        self.ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        self.last_id = int(self.ids[-1]) if rows else 0
        snr = np.array([row[1] or math.nan for row in rows], np.float64)
        p = np.array([None if is_blind else row[2] for row in rows], np.float64)  # None is NaN
        has_p = np.isfinite(p)
        self.has_agent = bool(len(p)) and float(has_p.mean()) >= ENOUGH_P
        p = np.clip(p, CLIP_P, 1.0 - CLIP_P)
        logit, log_snr = np.log(p / (1.0 - p)), np.log10(np.maximum(snr, 0.1))
        beside = np.column_stack([_filled(logit), UNIT_OF_SNR * _scaled(log_snr)])
        self.columns: Floats = beside.astype(np.float32)
        self._places: tuple[int, IntArray] = (-1, np.empty(0, np.int64))

    def places(self, ids: IntArray) -> IntArray:
        """Where these candidates stand; all of them are here."""
        return np.searchsorted(self.ids, ids)

    def scores(self, learned: Learned, index: SimilarIndex, *, with_columns: bool) -> Floats:
        """In logits; not a number where neither the spectrum nor a p(YES) is known."""
        ids, products = index.products(learned.weights)
        if self._places[0] != len(ids):  # ids are only added to the index
            places = np.minimum(self.places(ids), max(len(self.ids) - 1, 0))
            is_here = self.ids[places] == ids if len(self.ids) else np.zeros(len(ids), bool)
            self._places = len(ids), np.where(is_here, places, -1)
        places = self._places[1]
        scores = np.full(len(self.ids), 0.0 if with_columns else np.nan, np.float32)
        scores[places[places >= 0]] = products[places >= 0]
        scores += self.columns @ learned.of_columns + np.float32(learned.intercept)
        return scores

    @cached_property
    def shuffled(self) -> IntArray:
        """All places in an order by chance, the same each time."""
        return np.random.default_rng(SEED).permutation(len(self.ids))


_lock = threading.Lock()
_held: WeakKeyDictionary[Database, OrderedDict[Sort, HeldOrder]] = WeakKeyDictionary()
_pools: WeakKeyDictionary[Database, tuple[object, Pool]] = WeakKeyDictionary()


def learned_order(
    database: Database, connection: Connection, sort: Sort, context: QueryContext
) -> OwnOrder:
    """The order as it was last adopted; made now if there is none, or if it knows too much."""
    held = _held_order(database, sort)
    last_id = connection.execute(select(func.max(candidates.c.id))).scalar() or 0
    if held is None or (is_blind(connection) and not held.is_blind):
        held = _make(database, connection, sort, context)
        _hold(database, sort, held)
    elif held.order.last_id < last_id:
        # Candidates that came since come last until it is made anew.
        ids, ranks = held.order.ids, held.order.ranks_by_id
        assert ranks is not None
        query = select(candidates.c.id).where(candidates.c.id > held.order.last_id)
        new = np.array(sorted(connection.execute(query).scalars()), np.int64)
        ranks = np.concatenate([ranks, np.arange(len(ids), len(ids) + len(new))])
        held = replace(held, order=OwnOrder(np.concatenate([ids, new]), last_id, 0, ranks))
        _hold(database, sort, held)
    return held.order


def begin(session: Session, tree: Filter, sort: Sort, current: int | None) -> None:
    """Make the order anew: what was judged, then the current candidate, then what was learned."""
    context = context_of(session)
    with session.database.reading() as connection:
        first = [] if current is None else [current]
        held = _make(session.database, connection, sort, context, tree=tree, first=first)
    _hold(session.database, sort, held)


def prepare(session: Session, tree: Filter, sort: Sort, keep: Collection[int]) -> HeldOrder:
    """Learn again; all up to the last of these candidates stays where it is. Any thread."""
    context = context_of(session)
    with session.database.reading() as connection:
        learned_order(session.database, connection, sort, context)
        before = _held_order(session.database, sort)
        held = _make(
            session.database, connection, sort, context, tree=tree, before=before, keep=keep
        )
    _save(session, sort, held)
    return held


def adopt(session: Session, sort: Sort, made: HeldOrder, keep: Collection[int]) -> bool:
    """Take the order over unless one of these candidates would move, and say whether it was."""
    ranks = [made.order.rank(number) for number in keep]
    if any(rank is None or rank >= made.kept for rank in ranks):
        return False
    with _lock:
        held = _held.get(session.database, OrderedDict())
        if held.get(sort) is not made.made_from:
            return False
        held[sort] = replace(made, made_from=None)  # or all orders there ever were would stay
    return True


def learned_so(session: Session, sort: Sort) -> LearnedSo | None:
    """What the order in use was learned from; None before there is one."""
    held = _held_order(session.database, sort)
    return None if held is None else held.so


def is_blind(connection: Connection) -> bool:
    return read_fact(connection, BLIND) == "yes"


def _make(
    database: Database,
    connection: Connection,
    sort: Sort,
    context: QueryContext,
    *,
    tree: Filter = EVERYTHING,
    before: HeldOrder | None = None,
    keep: Collection[int] = (),
    first: Sequence[int] = (),
) -> HeldOrder:
    blind = is_blind(connection)
    pool, index = _pool(database, connection, is_blind=blind), index_of(database)
    ids, is_yes, is_counted = _verdicts(connection, sort, context)
    is_here = np.isin(ids, pool.ids, assume_unique=True)
    ids, is_yes, is_counted = ids[is_here], is_yes[is_here], is_counted[is_here]
    from_agent = pool.has_agent and not sort.target
    learned = _learn(connection, pool, index, ids[is_counted], is_yes[is_counted], from_agent)
    if before is None:
        front = np.concatenate([ids, np.setdiff1d(np.array(first, dtype=np.int64), ids)])
    else:
        ranks = [rank for number in keep if (rank := before.order.rank(number)) is not None]
        front = before.order.ids[: max(ranks, default=-1) + 1]
    in_front = pool.places(front)
    is_behind = np.ones(len(pool.ids), bool)
    is_behind[in_front] = False
    is_open = is_behind.copy()
    is_open[pool.places(ids)] = False
    ranked = _ranked(pool, index, learned, sort, from_agent=from_agent)
    rest, drawn = ranked[is_open[ranked]], np.empty(0, np.int64)
    if sort.learn == "mixed":
        rest, drawn = _mixed(rest, pool.shuffled[is_open[pool.shuffled]], len(front))
    rest = np.concatenate([rest, np.flatnonzero(is_behind & ~is_open)])
    left = len(pool.ids) - len(ids)
    if tree != EVERYTHING:
        to_judge = condition(combine(tree, UNJUDGED), context)
        query = select(func.count()).select_from(candidates).where(to_judge)
        left = connection.execute(query).scalar_one()
    judged = dict(zip(ids.tolist(), is_yes.tolist(), strict=True))
    words = filter_text(tree)
    stays: frozenset[int] = frozenset()
    if before is None:
        draws = _saved_draws(connection, context, sort, words)
    else:
        draws = dict(before.draws) if before.words == words else {}
        # What is drawn stays drawn while it stands in front; if judged, it was drawn from these.
        stays = before.at_random & set(front.tolist())
        stays = stays if before.words == words else stays - judged.keys()
        draws |= {each: before.so.left for each in stays if each in judged and each not in draws}
    counted = {number: draws[number] for number in draws if number in judged}
    hits = sum(judged[number] for number in counted)
    so = LearnedSo(
        has_both=bool(is_yes.any() and not is_yes[is_counted].all()),
        verdicts=len(ids), last=min(len(ids), LAST), yes_of_last=int(is_yes[-LAST:].sum()),
        at_random=len(counted), yes_at_random=hits, left=left,
        at_most=at_most_left(hits, list(counted.values()), left) if counted else None,
    )  # fmt: skip
    by_chance = stays | set(pool.ids[drawn].tolist())
    places = np.concatenate([in_front, rest])
    by_id = np.empty(len(places), np.int64)
    by_id[places] = np.arange(len(places))
    order = OwnOrder(pool.ids[places], pool.last_id, 0, by_id)
    return HeldOrder(order, so, learned, blind, words, by_chance, draws, len(front), before)


def _learn(
    connection: Connection,
    pool: Pool,
    index: SimilarIndex,
    ids: IntArray,
    is_yes: NDArray[np.bool_],
    from_agent: bool,
) -> Learned:
    hidden = connection.execute(select(known_answers.c.candidate_id)).scalars().all()
    is_open = ~np.isin(ids, np.array(hidden, dtype=np.int64))
    ids, is_yes = ids[is_open][-MOST_LEARNED:], is_yes[is_open][-MOST_LEARNED:]
    with_spectrum, vectors = index.units(ids.tolist())
    has_spectrum = np.isin(ids, with_spectrum, assume_unique=True)
    columns: Floats = pool.columns[pool.places(with_spectrum)]
    return learn(vectors, columns, is_yes[has_spectrum], from_agent=from_agent)


def _ranked(
    pool: Pool, index: SimilarIndex, learned: Learned, sort: Sort, *, from_agent: bool
) -> IntArray:
    if learned.is_nothing:
        return np.arange(len(pool.ids))
    scores = pool.scores(learned, index, with_columns=from_agent)
    is_uncertain = sort.learn == "uncertain" and learned.yes and learned.no
    return best_first(-np.abs(scores) if is_uncertain else scores)


def _mixed(rest: IntArray, chance: IntArray, front: int) -> tuple[IntArray, IntArray]:
    """The rest with every tenth of the whole order by chance, and which those are."""
    taken: dict[int, None] = {}
    drawn: list[int] = []
    # Of either, at most as many as there are places can have been taken by the other.
    best, random = (iter(each[: 2 * MIXED_AHEAD].tolist()) for each in (rest, chance))
    for rank in range(front, front + min(MIXED_AHEAD, len(rest))):
        is_drawn = rank % AT_RANDOM == AT_RANDOM - 1
        place = next(each for each in (random if is_drawn else best) if each not in taken)
        taken[place] = None
        if is_drawn:
            drawn.append(place)
    ahead = np.array(list(taken), dtype=np.int64)
    return np.concatenate([ahead, rest[~np.isin(rest, ahead)]]), np.array(drawn, dtype=np.int64)


def _verdicts(
    connection: Connection, sort: Sort, context: QueryContext
) -> tuple[IntArray, NDArray[np.bool_], NDArray[np.bool_]]:
    """Ids in the order of the verdicts, which are yes, and which say yes or no."""
    names = ("candidate_id", "verdict", "flags", "subclass")
    query = select(*(judgements.c[name] for name in names))
    mine = query.where(context.is_mine, judgements.c.verdict.is_not(None))
    rows = connection.execute(mine.order_by(judgements.c.log_id)).all()
    kind, _, name = sort.target.partition("=")
    ids = np.array([row.candidate_id for row in rows], dtype=np.int64)
    is_yes = np.array([_is_yes(row, kind, name) for row in rows], dtype=bool)
    unsure = np.array([row.verdict == Verdict.UNSURE for row in rows], dtype=bool)
    return ids, is_yes, ~unsure if not kind else np.ones(len(rows), dtype=bool)


def _is_yes(row: Any, kind: str, name: str) -> bool:
    if kind == "flag":
        return json.dumps(name, ensure_ascii=False) in row.flags or json.dumps(name) in row.flags
    if kind == "subclass":
        return row.verdict == Verdict.ACCEPT and name in subclass_levels(row.subclass)
    return bool(row.verdict == Verdict.ACCEPT)


def _saved_draws(
    connection: Connection, context: QueryContext, sort: Sort, words: str
) -> dict[int, int]:
    """What was drawn at random before, in this order and with this filter."""
    try:
        found = json.loads(read_fact(connection, _fact(context.reviewer_or_0)) or "{}")
        if (found["order"], found["filter"]) != (sort_text(sort), words):
            return {}
        # What no float holds overflows here.
        return {int(each): max(int(float(left)), 1) for each, left in found["draws"][:MOST_DRAWS]}
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return {}


def _save(session: Session, sort: Sort, held: HeldOrder) -> None:
    """Keep what was drawn and learned with the session, which goes on from there."""
    if session.is_read_only or session.reviewer_number is None:
        return
    learned = held.learned
    about = {
        **{"order": sort_text(sort), "filter": held.words},
        "draws": list(held.draws.items()),
        **{"yes": learned.yes, "no": learned.no, "intercept": round(learned.intercept, 4)},
        "weights": [round(float(each), 4) for each in learned.weights],
        "of_logit_p_and_snr": [round(float(each), 4) for each in learned.of_columns],
    }
    session.set_fact(_fact(session.reviewer_number), json.dumps(about))


def _fact(reviewer: int) -> str:
    return f"learned:{reviewer}"


def _pool(database: Database, connection: Connection, *, is_blind: bool) -> Pool:
    """Read again where candidates, inspections or the shown model are others than before."""
    # The highest id, as to count a million takes 60 ms.
    newest = (connection.execute(select(func.max(each.c.id))).scalar() for each in IN_POOL)
    state = (*newest, read_fact(connection, "shown_model"), is_blind)
    with _lock:
        kept = _pools.get(database)
    if kept is None or kept[0] != state:
        kept = state, Pool(connection, is_blind=is_blind)
        with _lock:
            _pools[database] = kept
    return kept[1]


def _held_order(database: Database, sort: Sort) -> HeldOrder | None:
    with _lock:
        return _held.get(database, OrderedDict()).get(sort)


def _hold(database: Database, sort: Sort, held: HeldOrder) -> None:
    with _lock:
        orders = _held.setdefault(database, OrderedDict())
        orders[sort] = held
        orders.move_to_end(sort)
        while len(orders) > HELD:
            orders.popitem(last=False)


def _filled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """With the mean of the known ones where there is none."""
    known = np.isfinite(values)
    return np.where(known, values, values[known].mean() if known.any() else 0.0)


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    filled = _filled(values)
    spread = float(filled.std()) if len(filled) else 0.0
    return (filled - filled.mean()) / spread if spread > 0 else np.zeros_like(filled)

"""Rejects all below a p(YES), after the person has judged some of them blind.

They are drawn at random from all that would be rejected, and judged in blind mode; what was found
is told before the act. The session keeps what was drawn, so that it goes on after a restart.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from agent.confidence.scores import upper_limit
from agent.errors import WorkbenchError
from app.core.queue import (
    LIST_ORDER,
    UNJUDGED,
    QueueRow,
    combine,
    filter_text,
    matching,
    matching_ids,
    parse_filter,
    parse_sort,
    sort_text,
)
from app.core.queue.blind_filters import CHECK_FACT
from app.core.queue.filters import Filter, Has, Not, Number, Or
from app.core.session.group_acts import MAX_CANDIDATES
from app.core.session.records import Verdict
from app.core.session.session import Session
from app.ui.judge.overview.group_acts import Question
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import button, row, short_label

SHARE, LEAST = 0.05, 20  # of those below, how many are judged first
MISSED = 0.05  # how often more are among the rest than is told
BATCH = 60  # of those drawn, how many are shown at a time: a filter has some 60 conditions at most

_MOST_BELOW = round((MAX_CANDIDATES + LEAST) / (1.0 - SHARE)) + 1


@dataclass(frozen=True)
class BlindCheck:
    """What is to be rejected, and which of these are judged before."""

    p_yes: float
    ids: frozenset[int]
    drawn: tuple[int, ...]
    queue: Queue  # what was shown before


@dataclass(frozen=True)
class CheckResult:
    """The verdicts on those drawn so far, and how many of the others may deserve no rejection."""

    verdicts: Counter[Verdict | None]
    left: tuple[int, ...]  # not judged yet
    at_most: int


class RejectBelow(QFrame):
    """The line above the sheet while those drawn are judged; hidden otherwise."""

    asked = Signal(object)  # a `Question`, once all that were drawn are judged

    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        self._session, self._runner = context.bridge.session, context.runner
        self._current, self._answer = context.current, context.runner.latest(self)
        self.check: BlindCheck | None = None
        self._found: CheckResult | None = None
        self.text = short_label("", "dim")
        self.go_on = button(self.tr("Reject the others…"), call=self.ask)
        self.stop = button(self.tr("Stop"), call=self.end)
        row((self.text, 1), self.go_on, self.stop, spacing=8, margins=(12, 4, 12, 4), parent=self)
        self.hide()
        context.bridge.changed.connect(self._look)
        self._current.blind_mode.changed.connect(self._blind_changed)
        if self._current.blind_mode.is_on and not self._session.is_read_only:
            self.check = _check_under_way(self._session)
        self._look()

    def start(self, p_yes: float | None) -> None:
        """Draw from all below this p(YES) that the filter shows and nobody here has judged."""
        blind_mode, tree = self._current.blind_mode, self._current.queue.tree
        if self._session.is_read_only:
            self._say(self.tr("This session is read-only: verdicts cannot be saved"))
        elif self.check is not None:
            self.ask()
        elif blind_mode.is_on or p_yes is None:
            self._say(self.tr("Choose a candidate whose p(YES) is shown first"))
        else:
            work = partial(_below, self._session, tree, p_yes)
            self._runner.run(work, partial(self._draw, p_yes), self._current.report_error, self)

    def ask(self) -> None:
        """Ask for the act, with what was found; read what it is about in the background."""
        check, found = self.check, self._found
        if check is None or found is None:
            return
        if found.left:
            text = self.tr("Judge those drawn first: {n} left")
            self._say(text.replace("{n}", f"{len(found.left):,}"))
            self._show_next(found.left)
            return
        work = partial(_rows_of, self._session, check)
        self._runner.run(work, partial(self._ask, check), self._current.report_error, self)

    def end(self) -> None:
        """Show again what was shown before."""
        if (check := self.check) is not None:
            self.check = self._found = None
            self._session.set_fact(_fact(self._session), "")
            self.hide()
            self._current.blind_mode.set_on(False)
            self._current.set_queue(check.queue.tree, check.queue.sort)

    def _blind_changed(self, on: bool) -> None:
        if not on:  # what is judged from now on would not be judged blind
            self.end()

    def _draw(self, p_yes: float, ids: Sequence[int]) -> None:
        count = max(math.ceil(SHARE * len(ids)), LEAST)
        if len(ids) <= count:
            text = self.tr("Too few are below p(YES) {p} to draw from: {n}")
        elif len(ids) - count > MAX_CANDIDATES:
            text = self.tr("More than {most} are below p(YES) {p}: choose a lower one")
        else:
            drawn = tuple(random.SystemRandom().sample(list(ids), count))
            self.check = check = BlindCheck(p_yes, frozenset(ids), drawn, self._current.queue)
            self._session.set_fact(_fact(self._session), _check_text(check))
            self._current.blind_mode.set_on(True)
            self._show_next(drawn)
            self._look()
            return
        text = text.replace("{most}", f"{MAX_CANDIDATES:,}").replace("{n}", f"{len(ids):,}")
        self._say(text.replace("{p}", f"{p_yes:.3g}"))

    def _show_next(self, left: Sequence[int]) -> None:
        terms = tuple(Number("id", "=", number) for number in left[:BATCH])
        self._current.set_queue(Or(terms), LIST_ORDER)

    def _look(self, _: object = None) -> None:
        if (check := self.check) is not None:
            self._answer.ask(partial(_found_in, self._session, check), self._take)

    def _take(self, found: CheckResult) -> None:
        if (check := self.check) is None:
            return
        before, self._found = self._found, found
        text = self.tr("Drawn at random from {total} below p(YES) {p}: {n} of {count} judged blind")
        text = _filled(text, check, n=len(check.drawn) - len(found.left))
        self.text.setText(text)
        self.go_on.setEnabled(not found.left)
        self.show()
        shown = self._current.queue.tree
        if not found.left:
            if before is not None and before.left:
                self.ask()
        elif isinstance(shown, Or) and not {
            term.value for term in shown.terms if isinstance(term, Number)
        } & set(found.left):
            self._show_next(found.left)

    def _ask(self, check: BlindCheck, rows: list[QueueRow]) -> None:
        if (found := self._found) is None or check != self.check:
            return
        verdicts, at_most = found.verdicts, found.at_most
        text = self.tr(
            "Of {count} drawn from {total} below p(YES) {p} you rejected {r}, accepted {a} and were"
            " unsure of {u}. Among the other {rest} up to {most} may deserve no rejection (95 %)."
            " Reject all {rest}?"
        )
        counts = {"r": verdicts[Verdict.REJECT], "a": verdicts[Verdict.ACCEPT]}
        counts |= {"u": verdicts[Verdict.UNSURE], "rest": len(rows), "most": at_most}
        told = _filled(text, check, **counts)
        self.asked.emit(Question(Verdict.REJECT, tuple(rows), 0, told=told, keeps=True))

    def _say(self, text: str) -> None:
        self._current.message.emit(text)


def _check_under_way(session: Session) -> BlindCheck | None:
    """What was drawn before the session was closed; a stranger may have written anything there."""
    try:
        kept = json.loads(session.fact(_fact(session)) or "{}")
        queue = Queue(tree=parse_filter(kept["filter"]), sort=parse_sort(kept["order"]))
        ids, drawn = (tuple(map(int, kept[name])) for name in ("ids", "drawn"))
        is_sound = set(drawn) < set(ids) and len(ids) <= _MOST_BELOW
        found = BlindCheck(float(kept["p_yes"]), frozenset(ids), drawn, queue)
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
        return None
    except WorkbenchError:
        return None
    return found if is_sound and 0.0 <= found.p_yes <= 1.0 else None


def _check_text(check: BlindCheck) -> str:
    about = {"filter": filter_text(check.queue.tree), "order": sort_text(check.queue.sort)}
    numbers = {"ids": sorted(check.ids), "drawn": check.drawn}
    return json.dumps({"p_yes": check.p_yes, **about, **numbers})


def _fact(session: Session) -> str:
    return f"{CHECK_FACT}:{session.reviewer}"


def _filled(text: str, check: BlindCheck, **counts: int) -> str:
    counts |= {"total": len(check.ids), "count": len(check.drawn)}
    for name, count in counts.items():
        text = text.replace(f"{{{name}}}", f"{count:,}")
    return text.replace("{p}", f"{check.p_yes:.3g}")


def _tree_below(tree: Filter, p_yes: float) -> Filter:
    return combine(tree, UNJUDGED, Number("p_yes", "<", p_yes), Not(Has("fault")))


def _below(session: Session, tree: Filter, p_yes: float) -> list[int]:
    """Any thread."""
    return list(islice(matching_ids(session, _tree_below(tree, p_yes)), _MOST_BELOW))


def _rows_of(session: Session, check: BlindCheck) -> list[QueueRow]:
    """Those that are still to be rejected: what came below that p(YES) since was not drawn from."""
    every = matching(session, _tree_below(check.queue.tree, check.p_yes), at_once=1000)
    return [each for each in every if each.candidate.id in check.ids]


def _found_in(session: Session, check: BlindCheck) -> CheckResult:
    """Any thread."""
    given = {number: session.judgement(number) for number in check.drawn}
    said = {number: each.opinion.verdict if each else None for number, each in given.items()}
    verdicts = Counter(said.values())
    left = tuple(number for number, verdict in said.items() if verdict is None)
    judged = len(said) - len(left)
    share = upper_limit(judged - verdicts[Verdict.REJECT], judged, MISSED)
    return CheckResult(verdicts, left, math.ceil(share * (len(check.ids) - len(check.drawn))))

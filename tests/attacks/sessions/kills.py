"""Children to be killed: a busy window, `spec-o3 vet`, `merge` and `find`. Run: their nursery."""

import csv
import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from app.cli import vet as vet_command
from app.cli.main import workbench
from app.core.finding import search
from app.core.inspections.batch import BatchResult, inspect_all
from app.core.inspections.store import add_inspection, inspections_of
from app.core.queue import EVERYTHING, LIST_ORDER, matching
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, open_session
from app.core.spectra.prefetch import Prefetch, spectrum_key
from tests.app.cli.commands import SAMPLE
from tests.app.core.exporting.catalogues import listed
from tests.app.core.finding import surveys
from tests.app.core.inspected import NANO, OTHER, said
from tests.app.core.session import recorder
from tests.app.core.session.recorder import CANDIDATES, Order, line_of, tell

MARK = "SPEC_O3_TEST_MARK"


def window(order: Order) -> None:
    """What a window does at once: verdicts, inspections by two workers, reading ahead, lists."""
    chance = random.Random(order["seed"])
    with open_session(Path(order["location"]), "Ada") as session, Prefetch() as ahead:
        tell("open")
        for number, model in enumerate((NANO, OTHER)):
            work = threading.Thread(target=_inspect, args=(session, model, chance.random()))
            work.daemon = number == 0  # both end with the process
            work.start()
        threading.Thread(target=_look, args=(session,), daemon=True).start()
        while True:
            entry = recorder.press(session, chance, 0.3)
            if entry is not None:
                tell("kept", entry.id, line_of(entry))
                here = session.candidates(range(entry.candidate_id, CANDIDATES + 1))
                current, *following = map(spectrum_key, here)
                ahead.read_ahead(current, following)


def _inspect(session: Session, model: Any, seed: float) -> None:
    chance = random.Random(seed)
    while True:
        time.sleep(chance.uniform(0, 0.03))  # no agent is faster
        number = chance.randint(1, CANDIDATES)
        p_yes = chance.random()
        stored = add_inspection(session, number, said(p_yes=p_yes, model=model, number=number))
        tell("inspected", number, model.sha256, stored.at, p_yes)


def _look(session: Session) -> None:
    while True:
        for row in matching(session, EVERYTHING, LIST_ORDER):
            inspections_of(session, row.candidate.id)
        for _ in session.history():
            pass


def vet(order: Order) -> None:
    """`spec-o3 vet`, which tells each result that it has stored."""
    os.environ[MARK] = order["mark"]

    def telling(session: Session, *words: Any, **more: Any) -> Iterator[BatchResult]:
        tell("open")
        for each in inspect_all(session, *words, **more):
            verdict = None if each.trajectory is None else each.trajectory.verdict
            tell("kept", each.candidate.id, verdict, each.fault)
            yield each

    vars(vet_command)["inspect_all"] = telling
    words = ("--workers", order["workers"], "--model", order["model"])
    _command("vet", order["location"], *words)
    tell("done")


def act(order: Order) -> None:
    """One act of many verdicts after the other, each of which is told before and after."""
    verdicts = list(Verdict)
    with open_session(Path(order["location"]), "Ada") as session:
        numbers = range(1, session.count() + 1)
        for turn in range(1_000_000):
            opinion = Opinion(verdict=verdicts[turn % len(verdicts)], comment=order["seed"])
            tell("begun", turn)
            entries = session.record_group_act(numbers, lambda _, to=opinion: to, place="overview")
            tell("kept", turn, len(entries))


def merge(order: Order) -> None:
    """`spec-o3 merge`, which tells before each statement."""
    event.listen(Engine, "before_cursor_execute", lambda *_: tell("step"))
    _command("merge", order["location"], *order["others"])
    tell("done")


def find(order: Order) -> None:
    """A search that writes after every call, and tells that it has."""
    vars(search)["IN_A_CALL"] = vars(search)["ROWS_IN_PART"] = 2
    state = surveys.searched(
        Path(order["location"]), Path(order["survey"]), on_state=lambda state: tell("step")
    )[1]
    tell("done", state.problem)


def _command(*words: Any) -> None:
    silent = os.open(os.devnull, os.O_WRONLY)
    told = os.dup(1)
    os.set_inheritable(told, False)
    recorder.TOLD = told
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    workbench()(list(map(str, words)), standalone_mode=False)


def sample_session(location: Path) -> None:
    """A session of the first spectra of the sample, in place."""
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:CANDIDATES]
    found = [{"path": str(SAMPLE / row["file"]), "row": int(row["row"])} for row in rows]
    listed(location, found).close()


recorder.WORKS |= {"window": window, "vet": vet, "act": act, "merge": merge, "find": find}

if __name__ == "__main__":
    recorder.main()

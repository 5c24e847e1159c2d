"""A batch over workers that are none: what is given to them, and what is kept of their answers."""

from dataclasses import replace

import pytest
from sqlalchemy import update

from agent.errors import WorkbenchError
from app.core.database.tables import candidates
from app.core.inspections import batch
from app.core.inspections.store import inspections_of, mark_fault, pending_among, pending_candidates
from app.core.session.records import Change
from app.worker.errors import InspectionError, WorkerCrash
from app.worker.pool import PoolResult
from tests.app.core.inspected import NANO, said
from tests.app.core.sessions import made


class Workers:
    """A pool that answers at once: with a record or an error, as `answer` gives."""

    def __init__(self, answer):
        self.answer = answer
        self.given = []
        self.deadlines = set()

    def run(self, requests):
        for key, request in requests:
            self.given.append((key, str(request.path)))
            self.deadlines.add(request.deadline_s)
            told = self.answer(key)
            is_error = isinstance(told, Exception)
            yield PoolResult(key, error=told) if is_error else PoolResult(key, told)


def test_each_answer_is_kept_as_it_comes(location):
    errors = {2: InspectionError("2.fits: it is damaged"), 3: WorkerCrash("the process died")}
    workers = Workers(lambda number: errors.get(number) or said(number=number))
    with made(location, 4) as session:
        run = batch.inspect_all(session, workers, NANO)
        first = next(run)
        assert inspections_of(session, first.candidate.id)[0].trajectory == first.trajectory
        rest = list(run)
        assert [each.fault for each in rest] == ["2.fits: it is damaged", "the process died", ""]
        found = [session.candidate(number).fault for number in (1, 2, 3, 4)]
        assert found == [*("", "2.fits: it is damaged", "the process died", "")]
        assert workers.given[0] == (1, "/spectra/1.fits")
        assert list(session.history()) == []


def test_what_could_not_be_read_is_tried_where_one_asks(location):
    workers = Workers(lambda number: said(number=number))
    with made(location, 3) as session:
        mark_fault(session, 2, "2.fits: it is damaged")
        assert [each.candidate.id for each in batch.inspect_all(session, workers, NANO)] == [1, 3]
        assert [each.candidate.id for each in batch.inspect_all(session, workers, NANO)] == []
        found = [
            each.candidate.id for each in batch.inspect_all(session, workers, NANO, retry=True)
        ]
        assert found == [2]
        assert session.candidate(2).fault == ""


def test_an_engine_that_keeps_failing_ends_the_batch(location):
    failed = said(None, None, stopped_by="error")
    workers = Workers(lambda number: failed)
    with made(location, 20) as session:
        with pytest.raises(WorkbenchError, match=f"{batch.MAX_FAILURES} inspections in a row"):
            list(batch.inspect_all(session, workers, NANO))
        assert len(workers.given) == batch.MAX_FAILURES
        assert len(list(pending_candidates(session, NANO))) == 20


@pytest.mark.parametrize("error", [
    WorkerCrash("the worker was killed by SIGKILL (as when memory runs out)"),
    InspectionError("there is not enough memory for it", "Traceback ..."),
])  # fmt: skip
def test_workers_that_keep_dying_end_the_batch(location, error):
    workers = Workers(lambda number: said(number=number) if number == 3 else error)
    with made(location, 20) as session:
        with pytest.raises(WorkbenchError, match=r"5 inspections in a row failed: the"):
            list(batch.inspect_all(session, workers, NANO))
        assert len(workers.given) == 3 + batch.MAX_FAILURES


def test_unreadable_files_do_not_end_the_batch(location):
    workers = Workers(lambda number: InspectionError(f"{number}.fits: it is damaged"))
    with made(location, 20) as session:
        assert len(list(batch.inspect_all(session, workers, NANO))) == 20


def test_one_that_takes_too_long_is_not_tried_with_every_run(location):
    late = replace(
        said(None, None, stopped_by="cancelled"), stop_reason="the deadline of 3600 s has passed"
    )
    workers = Workers(lambda number: late)
    with made(location, 2) as session:
        faults = [each.fault for each in batch.inspect_all(session, workers, NANO)]
        assert faults == ["the deadline of 3600 s has passed"] * 2
        assert session.candidate(1).fault == faults[0]
        assert list(batch.inspect_all(session, workers, NANO)) == []
        assert len(list(batch.inspect_all(session, workers, NANO, retry=True))) == 2
        assert workers.deadlines == {batch.DEADLINE_S}


def test_files_that_are_there_again(location, tmp_path):
    """Their disk was not mounted. What else is wrong with a file is not forgotten."""
    count = batch.AT_ONCE + 40
    there = tmp_path / "there.fits"
    with made(location, count) as session:
        paths = {1: tmp_path / "gone.fits", 2: tmp_path / "damaged.fits"}
        paths[2].write_bytes(b"")
        with session.database.writing() as connection:
            fault = f"there.fits: {batch.MISSING_FILE}"
            connection.execute(update(candidates).values(path=str(there), fault=fault))
            for number, path in paths.items():
                here = candidates.c.id == number
                connection.execute(update(candidates).where(here).values(path=str(path)))
        mark_fault(session, 2, "damaged.fits: it is empty")
        assert batch.clear_missing_file_faults(session) == 0
        there.write_bytes(b"")
        told = []
        session.changed.connect(told.append)
        assert batch.clear_missing_file_faults(session) == count - 2
        assert batch.clear_missing_file_faults(session) == 0
        found = [each.id for each in pending_candidates(session, NANO, retry=True)]
        assert found == list(range(1, count + 1))
        assert [each.id for each in pending_candidates(session, NANO)] == list(range(3, count + 1))
        assert told[0] == Change(
            aspect="spectrum", candidate_ids=frozenset(range(3, 3 + batch.AT_ONCE))
        )


def test_only_some_are_inspected_in_the_given_order(location):
    workers = Workers(lambda number: said(number=number))
    with made(location, 1200) as session:
        list(batch.inspect_all(session, workers, NANO, only=session.candidates([7])))
        mark_fault(session, 3, "it is damaged")
        wanted = [1100, 7, 3, 2, *range(10, 900)]
        left = pending_among(session, NANO, wanted)
        assert left == [1100, 2, *range(10, 900)]
        workers.given.clear()
        done = list(batch.inspect_all(session, workers, NANO, only=session.candidates(left[:3])))
        assert [each.candidate.id for each in done] == [1100, 2, 10]
        assert [key for key, _ in workers.given] == [1100, 2, 10]
        assert pending_among(session, NANO, left) == left[3:]
        assert pending_among(session, NANO, []) == []

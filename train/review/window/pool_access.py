"""One person at one pool: reads and writes it in the background and tells the room."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from agent.examples.examples import Example
from agent.inspection.pictures import PictureMaker
from agent.rendering.render import Style
from agent.tasks.task import Task
from app.ui.base.background.runner import Failed, Runner
from train.review.live_check import LiveCheck, check_live
from train.review.pool import Pool, export_approved
from train.review.review_rules import Case, Review
from train.review.revision import Revision, revision_from_text, revision_to_text

LOOK_AGAIN_MS = 3000  # how often it is asked whether others have added something


@dataclass(frozen=True, eq=False)
class OpenDraft:
    """A draft on the screen, with what is needed to draw, measure and check it."""

    case: Case
    example: Example
    task: Task
    shown: Revision  # with what this person had changed and not saved
    check: LiveCheck
    outdated: Revision | None = None
    """What this person had changed and not saved when somebody else saved a revision."""

    @cached_property
    def saved(self) -> Revision:
        """The latest saved wording."""
        return Revision.of(self.case.replies)

    @cached_property
    def maker(self) -> PictureMaker:
        first = self.case.trajectory
        style = Style.from_table(first.style)
        return PictureMaker.of(self.example.spectrum, first.spectrum, style, first.sizing)


class PoolAccess(QObject):
    cases_changed = Signal(object)  # all cases of the pool
    draft_opened = Signal(object)  # the OpenDraft that was asked for last
    reviewed = Signal(object)  # the case with a review that is on the disk
    failed = Signal(object)  # a WorkbenchError
    exported = Signal(object)  # what was Exported, or the WorkbenchError that says why not

    def __init__(self, pool: Pool, by: str, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.pool, self.by, self.runner = pool, by, runner
        self.writer = Runner(self, threads=1)  # in the order in which a person did it
        self.wanted = ""  # the draft that was asked for last
        self._draft = runner.latest(self)
        self._stamp: object = None
        self._last_act: Future[Case] | None = None
        self._is_asking = False
        self._timer = QTimer(self, interval=LOOK_AGAIN_MS)
        self._timer.timeout.connect(self._look_again)

    def start(self) -> None:
        self.refresh()
        self._timer.start()

    def close(self) -> bool:
        """End it when all is written; whether every review is on the disk."""
        self._timer.stop()
        self.writer.run(lambda: None).exception()  # it waits behind all others
        self.writer.close()
        return self._last_act is None or self._last_act.exception() is None

    def refresh(self) -> None:
        work = partial(read_cases, self.pool)
        self.runner.run(work, self._show_cases, self.failed.emit, owner=self)

    def open_draft(self, number: str) -> None:
        self.wanted = number
        work = partial(read_draft, self.pool, number, self.by)
        self._draft.ask(work, self.draft_opened.emit, self.failed.emit)

    def write(self, act: Callable[[], Case], failed: Failed) -> None:
        """Write what a person does to a draft; then it is `reviewed`."""
        self._last_act = self.writer.run(act, self._on_reviewed, failed, owner=self)

    def export(self, path: Path) -> None:
        work = partial(export_approved, self.pool, path)
        self.runner.run(work, self.exported.emit, self.exported.emit, owner=self)

    def keep_work(self, draft: OpenDraft, revision: Revision) -> None:
        """Keep what is not saved yet, and the draft for this person while it differs."""
        work = partial(keep_work, self.pool, draft, revision, self.by)
        self.writer.run(work, failed=self.failed.emit, owner=self)

    def give_back(self, number: str, done: Callable[[], None]) -> None:
        work = partial(self.pool.give_back, number, self.by)
        self.writer.run(work, lambda _: done(), self.failed.emit, owner=self)

    def _on_reviewed(self, case: Case) -> None:
        self.reviewed.emit(case)
        self.refresh()

    def _show_cases(self, found: tuple[object, list[Case]]) -> None:
        self._stamp, cases = found
        self.cases_changed.emit(cases)

    def _look_again(self) -> None:
        if not self._is_asking:
            self._is_asking = True
            work = self.pool.store.stamp
            self.runner.run(work, self._compare, self._stop_asking, owner=self)

    def _compare(self, stamp: object) -> None:
        self._is_asking = False
        if stamp != self._stamp:
            self.refresh()

    def _stop_asking(self, _: Any) -> None:
        """The place is away, as a shared disk may be; it is asked again."""
        self._is_asking = False


def read_cases(pool: Pool) -> tuple[object, list[Case]]:
    """The stamp first: what comes meanwhile is read again."""
    return pool.store.stamp(), list(pool.cases())


def read_draft(pool: Pool, number: str, by: str) -> OpenDraft:
    """Read a draft and check it, which measures its spectrum once. Any thread."""
    case = pool.case(number)
    example, task = pool.example(case), pool.task(case)
    shown, outdated = Revision.of(case.replies), None
    kept = revision_from_text(pool.store.work(number, by)) if case.stage == "reviser" else None
    if kept is not None and kept[1] in ("", case.version):
        shown = kept[0]
    elif kept is not None:
        outdated = kept[0]
    check = check_live(case.trajectory, shown.replies, example, task)
    return OpenDraft(case, example, task, shown, check, outdated)


def add_review(pool: Pool, review: Review) -> Case:
    """Write a review to the disk, and forget what its reviser had not saved; any thread."""
    case = pool.add_review(review)
    if review.role == "reviser":
        pool.store.save_work(review.trajectory, review.by, "")
    return case


def keep_work(pool: Pool, draft: OpenDraft, revision: Revision, by: str) -> None:
    """Write it to the disk, and take the draft if it is not taken; any thread."""
    number = draft.case.id
    if revision.replies == draft.saved.replies:
        pool.give_back(number, by)
        return
    pool.store.save_work(number, by, revision_to_text(revision, draft.case.version))
    pool.take(number, by)

"""One open session in the window: its shared objects and its pages."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.core.importing.importer import ORDER
from app.core.queue import LIST_ORDER, parse_filter, parse_sort
from app.core.queue.blind_filters import CHECK_FACT
from app.core.queue.filter_parser import filter_text
from app.core.queue.filters import MINE, QUEUE_FACT, FilterError
from app.core.queue.sorts import sort_text
from app.core.session.assignments import PLAN_FACT, STUDY_FACT, has_assignments
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.ui.judge.judging_page import JudgingPage
from app.ui.judge.verdict.status_line import StatusLine
from app.ui.program.late_parts import REVIEW_PAGES, SessionDialogs
from app.ui.program.top_bar import TopBar
from app.ui.session.candidate.current import CurrentCandidate, LateAnswers
from app.ui.session.candidate.object_velocity import ObjectVelocity
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.candidate.study_round import ALLOWED
from app.ui.session.inspection.controller import InspectionController
from app.ui.session.session_bridge import SessionBridge
from app.ui.session.session_context import SessionContext, WindowContext
from app.ui.start.fetching.missing_file import MissingFile
from app.ui.widgets.labels import column


class SessionView(QWidget):
    """Call `close_session` before deleting it: it stops the agent and the prefetching."""

    page_changed = Signal(str)
    send_requested = Signal(object)
    """Ids of the candidates selected in the overview, for other programs."""

    def __init__(self, session: Session, shared: WindowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.session, runner = session, shared.runner
        # Closed from the last to the first, also where building the view ends halfway: the agent
        # before the session, as it may be about to write to it.
        self._to_close: list[Callable[[], object]] = [session.close]
        bridge = SessionBridge(session, self)
        self._to_close.append(bridge.close)
        current = CurrentCandidate(bridge, runner, self)
        self._to_close.append(current.close)
        shared.commands.may_run = self._may_run
        LateAnswers(bridge, current, self)
        agent = InspectionController(bridge, current, runner, shared.settings, self)
        self._to_close.append(agent.close)
        velocity = ObjectVelocity(current, shared.view, self)
        self.context = SessionContext(
            bridge=bridge, current=current, velocity=velocity, agent=agent, **vars(shared)
        )
        self._stack = QStackedWidget(self)
        self.judging = JudgingPage(self.context, self._stack)
        self._to_close.append(self.judging.dock_area.stop)
        self._pages: dict[str, QWidget] = {"judging_page": self.judging}
        self._stack.addWidget(self.judging)
        self.top = TopBar(self.context, self)
        self._column = column(self.top, (self._stack, 1), spacing=0, parent=self)
        self.missing = MissingFile(self.context, self.judging.plot.empty_message, self)
        self._to_close.append(self.missing.work.stop)
        self.status = StatusLine(self.context, self, self.judging.verdicts)
        self.status.lie_above(self.judging.fields)
        self.status.lie_in(self.judging.plot.plot)
        self.dialogs = SessionDialogs(self.context, self)
        self._to_close.append(self.dialogs.stop)
        shared.commands.add("judging_page", self.show_judging)
        self._makers = {**REVIEW_PAGES, "overview_page": self._make_overview}
        """What makes each other page when it is first opened."""
        for name in self._makers:
            shared.commands.add(name, partial(self.show_page, name))
        self._select_wanted: Callable[[Sequence[int], Callable[[int, int], object]], None]
        """Of the overview, once it is made."""
        self.page_changed.connect(self.top.mark)
        current.candidate_changed.connect(self._leave_history)
        self._restore_queue()
        current.queue_changed.connect(self._keep_queue)
        if session.fact(STUDY_FACT) is not None and not session.is_read_only:
            with current.reporting():
                current.repeat_round.begin_study()

    def _may_run(self, name: str) -> bool:
        if not self.context.current.repeat_round.is_study or name in ALLOWED:
            return True
        self.context.current.message.emit(self.tr("Not while you judge for a study"))
        return False

    def add_notice(self, notice: QWidget) -> None:
        """Put a line that comes and goes above the page."""
        self._column.insertWidget(self._column.indexOf(self._stack), notice)

    def take_top_bar(self) -> None:
        """Put the top bar, which was beside the menus, above the page."""
        self._column.insertWidget(0, self.top)
        self.top.show()

    def start(self, first: int | None = None) -> None:
        """Go to a candidate; None: the first one to judge."""
        current = self.context.current
        if first is not None:
            current.go_to(first)
        if current.row is None:
            current.start()
        self.judging.focus_plot()
        if current.blind_mode.is_on and self.session.fact(f"{CHECK_FACT}:{self.session.reviewer}"):
            self.show_page("overview_page")
        # What others have judged since the session was open last may ask for second opinions.
        if not self.session.is_read_only and self.session.fact(PLAN_FACT) is not None:
            from app.core.sharing.share_out import assign_second_opinions

            work = partial(assign_second_opinions, self.session)
            self.context.runner.run(work, self._on_asked, current.report_error, owner=self)

    def _on_asked(self, count: int) -> None:
        if count:
            text = self.tr("{n} second opinions were asked for since the last time")
            self.context.current.message.emit(text.replace("{n}", f"{count:,}"))

    def show_judging(self) -> None:
        self.show_page("judging_page")
        self.judging.focus_plot()

    def show_page(self, name: str) -> None:
        """Show the page with the name of its action."""
        page = self._pages.get(name)
        if page is None:
            page = self._pages[name] = self._makers[name](self.context)
            self._stack.addWidget(page)
        if page is not self._stack.currentWidget():
            self._stack.setCurrentWidget(page)
            self.page_changed.emit(name)

    def focus_page(self) -> None:
        """Give the keys to what the page on screen is about, as from a text field."""
        page = self._stack.currentWidget()
        if page is self.judging:
            self.judging.focus_plot()
        elif page is not None:
            page.setFocus(Qt.FocusReason.OtherFocusReason)

    def select_in_overview(
        self, candidate_ids: Sequence[int], told: Callable[[int, int], object]
    ) -> None:
        """Open the overview and select these; `told` how many are there, and were wanted."""
        self.show_page("overview_page")
        self._select_wanted(candidate_ids, told)

    @property
    def page(self) -> str:
        """The name of the page on screen."""
        current = self._stack.currentWidget()
        return next(name for name, page in self._pages.items() if page is current)

    def close_session(self) -> None:
        while self._to_close:
            self._to_close.pop()()

    def _make_overview(self, context: SessionContext) -> QWidget:
        from app.ui.judge.overview.overview_page import OverviewPage

        page = OverviewPage(self.judging.column_store, context)
        page.compare_requested.connect(self._compare)
        page.row_menu.compare_requested.connect(self._compare_with_current)
        page.export_requested.connect(lambda ids: self.dialogs.export.show_selected(ids))
        page.send_requested.connect(self.send_requested)
        self._select_wanted = page.wanted.select
        self._to_close.append(page.close_session)
        self.status.lie_above(page.strip)
        return page

    def _compare(self, candidates: list[Candidate]) -> None:
        self.show_judging()
        self.judging.comparison.compare(candidates)

    def _compare_with_current(self, candidate: Candidate) -> None:
        self.show_judging()
        self.judging.comparison.add(candidate)

    def _leave_history(self, row: object) -> None:
        # A candidate chosen in the history is shown on the judging page.
        if row is not None and self.page == "history_page":
            self.show_judging()

    # The session keeps the reviewer's filter and order.

    def _restore_queue(self) -> None:
        """By default what they were assigned, if anything, in the order chosen on import."""
        session, current = self.session, self.context.current
        saved = session.fact(f"{QUEUE_FACT}:{session.reviewer}")
        mine = filter_text(MINE) if saved is None and has_assignments(session) else ""
        parts = [mine, session.fact(ORDER) or "list"] if saved is None else saved.split("\n")
        try:
            tree, sort = parse_filter(parts[0]), parse_sort(parts[-1])
        except FilterError:
            return
        if not current.blind_mode.refusal(tree, sort):
            is_learned = sort.key == "learned"
            current.queue = Queue(tree=tree, sort=LIST_ORDER if is_learned else sort)
            current.queue_changed.emit(current.queue)
            if is_learned:  # in the background, as listed until then
                current.set_queue(tree, sort)

    def _keep_queue(self, queue: Queue) -> None:
        if not self.session.is_read_only:
            text = f"{filter_text(queue.tree)}\n{sort_text(queue.sort)}"
            key = f"{QUEUE_FACT}:{self.session.reviewer}"
            if self.session.fact(key) != text:
                self.session.set_fact(key, text)

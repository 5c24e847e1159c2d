"""One open session in the window: its shared objects and its pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from agent.errors import WorkbenchError
from app.core.importing.importer import ORDER
from app.core.queue import parse_filter, parse_sort
from app.core.queue.filter_writer import filter_text
from app.core.queue.filters import MINE, QUEUE_FACT, FilterError
from app.core.queue.sorts import sort_text
from app.core.session.assignments import PLAN_FACT, has_assignments
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.ui.actions.commands import Commands
from app.ui.background.runner import Runner
from app.ui.candidate.current import CurrentCandidate
from app.ui.candidate.late_answers import LateAnswers
from app.ui.candidate.queue_neighbours import Queue
from app.ui.candidate.view_options import View
from app.ui.fetching.missing_file import MissingFile
from app.ui.help.context_help import EXPORT, KNOWN, SHARING, add_help_key
from app.ui.inspection.controller import InspectionController
from app.ui.judging.status_line import StatusLine
from app.ui.judging_page import JudgingPage
from app.ui.keys.keymap import Keymap
from app.ui.session_bridge import SessionBridge
from app.ui.session_context import SessionContext
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import CurrentTheme
from app.ui.top_bar import TopBar

if TYPE_CHECKING:
    from app.ui.export.export_dialog import ExportDialog
    from app.ui.judging.fields.fields_dialog import FieldsDialog
    from app.ui.sharing.known_dialog import KnownDialog
    from app.ui.sharing.share_dialog import ShareDialog


class SessionView(QWidget):
    """Call `close_session` before deleting it: it stops the agent and the prefetching."""

    page_changed = Signal(str)
    help_requested = Signal(str)
    """A page of the guide."""
    hiding_requested = Signal(object)
    """A `HideOrder`: known answers are hidden while no view shows the list."""
    send_requested = Signal(object)
    """Ids of the candidates selected in the overview, for other programs."""

    def __init__(
        self,
        session: Session,
        *,
        commands: Commands,
        keymap: Keymap,
        settings: SettingsStore,
        current_theme: CurrentTheme,
        runner: Runner,
        view: View,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        # Closed from the last to the first, also where building the view ends halfway: the agent
        # before the session, as it may be about to write to it.
        self._to_close: list[Callable[[], object]] = [session.close]
        bridge = SessionBridge(session, self)
        self._to_close.append(bridge.close)
        current = CurrentCandidate(bridge, runner, self)
        self._to_close.append(current.close)
        LateAnswers(bridge, current, self)
        agent = InspectionController(bridge, current, runner, settings, self)
        self._to_close.append(agent.close)
        self.context = SessionContext(
            bridge=bridge,
            current=current,
            view=view,
            agent=agent,
            commands=commands,
            keymap=keymap,
            current_theme=current_theme,
            runner=runner,
            settings=settings,
        )
        self._stack = QStackedWidget(self)
        self.judging = JudgingPage(self.context, self._stack)
        self._to_close.append(self.judging.dock_area.stop)
        self._pages: dict[str, QWidget] = {"judging_page": self.judging}
        self._stack.addWidget(self.judging)
        self.top = TopBar(self.context, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.top)
        layout.addWidget(self._stack, 1)
        self.missing = MissingFile(self.context, self.judging.plot.empty_message, self)
        self._to_close.append(self.missing.stop)
        self.status = StatusLine(self.context, self, self.judging.verdicts)
        self.status.lie_above(self.judging.fields)
        for name, show in (
            ("judging_page", self.show_judging),
            ("disagreement_page", self.show_disagreement),
            ("agreement_page", self.show_agreement),
            ("history_page", self.show_history),
            ("overview_page", self.show_overview),
            ("agent_faults_page", self.show_agent_faults),
            ("export", lambda: self.export_dialog.show_catalogue()),
            ("fields", lambda: self.fields_dialog.open_fields()),
            ("report", lambda: self.export_dialog.show_report()),
            ("pack", lambda: self.export_dialog.show_packing()),
            ("share_out", lambda: self.share_dialog.open_again()),
            ("merge", self._merge),
            ("hide_known", lambda: self.known_dialog.open_again()),
        ):
            commands.add(name, show)
        self._select_wanted: Callable[[Sequence[int], Callable[[int, int], object]], None]
        """Of the overview, once it is made."""
        self.page_changed.connect(self.top.mark)
        current.queue_changed.connect(self._save_queue)
        current.candidate_changed.connect(self._leave_history)
        self._restore_queue()

    @cached_property
    def export_dialog(self) -> ExportDialog:
        from app.ui.export.export_dialog import ExportDialog

        dialog = ExportDialog(self.context, self)
        add_help_key(dialog, EXPORT, self.help_requested.emit)
        self._to_close.append(dialog.stop)
        return dialog

    @cached_property
    def fields_dialog(self) -> FieldsDialog:
        from app.ui.judging.fields.fields_dialog import FieldsDialog

        return FieldsDialog(self.context, self)

    @cached_property
    def share_dialog(self) -> ShareDialog:
        from app.ui.sharing.share_dialog import ShareDialog

        dialog = ShareDialog(self.context, self)
        add_help_key(dialog, SHARING, self.help_requested.emit)
        self._to_close.append(dialog.stop)
        return dialog

    @cached_property
    def known_dialog(self) -> KnownDialog:
        from app.ui.sharing.known_dialog import KnownDialog

        dialog = KnownDialog(self.context, self)
        add_help_key(dialog, KNOWN, self.help_requested.emit)
        dialog.wanted.connect(self.hiding_requested)
        return dialog

    def add_notice(self, notice: QWidget) -> None:
        """Put a line that comes and goes above the page."""
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self._stack), notice)

    def take_top_bar(self) -> None:
        """Put the top bar, which was beside the menus, above the page."""
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(0, self.top)
        self.top.show()

    def start(self, first: int | None = None) -> None:
        """Go to a candidate; None: the first one to judge."""
        current = self.context.current
        if first is not None:
            current.go_to(first)
        if current.row is None:
            current.start()
        self.judging.focus_plot()
        self._ask_for_second_opinions()

    def _ask_for_second_opinions(self) -> None:
        """What others have judged since the session was open last may ask for some."""
        if not self.session.is_read_only and self.session.fact(PLAN_FACT) is not None:
            from app.core.sharing.second_opinions import assign_second_opinions

            work = partial(assign_second_opinions, self.session)
            self.context.runner.run(work, self._on_asked, self._report, owner=self)

    def _on_asked(self, count: int) -> None:
        if count:
            text = self.tr("{n} second opinions were asked for since the last time")
            self.context.current.message.emit(text.replace("{n}", f"{count:,}"))

    def _report(self, error: WorkbenchError) -> None:
        self.context.current.report_error(error)

    def show_judging(self) -> None:
        self._show("judging_page")
        self.judging.focus_plot()

    def focus_page(self) -> None:
        """Give the keys to what the page on screen is about, as from a text field."""
        page = self._stack.currentWidget()
        if page is self.judging:
            self.judging.focus_plot()
        elif page is not None:
            page.setFocus(Qt.FocusReason.OtherFocusReason)

    def _merge(self) -> None:
        self.share_dialog.open_again()
        self.share_dialog.choose_files()

    # Pages and dialogs are imported when first opened, so that the start does not wait for them.

    def show_disagreement(self) -> None:
        from app.ui.review.disagreement_page import DisagreementPage

        self._show("disagreement_page", DisagreementPage)

    def show_agreement(self) -> None:
        from app.ui.review.agreement_page import AgreementPage

        self._show("agreement_page", AgreementPage)

    def show_history(self) -> None:
        from app.ui.review.history_page import HistoryPage

        self._show("history_page", HistoryPage)

    def show_agent_faults(self) -> None:
        from app.ui.review.agent_faults_page import AgentFaultsPage

        self._show("agent_faults_page", AgentFaultsPage)

    def show_overview(self) -> None:
        self._show("overview_page", self._make_overview)

    def select_in_overview(
        self, candidate_ids: Sequence[int], told: Callable[[int, int], object]
    ) -> None:
        """Open the overview and select these; `told` how many are there, and were wanted."""
        self.show_overview()
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
        from app.ui.overview.overview_page import OverviewPage

        page = OverviewPage(self.judging.queue.store, context)
        page.compare_requested.connect(self._compare)
        page.row_menu.compare_requested.connect(self._compare_with_current)
        page.export_requested.connect(self._export_selected)
        page.send_requested.connect(self.send_requested)
        self._select_wanted = page.wanted.select
        self.status.lie_above(page.strip)
        return page

    def _compare(self, candidates: list[Candidate]) -> None:
        self.show_judging()
        self.judging.comparison.compare(candidates)

    def _export_selected(self, candidate_ids: Sequence[int]) -> None:
        self.export_dialog.show_selected(candidate_ids)

    def _compare_with_current(self, candidate: Candidate) -> None:
        self.show_judging()
        self.judging.comparison.add(candidate)

    def _show(self, name: str, make: Callable[[SessionContext], QWidget] | None = None) -> None:
        page = self._pages.get(name)
        if page is None and make is not None:
            page = self._pages[name] = make(self.context)
            self._stack.addWidget(page)
        if page is not None and page is not self._stack.currentWidget():
            self._stack.setCurrentWidget(page)
            self.page_changed.emit(name)

    def _leave_history(self, row: object) -> None:
        # A candidate chosen in the history is shown on the judging page.
        if row is not None and self.page == "history_page":
            self.show_judging()

    def _restore_queue(self) -> None:
        """Restore this reviewer's filter and order.

        By default what they were assigned, if anything, in the order chosen on import.
        """
        saved = self.session.fact(f"{QUEUE_FACT}:{self.session.reviewer}")
        mine = filter_text(MINE) if saved is None and has_assignments(self.session) else ""
        parts = [mine, self.session.fact(ORDER) or "list"] if saved is None else saved.split("\n")
        try:
            tree, sort = parse_filter(parts[0]), parse_sort(parts[-1])
        except FilterError:
            return
        current = self.context.current
        if not current.blind_mode.refusal(tree, sort):
            current.queue = Queue(tree=tree, sort=sort)
            current.queue_changed.emit(current.queue)

    def _save_queue(self, queue: Queue) -> None:
        if not self.session.is_read_only:
            text = f"{filter_text(queue.tree)}\n{sort_text(queue.sort)}"
            key = f"{QUEUE_FACT}:{self.session.reviewer}"
            if self.session.fact(key) != text:
                self.session.set_fact(key, text)

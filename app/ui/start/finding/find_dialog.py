"""The dialog that searches a folder for members of classes, and makes a session of the best."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QStackedWidget, QWidget

from agent.errors import WorkbenchError
from agent.tasks.catalogue import bundled_tasks
from agent.tasks.task import Task
from app.core.errors import NoRowAllowedError
from app.core.finding.search import SearchState
from app.ui.base.background.runner import Runner
from app.ui.base.settings.settings import reviewer_name
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import task_text
from app.ui.base.translation.message_texts import translate_message
from app.ui.start.finding.found_view import FoundView
from app.ui.start.finding.search_card import ChoiceForm, SearchCard
from app.ui.start.finding.search_thread import (
    ChosenRows,
    FoundSoFar,
    SearchThread,
    choose_rows,
    look_at_table,
    make_found_session,
)
from app.ui.start.importing.session_card import free_path, session_path_problem
from app.ui.widgets.file_dialogs import choose_new_file, session_files
from app.ui.widgets.labels import bring_forward, column, dialog_button, narrow, row, wrapped_label
from app.ui.widgets.page_parts import PageScrollArea, ProblemLine
from app.ui.widgets.text_width import DialogSize, TextWidth

SIZE = 1240, 800
LEFT_PX, WIDEST_LEFT_PX = 380, 620
LOOK_EVERY_MS = 3000  # while it searches
SOON_MS = 150  # after the last of several changes


class FindDialog(QDialog):
    """Not modal: one may judge while it searches. Closing it stops the search.

    Close `search` before the program ends.
    """

    made = Signal(object)  # the path of a new session

    def __init__(
        self,
        settings: SettingsStore,
        current_theme: CurrentTheme,
        runner: Runner,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings, self._runner = settings, runner
        self._titles: dict[str, str] = {}
        self.found: FoundSoFar | None = None
        self.chosen: ChosenRows | None = None
        self.is_searching = self.is_making = False
        self.setWindowTitle(self.tr("Find in a folder"))
        self.setModal(False)
        self.search = SearchThread(self)
        self._looking, self._choosing = runner.latest(self), runner.latest(self)
        self._look_timer = QTimer(self, singleShot=True)
        self._choose_timer = QTimer(self, singleShot=True, interval=SOON_MS)
        self.card = SearchCard()
        self.form = ChoiceForm()
        self.view = FoundView(current_theme)
        self.sentence = narrow(wrapped_label(""))
        self.problem = ProblemLine()
        self._lay_out()
        DialogSize(self, *SIZE)
        self._look_timer.timeout.connect(self._look)
        self._choose_timer.timeout.connect(self._choose)
        self.card.start_button.clicked.connect(self.start)
        self.card.stop_button.clicked.connect(self.stop)
        self.card.table.changed.connect(self._look_soon)
        self.form.task_changed.connect(self._look_soon)
        self.form.changed.connect(self._choose_soon)
        self.search.told.connect(self.card.show_progress)
        self.search.ended.connect(self._end)
        self._show_found(None)

    def open_page(self) -> None:
        bring_forward(self)
        self.card.source.begin()

    def start(self) -> None:
        order = self.card.order
        if order is None or self.is_searching:
            return
        self.problem.clear()
        self.is_searching = True
        self.card.show_searching(True)
        self.search.begin(order)
        self._look_timer.start(LOOK_EVERY_MS)

    def stop(self) -> None:
        """Stop soon; what was found is written, and goes on when it is started again."""
        self.search.stop()
        if self.is_searching:
            self.card.show_stopping()

    def reject(self) -> None:
        self.stop()
        super().reject()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._titles:
            failed = self.problem.show_error
            self._runner.run(bundled_tasks, self._show_classes, failed, owner=self)

    def _lay_out(self) -> None:
        inner = QWidget()
        column(self.card, self.form, 1, spacing=12, parent=inner)
        left = PageScrollArea(inner)
        TextWidth(left, LEFT_PX, WIDEST_LEFT_PX)
        text = self.tr(
            "Choose a folder of spectra, and start. Every spectrum is looked at once, for all "
            "classes; what may be a member is inspected in full. The best are shown here as they "
            "are found. You may stop at any time and go on later."
        )
        self.empty = wrapped_label(text, "dim")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setMargin(40)
        self.stack = QStackedWidget()
        for page in (self.empty, self.view):
            self.stack.addWidget(page)
        self.close_button = dialog_button(self.tr("Close"), self.reject)
        self.make_button = dialog_button(self.tr("Make a session…"), self.make, "primary")
        bottom = row((self.sentence, 1), self.close_button, self.make_button)
        upper = (row(left, (self.stack, 1), spacing=12), 1)
        column(upper, self.problem, bottom, spacing=12, margins=16, parent=self)

    def _show_classes(self, tasks: tuple[Task, ...]) -> None:
        if self._titles:  # it was opened twice meanwhile
            return
        self._titles = {each.id: task_text(each.title) for each in tasks}
        self.card.show_classes(self._titles)
        self._show_found(self.found)

    # What is in the table

    def _look_soon(self) -> None:
        self.problem.clear()
        self._look_timer.start(SOON_MS)

    def _look(self) -> None:
        folder = self.card.table.path
        if folder is None:
            self._show_found(None)
            return
        newest = self.search.best if self.is_searching else None
        work = partial(look_at_table, folder, self.form.task, self.found, newest)
        self._looking.ask(work, self._show_found, self._cannot_look)

    def _show_found(self, found: FoundSoFar | None) -> None:
        before, self.found = self.found, found
        self.card.show_table(None if found is None else found.tasks)
        self.stack.setCurrentWidget(self.empty if found is None else self.view)
        self.form.setEnabled(found is not None)
        if found is not None:
            self.form.show_tasks(found.tasks, self._titles, found.task)
            self.view.show_found(found)
        if before is None or found is None or before.parts != found.parts:
            self._choose_soon()
        if self.is_searching and not self._look_timer.isActive():
            self._look_timer.start(LOOK_EVERY_MS)

    def _cannot_look(self, error: WorkbenchError) -> None:
        self._show_found(None)
        self.problem.show_error(error)

    def _end(self, outcome: SearchState | Exception) -> None:
        self.is_searching = False
        self.card.show_searching(False)
        self._look_timer.start(0)
        if isinstance(outcome, WorkbenchError):
            self.problem.show_error(outcome)
        elif isinstance(outcome, Exception):
            raise outcome
        else:
            self.card.show_end(outcome, is_stopped=self.search.is_stopping)

    # The choice

    def _choose_soon(self) -> None:
        self._choosing.forget()
        self._show_choice(None)
        self._choose_timer.start()

    def _choose(self) -> None:
        """Work out the choice as the fields say it now."""
        found = self.found
        if found is None or not found.spectra:
            return
        try:
            rule = self.form.rule()
        except WorkbenchError as error:
            self._cannot_choose(error)
            return
        if rule is not None:
            work = partial(choose_rows, found.table, rule, self.form.known_list)
            self._choosing.ask(work, self._show_choice, self._cannot_choose)

    def _show_choice(self, chosen: ChosenRows | None) -> None:
        self.chosen = chosen
        lines = [] if chosen is None else chosen.choice.sentence.split("; ")
        if self.found is not None and not self.found.spectra:
            lines = [self.tr("You can choose once the first results are written, each minute.")]
        self.sentence.setText("\n".join(map(translate_message, lines)))
        self.view.pictures.show_chosen(frozenset() if chosen is None else chosen.numbers)
        self._check()

    def _cannot_choose(self, error: WorkbenchError) -> None:
        self._show_choice(None)
        self.sentence.setText(translate_message(str(error)))

    def _check(self) -> None:
        has_rows = self.chosen is not None and len(self.chosen.choice.numbers) > 0
        self.make_button.setEnabled(has_rows and not self.is_making)

    def make(self) -> None:
        """Ask where the session goes, make it and let it be opened."""
        found, chosen = self.found, self.chosen
        if found is None or chosen is None:
            return
        folder, task = found.table.folder, chosen.choice.wanted.task
        proposed = free_path(folder.parent / f"{folder.stem}-{task.lower()}.speco3")
        path = choose_new_file(self, proposed, session_files())
        if path is None:
            return
        if problem := session_path_problem(path):
            self.problem.show_problem(problem)
            return
        settings = self._settings.settings
        self.is_making = True
        self.problem.clear()
        self._check()
        work = partial(
            make_found_session, found.table, chosen.choice, path, reviewer_name(settings),
            blind=settings.blind, trust_paths=self.card.trusts,
        )  # fmt: skip
        self._runner.run(work, self._show_made, self._cannot_make, owner=self)

    def _show_made(self, path: Path) -> None:
        self.is_making = False
        self._check()
        if not self.is_searching:
            self.hide()
        self.made.emit(path)

    def _cannot_make(self, error: WorkbenchError) -> None:
        self.is_making = False
        if isinstance(error, NoRowAllowedError):
            self.card.offer_trust()
        self._check()
        self.problem.show_error(error)

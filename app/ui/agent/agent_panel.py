"""The agent beside the spectrum: its state, its steps as they come, and how to steer it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from agent.inspection.make_inspector import MEASURED
from agent.trajectory.trajectory import ModelRef, Step, Trajectory
from app.core.inspections.shown_opinion import show_model
from app.ui.agent.agent_head import AgentHead, ListRunLine
from app.ui.agent.card_content import CardContent, contents, speaking, whole
from app.ui.agent.comparison import Comparison
from app.ui.agent.pictures import Pictures, PictureSource, PictureWindow
from app.ui.agent.takeover_bar import TakeoverBar
from app.ui.agent.timeline import Timeline
from app.ui.agent.verdict_line import VerdictLine
from app.ui.inspection.records import Records
from app.ui.session_context import SessionContext
from app.ui.widgets.agent_parts import label


class AgentPanel(QFrame):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._agent, self._current = context.agent, context.current
        self._keymap, self._runner = context.keymap, context.runner
        self.head = AgentHead(context, self)
        self.batch = ListRunLine(self)
        self.verdict = VerdictLine(self)
        self.empty = label("dim")
        self.timeline = Timeline(context.current_theme)
        self.comparison: Comparison | None = None
        self.takeover = TakeoverBar(context.agent, context.current, context.view, self)
        self.pictures = Pictures(context.runner, self)
        self._large: PictureWindow | None = None
        self._shown: tuple[tuple[Step, ...], bool] = ((), True)
        self._cards: list[CardContent] = []
        self._lay_out()
        self._listen(context)
        self.batch.follow(context.agent.batch)

    # Building

    def _lay_out(self) -> None:
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.timeline)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(12, 8, 12, 8)
        whole.setSpacing(8)
        for part in (self.head, self.batch, self.verdict):
            whole.addWidget(part)
        whole.addWidget(self.stack, 1)
        whole.addWidget(self.takeover)

    def _listen(self, context: SessionContext) -> None:
        agent, commands = context.agent, context.commands
        agent.state_changed.connect(self._refresh)
        agent.shown_changed.connect(self._refresh)
        agent.records_changed.connect(self._show_records)
        agent.replayed.connect(self._mark)
        agent.spoke.connect(self._hear)
        agent.stepped.connect(self._hear)
        agent.batch_changed.connect(self.batch.follow)
        agent.closed.connect(self.pictures.close)
        context.keymap.changed.connect(self._refresh)
        context.current.moved.connect(self._forget_pictures)
        context.current.spectrum_changed.connect(self._want_pictures)
        self.timeline.chosen.connect(agent.replay)
        self.timeline.enlarged.connect(self._enlarge)
        self.timeline.wants_to_go_on.connect(self._go_on_from)
        self.verdict.chosen.connect(agent.show)
        self.verdict.compared.connect(self._compare)
        self.pictures.drawn.connect(self._show_pictures)
        self.pictures.failed.connect(context.current.said)
        commands.add("run_agent", agent.run_here)
        commands.add("pause_agent", agent.hold_or_go_on)
        commands.add("step", agent.step_through)
        commands.add("reveal", context.current.reveal)
        commands.add("run_queue", agent.run_queue)
        commands.ran.connect(self._take_note)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    # Following

    def _refresh(self, _: object = None) -> None:
        """Something has changed; nothing is built where nobody looks."""
        if not self.isVisible():
            return
        agent = self._agent
        self.verdict.show_record(None if agent.is_hidden or agent.run else agent.shown)
        self.takeover.follow()
        if self.verdict.compare.isChecked() and agent.run is None and self.comparison is not None:
            self.stack.setCurrentWidget(self.comparison)
        else:
            self._show_steps()

    def _show_steps(self) -> None:
        run, steps = self._agent.run, self._agent.steps
        said = "" if run is None or self._agent.is_hidden else run.said
        if not steps and not said:
            self._show_empty()
            return
        # A record's steps stay the same tuple: nothing to do where they are on screen already.
        if steps is not self._shown[0] or self._shown[1] != (run is None):
            self._shown = steps, run is None
            self._cards = self._told() + contents(steps, is_over=run is None)
        cards = [*self._cards, speaking(said)] if said else self._cards
        self.timeline.show_cards(cards, follow=run is not None)
        self.stack.setCurrentWidget(self.timeline)
        self._mark(self._agent.at)
        self._want_pictures()
        self._show_pictures()

    def _told(self) -> list[CardContent]:
        """Of a record: one that runs has what it was told once it has ended."""
        shown = self._agent.shown
        told = "" if self._agent.run is not None or shown is None else shown.overview_text
        return [whole(told)] if told else []

    def _show_empty(self) -> None:
        words = self._empty_words()
        if self.empty.text() != words:
            self.empty.setText(words)
        self.timeline.show_cards([])
        self.stack.setCurrentWidget(self.empty)

    def _empty_words(self) -> str:
        agent, run = self._agent, self._agent.run
        if self._current.line is None:
            return self.tr("No candidate")
        if agent.is_hidden:
            key = self._keymap.label("reveal")
            words = self.tr("Hidden until you judge ({key} reveals)").replace("{key}", key)
            return words if run is None else words + "\n" + self.tr("The agent is at work")
        if run is not None and run.is_held:
            return self.tr("Held: show it a window, tell it a word, then hand back")
        if run is not None:
            return self.tr("The agent looks at the whole spectrum")
        if agent.shown is not None:
            return self.tr("It has looked at nothing and said nothing")
        key = self._keymap.label("run_agent")
        return self.tr("Not inspected yet ({key} runs the agent here)").replace("{key}", key)

    def _hear(self, candidate_id: int, _: object) -> None:
        run = self._agent.run
        if run is not None and run.candidate_id == candidate_id and self.isVisible():
            self._show_steps()
            self.head.state.say(self.head.state_words())

    def _mark(self, place: int) -> None:
        # The measured inspector says the same again, wherever it is to go on from.
        may = self._agent.run is None and self._agent.holder.name != MEASURED
        self.timeline.mark(place, may_go_on=may)

    def _show_records(self, records: Records) -> None:
        self.verdict.show_records(records)
        if self.comparison is not None:
            self.comparison.show_records(records, self._agent.shown)

    def _compare(self, is_on: bool) -> None:
        if is_on and self.comparison is None:
            self.comparison = Comparison()
            self.comparison.preferred.connect(self._prefer)
            self.stack.addWidget(self.comparison)
        if is_on and self.comparison is not None:
            self.comparison.show_records(self._agent.records, self._agent.shown)
        self._refresh()

    def _prefer(self, model: ModelRef | None) -> None:
        """Every candidate has to be looked at for it."""
        work = partial(show_model, self._current.session, model)
        self._runner.run(work, failed=self._current.tell, owner=self)

    # Doing

    def _take_note(self, command: str) -> None:
        if command == "escape":
            self._agent.stop()

    def _go_on_from(self, place: int) -> None:
        """After the turn of that step."""
        shown = self._agent.shown
        if shown is not None and 0 <= place < len(shown.steps):
            self._agent.continue_from(shown, shown.steps[place].turn + 1)

    # Pictures

    def _forget_pictures(self, line: object) -> None:
        self.pictures.forget()

    def _want_pictures(self, _: object = None) -> None:
        spectrum, looks = (
            self._current.spectrum,
            [step for step in self._agent.steps if step.is_look],
        )
        if spectrum is None or not looks or not self.isVisible():
            return
        shown: Trajectory | None = None if self._agent.run is not None else self._agent.shown
        if shown is None:
            seen = PictureSource(spectrum=spectrum, model=self._agent.holder.name)
        else:
            seen = PictureSource.of(shown, spectrum)
        self.pictures.want(seen, looks)

    def _show_pictures(self) -> None:
        self.timeline.show_pictures(self.pictures.thumbs)

    def _enlarge(self, place: int) -> None:
        self._agent.replay(place)
        card = self.timeline.card_of(place)
        content = None if card is None else card.content
        image = None if content is None else self.pictures.images.get(content.picture)
        if image is None or content is None:
            return
        if self._large is None:
            self._large = PictureWindow(self)
        words = (content.title, content.aside, content.label)
        self._large.show_picture(image, " · ".join(word for word in words if word))

"""Sub-classes by a further key: after an accept, for the object just accepted.

The rule: from the accept on, a key of the strip means the object that the strip names, until
another key is pressed or the time is over. Keys that judge or move on are never keys of the strip,
so a fast series of verdicts goes on as ever, and a key pressed too late only changes the view.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from agent.tasks.subclass import SUBCLASS_SEPARATOR, Subclass, subclasses_below
from app.core.queue import QueueRow
from app.core.session.records import Opinion, Verdict
from app.core.session.subclass_and_fields import most_specific
from app.ui.base.actions.actions import COMMITTING
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.verdict.key_strip import KeyChoice, KeyStrip
from app.ui.judge.verdict.state_block import object_name
from app.ui.session.candidate.current import amend, with_subclass
from app.ui.session.session_context import SessionContext

NEVER = COMMITTING | {"undo", "redo", "next", "previous"}
"""Actions whose keys no sub-class takes, whatever the profile of keys."""
SPARE = "56789"


class SubclassKeys(QObject):
    """Opens the strip after a verdict, and by the command "subclass" for the object on screen."""

    def __init__(self, context: SessionContext, strip: KeyStrip, parent: QObject) -> None:
        super().__init__(parent)
        self._current, self._keymap = context.current, context.keymap
        self._settings, self._strip = context.settings, strip
        self._previous: QueueRow | None = None  # the object accepted last
        context.commands.add("subclass", self._offer_current)
        context.commands.add("subclass_previous", self._offer_previous)
        context.current.verdict_given.connect(self._on_verdict)

    @property
    def _subclasses(self) -> tuple[Subclass, ...]:
        return self._current.session.subclasses

    def _on_verdict(self, row: QueueRow, opinion: Opinion) -> None:
        self._strip.close_strip()
        settings = self._settings.settings
        if opinion.verdict is Verdict.ACCEPT:
            self._previous = row
            if settings.subclass_seconds > 0.0 or settings.subclass_sticky:
                self._offer(row, "")

    def _offer_current(self) -> None:
        """Offer the keys for the object on screen, without a limit of time."""
        row = self._current.row
        if row is None or not self._subclasses:
            self._current.message.emit(self.tr("This class has no sub-classes"))
        elif self._current.saved_opinion.verdict is not Verdict.ACCEPT:
            self._current.message.emit(self.tr("Only what is accepted has a sub-class"))
        else:
            self._offer(row, "", is_asked=True)

    def _offer_previous(self) -> None:
        if self._previous is None or not self._subclasses:
            self._current.message.emit(self.tr("Nothing was accepted before"))
        else:
            self._offer(self._previous, "", is_asked=True)

    def _offer(self, row: QueueRow, path: str, *, is_asked: bool = False) -> None:
        """Offer the classes below `path`; none, and the strip stays closed."""
        below = subclasses_below(path, self._subclasses)
        if not below or self._current.session.is_read_only:
            return
        title = f"✓ {object_name(row)}" + (f" · {most_specific(path)}" if path else "")
        choices, settings = self._choices(below), self._settings.settings
        choose = partial(self._choose, row, path, choices, is_asked)
        is_unlimited = settings.subclass_sticky or is_asked
        seconds = None if is_unlimited else settings.subclass_seconds
        about = task_text(self._current.session.subclass_source)
        self._strip.offer(f"{title} ?", list(choices), choose, seconds, about=about)

    def _choices(self, below: tuple[Subclass, ...]) -> dict[KeyChoice, Subclass]:
        """Their keys; where one means a verdict or a move now, a digit stands in for it."""
        taken = {each.key for each in below}
        spare = [each for each in SPARE if each not in taken]
        found = {}
        for each in below:
            key = each.key.upper()
            if self._keymap.action(key) in NEVER:
                if not spare:
                    continue
                key = spare.pop(0)
            found[KeyChoice(key=key, name=each.name, about=task_text(each.description))] = each
        return found

    def _choose(
        self,
        row: QueueRow,
        path: str,
        choices: dict[KeyChoice, Subclass],
        is_asked: bool,
        chosen: KeyChoice,
    ) -> None:
        name = choices[chosen].name
        subclass = SUBCLASS_SEPARATOR.join([path, name] if path else [name])
        if not amend(self._current, row.candidate.id, with_subclass(subclass)):
            return
        text = self.tr("{object} is {subclass}").replace("{object}", object_name(row))
        self._current.message.emit(text.replace("{subclass}", name))
        self._offer(row, subclass, is_asked=is_asked)

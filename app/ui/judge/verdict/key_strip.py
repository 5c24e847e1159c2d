"""A strip over the plot that offers a few keys for a moment, and says what they are about.

After an accept it names the object and the one key that opens its sub-classes; all other keys mean
the object on screen. A setting gives the letters of the sub-classes to the object just accepted at
once, for a moment, and the strip is then filled with colour. Keys that judge or move on are never
keys of the strip, so a fast series of verdicts goes on as ever.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from agent.tasks.subclass import SUBCLASS_SEPARATOR, Subclass, subclasses_below
from app.core.queue import QueueRow
from app.core.session.records import Opinion, Verdict
from app.core.session.subclass_and_fields import most_specific
from app.ui.base.actions.actions import COMMITTING
from app.ui.base.actions.key_names import label
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import task_text
from app.ui.session.candidate.current import amend, with_subclass
from app.ui.session.session_context import SessionContext
from app.ui.widgets.painted_button import smooth_painter
from app.ui.widgets.text_width import OnEvent

PAD_PX, GAP_PX, SIDE_PX = 8, 6, 12
ROW_PX = 28
HINT_S = 3.0  # how long the key that opens the sub-classes is told after an accept
ALWAYS_CLOSING = COMMITTING | {"escape", "undo", "redo", "next", "previous"}
"""Actions after which the object of the strip is no longer what the person thinks of."""


@dataclass(frozen=True, kw_only=True)
class KeyChoice:
    key: str  # as in actions.py: `D` or `5`
    name: str
    about: str = ""


Choose = Callable[[KeyChoice], None]


class KeyStrip(QWidget):
    """It takes its keys before any action does, until one is chosen or it closes.

    Painted by itself: a row of buttons would take longer to make than the next spectrum to draw.
    `kept_free` tells how many pixels at the lower edge of `over` hold numbers: it lies above them.
    """

    def __init__(
        self,
        current_theme: CurrentTheme,
        over: QWidget,
        kept_free: Callable[[], int] = lambda: 0,
    ) -> None:
        super().__init__(over)
        self._over, self._kept_free = over, kept_free
        self._current_theme = current_theme
        self.title = ""
        self.choices: tuple[KeyChoice, ...] = ()
        self._choose: Choose | None = None
        self.about = ""  # what the tooltip of the title says
        self.owner: object = None  # who offers them, if it may have to take them back
        self.is_armed = False  # whether nobody asked for these keys, which others have meanwhile
        self._is_sticky, self._seconds = False, 0.0
        self._boxes: list[QRect] = []
        self._hovered = -1
        self._ending = QTimer(self, singleShot=True)
        self._ending.timeout.connect(self._end)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        OnEvent(over, self._place, QEvent.Type.Resize)
        self.hide()

    @property
    def is_open(self) -> bool:
        return self._choose is not None

    def offer(
        self,
        title: str,
        choices: Sequence[KeyChoice],
        choose: Choose,
        seconds: float | None,
        owner: object = None,
        about: str = "",
        is_armed: bool = False,
    ) -> None:
        """Offer these keys about what the title names; None: until a verdict, a move or Esc."""
        self.owner, self.about, self.is_armed = owner, about, is_armed
        self.title, self.choices = title, tuple(choices)
        self._choose, self._is_sticky = choose, seconds is None
        self._hovered = -1
        offered = ", ".join(f"{each.key} {each.name}" for each in choices)
        self.setAccessibleName(f"{title}: {offered}")
        self._ending.stop()
        if seconds is not None:
            self._seconds = seconds
            self._ending.start(round(1000 * seconds))
        self._place()
        if self.isHidden():
            self.show()
            self.raise_()
        self.update()

    def close_strip(self) -> None:
        """Take no more keys; it goes when the window is idle, unless something else is offered."""
        self._choose = self.owner = None
        self._ending.start(0)

    def _end(self) -> None:
        self._choose = self.owner = None
        self.hide()

    # The keys, see KeyFilter

    def wants(self, keys: Sequence[str]) -> bool:
        return self._chosen(keys) is not None

    def take(self, keys: Sequence[str]) -> None:
        chosen, choose = self._chosen(keys), self._choose
        self.close_strip()
        if chosen is not None and choose is not None:
            choose(chosen)

    def leave(self, name: str) -> None:
        """Another key was pressed, of the action `name` or of none."""
        if self.is_open and (not self._is_sticky or name in ALWAYS_CLOSING):
            self.close_strip()

    def _chosen(self, keys: Sequence[str]) -> KeyChoice | None:
        if self._choose is None or not self.isVisible():
            return None
        return next((each for each in self.choices if each.key in keys), None)

    def _place(self) -> None:
        """Lay the choices out in rows at the bottom of the plot."""
        if not self.is_open:
            return
        over = self._over
        room = max(over.width() - 2 * SIDE_PX, 200)
        height = max(ROW_PX, self.fontMetrics().height() + 10)
        boxes, x, y = [], PAD_PX, 0
        for width in self._widths():
            if x + width > room - PAD_PX and x > PAD_PX:
                x, y = PAD_PX, y + height
            boxes.append(QRect(x, y, min(width, room - 2 * PAD_PX), height))
            x += width + GAP_PX
        widest = max(box.right() for box in boxes) + PAD_PX
        size = QSize(min(widest, room), y + height)
        self._boxes = boxes
        bottom = over.height() - self._kept_free() - 4
        at = QPoint((over.width() - size.width()) // 2, bottom - size.height())
        self.setGeometry(QRect(at, size))

    def _widths(self) -> list[int]:
        """Of the title, then of each choice."""
        title = QFontMetrics(self._bold()).horizontalAdvance(self.title) + GAP_PX
        width_of = self.fontMetrics().horizontalAdvance
        return [title, *(self._cap_width(each) + width_of(each.name) + 9 for each in self.choices)]

    def _cap_width(self, choice: KeyChoice) -> int:
        return max(18, self.fontMetrics().horizontalAdvance(label(choice.key)) + 10)

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._current_theme.theme, smooth_painter(self)
        painter.setPen(QColor(theme.accept))
        painter.setBrush(QColor(theme.accept if self.is_armed else theme.panel))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 6, 6)
        ink = QColor(theme.on_verdict if self.is_armed else theme.text)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(self._bold())
        painter.setPen(ink if self.is_armed else QColor(theme.accept))
        elide, box = Qt.TextElideMode.ElideMiddle, self._boxes[0]
        title = QFontMetrics(self._bold()).elidedText(self.title, elide, box.width())
        painter.drawText(box, middle, title)
        painter.setFont(self.font())
        for number, (choice, box) in enumerate(zip(self.choices, self._boxes[1:], strict=True)):
            cap = QRect(box.left(), box.center().y() - 9, self._cap_width(choice), 19)
            is_hovered = number == self._hovered
            painter.setPen(QColor(theme.accept if is_hovered else theme.border))
            painter.setBrush(QColor(theme.window))
            painter.drawRoundedRect(cap, 4, 4)
            painter.setPen(QColor(theme.text))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, label(choice.key))
            painter.setPen(ink)
            painter.drawText(box.adjusted(cap.width() + 5, 0, 0, 0), middle, choice.name)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self._choice_at(event.position().toPoint())
        if at != self._hovered:
            self._hovered = at
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = self._choice_at(event.position().toPoint())
        if at >= 0:
            self.take((self.choices[at].key,))

    def enterEvent(self, event: object) -> None:
        if self.is_open:
            self._ending.stop()  # who is about to click needs longer than who knows the key

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        if self.is_open and not self._is_sticky:
            self._ending.start(round(1000 * self._seconds))
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            at = self._choice_at(event.pos())
            text = self.choices[at].about if at >= 0 else self.about
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _choice_at(self, point: QPoint) -> int:
        found = (number for number, box in enumerate(self._boxes[1:]) if box.contains(point))
        return next(found, -1)


NEVER = COMMITTING | {"undo", "redo", "next", "previous"}
"""Actions whose keys no sub-class takes, whatever the profile of keys."""
SPARE = "56789"


class SubclassKeys(QObject):
    """Opens the strip by the commands "subclass" and "subclass_previous", or after a verdict."""

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
            elif self._subclasses and (keys := self._keymap.keys("subclass_previous")):
                tell = KeyChoice(key=keys[0], name=self.tr("Sub-class"))
                title = f"✓ {row.candidate.name}"
                self._strip.offer(title, [tell], lambda _: self._offer_previous(), HINT_S)

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
        title = f"✓ {row.candidate.name}" + (f" · {most_specific(path)}" if path else "")
        choices, settings = self._choices(below), self._settings.settings
        choose = partial(self._choose, row, path, choices, is_asked)
        is_unlimited = settings.subclass_sticky or is_asked
        seconds = None if is_unlimited else settings.subclass_seconds
        about = task_text(self._current.session.subclass_source)
        if not is_asked:
            title = self.tr("Letters now name the sub-class of {object}").replace("{object}", title)
        title, is_armed = f"{title} ?", not is_asked
        self._strip.offer(title, [*choices], choose, seconds, about=about, is_armed=is_armed)

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
        text = self.tr("{object} is {subclass}").replace("{object}", row.candidate.name)
        self._current.message.emit(text.replace("{subclass}", name))
        self._offer(row, subclass, is_asked=is_asked)

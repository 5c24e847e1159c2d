"""An inspection as one scrollable column of cards: pictures, thoughts, calls and answer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QWidget

from agent.ellipsis import shortened
from agent.errors import WorkbenchError
from agent.ratings.records import trajectory_id
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import SpectrumRef, Step, Trajectory
from app.ui.base.background.runner import Runner
from app.ui.base.translation.data_texts import task_text
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.agent.card_content import MAX_TEXT, CardContent, card_contents
from app.ui.judge.agent.measured_rows import MeasuredRow, header_row, observed_range
from app.ui.judge.agent.pictures import qimage
from app.ui.widgets.labels import clear_layout, column, one_line, row, short_label, wrapped_label
from app.ui.widgets.page_parts import PageScrollArea

WAITING_RATIO, WAITING_PX = 0.6, 480
"""Height by width, and the greatest width, of the place of a picture that is not drawn yet."""
LEAST_PICTURE_PX = 260
COLUMNS = 5
LEFT, RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
KEPT = 6  # trajectories whose pictures stay in memory, for going back and ahead
FindSpectrum = Callable[[SpectrumRef], Spectrum]  # Any thread; raises WorkbenchError.


class PicturePlace(QWidget):
    """A picture in the size the model saw, or smaller where the column is narrow."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.image: QImage | None = None
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(LEAST_PICTURE_PX)
        self._fit()

    def show_image(self, image: QImage) -> None:
        self.image = image
        self._fit()
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(LEAST_PICTURE_PX, 40) if self.image is None else self.image.size()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Be as high as the picture at this width."""
        waiting = round(WAITING_RATIO * min(self.width(), WAITING_PX))
        shown = None if self.image is None else self._shown_size(self.width()).height()
        self.setFixedHeight(waiting if shown is None else shown)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.image is None:
            painter.setPen(self.palette().placeholderText().color())
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.tr("Drawing…"))
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        ratio = self.devicePixelRatioF()
        size = self._shown_size(self.width())
        wanted = (size.toSizeF() * ratio).toSize()
        smooth = Qt.TransformationMode.SmoothTransformation
        shown = self.image
        if wanted.width() < shown.width():  # the painter's own scaling leaves out pixels
            shown = shown.scaled(wanted, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)
        shown.setDevicePixelRatio(shown.width() / max(size.width(), 1))
        painter.drawImage(QPoint(0, 0), shown)
        shown.setDevicePixelRatio(1.0)

    def _shown_size(self, width: int) -> QSize:
        assert self.image is not None
        size = self.image.size()
        if size.width() <= width:
            return size
        return QSize(width, max(1, round(width * size.height() / size.width())))


class MeasuredTable(QWidget):
    """The lines measured in a window, and what else is to be said of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.numbers = wrapped_label("", "small")
        self.grid = QGridLayout()
        self.grid.setHorizontalSpacing(18)
        self.grid.setVerticalSpacing(2)
        self.grid.setColumnStretch(COLUMNS, 1)
        self.notes = wrapped_label("", "small")
        column(self.numbers, self.grid, self.notes, 1, spacing=6, parent=self)
        self._cells: list[list[QLabel]] = []

    def show_measured(
        self, numbers: str, rows: Sequence[MeasuredRow], notes: Sequence[str]
    ) -> None:
        cells = [header_row(), *rows] if rows else []
        while len(self._cells) < len(cells):  # labels are kept, as making them takes longest
            self._cells.append(self._new_row(len(self._cells)))
        for number, labels in enumerate(self._cells):
            texts = cells[number] if number < len(cells) else None
            for place, label in enumerate(labels):
                label.setVisible(texts is not None)
                label.setText("" if texts is None else one_line(texts[place]))
        for label, text in ((self.numbers, numbers), (self.notes, "\n".join(notes))):
            label.setText(text)
            label.setVisible(bool(text))

    def _new_row(self, number: int) -> list[QLabel]:
        labels = [short_label("", "small") for _ in range(COLUMNS)]
        for place, label in enumerate(labels):
            label.setParent(self)
            self.grid.addWidget(label, number, place, RIGHT if place else LEFT)
        return labels


class CardColumn(PageScrollArea):
    """Cards below one another."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.column = QWidget(parent)
        self._layout = column(1, spacing=10, margins=12, parent=self.column)
        super().__init__(self.column)

    def add(self, part: QWidget) -> None:
        self._layout.insertWidget(self._layout.count() - 1, part)

    def clear(self) -> None:
        clear_layout(self._layout)
        self._layout.addStretch(1)

    def scroll_page(self, pages: float) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + round(pages * bar.pageStep()))


class Card(QFrame):
    """One part of an inspection; `body` is the layout for its content."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.body = column(spacing=6, margins=(14, 10, 14, 10), parent=self)


class TrajectoryView(CardColumn):
    """Shows one trajectory; it says neither which model inspected nor what the truth is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.trajectory: Trajectory | None = None
        self.pictures: list[PicturePlace] = []
        self.fault = wrapped_label("", "warning")
        self.setAccessibleName(self.tr("Inspection"))

    def show_trajectory(self, trajectory: Trajectory, drawn: DrawnPictures | None = None) -> None:
        """Show from the start; pictures that are not drawn yet follow by `show_pictures`."""
        self.trajectory = trajectory
        self.clear()
        self.pictures.clear()
        self.add(self._question_card(trajectory))
        for content in card_contents(trajectory.steps, is_over=False, z=trajectory.spectrum.z):
            self.add(self._step_card(content, trajectory.steps[content.index]))
        if not any(step.kind == "answer" for step in trajectory.steps):
            self.add(wrapped_label(self.tr("The inspection ended without an answer"), "warning"))
        self.verticalScrollBar().setValue(0)
        if drawn is not None:
            self.show_pictures(drawn)

    def show_pictures(self, drawn: DrawnPictures) -> None:
        text = self.tr("Pictures not shown: {why}").replace("{why}", drawn.fault)
        self.fault.setText(text if drawn.fault else "")
        self.fault.setVisible(bool(drawn.fault))
        for place, image in zip(self.pictures, drawn.images, strict=False):
            place.show_image(image)
        for place in self.pictures if drawn.fault else ():
            place.hide()

    def _question_card(self, trajectory: Trajectory) -> Card:
        try:
            question = task_text(find_task(trajectory.task).question)
        except WorkbenchError:
            question = one_line(trajectory.task)
        card = Card(self.column)
        card.body.addWidget(wrapped_label(question, "title"))
        self.fault = wrapped_label("", "warning")
        self.fault.hide()
        card.body.addWidget(self.fault)
        self._add_picture(card, self.tr("The whole spectrum"))
        if trajectory.overview_text:
            card.body.addWidget(_selectable(shortened(trajectory.overview_text, MAX_TEXT)))
        return card

    def _step_card(self, content: CardContent, asked: Step) -> Card:
        card = Card(self.column)
        title = short_label(content.title, "title")
        # As the agent's words and the axis of the picture have it, not as the plot beside a list.
        window = asked.range if asked.kind == "zoom" and not asked.error else None
        range_text = content.aside if window is None else observed_range(window, 1.0)
        aside = short_label(one_line(range_text))
        if content.verdict is not None:
            aside.setProperty("role", "accept" if content.verdict == "YES" else "reject")
        label = wrapped_label(one_line(content.label), "dim")
        card.body.addLayout(row(title, aside, (label, 1)))
        if content.text:
            card.body.addWidget(_selectable(content.text))
        if content.kind == "look":
            self._add_picture(card, f"{content.title} {range_text}")
        if content.numbers or content.rows or content.notes:
            # What we measure in the window, beside what the agent says it sees there.
            measured = MeasuredTable(card)
            measured.show_measured(content.numbers, content.rows, content.notes)
            card.body.addWidget(measured)
        for text in content.warnings:
            card.body.addWidget(wrapped_label(text, "small"))
        return card

    def _add_picture(self, card: Card, name: str) -> None:
        picture = PicturePlace(name, self.column)
        self.pictures.append(picture)
        card.body.addWidget(picture)


def _selectable(text: str) -> QLabel:
    label = wrapped_label(text)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


@dataclass(frozen=True, eq=False)
class DrawnPictures:
    """The whole spectrum, then each look; or why there are none."""

    images: tuple[QImage, ...] = ()
    fault: str = ""


class TrajectoryPictures(QObject):
    """Pictures by trajectory, drawn one trajectory at a time."""

    drawn = Signal(str)  # id of a trajectory whose pictures are there, or whose fault is known

    def __init__(
        self, find_spectrum: FindSpectrum, runner: Runner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._find, self._runner = find_spectrum, runner
        self._known: OrderedDict[str, DrawnPictures] = OrderedDict()
        self._wanted: list[Trajectory] = []
        self._in_work = ""

    def of(self, trajectory: Trajectory) -> DrawnPictures | None:
        """The pictures, if they are drawn."""
        return self._known.get(trajectory_id(trajectory))

    def request(self, *trajectories: Trajectory) -> None:
        """Draw these, the first first; what was requested before and not begun is dropped."""
        self._wanted = [one for one in trajectories if self.of(one) is None]
        self._draw_next()

    def _draw_next(self) -> None:
        if self._in_work or not self._wanted:
            return
        trajectory = self._wanted.pop(0)
        self._in_work = trajectory_id(trajectory)
        work = partial(draw_pictures, self._find, trajectory)
        self._runner.run(work, self._on_drawn, self._on_failed, self)

    def _on_drawn(self, pictures: DrawnPictures) -> None:
        name, self._in_work = self._in_work, ""
        self._known[name] = pictures
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        self.drawn.emit(name)
        self._draw_next()

    def _on_failed(self, error: WorkbenchError) -> None:
        self._on_drawn(DrawnPictures(fault=translate_message(str(error))))


def draw_pictures(find_spectrum: FindSpectrum, trajectory: Trajectory) -> DrawnPictures:
    """Draw all pictures of a trajectory. Any thread.

    Raises TrajectoryError if the spectrum is not found, or a picture is not what the model saw.
    """
    # Imported here because drawing loads matplotlib, which would slow down the start.
    from agent.inspection.pictures import redraw

    spectrum = find_spectrum(trajectory.spectrum)
    return DrawnPictures(tuple(qimage(picture) for picture in redraw(trajectory, spectrum)))

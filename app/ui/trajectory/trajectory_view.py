"""A whole inspection as one scrollable column, read only: pictures, thoughts, calls and answer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from agent.ellipsis import shortened
from agent.errors import WorkbenchError
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Step, Trajectory
from app.ui.agent.card_content import MAX_TEXT, CardContent, card_contents
from app.ui.agent.measured_rows import MeasuredRow, header_row, observed_range
from app.ui.trajectory.trajectory_pictures import DrawnPictures, no_pictures_text
from app.ui.translation.data_texts import task_text
from app.ui.widgets.labels import one_line, row, short_label, wrapped_label
from app.ui.widgets.page_parts import PageScrollArea

WAITING_RATIO, WAITING_PX = 0.6, 480
"""Height by width, and the greatest width, of the place of a picture that is not drawn yet."""


class PicturePlace(QWidget):
    """A picture in the size the model saw, or smaller where the column is narrow."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.image: QImage | None = None
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fit()

    def show_image(self, image: QImage) -> None:
        self.image = image
        self._fit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Be as high as the picture at this width."""
        waiting = round(WAITING_RATIO * min(self.width(), WAITING_PX))
        self.setFixedHeight(
            waiting if self.image is None else self._shown_size(self.width()).height()
        )

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


class TrajectoryView(PageScrollArea):
    """Shows one trajectory; it says neither which model inspected nor what the truth is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._column = QWidget(parent)
        self._layout = QVBoxLayout(self._column)
        self._layout.setContentsMargins(12, 12, 12, 12)
        self._layout.setSpacing(10)
        self._layout.addStretch(1)
        super().__init__(self._column)
        self.trajectory: Trajectory | None = None
        self.pictures: list[PicturePlace] = []
        self.fault = wrapped_label("", "warning")
        self.setAccessibleName(self.tr("Inspection"))

    def show_trajectory(
        self, trajectory: Trajectory | None, drawn: DrawnPictures | None = None
    ) -> None:
        """Show from the start; pictures that are not drawn yet follow by `show_pictures`."""
        self.trajectory = trajectory
        self._clear()
        if trajectory is None:
            return
        self._add(self._question_card(trajectory))
        for content in card_contents(trajectory.steps, is_over=False, z=trajectory.spectrum.z):
            self._add(self._step_card(content, trajectory.steps[content.index]))
        if not any(step.kind == "answer" for step in trajectory.steps):
            self._add(wrapped_label(self.tr("The inspection ended without an answer"), "warning"))
        self.verticalScrollBar().setValue(0)
        if drawn is not None:
            self.show_pictures(drawn)

    def show_pictures(self, drawn: DrawnPictures) -> None:
        self.fault.setVisible(bool(drawn.fault))
        self.fault.setText(no_pictures_text(drawn.fault) if drawn.fault else "")
        for place, image in zip(self.pictures, drawn.images, strict=False):
            place.show_image(image)
        for place in self.pictures if drawn.fault else ():
            place.hide()

    def scroll_page(self, pages: float) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + round(pages * bar.pageStep()))

    @property
    def texts(self) -> Sequence[str]:
        """All texts on the view, from the top down."""
        labels: list[QLabel] = []
        for at in range(self._layout.count()):
            item = self._layout.itemAt(at)
            part = None if item is None else item.widget()
            if isinstance(part, QLabel):
                labels.append(part)
            elif part is not None:
                labels += part.findChildren(QLabel)
        return [label.text() for label in labels if label.text()]

    def _question_card(self, trajectory: Trajectory) -> QWidget:
        try:
            question = task_text(find_task(trajectory.task).question)
        except WorkbenchError:
            question = one_line(trajectory.task)
        card, layout = self._card()
        layout.addWidget(wrapped_label(question, "title"))
        self.fault = wrapped_label("", "warning")
        self.fault.hide()
        layout.addWidget(self.fault)
        self._add_picture(layout, self.tr("The whole spectrum"))
        if trajectory.overview_text:
            layout.addWidget(_selectable(shortened(trajectory.overview_text, MAX_TEXT)))
        return card

    def _step_card(self, content: CardContent, asked: Step) -> QWidget:
        card, layout = self._card()
        title = short_label(content.title, "title")
        # As the agent's words and the axis of the picture have it, not as the plot beside a list.
        window = asked.range if asked.kind == "zoom" and not asked.error else None
        range_text = content.aside if window is None else observed_range(window, 1.0)
        aside = short_label(one_line(range_text))
        if content.verdict is not None:
            aside.setProperty("role", "accept" if content.verdict == "YES" else "reject")
        label = wrapped_label(one_line(content.label), "dim")
        layout.addLayout(row(title, aside, (label, 1)))
        if content.text:
            layout.addWidget(_selectable(content.text))
        if content.kind == "look":
            self._add_picture(layout, f"{content.title} {range_text}")
        # What we measure in the window, beside what the agent says it sees there.
        if content.numbers:
            layout.addWidget(wrapped_label(content.numbers, "small"))
        if content.rows:
            layout.addLayout(_table([header_row(), *content.rows]))
        for text in (*content.notes, *content.warnings):
            layout.addWidget(wrapped_label(text, "small"))
        return card

    def _add_picture(self, layout: QVBoxLayout, name: str) -> None:
        picture = PicturePlace(name, self._column)
        self.pictures.append(picture)
        layout.addWidget(picture)

    def _card(self) -> tuple[QFrame, QVBoxLayout]:
        card = QFrame(self._column)
        card.setProperty("role", "card")
        layout = QVBoxLayout(card)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(6)
        return card, layout

    def _add(self, part: QWidget) -> None:
        self._layout.insertWidget(self._layout.count() - 1, part)

    def _clear(self) -> None:
        self.pictures.clear()
        while self._layout.count() > 1:
            item = self._layout.takeAt(0)
            part = None if item is None else item.widget()
            if part is not None:
                part.hide()
                part.deleteLater()


def _table(rows: Sequence[MeasuredRow]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(2)
    for at, each in enumerate(rows):
        for column, cell in enumerate(each.cells):
            grid.addWidget(short_label(one_line(cell), "small"), at, column)
    grid.setColumnStretch(len(rows[0].cells), 1)
    return grid


def _selectable(text: str) -> QLabel:
    label = wrapped_label(text)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label

"""The axes of the plot and the frame around it: ticks, numbers and titles."""

import math
import re
from dataclasses import dataclass
from itertools import pairwise

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from agent.spectra.spectrum import Window
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.theme.theme import Theme
from app.ui.judge.plot.canvas.paint import TextCache, dots_per_pixel, hairline, keep
from app.ui.judge.plot.canvas.plot_box import PlotBox, Scale

TICK_PX = 5.0
TITLE_APART_PX = 12.0  # between the title, at the end of the numbers, and the last of them
NUMBERS_APART_PX = 4.0
TITLE_SHARE = 0.7  # of the wavelength axis, at most, for its title
LEAST_TICKS, MOST_TRIED = 2, 6
TOO_FEW = 3  # what they cost: more than a title without any room
WIDEST_NUMBER = "\N{MINUS SIGN}0000"
UNIT, COMMA = re.compile(r" ?[(（](.*)[)）]"), re.compile(r"[,，]")
Marks = list[tuple[float, str]]  # pixels from the start of the axis, and texts
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
MAX_TICKS = 50
DECIMALS = 6


@dataclass(frozen=True)
class AxisContent:
    """What is painted of an axis: its ticks, and its numbers and title with their places."""

    marks: Marks
    numbers: list[tuple[QRectF, str]]
    title: str
    title_place: QRectF


class PlotAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis that paints its own ticks and texts.

    Its thickness depends on the font alone, so the layout stays the same from object to object.
    """

    # AxisItem records a QPicture for every new range and measures each text anew, which takes
    # longer than the spectrum; its label is HTML, and a unit in a file is not to be trusted.

    apart_px = 90.0  # least distance of two ticks

    def __init__(self, orientation: str, theme: Theme, texts: TextCache) -> None:
        self.title = ""
        self._contents: dict[object, AxisContent] = {}
        self.theme, self.texts = theme, texts
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)
        self.fit_font()

    @property
    def content(self) -> AxisContent:
        return self.content_for(*self.range)

    def content_for(self, lo: float, hi: float) -> AxisContent:
        """What is painted for a range, computed once for it."""
        key = lo, hi, self.length, self.title, self._look(lo, hi), self.texts.font
        if key not in self._contents:
            marks = self._marks_with_room(lo, hi)
            if len(marks) < LEAST_TICKS:
                marks = self._more_ticks(lo, hi) or marks
            numbers = [(self._place(at, text), text) for at, text in marks]
            keep(self._contents, key, self._with_title(marks, numbers))
        return self._contents[key]

    def _marks_with_room(self, lo: float, hi: float) -> Marks:
        """As many as stand apart, or fewer where that leaves the title more of its room."""
        best: Marks | None = None
        least, found = math.inf, []
        # Large or long numbers need more room than the least distance.
        for most in range(max(int(self.length / self.apart_px), 2), 0, -1):
            found = self._placed(lo, hi, most)
            if not self._are_apart(found):
                continue
            cost = self._title_cost(found) if len(found) >= LEAST_TICKS else TOO_FEW
            if cost < least:
                best, least = found, cost
            if not cost:
                break
        return found if best is None else best

    def _more_ticks(self, lo: float, hi: float) -> Marks | None:
        """Closer ticks, for a low axis on which a single number would say no scale."""
        for most in range(LEAST_TICKS, MOST_TRIED + 1):
            found = self._placed(lo, hi, most)
            if len(found) >= LEAST_TICKS:
                is_short = all(len(text) <= len(WIDEST_NUMBER) for _, text in found)
                return found if is_short and self._are_apart(found) else None
        return None

    def shown_title(self, room: float) -> str:
        """The title; without its unit, or none at all, where it has no room."""
        for text in (self.title, UNIT.sub("", self.title)):
            if self.texts.width(text) <= room:
                return text
        return ""

    def boundingRect(self) -> QRectF:
        return QRectF(self.rect())

    @property
    def length(self) -> float:
        size = self.size()
        return float(size.width() if self.orientation == "bottom" else size.height())

    def _place(self, at: float, text: str) -> QRectF:
        """Where the number of a tick is painted."""
        raise NotImplementedError

    def _ends(self, at: float, text: str) -> tuple[float, float]:
        """Where along the axis the number of a tick begins and ends, in pixels."""
        raise NotImplementedError

    def _are_apart(self, marks: Marks) -> bool:
        ends = [self._ends(*mark) for mark in marks]
        return not any(a < d and c < b for (a, b), (c, d) in pairwise(ends))

    def _title_cost(self, marks: Marks) -> int:
        """How much of the title has no room between these; of equals, the most ticks are taken."""
        return 0

    def _look(self, lo: float, hi: float) -> object:
        """What it depends on, besides range, length, title and font."""
        raise NotImplementedError

    def fit_font(self) -> None:
        """Take the room that numbers and title need in the font of the texts."""
        raise NotImplementedError

    def _placed(self, lo: float, hi: float, most: int) -> Marks:
        """At most so many ticks, with their places in pixels."""
        raise NotImplementedError

    def _with_title(self, marks: Marks, numbers: list[tuple[QRectF, str]]) -> AxisContent:
        """With a title, and without the numbers that are in its way."""
        raise NotImplementedError


class WavelengthAxis(PlotAxis):
    """The axis below the plot, with round numbers in the frame it shows."""

    def __init__(self, theme: Theme, texts: TextCache) -> None:
        self.frame = WavelengthFrame()
        super().__init__("bottom", theme, texts)

    def _look(self, lo: float, hi: float) -> object:
        return self.frame, self._breaks(lo, hi)

    def _breaks(self, lo: float, hi: float) -> tuple[Window, ...]:
        box = self.linkedView()
        return box.breaks_in((lo, hi), self.length) if isinstance(box, PlotBox) else ()

    def _placed(self, lo: float, hi: float, most: int) -> Marks:
        if not lo > 0.0:
            return []
        scale = Scale(lo, hi, 0.0, 1.0, self.length, 1.0, self._breaks(lo, hi))
        if scale.breaks:  # beside them, ticks stand farther apart than without
            most = round(most * scale.view_per_pixel / scale.per_pixel)
        values = ticks(self.frame.shown(lo), self.frame.shown(hi), most)
        texts = zip(map(self.frame.observed, values), tick_texts(values), strict=True)
        return [(scale.x(at), text) for at, text in texts if not scale.is_hidden(at)]

    def fit_font(self) -> None:
        self.setHeight(round(self.texts.height + TICK_PX + 4.0))

    def paint(self, painter: QPainter, *_: object) -> None:
        texts, colour, content = self.texts, self.theme.axis, self.content
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(hairline(painter, colour))
        painter.drawLines([QLineF(x, 0.0, x, TICK_PX) for x, _ in content.marks])
        painter.setPen(QColor(colour))
        for place, text in content.numbers:
            texts.draw(painter, place.center().x(), place.top(), text, 0.5)
        title = content.title_place
        texts.draw(painter, title.left(), title.top(), content.title)

    def _with_title(self, marks: Marks, numbers: list[tuple[QRectF, str]]) -> AxisContent:
        title, place = self._title(marks)
        around = place.adjusted(-TITLE_APART_PX, 0.0, TITLE_APART_PX, 0.0)
        beside = [each for each in numbers if not each[0].intersects(around)]
        return AxisContent(marks, beside, title, place)

    def _title(self, marks: Marks) -> tuple[str, QRectF]:
        """The title, or its unit alone, in the last gap between numbers that has room for it.

        Where there is none it stands at the end, in the place of a number.
        """
        for texts in self._titles:
            if found := self._title_among(marks, *texts):
                return found
        text = self.shown_title(TITLE_SHARE * self.length)
        width = self.texts.width(text)
        return text, QRectF(self.length - width, TICK_PX + 2.0, width, self.texts.height)

    @property
    def _titles(self) -> tuple[tuple[str, ...], ...]:
        """The title or its unit; without the medium, too, before a number gives way to it."""
        found = UNIT.search(self.title)
        unit = "" if found is None else found[1]
        return (self.title, unit), (COMMA.split(unit)[0],)

    def _title_among(self, marks: Marks, *texts: str) -> tuple[str, QRectF] | None:
        numbers = [self._ends(*mark) for mark in marks]
        rights = [*(left - TITLE_APART_PX for left, _ in numbers[1:]), self.length]
        for text in filter(None, texts):
            width = self.texts.width(text)
            for (_, before), right in zip(reversed(numbers), reversed(rights), strict=False):
                if right - width - TITLE_APART_PX >= before:
                    return text, QRectF(right - width, TICK_PX + 2.0, width, self.texts.height)
        return None

    def _title_cost(self, marks: Marks) -> int:
        costs = enumerate(self._titles)
        return next((cost for cost, each in costs if self._title_among(marks, *each)), 2)

    def _place(self, at: float, text: str) -> QRectF:
        left, right = self._ends(at, text)
        return QRectF(left, TICK_PX + 2.0, right - left, self.texts.height)

    def _ends(self, at: float, text: str) -> tuple[float, float]:
        width = self.texts.width(text) + NUMBERS_APART_PX
        left = min(at - 0.5 * width, self.length - width)  # the last number is whole, too
        return left, left + width


class FluxAxis(PlotAxis):
    apart_px = 52.0

    def __init__(self, theme: Theme, texts: TextCache) -> None:
        self.is_log = False  # whether its coordinates are decimal logarithms of the flux
        super().__init__("left", theme, texts)

    def _look(self, lo: float, hi: float) -> object:
        return self.is_log

    def _placed(self, lo: float, hi: float, most: int) -> Marks:
        if self.is_log:
            texts = log_ticks(lo, hi, most)
        else:
            values = ticks(lo, hi, most)
            texts = tuple(zip(values, tick_texts(values), strict=True))
        length = self.length
        return [((hi - at) * length / (hi - lo), text) for at, text in texts]

    def fit_font(self) -> None:
        self.setWidth(round(self.texts.height + self.texts.width(WIDEST_NUMBER) + TICK_PX + 6.0))

    def paint(self, painter: QPainter, *_: object) -> None:
        texts, colour, content = self.texts, self.theme.axis, self.content
        right = float(self.size().width())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(hairline(painter, colour))
        painter.drawLines([QLineF(right, y, right - TICK_PX, y) for y, _ in content.marks])
        painter.setPen(QColor(colour))
        for place, text in content.numbers:
            texts.draw(painter, place.right(), place.top(), text, 1.0)
        title = content.title_place
        if not title.isEmpty():
            painter.save()
            painter.translate(title.left(), title.center().y())
            painter.rotate(-90.0)
            texts.draw(painter, 0.0, 0.0, content.title, 0.5)
            painter.restore()

    def _with_title(self, marks: Marks, numbers: list[tuple[QRectF, str]]) -> AxisContent:
        """The title is turned to read upwards, and left out where long numbers need its room."""
        title = self.shown_title(self.length)
        left, width, length = 2.0, self.texts.height, self.texts.width(title)
        place = QRectF(left, 0.5 * (self.length - length), width, length)
        if any(each.left() < left + width for each, _ in numbers):
            place = QRectF()
        return AxisContent(marks, numbers, title, place)

    def _place(self, at: float, text: str) -> QRectF:
        width, right = self.texts.width(text), float(self.size().width()) - TICK_PX - 4.0
        top, bottom = self._ends(at, text)
        return QRectF(right - width, top, width, bottom - top)

    def _ends(self, at: float, text: str) -> tuple[float, float]:
        height = self.texts.height
        top = min(max(at - 0.5 * height, -2.0), self.length - height)
        return top, top + height


class Frame(QGraphicsObject):
    """The frame around a box, just outside it, so that nothing in the box covers it."""

    def __init__(self, box: PlotBox, colour: str) -> None:
        super().__init__(box.parentItem())
        self.colour = colour
        self._box = box
        self.setZValue(10.0)
        box.geometryChanged.connect(self._resized)

    def boundingRect(self) -> QRectF:
        return QRectF(self._box.geometry()).adjusted(-2.0, -2.0, 2.0, 2.0)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        # On whole dots: a line between two of them is lost at some scales of the screen.
        dots, box = dots_per_pixel(painter), self._box.geometry()
        left, top, right, bottom = (
            round(edge * dots) / dots for edge in (box.left(), box.top(), box.right(), box.bottom())
        )
        width, colour = max(round(dots), 1) / dots, QColor(self.colour)
        across, down = right - left + 2.0 * width, bottom - top
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(left - width, top - width, across, width), colour)
        painter.fillRect(QRectF(left - width, bottom, across, width), colour)
        painter.fillRect(QRectF(left - width, top, width, down), colour)
        painter.fillRect(QRectF(right, top, width, down), colour)

    def _resized(self) -> None:
        self.prepareGeometryChange()


# Ticks at round numbers, on linear and logarithmic axes, and their texts.
def ticks(lo: float, hi: float, max_ticks: int) -> tuple[float, ...]:
    """Multiples of the smallest round step of which no more than `max_ticks` are in [lo, hi]."""
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        return ()
    rough = (hi - lo) / max(min(max_ticks, MAX_TICKS), 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((each * power for each in STEPS if each * power >= rough), 10.0 * power)
    first, last = math.ceil(lo / step - 1e-9), math.floor(hi / step + 1e-9)
    return tuple(number * step for number in range(first, last + 1))


LOG_STEPS = (range(1, 10), (1, 2, 5), (1, 3), (1,))
LOG_DECADES = 12  # with more decades than this, only some have a tick
LOG_LIMIT = 300.0


def log_ticks(lo: float, hi: float, max_ticks: int) -> tuple[tuple[float, str], ...]:
    """Decimal logarithms of round numbers within [lo, hi], with the numbers as text."""
    if not -LOG_LIMIT < lo < hi < LOG_LIMIT:
        return ()
    if hi - lo < 1.0:
        values = tuple(value for value in ticks(10.0**lo, 10.0**hi, max_ticks) if value > 0.0)
        return tuple(zip(map(math.log10, values), tick_texts(values), strict=True))
    if hi - lo > LOG_DECADES:
        return tuple((power, _plain(10.0**power)) for power in ticks(lo, hi, min(max_ticks, 6)))
    powers = range(math.floor(lo), math.ceil(hi) + 1)
    for steps in LOG_STEPS:
        numbers = (step * 10.0**power for power in powers for step in steps)
        found = [(math.log10(number), _plain(number)) for number in numbers]
        inside = tuple(each for each in found if lo - 1e-9 <= each[0] <= hi + 1e-9)
        if len(inside) <= max_ticks:
            return inside
    return inside[:: -(-len(inside) // max_ticks)]


def _plain(number: float) -> str:
    if 1e-3 <= number < 1e5:
        return f"{number:.{max(-math.floor(math.log10(number) + 1e-9), 0)}f}"
    return f"{number:.0e}".replace("e-0", "e-").replace("e+", "e").replace("e0", "e")


def tick_texts(values: tuple[float, ...]) -> tuple[str, ...]:
    """The values as text, all with the number of decimals they need."""
    sufficient = (n for n in range(DECIMALS) if all(_is_whole(value * 10**n) for value in values))
    decimals = next(sufficient, DECIMALS)
    return tuple(f"{value + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}") for value in values)


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < 1e-6

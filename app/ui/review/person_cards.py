"""Cards about each person: how the work goes, and how well known answers were judged."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from app.core.statistics.known_figures import KnownFigures
from app.core.statistics.number_format import rough_percent
from app.core.statistics.working_time import HourFigures, WorkingTime
from app.ui.base.translation.fill_in import fill_in
from app.ui.review.figures import Figure, FigureRow, draw_blocks, draw_rows
from app.ui.review.sentences import estimate_text
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import (
    add_parts,
    clear_layout,
    column,
    cut,
    one_line,
    short_label,
    show_or_hide,
    wrapped_label,
)
from app.ui.widgets.page_parts import PageCard

MAX_PEOPLE = 8
MAX_DRAWN = 4
HEIGHT = 120
MINUTE, HOUR = 60.0, 3600.0

BAR = 0.7
MAX_TICKS = 8


class WorkCard(PageCard):
    """What is left to each person, their accept rate, hours and time by confidence."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__(QCoreApplication.translate("WorkCard", "Each person's work"))
        self._current_theme = context.current_theme
        self.empty = wrapped_label("", "dim")
        self.numbers = NumberGrid()
        self.confidence = wrapped_label("", "dim")
        about = self.tr("Bars: verdicts in each hour. Points: seconds for one, the median.")
        self.legend = wrapped_label(about, "dim")
        self.figures: list[Figure] = []
        self._column = column()
        add_parts(self.body, self.empty, self.numbers, self.confidence, self._column, self.legend)
        self.show_work([])

    def show_work(self, found: Sequence[WorkingTime]) -> None:
        some = found[:MAX_PEOPLE]
        self.empty.setText(self.tr("Nobody has judged anything yet."))
        self.empty.setVisible(not some)
        head = ["", self.tr("assigned"), self.tr("left"), self.tr("time left")]
        head += [self.tr("second opinions left"), self.tr("accept rate")]
        self.numbers.show_rows(head, [self._row(each) for each in some])
        texts = [text for each in some if (text := self._by_confidence(each))]
        show_or_hide(self.confidence, cut("\n".join(texts)))
        clear_layout(self._column)
        self.figures = []
        drawn = [each for each in some if len(each.hours) > 1][:MAX_DRAWN]
        self.legend.setVisible(bool(drawn))
        for each in drawn:
            figure = Figure(self._current_theme, each.reviewer)
            label = wrapped_label(one_line(each.reviewer))
            self.figures.append(figure.below(label, self._column, HEIGHT))
            figure.draw(draw_hours, each.hours)
            spoken = (f"{one.local_hour}: {one.decisions}" for one in each.hours)
            figure.setAccessibleDescription("; ".join(spoken))

    def _row(self, each: WorkingTime) -> tuple[str, ...]:
        return (
            one_line(each.reviewer),
            "–" if each.assigned is None else f"{each.assigned:,}",
            f"{each.left:,}",
            "–" if each.left_s is None else self._time(each.left_s),
            f"{each.second_left:,}",
            "–" if each.accepted.value is None else rough_percent(each.accepted.value),
        )

    def _time(self, seconds: float) -> str:
        if seconds < HOUR:
            return self.tr("{n} min").replace("{n}", f"{max(1.0, seconds / MINUTE):.0f}")
        return self.tr("{n} h").replace("{n}", f"{seconds / HOUR:.1f}")

    def _by_confidence(self, each: WorkingTime) -> str:
        """Seconds for one verdict, from the surest to none given."""
        parts = [
            fill_in(
                self.tr("confidence {n}: {seconds} s (n = {count})"),
                n="–" if one.confidence is None else str(one.confidence),
                seconds=f"{one.typical_s:.1f}",
                count=one.decisions,
            )
            for one in each.confidences
            if one.typical_s is not None
        ]
        if len(parts) < 2:
            return ""
        text = self.tr("{name}, median time for one verdict: {parts}")
        return fill_in(text, name=one_line(each.reviewer), parts=" · ".join(parts))


class KnownCard(PageCard):
    """Completeness and purity of each person on what is known, and their change over time."""

    def __init__(self, context: SessionContext) -> None:
        title = QCoreApplication.translate("KnownCard", "Known answers")
        super().__init__(title)
        self._current_theme = context.current_theme
        self.empty = wrapped_label("", "dim")
        self.figure = Figure(context.current_theme, title)
        self.counts = wrapped_label("")
        self.by = wrapped_label("", "dim")
        about = self.tr(
            "Completeness: members that were accepted. Purity: members among those accepted, of"
            " what was hidden. With 95 % intervals; the first verdict counts, as the answer is"
            " told after it."
        )
        self.note = wrapped_label(about, "dim")
        self.drift = wrapped_label("", "warning")
        self.blocks: list[Figure] = []
        self._column = column()
        texts = self.counts, self.note, self.by
        add_parts(self.body, self.empty, self.figure, *texts, self._column, self.drift)
        self.show_known([])

    def show_known(self, found: Sequence[KnownFigures], by: str = "") -> None:
        """Show these figures; `by` is who has hidden the known answers."""
        some = found[:MAX_PEOPLE]
        self.by.setText(fill_in(self.tr("Hidden by {name}."), name=one_line(by)))
        self.by.setVisible(bool(by))
        none = self.tr(
            "No hidden candidate with a known answer has been judged. Hide known answers (menu"
            " File), or the command spec-o3 known, puts some into the list."
        )
        self.empty.setText(none)
        self.empty.setVisible(not some)
        for part in (self.figure, self.counts, self.note):
            part.setVisible(bool(some))
        rows = self._rows(some)
        self.figure.draw(draw_rows, rows, 0.0)
        texts = (f"{each.name}: {estimate_text(each.figure)}" for each in rows)
        self.figure.setAccessibleDescription("; ".join(texts))
        self.counts.setText(cut("\n".join(self._counted(each) for each in some)))
        drifted = [self._drifted(each) for each in some if each.is_unsteady]
        show_or_hide(self.drift, cut("\n".join(drifted)))
        clear_layout(self._column)
        self.blocks = []
        text = self.tr("{name}, share correct in the course of time")
        for each in [each for each in some if len(each.blocks) > 1][:MAX_DRAWN]:
            label = wrapped_label(fill_in(text, name=one_line(each.reviewer)))
            figure = Figure(self._current_theme, each.reviewer)
            self.blocks.append(figure.below(label, self._column, HEIGHT))
            figure.draw(draw_blocks, [block.correct for block in each.blocks])

    def _rows(self, found: Sequence[KnownFigures]) -> list[FigureRow]:
        complete, pure = self.tr("completeness"), self.tr("purity")
        rows = []
        for each in found:
            name = one_line(each.reviewer)
            accepted = each.members_accepted + each.others_accepted
            rows.append(FigureRow(f"{name} · {complete}", each.completeness, each.members))
            rows.append(FigureRow(f"{name} · {pure}", each.purity, accepted, "accept"))
        return rows

    def _counted(self, each: KnownFigures) -> str:
        text = self.tr("{name}: {a} of {m} members and {b} of {k} look-alikes accepted")
        if each.together:
            text += self.tr("; {t} of them judged with others in one act")
        return fill_in(
            text,
            name=one_line(each.reviewer),
            a=each.members_accepted,
            m=each.members,
            b=each.others_accepted,
            k=each.others,
            t=each.together,
        )

    def _drifted(self, each: KnownFigures) -> str:
        return fill_in(
            self.tr("{name}: {first} correct at first, {last} at last, more than chance explains."),
            name=one_line(each.reviewer),
            first=rough_percent(each.blocks[0].correct.value or 0.0),
            last=rough_percent(each.blocks[-1].correct.value or 0.0),
        )


class NumberGrid(QWidget):
    """Rows of numbers under their titles; the first column has names."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self.rows: list[tuple[str, ...]] = []

    def show_rows(self, head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
        clear_layout(self._grid)
        self.rows = [*rows]
        self.setVisible(bool(rows))
        for at, cells in enumerate((head, *rows) if rows else ()):
            for place, text in enumerate(cells):
                label = wrapped_label(text, "dim") if at == 0 else short_label(text)
                side = Qt.AlignmentFlag.AlignLeft if place == 0 else Qt.AlignmentFlag.AlignRight
                label.setAlignment(side | Qt.AlignmentFlag.AlignBottom)
                self._grid.addWidget(label, at, place)
        for place in range(len(head)):
            self._grid.setColumnStretch(place, 1)


# Figures about one person: verdicts and seconds by the hour, and known answers over time.
def draw_hours(figure: Figure, hours: Sequence[HourFigures]) -> None:
    """Bars of the verdicts in each hour with work, and points for the seconds of one."""
    numbers = list(range(1, len(hours) + 1))
    most = max(each.decisions for each in hours)
    brush = pg.mkBrush(figure.theme.border)
    heights = [each.decisions / most for each in hours]
    figure.add(pg.BarGraphItem(x=numbers, height=heights, width=BAR, brush=brush, pen=None))
    timed = [(n, each.typical_s) for n, each in zip(numbers, hours, strict=True) if each.typical_s]
    slowest = max((seconds for _, seconds in timed), default=1.0)
    figure.line([n for n, _ in timed], [s / slowest for _, s in timed], "accent", width=1.5)
    figure.points([n for n, _ in timed], [s / slowest for _, s in timed], "accent")
    item = figure.getPlotItem()
    step = max(1, -(-len(hours) // MAX_TICKS))
    ticks = [(n, hours[n - 1].local_hour[-5:]) for n in numbers[::step]]
    item.getAxis("bottom").setTicks([ticks])
    item.getAxis("left").setTicks([[(0.0, "0"), (1.0, f"{most:,}")]])
    item.showAxis("right")
    item.getAxis("right").setTicks([[(0.0, "0 s"), (1.0, f"{slowest:.1f} s")]])
    figure.set_ranges(0.4, len(hours) + 0.6, 0.0, 1.12)

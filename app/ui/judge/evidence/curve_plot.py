"""Light curves: each series in its own colour and mark, over time or folded on a period."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLineEdit, QWidget

from agent.errors import WorkbenchError
from app.services.catalogues.light_curve import LightCurve, best_period
from app.services.catalogues.service import Service
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme, Theme
from app.ui.judge.evidence.card import SourceCard
from app.ui.judge.evidence.card_plot import CardPlot, pen
from app.ui.widgets.labels import button, clear_layout, column, row, wrapped_label

HEIGHT_PX = 190
SYMBOLS = {"r": "s", "i": "t1", "BP": "t", "RP": "s", "o": "s"} | dict.fromkeys("gGcT", "o")
MARKS = {"r": "■", "i": "▲", "BP": "▼", "RP": "■", "o": "■"} | dict.fromkeys("gGcT", "●")
"""As the symbols look, in the legend."""
FIRST_DAY = 2_458_000  # Julian day from which the axis counts
MOST_POINTS = 2000  # of a series, drawn; of more, every so many is left out
LONGEST_D = 10_000.0
SHOWN_SERIES = 12


class CurvePlot(CardPlot):
    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        self.curves: Sequence[LightCurve] = ()
        self.period_d: float | None = None
        super().__init__(current_theme, HEIGHT_PX, parent)
        self.setAccessibleName(self.tr("Light curve"))
        self.plotItem.invertY(True)

    def show_curves(self, curves: Sequence[LightCurve], period_d: float | None) -> None:
        self.curves, self.period_d = curves, period_d
        self.redraw()

    def redraw(self) -> None:
        self.plotItem.clear()
        is_folded = self.period_d is not None
        time = self.curves[0].time if self.curves else "HJD"
        x_name = self.tr("phase") if is_folded else f"{time} − {FIRST_DAY}"
        self.name_axes(x_name, self.tr("magnitude"))
        shown = [_thinned(each) for each in self.curves[:SHOWN_SERIES] if each.mag.size]
        if not shown:
            return
        start = min(float(each.hjd.min()) for each in shown)
        for number, curve in enumerate(shown):
            colour = series_colour(self.theme, number)
            x, y, error = curve.hjd - FIRST_DAY, curve.mag, np.nan_to_num(curve.error)
            if self.period_d is not None:
                phase = ((curve.hjd - start) / self.period_d) % 1.0
                x, y = np.concatenate([phase, phase + 1.0]), np.concatenate([y, y])
                error = np.concatenate([error, error])
            bars = np.column_stack([y - error, y + error]).ravel()
            self.plot(np.repeat(x, 2), bars, pen=pen(colour, 0.8), connect="pairs")
            self.plot(
                x, y, pen=None, symbol=SYMBOLS.get(curve.band, "d"), symbolSize=5,
                symbolPen=None, symbolBrush=QColor(colour),
            )  # fmt: skip
        self._fit(shown)

    def _fit(self, shown: Sequence[LightCurve]) -> None:
        mags = np.concatenate([each.mag for each in shown])
        low, high = np.percentile(mags, [0.5, 99.5]).tolist()
        margin = 0.12 * (high - low) + 0.05
        self.plotItem.vb.setYRange(low - margin, high + margin, padding=0.0)
        if self.period_d is not None:
            self.plotItem.vb.setXRange(0.0, 2.0, padding=0.02)
        else:
            days = np.concatenate([each.hjd for each in shown]) - FIRST_DAY
            self.plotItem.vb.setXRange(float(days.min()), float(days.max()), padding=0.03)


class CurveView(QWidget):
    """The plot, the series by name, and the period to fold on, typed or found."""

    failed = Signal(str)

    def __init__(self, current_theme: CurrentTheme, runner: Runner, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme, self._answer = current_theme, runner.latest(self)
        self._curves: tuple[LightCurve, ...] = ()
        self.plot = CurvePlot(current_theme, self)
        self.legend = column(spacing=1)
        self.period = QLineEdit(self, maxLength=20, placeholderText=self.tr("period in days"))
        self.period.setAccessibleName(self.tr("Period in days"))
        self.period.returnPressed.connect(self._fold_typed)
        self.fold_button = button(self.tr("Fold"), call=self._fold_typed)
        self.find_button = button(self.tr("Find a period"), call=self._find)
        self.unfold = button(self.tr("Over time"), call=partial(self._show, None))
        self.note = wrapped_label("", "small")
        typed = row((self.period, 1), self.fold_button, spacing=4)
        buttons = row(self.find_button, self.unfold, 1, spacing=4)
        column(self.plot, self.legend, typed, buttons, self.note, spacing=4, parent=self)
        current_theme.changed.connect(self._show_legend)

    def show_curves(self, curves: tuple[LightCurve, ...]) -> None:
        if curves is self._curves:
            return
        self._curves = curves
        self._answer.forget()
        self.find_button.setEnabled(True)
        self.period.clear()
        self._show(None)
        self.note.setText(self._about(curves))
        self._show_legend()

    def _about(self, curves: tuple[LightCurve, ...]) -> str:
        if any(np.isnan(each.error).any() for each in curves):
            return self.tr("Each series is one band of one star. BP and RP come without errors.")
        if any(each.band == "T" for each in curves):
            return self.tr("One sector of TESS, whose pixels of 21 arcsec hold neighbours, too.")
        if any(each.time == "JD" for each in curves):
            return self.tr("All light at this place, measured anew, without points below 3 errors.")
        return self.tr(
            "Each series, of one field and filter, has a zero point of its own: none is moved "
            "to another."
        )

    def _show(self, period_d: float | None) -> None:
        self.plot.show_curves(self._curves, period_d)
        self.unfold.setEnabled(period_d is not None)

    def _show_legend(self, _: object = None) -> None:
        clear_layout(self.legend)
        theme = self._current_theme.theme
        for number, curve in enumerate(self._curves[:SHOWN_SERIES]):
            text = self.tr("{mark} {band}, series {series}: {n} points, median {median} mag")
            text = text.replace("{mark}", MARKS.get(curve.band, "◆")).replace("{band}", curve.band)
            text = text.replace("{series}", curve.series).replace("{n}", str(curve.mag.size))
            median = f"{np.median(curve.mag):.2f}" if curve.mag.size else "–"
            self._add_to_legend(text.replace("{median}", median), series_colour(theme, number))
        if len(self._curves) > SHOWN_SERIES:
            more = self.tr("{n} more series are not drawn")
            more = more.replace("{n}", str(len(self._curves) - SHOWN_SERIES))
            self._add_to_legend(more, theme.dim)

    def _add_to_legend(self, text: str, colour: str) -> None:
        label = wrapped_label(text)
        label.setStyleSheet(f"color: {colour};")
        self.legend.addWidget(label)

    def _fold_typed(self) -> None:
        try:
            period = float(self.period.text().replace(",", "."))
        except ValueError:
            period = math.nan
        if not 0.0 < period <= LONGEST_D:
            self.note.setText(self.tr("A period is a number of days, such as 0.0626"))
            return
        self.note.setText("")
        self._show(period)

    def _find(self) -> None:
        curves = self._curves
        self.find_button.setEnabled(False)
        self.note.setText(self.tr("Searching from 0.02 to 100 days"))
        self._answer.ask(partial(best_period, curves), self._found, self._not_found)

    def _found(self, period_d: float | None) -> None:
        self.find_button.setEnabled(True)
        if period_d is None:
            self.note.setText(self.tr("Too few points for a period"))
            return
        self.period.setText(f"{period_d:.8g}")
        self._show(period_d)
        text = self.tr("Highest peak of the Lomb-Scargle periodogram, which may be an alias")
        self.note.setText(text)

    def _not_found(self, error: WorkbenchError) -> None:
        self.find_button.setEnabled(True)
        self.note.setText(str(error))


def series_colour(theme: Theme, number: int) -> str:
    colours = (
        theme.overlay_1, theme.overlay_4, theme.overlay_2, theme.overlay_5, theme.overlay_3,
        theme.overlay_6,
    )  # fmt: skip
    return colours[number % len(colours)]


def _thinned(curve: LightCurve) -> LightCurve:
    every = slice(None, None, max(math.ceil(curve.mag.size / MOST_POINTS), 1))
    return replace(curve, hjd=curve.hjd[every], mag=curve.mag[every], error=curve.error[every])


class CurveCard(SourceCard):
    curves: tuple[LightCurve, ...] = ()  # of the answer that is shown next

    def __init__(
        self, service: Service, current_theme: CurrentTheme, runner: Runner, parent: QWidget
    ) -> None:
        super().__init__(service, current_theme, parent)
        self.view = CurveView(current_theme, runner, self)
        self.inside.addWidget(self.view)

    def show_match(self) -> None:
        super().show_match()
        is_shown = self.shown_match is not None
        self.view.setVisible(is_shown)
        if is_shown:
            self.view.show_curves(self.curves)

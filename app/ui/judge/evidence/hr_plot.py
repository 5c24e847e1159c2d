"""The Hertzsprung-Russell diagram: where the star lies among others and among its class."""

from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPolygonF
from PySide6.QtWidgets import QGraphicsPolygonItem, QWidget

from agent.tasks.task import Task
from app.services.catalogues.answer import Answer, Value
from app.services.catalogues.dust import COEFFICIENTS, reddening, without_dust
from app.services.catalogues.service import Service
from app.services.hr_diagram.place import (
    COLOURS,
    GOOD_RATIO,
    MAGNITUDES,
    Kind,
    Place,
    Region,
    background,
    place_of,
    region_of,
)
from app.ui.base.theme.theme import CurrentTheme, Theme, mixed
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.evidence.card import SourceCard
from app.ui.judge.evidence.card_plot import CardPlot, pen
from app.ui.widgets.labels import column, wrapped_label

HEIGHT_PX = 260
ARROW_MAG = 2.5  # length of the arrow of a limit
MARGIN = 0.4


class HrPlot(CardPlot):
    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        self.place: Place | None = None
        self.freed: Place | None = None  # behind all the dust of the map
        self.region: Region | None = None
        self._image = pg.ImageItem(axisOrder="row-major")
        self._drawn: list[object] = []
        self._shaded_for: Theme | None = None  # the theme in whose colours the background is drawn
        super().__init__(current_theme, HEIGHT_PX, parent)
        self.setAccessibleName(self.tr("Hertzsprung-Russell diagram"))
        self.name_axes("BP − RP", self.tr("absolute G"))
        self.plotItem.invertY(True)
        self.addItem(self._image)

    def show_place(
        self, place: Place | None, region: Region | None, freed: Place | None = None
    ) -> None:
        if (place, region, freed) != (self.place, self.region, self.freed):
            self.place, self.region, self.freed = place, region, freed
            self.redraw()

    def redraw(self) -> None:
        for item in self._drawn:
            self.removeItem(item)
        self._drawn.clear()
        self._draw_background()
        if self.region is not None:
            self._draw_region(self.region)
        if self.place is not None and self.place.kind in (Kind.POINT, Kind.LIMIT):
            self._draw_place(self.place)
            if self.freed is not None:
                x, y = np.transpose([(e.bp_rp, e.m_g) for e in (self.place, self.freed)])
                self._add(pg.PlotCurveItem(x=x, y=y, pen=pen(self.theme.template, 1.0)))
                self._add_mark(x[1], y[1], "d", 9, self.theme.plot)
        self._fit()

    def _draw_background(self) -> None:
        theme = self.theme
        if theme == self._shaded_for:
            return
        self._shaded_for = theme
        shades = np.linspace(0.0, 0.75, 256)
        table = [QColor(mixed(theme.plot, theme.dim, float(each))).getRgb() for each in shades]
        self._image.setImage(background(), levels=(0.0, 1.0), lut=np.array(table, dtype=np.uint8))
        (left, right), (top, bottom) = COLOURS, MAGNITUDES
        self._image.setRect(QRectF(left, top, right - left, bottom - top))

    def _draw_region(self, region: Region) -> None:
        corners = zip(region.bp_rp, region.m_g, strict=True)
        polygon = QGraphicsPolygonItem(QPolygonF([QPointF(x, y) for x, y in corners]))
        polygon.setPen(pen(self.theme.band, 1.5, Qt.PenStyle.DashLine))
        fill = QColor(self.theme.band)
        fill.setAlphaF(0.10)
        polygon.setBrush(fill)
        self._add(polygon)

    def _draw_place(self, place: Place) -> None:
        colour, x, tip = self.theme.template, place.bp_rp, place.m_g - ARROW_MAG
        is_point = place.kind is Kind.POINT
        if not is_point:
            self._add_mark(x, tip, "t1", 11, colour)
        ends = [place.brightest, place.faintest] if is_point else [place.m_g, tip]
        self._add(pg.PlotCurveItem(x=[x, x], y=ends, pen=pen(colour, 2.0)))
        self._add_mark(x, place.m_g, "o" if is_point else "x", 10, self.theme.plot)

    def _add_mark(self, x: float, y: float, symbol: str, size: int, edge: str) -> None:
        brush = QColor(self.theme.template)
        self._add(
            pg.ScatterPlotItem([x], [y], symbol=symbol, size=size, pen=pen(edge), brush=brush)
        )

    def _add(self, item: object) -> None:
        self.addItem(item)
        self._drawn.append(item)

    def _fit(self) -> None:
        (left, right), (top, bottom) = (-0.8, 4.0), (-4.0, 16.5)
        place = self.place
        if place is not None and place.kind in (Kind.POINT, Kind.LIMIT):
            bright = place.m_g - ARROW_MAG if place.kind is Kind.LIMIT else place.m_g
            left, right = min(left, place.bp_rp - MARGIN), max(right, place.bp_rp + MARGIN)
            top, bottom = min(top, bright - MARGIN), max(bottom, place.m_g + MARGIN)
        self.plotItem.vb.setRange(QRectF(left, top, right - left, bottom - top), padding=0.0)


class HrDiagram(QWidget):
    """The plot, the star's place in words, and what the background is."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self.plot = HrPlot(current_theme, self)
        self.words = wrapped_label("")
        self.caption = wrapped_label("", "small")
        column(self.words, self.plot, self.caption, spacing=4, parent=self)

    def show_place(
        self, values: Mapping[str, Value], dust: Answer | None, region: Region | None, name: str
    ) -> None:
        """The place of a star, and the one that it has behind all `dust` of the map."""
        place, excess = place_of(values), reddening(dust)
        text, freed = self._place_text(place), None
        if excess is not None and place.kind in (Kind.POINT, Kind.LIMIT):
            freed = place_of(without_dust(values, excess))
            text = f"{text}. {self._dust_text(freed, *excess)}"
        self.plot.show_place(place, region, freed)
        self.words.setText(text)
        self.caption.setText(self._caption_text(region, name))

    def _place_text(self, place: Place) -> str:
        text = {
            Kind.POINT: self.tr("Absolute G {m} (+{down} −{up}), BP − RP {colour}"),
            Kind.LIMIT: self.tr(
                "The parallax is only {ratio} times its error: the star is brighter than "
                "absolute G {m} (two errors), so its place is a limit"
            ),
            Kind.NO_PARALLAX: self.tr("No place: Gaia gives no parallax"),
            Kind.NO_COLOUR: self.tr("No place: Gaia gives no BP − RP"),
            Kind.NEGATIVE: self.tr(
                "No place: the parallax is {ratio} times its error, too far below zero for a limit"
            ),
        }[place.kind]
        text = text.replace("{m}", _signed(place.m_g)).replace("{colour}", _signed(place.bp_rp))
        if place.kind is Kind.POINT:
            text = text.replace("{down}", f"{place.faintest - place.m_g:.2f}")
            text = text.replace("{up}", f"{place.m_g - place.brightest:.2f}")
        if "{ratio}" in text:
            text = text.replace("{ratio}", _signed(place.ratio, 1))
        if place.zero_point is not None:
            zero = self.tr("The zero point of the parallax, {zero} mas, is taken off")
            text = f"{text}. {zero.replace('{zero}', _signed(place.zero_point, 3))}"
        if place.has_high_ruwe:
            high = self.tr("RUWE {ruwe}: the parallax may be wrong, as that of a close pair is")
            text = f"{text}. {high.replace('{ruwe}', f'{place.ruwe:.1f}')}"
        return text

    def _dust_text(self, freed: Place, ebv: float, error: float) -> str:
        text = self.tr(
            "Behind all dust of the map, E(B − V) {ebv} ± {error}, it is at {m} ± {dust} and "
            "BP − RP {colour} (diamond). Some of it may lie behind the star, so that the truth is "
            "between the two"
        )
        text = text.replace("{ebv}", f"{ebv:.3f}").replace("{error}", f"{error:.3f}")
        text = text.replace("{dust}", f"{COEFFICIENTS['g'] * error:.2f}")
        return text.replace("{m}", _signed(freed.m_g)).replace("{colour}", _signed(freed.bp_rp))

    def _caption_text(self, region: Region | None, class_name: str) -> str:
        text = self.tr(
            "The background is schematic, made of published relations and not of stars. The round "
            "mark is not corrected for dust; below {ratio} errors of the parallax the place is a "
            "limit."
        ).replace("{ratio}", f"{GOOD_RATIO:.0f}")
        if region is None:
            return text
        where = self.tr("Dashed: roughly where most of this class lie: {name} ({source}).")
        return f"{text} {where.replace('{name}', class_name).replace('{source}', region.source)}"


def _signed(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


class GaiaCard(SourceCard):
    """Draws the usual region of the class that is judged, too."""

    dust: Answer | None = None  # of the same object, for the next answer that is shown

    def __init__(
        self, service: Service, current_theme: CurrentTheme, parent: QWidget, task: Task
    ) -> None:
        super().__init__(service, current_theme, parent)
        self._region, self._class_name = region_of(task.id), task_text(task.name)
        self.diagram = HrDiagram(current_theme, self)
        self.inside.addWidget(self.diagram)

    def show_match(self) -> None:
        super().show_match()
        match = self.shown_match
        self.diagram.setVisible(match is not None)
        if match is not None:
            self.diagram.show_place(match.values, self.dust, self._region, self._class_name)

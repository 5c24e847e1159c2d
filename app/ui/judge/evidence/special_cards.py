"""Cards that show more than a table: Gaia's diagram, light curves and the picture of the sky."""

from __future__ import annotations

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from app.services.catalogues.light_curve import LightCurve
from app.services.catalogues.service import Service
from app.services.catalogues.sky_picture import SkyPicture
from app.services.hr_diagram.place import place_of, region_of
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.evidence.card import SourceCard
from app.ui.judge.evidence.curve_plot import CurveView
from app.ui.judge.evidence.hr_plot import HrDiagram
from app.ui.judge.evidence.picture_view import SkyPictureView


class GaiaCard(SourceCard):
    def __init__(self, service: Service, current_theme: CurrentTheme, parent: QWidget) -> None:
        self.diagram: HrDiagram | None = None
        self._task_id = self._class_name = ""
        super().__init__(service, current_theme, parent)
        self.diagram = HrDiagram(current_theme, self)
        self.inside.addWidget(self.diagram)
        self.diagram.hide()

    def show_class(self, task_id: str, name: str) -> None:
        """The class that is judged, whose usual region is drawn."""
        self._task_id, self._class_name = task_id, name
        region_of(task_id)  # read now, when the card is made, and not with the first answer

    def show_match(self) -> None:
        super().show_match()
        if self.diagram is None:
            return
        match = self.shown_match
        self.diagram.setVisible(match is not None)
        if match is not None:
            region = region_of(self._task_id)
            self.diagram.show_place(place_of(match.values), region, self._class_name)


class CurveCard(SourceCard):
    def __init__(
        self, service: Service, current_theme: CurrentTheme, runner: Runner, parent: QWidget
    ) -> None:
        self.view: CurveView | None = None
        self._curves: tuple[LightCurve, ...] = ()
        super().__init__(service, current_theme, parent)
        self.view = CurveView(current_theme, runner, self)
        self.inside.addWidget(self.view)
        self.view.hide()

    def take_curves(self, curves: tuple[LightCurve, ...]) -> None:
        """The light curves of the answer that is shown next."""
        self._curves = curves

    def show_match(self) -> None:
        super().show_match()
        if self.view is not None:
            is_shown = self.shown_match is not None
            self.view.setVisible(is_shown)
            if is_shown:
                self.view.show_curves(self._curves)


class PictureCard(SourceCard):
    def __init__(self, service: Service, current_theme: CurrentTheme, parent: QWidget) -> None:
        self.view: SkyPictureView | None = None
        self._picture: SkyPicture | None = None
        self._image = QImage()
        self._survey = ""
        super().__init__(service, current_theme, parent)
        self.view = SkyPictureView(current_theme, self)
        self.inside.addWidget(self.view)
        self.view.hide()

    def take_picture(self, picture: SkyPicture | None, image: QImage, survey: str) -> None:
        """The picture of the answer that is shown next, and the survey of the spectrum."""
        self._picture, self._image, self._survey = picture, image, survey

    def show_match(self) -> None:
        super().show_match()
        if self.view is None:
            return
        is_shown = self.shown_match is not None and self._picture is not None
        self.view.setVisible(is_shown)
        if is_shown and self._picture is not None:
            self.view.show_picture(self._picture, self._image, self._survey)

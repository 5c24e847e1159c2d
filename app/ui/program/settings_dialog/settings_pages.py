"""The settings pages of the reviewer, appearance, and comments and files."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QPlainTextEdit

from app.core.reviewer_name import MAX_NAME
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_check import (
    MAX_COMMENT_LENGTH,
    MAX_COMMENTS,
    MAX_FONT_PT,
    MAX_NEIGHBOUR_ARCSEC,
    MAX_SUBCLASS_SECONDS,
    MIN_FONT_PT,
    MIN_SUBCLASS_SECONDS,
)
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.translation.languages import LANGUAGES
from app.ui.program.settings_dialog.settings_parts import (
    NARROW,
    FileList,
    SettingsPage,
    add_row,
    form,
    plain_label,
)
from app.ui.widgets.labels import add_parts

SIZES = range(MIN_FONT_PT, MAX_FONT_PT + 1)


class ReviewerPage(SettingsPage):
    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Reviewer"))
        self.name = QLineEdit(maxLength=MAX_NAME)
        self.name.editingFinished.connect(self._save_name)
        self.blind = self._switch("blind", self.tr("Start new sessions in blind mode"))
        self.radius = QDoubleSpinBox(minimum=0.1, maximum=MAX_NEIGHBOUR_ARCSEC, decimals=1)
        self.radius.setSuffix(self.tr(" arcsec"))
        self.radius.setFixedWidth(NARROW)
        self.radius.valueChanged.connect(partial(self._save, "neighbour_arcsec"))
        self.seconds = QDoubleSpinBox(minimum=0.0, maximum=MAX_SUBCLASS_SECONDS, decimals=1)
        self.seconds.setSingleStep(0.5)
        self.seconds.setSuffix(self.tr(" s"))
        self.seconds.setSpecialValueText(self.tr("off"))
        self.seconds.setFixedWidth(NARROW)
        self.seconds.valueChanged.connect(self._save_seconds)
        self.sticky = self._switch("subclass_sticky", self.tr("Until the next verdict"))
        rows = form()
        note = self.tr("Saved with each of your verdicts, starting with the next session you open")
        add_row(rows, self.tr("Your name"), self.name, note)
        note = self.tr(
            "Hides the agent's verdict until you have given yours. For the open "
            "session, use the button at the top of the window."
        )
        add_row(rows, self.tr("Blind mode"), self.blind, note)
        add_row(rows, self.tr("Radius for nearby objects"), self.radius)
        note = self.tr(
            "Off: a key opens the sub-classes of the object accepted last. On: after an accept, "
            "letters name its sub-class for this long instead of what they do otherwise."
        )
        add_row(rows, self.tr("Quick sub-classes"), self.seconds, note)
        add_row(rows, "", self.sticky)
        add_parts(self.body, rows, 1)

    def show_settings(self, settings: Settings) -> None:
        super().show_settings(settings)
        if not self.name.hasFocus():
            self.name.setText(settings.reviewer)
        self.radius.setValue(settings.neighbour_arcsec)
        self.seconds.setValue(settings.subclass_seconds)
        self.seconds.setEnabled(not settings.subclass_sticky)

    def _save_name(self) -> None:
        name = " ".join(self.name.text().split())
        if name.isprintable():
            self._settings.change(reviewer=name)

    def _save_seconds(self, seconds: float) -> None:
        """From off, the first step up is the shortest time that anybody can use."""
        least = MIN_SUBCLASS_SECONDS if seconds else 0.0
        self._settings.change(subclass_seconds=max(seconds, least))


class AppearancePage(SettingsPage):
    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Appearance"))
        themes = {
            "system": self.tr("System default"),
            "light": self.tr("Light"),
            "dark": self.tr("Dark"),
            "lamost": self.tr("LAMOST white"),
        }
        self.theme = self._choice("theme", themes)
        points = {size: self.tr("{size} pt").replace("{size}", str(size)) for size in SIZES}
        self.font_size = self._choice("font_pt", {0: self.tr("System default"), **points})
        self.language = self._choice("language", {"system": self.tr("System default"), **LANGUAGES})
        rows = form()
        note = self.tr(
            "Colours also differ in lightness, so they can be told apart with any kind of "
            "colour vision"
        )
        add_row(rows, self.tr("Theme"), self.theme, note)
        add_row(rows, self.tr("Text size"), self.font_size)
        note = self.tr("Takes effect at the next start")
        add_row(rows, self.tr("Language"), self.language, note)
        add_parts(self.body, rows, 1)


class FilesPage(SettingsPage):
    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Comments and files"))
        self.comments = QPlainTextEdit(tabChangesFocus=True)
        self.comments.setAccessibleName(self.tr("Standard comments"))
        self.comments.setFixedHeight(96)
        self.comments.textChanged.connect(self._save_comments)
        line_lists = self.tr("Line lists (*.toml *.csv);;All files (*)")
        self.line_lists = FileList(self.tr("Line lists"), line_lists)
        self.line_lists.changed.connect(partial(self._save, "line_lists"))
        spectra = self.tr("Spectra (*.fits *.fits.gz *.fit *.txt *.csv *.ecsv);;All files (*)")
        self.templates = FileList(self.tr("Templates"), spectra)
        self.templates.changed.connect(partial(self._save, "templates"))
        for title, part in (
            (self.tr("Standard comments, one per line"), self.comments),
            (self.tr("Your line lists"), self.line_lists),
            (self.tr("Your templates"), self.templates),
        ):
            add_parts(self.body, plain_label(title, "title"), part)
        self.body.addStretch(1)

    def show_settings(self, settings: Settings) -> None:
        if self._comments() != settings.comments:
            self.comments.setPlainText("\n".join(settings.comments))
        self.line_lists.show_paths(settings.line_lists)
        self.templates.show_paths(settings.templates)

    def _comments(self) -> tuple[str, ...]:
        lines = (" ".join(line.split()) for line in self.comments.toPlainText().splitlines())
        kept = dict.fromkeys(line[:MAX_COMMENT_LENGTH] for line in lines if line)
        return tuple(line for line in kept if line.isprintable())[:MAX_COMMENTS]

    def _save_comments(self) -> None:
        self._settings.change(comments=self._comments())

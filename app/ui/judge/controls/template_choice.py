"""Chooses the template drawn over the spectrum: a simulated class, or a file of the user's."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from agent.errors import ResourceError, WorkbenchError
from agent.spectra.matching.template_velocity import Match, RankedTemplate, rank_templates
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.readers import read
from agent.spectra.spectrum import FASTEST_STAR_Z, FloatArray, Spectrum
from app.core.session.velocity import Velocity
from app.ui.base.settings.settings import Settings
from app.ui.base.translation.data_texts import SIMULATED, library_name
from app.ui.session.session_context import SessionContext
from app.ui.widgets import labels
from app.ui.widgets.number_box import NumberBox

translate = QCoreApplication.translate
MOST_SHOWN = 8
MAX_NAME = 34
NUMBERS_PX = 48, 84
FARTHEST = {"GALAXY": 0.8, "QSO": 5.0}  # largest redshift tried, by class; all others are stars


class TemplateChoice(QWidget):
    """A check box that shows the template, and a menu with a submenu per class."""

    def __init__(self, context: SessionContext, library: TemplateLibrary) -> None:
        super().__init__()
        self._view, self._current, self._runner = context.view, context.current, context.runner
        self._settings, self._keymap, self.library = context.settings, context.keymap, library
        self._last = ""
        self._own: tuple[str, ...] | None = None
        """The user's files that the menu lists; None before it is filled."""
        self.shown = labels.check_box("")
        self.choose = labels.button("", "choice")
        self.note = labels.wrapped_label("", "dim")
        self.ranking = TemplateRanking(context, library)
        scale = self.tr("Factor on the template's flux")
        self.scale = NumberBox(scale, low=0.01, high=100.0, decimals=3, parent=self)
        self.scale.setToolTip(self.tr("1 is the automatic scale, by least squares"))
        self.automatic = labels.button(self.tr("Automatic"))
        self.menu = QMenu(self)
        self.choose.setMenu(self.menu)
        times = labels.short_label(self.tr("Scale ×"), "dim")
        scales = labels.row(times, self.scale, self.automatic, 1, spacing=6)
        shown = labels.row(self.shown, (self.choose, 1))
        labels.column(shown, self.note, scales, self.ranking, spacing=4, parent=self)
        self.scale.entered.connect(lambda scale: self._view.change(template_scale=scale))
        self.automatic.clicked.connect(partial(self._view.change, template_scale=1.0))
        self.shown.clicked.connect(self.flip)
        context.commands.add("template", self.flip)
        context.view.changed.connect(self._show)
        context.settings.changed.connect(self._apply_settings)
        labels.keep_current(self._show_keys, context.keymap.changed)
        self._apply_settings(context.settings.settings)

    @property
    def text(self) -> str:
        chosen = self.library.find(self._view.options.template)
        return self.tr("none") if chosen is None else chosen.title

    def flip(self) -> None:
        """Show the last template, else the first one of the task's class, or hide it."""
        if self._view.options.template:
            self._view.change(template="")
        else:
            self._view.change(template=self._default().name)

    def add_file(self, path: str) -> None:
        """Read a spectrum of the user's, and keep it in the settings if that works."""
        paths = (*self._settings.settings.templates, path)
        library = TemplateLibrary(paths)
        name = library.templates[-1].name
        load, done = partial(library.load, name), partial(self._keep, paths, name)
        self._runner.run(load, done, self._current.report_error, owner=self)

    def _keep(self, paths: tuple[str, ...], name: str, _: object) -> None:
        if paths[:-1] != self._settings.settings.templates:  # another was added meanwhile
            self.add_file(paths[-1])
            return
        self._settings.change(templates=paths)
        self._view.change(template=name)

    def _default(self) -> Template:
        task = self._current.session.task.id
        last = self.library.find(self._last)
        return last or self.library.of_class(task) or self.library.templates[0]

    def _apply_settings(self, settings: Settings) -> None:
        if settings.templates == self._own:
            return  # settings also change with every candidate, whose place is kept
        self._own = settings.templates
        self.library.set_own(settings.templates)
        for folded in self.menu.findChildren(QMenu):
            folded.deleteLater()  # `clear` leaves them
        self.menu.clear()
        none = partial(self._view.change, template="")
        self.menu.addAction(self.tr("None")).triggered.connect(none)
        self.menu.addSection(self.tr("Simulated classes"))
        task, menus = self._current.session.task.id, {OWN: self.menu}
        every = sorted(self.library.templates, key=lambda each: each.label != task)
        for each in every:
            if not each.is_own and each.group not in menus:
                title = labels.escape_mnemonics(library_name(each.group))
                menus[each.group] = self.menu.addMenu(title)
            if not each.is_own:
                self._add(menus[each.group], each)
        self.menu.addSection(self.tr("Your files"))
        for each in every:
            if each.is_own:
                self._add(self.menu, each)
        ask = partial(ask_for_file, self, self.tr("Add a template"), "", self.add_file)
        self.menu.addAction(self.tr("Add a file…")).triggered.connect(ask)
        self._show()

    def _add(self, menu: QMenu, template: Template) -> None:
        action = menu.addAction(labels.escape_mnemonics(template.short))
        action.setCheckable(True)
        action.setData(template.name)
        action.triggered.connect(partial(self._view.change, template=template.name))

    def _show(self, *_: object) -> None:
        self.scale.show_value(self._view.options.template_scale)
        self.automatic.setEnabled(self._view.options.template_scale != 1.0)
        chosen = self.library.find(self._view.options.template)
        if chosen is not None:
            self._last = chosen.name
        offered = chosen or self._default()
        self.shown.setChecked(chosen is not None)
        self.choose.setText(labels.escape_mnemonics(offered.short))
        self.choose.setAccessibleName(self.tr("Template") + f": {offered.title}")
        origin = self.tr("Simulated by this program, without noise.")
        if offered.is_own:
            origin = self.tr("Your own file, assumed to be at rest unless it gives a redshift.")
        bent = self.tr(
            "Drawn as it is ordered: its slopes are fitted, its lines and bands are not."
        )
        self.note.setText(f"{origin} {bent}")
        for menu in (self.menu, *self.menu.findChildren(QMenu)):
            for action in menu.actions():
                if action.isCheckable():
                    action.setChecked(chosen is not None and action.data() == chosen.name)

    def _show_keys(self) -> None:
        self.shown.setText(labels.with_key(self.tr("Show"), self._keymap.label("template")))


def ask_for_file(parent: QWidget, title: str, kinds: str, take: Callable[[str], object]) -> None:
    """Open a dialog beside which the window goes on; `take` gets the path that was chosen."""
    dialog = QFileDialog(parent, title, "", kinds)
    dialog.fileSelected.connect(take)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


# Lists the templates by how well they fit the spectrum; a click takes one with its velocity.
class TemplateRanking(QWidget):
    def __init__(self, context: SessionContext, library: TemplateLibrary) -> None:
        super().__init__()
        self._view, self._current, self._runner = context.view, context.current, context.runner
        self._velocity = context.velocity
        self._library = library
        self._running: Spectrum | None = None
        self.matches: Sequence[Match] = ()
        self.start = labels.button(self.tr("Order by how well they fit"), call=self.run)
        self.note = labels.wrapped_label("", "dim")
        self.names: list[QPushButton] = []
        self._lines = labels.column(spacing=2)
        labels.column(self.start, self.note, self._lines, spacing=2, parent=self)
        context.commands.add("rank_templates", self.run)
        context.current.spectrum_changed.connect(self._forget)
        context.view.changed.connect(self._mark)
        self._show([], "")

    def run(self) -> None:
        spectrum = self._current.spectrum
        if spectrum is None:
            self._current.message.emit(self.tr("There is no spectrum to fit"))
        elif spectrum is not self._running:
            self._running = spectrum
            self._show([], self.tr("Fitting all templates…"))
            work = partial(_rank, self._library, self._library.templates, spectrum)
            done, failed = partial(self._ranked, spectrum), partial(self._failed, spectrum)
            self._runner.run(work, done, failed, owner=self)

    def _ranked(self, spectrum: Spectrum, matches: list[Match]) -> None:
        if self._running is spectrum:
            self._running = None
        if spectrum is not self._current.spectrum:
            return
        note = self.tr("No template covers enough of this spectrum")
        if matches:
            note = self.tr("χ² per pixel and velocity; smaller is better")
            best = self.tr("Best template: {name}").replace("{name}", self._short(matches[0]))
            self._current.message.emit(best)
        self._show(matches, note)

    def _failed(self, spectrum: Spectrum, error: WorkbenchError) -> None:
        if self._running is spectrum:
            self._running = None
            self._show([], "")
        self._current.report_error(error)

    def _forget(self, _: object) -> None:
        self._running = None
        if self.matches or self.note.text():
            self._show([], "")

    def _show(self, matches: Sequence[Match], note: str) -> None:
        self.matches = matches[:MOST_SHOWN]
        self.names.clear()
        labels.clear_layout(self._lines)
        for match in self.matches:
            self._lines.addWidget(self._line(match))
        labels.show_or_hide(self.note, note)
        self._mark()

    def _line(self, match: Match) -> QWidget:
        name = labels.button(
            labels.escape_mnemonics(self._short(match)), "key", partial(self._take, match)
        )
        name.setCheckable(True)
        name.setToolTip(self.tr("Show this template at its velocity"))
        self.names.append(name)
        numbers = labels.short_label(f"{match.chi2:.2f}"), labels.short_label(speed_text(match))
        for label, px in zip(numbers, NUMBERS_PX, strict=True):
            label.setProperty("role", "number")
            label.setMinimumWidth(px)
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        line = QWidget()
        line.setLayout(labels.row((name, 1), *numbers, spacing=4))
        return line

    def _short(self, match: Match) -> str:
        template = self._library.find(match.name)
        return labels.one_line(match.name if template is None else template.short, MAX_NAME)

    def _take(self, match: Match, *_: object) -> None:
        self._view.change(template=match.name)
        if match.is_trusted:
            self._velocity.set(Velocity(kms=match.velocity_kms, source="template"))
        self._mark()  # a click on the chosen one unchecks it

    def _mark(self, *_: object) -> None:
        for name, match in zip(self.names, self.matches, strict=True):
            name.setChecked(match.name == self._view.options.template)


def speed_text(match: Match) -> str:
    """The velocity, or the redshift if it is no star's; a dash where none stands out."""
    if not match.is_trusted:
        return "–"
    if abs(match.z) > FASTEST_STAR_Z:
        return f"z {match.z:.4f}"
    return f"{match.velocity_kms:+.0f} km/s".replace("-", "\N{MINUS SIGN}")


def _rank(
    library: TemplateLibrary, templates: Sequence[Template], spectrum: Spectrum
) -> list[Match]:
    offered = []
    for each in templates:
        try:
            wavelength, flux = library.load(each.name)
        except WorkbenchError:
            if not each.is_own:
                raise
            continue  # a file of the user's that is gone does not stop the others
        offered.append(RankedTemplate(each.name, wavelength, flux, FARTHEST.get(each.label, 0.0)))
    return rank_templates(spectrum, offered)


# Templates to draw over a spectrum: bundled simulated classes, and the user's own files.
INDEX_FILE = "index.json"
MAX_PIXELS = 100_000
MAX_USER_FILES = 200
OWN = "own"  # name of the group of user files


@dataclass(frozen=True)
class Template:
    """A template that can be chosen. `label` is its class, empty for a user's file."""

    name: str
    group: str
    path: Path
    label: str = ""

    @property
    def short(self) -> str:
        """What it is called where other words say that it is simulated."""
        return self.name if self.is_own else library_name(self.name.removesuffix(SIMULATED))

    @property
    def title(self) -> str:
        return self.name if self.is_own else library_name(self.name)

    @property
    def is_own(self) -> bool:
        return self.group == OWN


class TemplateLibrary:
    """Lists the templates, and loads them on demand. Any thread; `load` reads a file."""

    def __init__(self, own: Sequence[str] = ()) -> None:
        self._loaded: dict[str, tuple[FloatArray, FloatArray]] = {}
        self._templates = {each.name: each for each in bundled()}
        self.set_own(own)

    @property
    def templates(self) -> tuple[Template, ...]:
        return tuple(self._templates.values())

    def find(self, name: str) -> Template | None:
        return self._templates.get(name)

    def set_own(self, paths: Sequence[str]) -> None:
        templates = {each.name: each for each in bundled()}
        for path in map(Path, paths[:MAX_USER_FILES]):
            name = _free_name(path, templates)
            templates[name] = Template(name, OWN, path)
        same = {name for name, each in templates.items() if self._templates.get(name) == each}
        self._loaded = {name: each for name, each in self._loaded.items() if name in same}
        self._templates = templates

    def of_class(self, label: str) -> Template | None:
        """The first template of a class."""
        return next((each for each in self.templates if each.label == label), None)

    def load(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Rest wavelengths in vacuum angstrom, and flux in units of its median.

        Raises a WorkbenchError if it cannot be read. The arrays are shared and read-only.
        """
        if (loaded := self._loaded.get(name)) is not None:
            return loaded
        template = self._templates.get(name)
        if template is None:
            reason = translate("templates", "there is no template {name}: choose another one")
            raise ResourceError(reason.replace("{name}", repr(name[:80])))
        arrays = _read_own(template.path) if template.is_own else _read_bundled(template.path)
        for array in arrays:
            array.setflags(write=False)
        self._loaded[name] = arrays
        return arrays


@cache
def bundled() -> tuple[Template, ...]:
    with as_file(files("resources") / "templates") as folder:
        index = _read_json(folder / INDEX_FILE)
        return tuple(
            Template(each["name"] + SIMULATED, each["group"], folder / each["file"], each["class"])
            for each in index["templates"]
        )


def _read_bundled(path: Path) -> tuple[FloatArray, FloatArray]:
    content = _read_json(path)
    flux = np.array(content["flux"], dtype=np.float64)
    step = float(content["step_kms"]) / LIGHT_KMS
    wavelength = float(content["first_angstrom"]) * np.exp(step * np.arange(flux.size))
    return wavelength, flux / float(np.median(flux[flux > 0]))


def _read_own(path: Path) -> tuple[FloatArray, FloatArray]:
    """A user's spectrum, shifted to rest by the redshift in its file if there is one."""
    spectrum = read(path)
    good = spectrum.good & np.isfinite(spectrum.flux)
    if int(good.sum()) < 2:
        reason = translate("templates", "this template has no usable pixels: choose another file")
        raise ResourceError(f"{path.name}: {reason}")
    if len(spectrum) > MAX_PIXELS:
        reason = translate("templates", "has {count} pixels; a template may have at most {most}")
        reason = reason.replace("{count}", f"{len(spectrum):,}")
        reason = reason.replace("{most}", f"{MAX_PIXELS:,}")
        raise ResourceError(f"{path.name}: {reason}")
    z = spectrum.z if spectrum.z is not None and math.isfinite(spectrum.z) else 0.0
    wavelength, flux = spectrum.wavelength[good], spectrum.flux[good]
    scale = float(np.median(np.abs(flux)))
    return wavelength / (1.0 + max(z, -0.5)), flux / (scale if scale > 0 else 1.0)


def _free_name(path: Path, taken: Mapping[str, Template]) -> str:
    plain = "".join(each if each.isprintable() else "?" for each in path.name)[:120] or "?"
    name, number = plain, 2
    while name in taken:
        name, number = f"{plain} {number}", number + 1
    return name


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = translate("templates", "cannot be read: reinstall the program")
        raise ResourceError(f"{path}: {reason}") from error

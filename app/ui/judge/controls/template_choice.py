"""Chooses the template drawn over the spectrum: a simulated class, or a file of the user's."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from agent.errors import WorkbenchError
from agent.spectra.matching.template_velocity import Match, RankedTemplate, rank_templates
from agent.spectra.spectrum import FASTEST_STAR_Z, Spectrum
from app.core.session.velocity import Velocity
from app.ui.base.settings.settings import Settings
from app.ui.base.translation.data_texts import library_name
from app.ui.judge.controls.template_library import OWN, Template, TemplateLibrary
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import (
    button,
    check_box,
    clear_layout,
    column,
    escape_mnemonics,
    keep_current,
    one_line,
    row,
    short_label,
    show_or_hide,
    with_key,
    wrapped_label,
)
from app.ui.widgets.number_box import NumberBox

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
        self._dialog: QFileDialog | None = None
        self.shown = check_box("")
        self.choose = button("", "choice")
        self.note = wrapped_label("", "dim")
        self.ranking = TemplateRanking(context, library)
        scale = self.tr("Factor on the template's flux")
        self.scale = NumberBox(scale, low=0.01, high=100.0, decimals=3, parent=self)
        self.scale.setToolTip(self.tr("1 is the automatic scale, by least squares"))
        self.automatic = button(self.tr("Automatic"))
        self.menu = QMenu(self)
        self.choose.setMenu(self.menu)
        times = short_label(self.tr("Scale ×"), "dim")
        scales = row(times, self.scale, self.automatic, 1, spacing=6)
        shown = row(self.shown, (self.choose, 1))
        column(shown, self.note, scales, self.ranking, spacing=4, parent=self)
        self.scale.entered.connect(lambda scale: self._view.change(template_scale=scale))
        self.automatic.clicked.connect(partial(self._view.change, template_scale=1.0))
        self.shown.clicked.connect(self.flip)
        context.commands.add("template", self.flip)
        context.view.changed.connect(self._show)
        context.settings.changed.connect(self._apply_settings)
        keep_current(self._show_keys, context.keymap.changed)
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
                title = escape_mnemonics(library_name(each.group))
                menus[each.group] = self.menu.addMenu(title)
            if not each.is_own:
                self._add(menus[each.group], each)
        self.menu.addSection(self.tr("Your files"))
        for each in every:
            if each.is_own:
                self._add(self.menu, each)
        self.menu.addAction(self.tr("Add a file…")).triggered.connect(self._ask_for_file)
        self._show()

    def _add(self, menu: QMenu, template: Template) -> None:
        action = menu.addAction(escape_mnemonics(template.short))
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
        self.choose.setText(escape_mnemonics(offered.short))
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
        self.shown.setText(with_key(self.tr("Show"), self._keymap.label("template")))

    def _ask_for_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Add a template"))
        dialog.fileSelected.connect(self.add_file)
        dialog.finished.connect(dialog.deleteLater)
        self._dialog = dialog
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
        self.start = button(self.tr("Order by how well they fit"), call=self.run)
        self.note = wrapped_label("", "dim")
        self.names: list[QPushButton] = []
        self._lines = column(spacing=2)
        column(self.start, self.note, self._lines, spacing=2, parent=self)
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
        clear_layout(self._lines)
        for match in self.matches:
            self._lines.addWidget(self._line(match))
        show_or_hide(self.note, note)
        self._mark()

    def _line(self, match: Match) -> QWidget:
        name = button(escape_mnemonics(self._short(match)), "key", partial(self._take, match))
        name.setCheckable(True)
        name.setToolTip(self.tr("Show this template at its velocity"))
        self.names.append(name)
        numbers = short_label(f"{match.chi2:.2f}"), short_label(speed_text(match))
        for label, px in zip(numbers, NUMBERS_PX, strict=True):
            label.setProperty("role", "number")
            label.setMinimumWidth(px)
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        line = QWidget()
        line.setLayout(row((name, 1), *numbers, spacing=4))
        return line

    def _short(self, match: Match) -> str:
        template = self._library.find(match.name)
        return one_line(match.name if template is None else template.short, MAX_NAME)

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

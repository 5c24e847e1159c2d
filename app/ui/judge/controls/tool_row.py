"""Buttons beside the plot's title that say how the spectrum is shown; each opens its control."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from agent.spectra.lines import Line, LineLists, builtin_lines, load_line_lists
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum, Window
from app.core.spectra.flux_quantity import (
    AS_IN_FILE,
    NORMALISED,
    PER_FREQUENCY,
    PER_WAVELENGTH,
    can_show,
    read_unit,
)
from app.ui.base.settings.settings import Settings
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import library_name
from app.ui.judge.controls.range_control import RangeControl
from app.ui.judge.controls.template_choice import TemplateChoice, TemplateLibrary, ask_for_file
from app.ui.judge.controls.velocity_control import VelocityControl
from app.ui.judge.controls.web_pages import NO_OBSID, PAGES, SIMULATED, WebPage, identify
from app.ui.session.candidate.view_options import (
    SMOOTHINGS_PX,
    SYMBOLS,
    USUAL_AXES,
    flux_words,
    wavelength_words,
)
from app.ui.session.session_context import SessionContext
from app.ui.widgets import labels
from app.ui.widgets.painted_button import PaintedButton, quiet_button

HEIGHT = 24
POPOVER_PX = 330  # least width
TUCKED = ("velocity", "template", "axes", "range", "compare")
"""What stands under "More" while it is as usual; otherwise its button says how it differs."""
MAX_WORDS = 2
"""Of what is not as usual on the axes, on their button; the badges on the plot say all of it."""


class ToolRow(QWidget):
    """`templates` is the source of templates for the plot."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view, self._context = context.view, context
        self.templates = TemplateLibrary(context.settings.settings.templates)
        self.smoothing = SmoothingControl(context)
        self.velocity = VelocityControl(context, self.templates)
        self.axes = AxisControl(context)
        self.range = RangeControl(context)
        self.template = TemplateChoice(context, self.templates)
        self.lines = LineChoice(context)
        self.links = Links(context)
        self._more = QWidget()
        self._tucked = labels.column(spacing=4)
        labels.column(self._tucked, self.links, spacing=8, parent=self._more)
        self.entries: dict[str, QPushButton] = {}
        self.popovers: dict[str, Popover] = {}
        self.buttons: dict[str, PaintedButton] = {}
        self._added: dict[str, tuple[Callable[[], str], Callable[[], bool]]] = {}
        self._row = labels.flow(spacing=4, parent=self)
        self._add("smoothing", self.tr("Smoothing"), self.smoothing)
        self._add("velocity", self.tr("Velocity and redshift"), self.velocity)
        self._add("template", self.tr("Template"), self.template)
        self._add("lines", self.tr("Lines and bands"), self.lines)
        self._add("axes", self.tr("Axes of the plot"), self.axes)
        self._add("range", self.tr("Wavelength range"), self.range)
        self._add("links", self.tr("More about the plot"), self._more)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        view, spectrum_changed = context.view, context.current.spectrum_changed
        labels.keep_current(self.refresh, view.changed, view.window_changed, spectrum_changed)

    def add(
        self,
        name: str,
        title: str,
        control: QWidget,
        text: Callable[[], str],
        is_on: Callable[[], bool],
    ) -> None:
        """Add the button of another part's control; call `refresh` when its text changes."""
        self._added[name] = text, is_on
        self._add(name, title, control)
        self.refresh()

    def _add(self, name: str, title: str, control: QWidget) -> None:
        button = quiet_button(self._context.current_theme, self, height=HEIGHT)
        button.setCheckable(True)
        popover = Popover(control, title, button)
        button.clicked.connect(self.refresh)  # whether it is on is not for the click to say
        button.clicked.connect(lambda: popover.open_below())
        self.buttons[name], self.popovers[name] = button, popover
        self._row.addWidget(button)
        if name in TUCKED:
            call = partial(self._open_tucked, name)
            entry = self.entries[name] = labels.button(title, call=call)
            self._tucked.addWidget(entry)

    def _open_tucked(self, name: str) -> None:
        """In the place of what is under "More"."""
        self.popovers["links"].hide()
        self.popovers[name].open_below(self.buttons["links"])

    def refresh(self, *_: object) -> None:
        options, words = self._view.options, self.axes.words
        px, has_template = options.smoothing_px, bool(options.template)
        smoothing = self.tr("Smooth {width} px") if px else self.tr("Smooth")
        speed = self.tr("RV {speed}") if options.z else self.tr("RV 0")
        name = self.template.text if has_template else "–"
        count = len(self.lines.chosen) if options.lines else 0
        more = f" +{len(words) - MAX_WORDS}" if len(words) > MAX_WORDS else ""
        axes = self.tr("Axes") + " " + " · ".join(words[:MAX_WORDS]) + more
        shown = {
            "smoothing": (smoothing.replace("{width}", f"{px:g}"), bool(px)),
            "velocity": (speed.replace("{speed}", self.velocity.text), options.z != 0.0),
            "template": (self.tr("Template {name}").replace("{name}", name), has_template),
            "lines": (self.tr("Lines {count}").replace("{count}", str(count)), False),
            "axes": (axes.strip(), bool(words)),
            "range": (self.range.text, False),
            "links": (self.tr("More"), False),
        }
        shown |= {name: (text(), is_on()) for name, (text, is_on) in self._added.items()}
        for name, each in self.buttons.items():
            (text, is_on), title = shown[name], self.popovers[name].title
            each.set_label(f"{text} ▾", hint=title)
            each.setAccessibleName(f"{title}: {text}")
            each.setChecked(is_on)
            each.setVisible(is_on or name not in TUCKED)


class Popover(QFrame):
    """A control under its button; a press elsewhere closes it."""

    def __init__(self, control: QWidget, title: str, button: PaintedButton) -> None:
        super().__init__(button, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.title = title
        self._button, self._corner = button, QPoint()
        self.setAccessibleName(title)
        self._layout = labels.column(control, spacing=None, margins=(12, 10, 12, 12), parent=self)
        # Only then are the heights of new lines and of texts that wrap known.
        self._placing = QTimer(self, singleShot=True, interval=0)
        self._placing.timeout.connect(self._place)
        control.installEventFilter(self)

    def open_below(self, other: QWidget | None = None) -> None:
        """Open it below its button, or below another one."""
        # Kept while it is open: a longer text moves the button, but not what is being used.
        button = other or self._button
        self._corner = button.mapToGlobal(QPoint(0, button.height() + 2))
        self.show()
        self._place()

    def _place(self) -> None:
        corner = self._corner
        screen = self._button.screen().availableGeometry()
        # Wrapped texts and rows are higher in the fixed width than `adjustSize` takes them for.
        width = min(max(POPOVER_PX, self._layout.totalMinimumSize().width()), screen.width())
        height = self._layout.totalHeightForWidth(width)
        self.setFixedWidth(width)
        self.resize(width, height if height >= 0 else self.sizeHint().height())
        x = min(corner.x(), screen.right() - self.width())
        y = min(corner.y(), screen.bottom() - self.height())
        self.move(max(x, screen.left()), max(y, screen.top()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            self._placing.start()
        return False


class Links(QWidget):
    """Buttons that save the plot, copy its range, and open web pages about the object."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._keymap = context.current, context.keymap
        self.picture = labels.button("", call=partial(context.commands.run, "snapshot"))
        self.copy = labels.button("", call=partial(context.commands.run, "copy_range"))
        sites = ("SIMBAD", "Aladin", "LAMOST", "SDSS")
        self.pages = {f"open_{each.lower()}": labels.button(each) for each in sites}
        grid = QGridLayout()
        grid.setSpacing(4)
        for number, (action, each) in enumerate(self.pages.items()):
            grid.addWidget(each, 0, number)
            each.clicked.connect(partial(self.open_page, action))
            context.commands.add(action, partial(self.open_page, action))
        labels.column(labels.row(self.picture, self.copy), grid, spacing=4, parent=self)
        labels.keep_current(self._show_keys, context.keymap.changed)
        now = context.current
        labels.keep_current(self._show, now.candidate_changed, now.spectrum_changed)

    def page(self, action: str) -> WebPage:
        """The web page about the current object, or why there is none."""
        candidate = self._current.candidate
        if candidate is None:
            return WebPage(missing="nothing")
        return PAGES[action](identify(candidate, self._current.spectrum))

    def open_page(self, action: str, *_: object) -> None:
        page = self.page(action)
        if not page.url:
            self._current.message.emit(self._why_not(page))
        elif not QDesktopServices.openUrl(QUrl(page.url, QUrl.ParsingMode.StrictMode)):
            message = self.tr("No web browser could be opened. The address is {url}")
            self._current.message.emit(message.replace("{url}", page.url))

    def _show(self, *_: object) -> None:
        for action, each in self.pages.items():
            page = self.page(action)
            each.setEnabled(bool(page.url))
            each.setToolTip(page.url or self._why_not(page))
            each.setAccessibleDescription(each.toolTip())

    def _why_not(self, page: WebPage) -> str:
        if page.missing == SIMULATED:
            return self.tr("This spectrum is simulated, so there is no web page about it")
        if page.missing == NO_OBSID:
            return self.tr("Neither the list nor the file gives a LAMOST obsid")
        if self._current.candidate is None:
            return self.tr("No object selected")
        return self.tr("Neither the list nor the file gives a sky position")

    def _show_keys(self) -> None:
        self.picture.setText(
            labels.with_key(self.tr("Save picture"), self._keymap.label("snapshot"))
        )
        self.copy.setText(labels.with_key(self.tr("Copy range"), self._keymap.label("copy_range")))


# Sets the smoothing, and shows its width in pixels and in km/s.
class SmoothingControl(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._view, self._current, self._keymap = context.view, context.current, context.keymap
        self.value = labels.short_label("", "number")
        self.less = labels.button("−", "key", partial(self._view.change_smoothing, -1))
        self.more = labels.button("+", "key", partial(self._view.change_smoothing, 1))
        self.off = labels.button("", call=partial(self._view.change, smoothing=0))
        labels.row(self.less, self.more, self.value, 1, self.off, spacing=4, parent=self)
        labels.keep_current(self._show_keys, context.keymap.changed)
        view, spectrum_changed = context.view, context.current.spectrum_changed
        labels.keep_current(self._show, view.changed, view.window_changed, spectrum_changed)

    @property
    def text(self) -> str:
        """The width, such as `3 px · 207 km/s`."""
        width = self._view.options.smoothing_px
        if not width:
            return self.tr("none")
        spectrum = self._current.spectrum
        pixels = self.tr("{width} px").replace("{width}", f"{width:g}")
        if spectrum is None:
            return pixels
        speed = width * pixel_kms(spectrum, self._view.window)
        return f"{pixels} · " + self.tr("{speed} km/s").replace("{speed}", f"{speed:.0f}")

    def _show(self, *_: object) -> None:
        step = self._view.options.smoothing
        self.value.setText(self.text)
        self.less.setEnabled(step > 0)
        self.off.setEnabled(step > 0)
        self.more.setEnabled(step < len(SMOOTHINGS_PX) - 1)

    def _show_keys(self) -> None:
        for each, mark, name, key in (
            (self.less, "−", self.tr("Smooth less"), "smooth_less"),
            (self.more, "+", self.tr("Smooth more"), "smooth_more"),
            (self.off, self.tr("Off"), self.tr("No smoothing"), "smooth_off"),
        ):
            each.setText(f"{mark}  {self._keymap.label(key)}".strip())
            each.setAccessibleName(name)


def pixel_kms(spectrum: Spectrum, window: Window | None = None) -> float:
    """Pixel width in km/s at the centre of the window or of the spectrum."""
    low, high = window or spectrum.range
    pixel = int(np.searchsorted(spectrum.wavelength, 0.5 * (low + high)))
    pixel = min(max(pixel, 1), len(spectrum) - 1)
    first, second = spectrum.wavelength[pixel - 1], spectrum.wavelength[pixel]
    return float(LIGHT_KMS * (second - first) / first)


class LineChoice(QWidget):
    """Chooses which line sets are drawn: the task's own, others, and the user's lists."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._view, self._current, self._runner = context.view, context.current, context.runner
        self._answer = context.runner.latest(self)
        self._settings, self._keymap = context.settings, context.keymap
        self._lists: tuple[str, ...] | None = None
        """The user's lists that the check boxes were made from; None before they are read."""
        self.lines, self.labels = labels.check_box(""), labels.check_box("")
        self.boxes: dict[str, QCheckBox] = {}
        self.task_sets = labels.button(self.tr("Task lines"))
        title, kinds = self.tr("Add a line list"), self.tr("Line lists (*.toml)")
        ask = partial(ask_for_file, self, title, kinds, self.add_list)
        self.add_file = labels.button(self.tr("Add line list…"), call=ask)
        self._column = labels.column(spacing=2)
        shown = labels.row(self.lines, self.labels, 1, spacing=16)
        labels.column(
            shown,
            self._column,
            labels.row(self.task_sets, self.add_file, 1),
            spacing=4,
            parent=self,
        )
        self.lines.clicked.connect(partial(self._view.toggle, "lines"))
        self.labels.clicked.connect(partial(self._view.toggle, "labels"))
        self.task_sets.clicked.connect(partial(self._view.change, line_sets=None))
        context.view.changed.connect(self._show)
        context.settings.changed.connect(self._load_lists)
        labels.keep_current(self._show_keys, context.keymap.changed)
        self._load_lists(context.settings.settings)

    @property
    def chosen(self) -> frozenset[str]:
        """Names of the sets that are drawn while lines are switched on."""
        sets = self._view.options.line_sets
        return frozenset(self._current.session.task.lines) if sets is None else sets

    def add_list(self, path: str) -> None:
        """Read a line list of the user's, and keep it in the settings if that works."""
        paths = (*self._settings.settings.line_lists, path)
        load = partial(load_line_lists, [Path(each) for each in paths])
        self._runner.run(load, partial(self._keep, paths), self._current.report_error, owner=self)

    def _keep(self, paths: tuple[str, ...], lists: LineLists) -> None:
        if paths[:-1] != self._settings.settings.line_lists:  # another was added meanwhile
            self.add_list(paths[-1])
            return
        before = set(self.boxes)
        self._lists = paths
        self._answer.forget()
        self._make_boxes(lists)
        self._settings.change(line_lists=paths)
        self._view.change(line_sets=self.chosen | (set(self.boxes) - before))

    def _load_lists(self, settings: Settings) -> None:
        if settings.line_lists == self._lists:
            return
        self._lists = settings.line_lists
        load = partial(load_line_lists, [Path(each) for each in self._lists])
        self._answer.ask(load, self._make_boxes, self._current.report_error)

    def _make_boxes(self, lists: LineLists) -> None:
        labels.clear_layout(self._column)
        self.boxes = {}
        for each in lists.sets:
            box = self.boxes[each.name] = labels.check_box(
                labels.escape_mnemonics(library_name(each.title))
            )
            box.clicked.connect(partial(self._choose, each.name))
            self._column.addWidget(box)
        self._show()

    def _choose(self, key: str, *_: object) -> None:
        chosen = self.chosen | {key} if self.boxes[key].isChecked() else self.chosen - {key}
        of_task = frozenset(self._current.session.task.lines)
        self._view.change(line_sets=None if chosen == of_task else chosen)

    def _show(self, *_: object) -> None:
        options = self._view.options
        self.lines.setChecked(options.lines)
        self.labels.setChecked(options.labels)
        self.labels.setEnabled(options.lines)
        self.task_sets.setEnabled(options.line_sets is not None)
        for key, box in self.boxes.items():
            box.setChecked(key in self.chosen)
            box.setEnabled(options.lines)

    def _show_keys(self) -> None:
        self.lines.setText(labels.with_key(self.tr("Lines"), self._keymap.label("lines")))
        self.labels.setText(labels.with_key(self.tr("Names"), self._keymap.label("labels")))


# Sets what the axes of the plot show: quantity, range and scale of the flux, and wavelengths.
class AxisControl(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._view, self._current, self._keymap = context.view, context.current, context.keymap
        theme = context.current_theme
        in_file, normalised = self.tr("As in the file"), self.tr("Normalised")
        quantities = {AS_IN_FILE: in_file, **SYMBOLS, NORMALISED: normalised}
        self.flux = AxisChoice(self.tr("Flux"), quantities, theme)
        self.reason = labels.wrapped_label("", "dim")
        self.zero, self.log = (
            labels.check_box(self.tr("Include zero")),
            labels.check_box(self.tr("Logarithmic")),
        )
        self.unit = AxisChoice(self.tr("Unit of wavelength"), {"Å": "Å", "nm": "nm"}, theme)
        media = {"vacuum": self.tr("Vacuum"), "air": self.tr("Air"), "file": self.tr("File's own")}
        self.medium = AxisChoice(self.tr("Medium of wavelengths"), media, theme)
        self.rest = labels.check_box("")
        self.velocity, self.lines = labels.button("", "choice"), QMenu(self)
        self.velocity.setMenu(self.lines)
        self.usual = labels.button(
            self.tr("Usual axes"), call=partial(self._view.change, **USUAL_AXES)
        )
        flux = labels.short_label(self.tr("Flux"), "heading")
        boxes = labels.row(self.zero, self.log, 1, spacing=16)
        wavelength = labels.short_label(self.tr("Wavelength"), "heading")
        below = (
            labels.row(self.unit, self.rest, 1, spacing=16),
            labels.row(self.velocity, 1, self.usual),
        )
        parts = self.flux, self.reason, boxes, labels.Space(4), wavelength, self.medium, *below
        labels.column(flux, *parts, spacing=5, parent=self)
        self.flux.chosen.connect(partial(self._change, "flux"))
        self.unit.chosen.connect(partial(self._change, "wavelength_unit"))
        self.medium.chosen.connect(partial(self._change, "medium"))
        for box, name in ((self.zero, "flux_zero"), (self.log, "flux_log")):
            box.clicked.connect(partial(self._view.toggle, name))
        self.rest.clicked.connect(partial(self._view.toggle, "rest_axis"))
        self.lines.aboutToShow.connect(self._fill_lines)
        labels.keep_current(self._show_keys, context.keymap.changed)
        labels.keep_current(self._show, context.view.changed, context.current.spectrum_changed)

    @property
    def words(self) -> list[str]:
        """What is not as usual, in short words."""
        options, spectrum = self._view.options, self._current.spectrum
        return [*wavelength_words(options.frame(spectrum)), *flux_words(options, spectrum)]

    def _change(self, name: str, value: str) -> None:
        self._view.change(**{name: value})

    def _fill_lines(self) -> None:
        """Offer the lines of the sets that are drawn."""
        options, chosen = self._view.options, self._view.options.line_sets
        drawn = self._current.session.task.lines if chosen is None else chosen
        self.lines.clear()
        self._add(self.lines, self.tr("No: wavelengths"), None)
        for group in builtin_lines().sets:
            found = [line for line in group.lines if line.kind == "line"]
            if group.name in drawn and found:
                menu = self.lines.addMenu(labels.escape_mnemonics(group.title))
                for line in found:
                    self._add(menu, line.label, line)
        for action in self.lines.actions():
            if action.isCheckable():
                action.setChecked(options.velocity_line is None)

    def _add(self, menu: QMenu, text: str, line: Line | None) -> None:
        action = menu.addAction(labels.escape_mnemonics(text))
        action.setCheckable(True)
        action.setChecked(line == self._view.options.velocity_line)
        action.triggered.connect(partial(self._view.change, velocity_line=line))

    def _show(self, *_: object) -> None:
        options, spectrum = self._view.options, self._current.spectrum
        self.flux.show_choice(options.flux)
        self.unit.show_choice(options.wavelength_unit)
        self.medium.show_choice(options.medium)
        self.zero.setChecked(options.flux_zero)
        self.zero.setEnabled(not options.flux_log)
        self.log.setChecked(options.flux_log)
        self.rest.setChecked(options.rest_axis)
        is_density = spectrum is None or can_show(spectrum, PER_FREQUENCY)
        for quantity in (PER_WAVELENGTH, PER_FREQUENCY):
            self.flux.buttons[quantity].setEnabled(is_density)
        self.reason.setVisible(not is_density)
        self.reason.setText("" if is_density else self._no_density())
        line = options.velocity_line
        for choice in (self.unit, self.medium):
            choice.setEnabled(line is None)
        about = self.tr("Velocity about {line}")
        text = self.tr("Velocity about…") if line is None else about.replace("{line}", line.label)
        self.velocity.setText(labels.escape_mnemonics(text))
        self.velocity.setAccessibleName(text)
        medium = self.tr("The file has vacuum wavelengths, or does not say")
        if spectrum is not None and spectrum.medium_in_file == "air":
            medium = self.tr("The file has air wavelengths")
        self.medium.buttons["file"].setToolTip(medium)
        self.usual.setEnabled(any(getattr(options, name) != v for name, v in USUAL_AXES.items()))

    def _no_density(self) -> str:
        """Why neither f_λ nor f_ν can be shown."""
        spectrum = self._current.spectrum
        unit = "" if spectrum is None else read_unit(spectrum.flux_unit).text
        if not unit:
            return self.tr("f_λ and f_ν: the file gives no unit of flux")
        reason = self.tr("f_λ and f_ν: the file's unit, {unit}, is no flux density")
        return reason.replace("{unit}", unit)

    def _show_keys(self) -> None:
        self.rest.setText(labels.with_key(self.tr("At rest"), self._keymap.label("rest_axis")))


class AxisChoice(QWidget):
    """A few alternatives side by side, of which one holds."""

    chosen = Signal(str)

    def __init__(
        self, name: str, alternatives: Mapping[str, str], current_theme: CurrentTheme
    ) -> None:
        """`alternatives` are the texts by value."""
        super().__init__()
        self.buttons: dict[str, PaintedButton] = {}
        line = labels.flow(spacing=4, parent=self)
        for value, text in alternatives.items():
            button = quiet_button(current_theme, self, height=HEIGHT)
            button.setCheckable(True)
            button.set_label(text)
            button.setAccessibleName(f"{name}: {text}")
            button.clicked.connect(partial(self._choose, value))
            self.buttons[value] = button
            line.addWidget(button)

    def show_choice(self, value: str) -> None:
        for name, each in self.buttons.items():
            each.setChecked(name == value)

    def _choose(self, value: str, *_: object) -> None:
        self.buttons[value].setChecked(True)  # a press on the one that holds leaves it so
        self.chosen.emit(value)

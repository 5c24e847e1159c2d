"""All that stands beside a spectrum belongs to its object, however late the parts are.

Every object of the list here has a mark of its own in all its texts, and pixels at wavelengths of
its own. What works in the background is held back while the person goes on.
"""

import csv
import re
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from agent.inspection.built_in import MEASURED
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.readers.registry import read
from agent.tasks.catalogue import find_task
from app.core.evidence.local_catalogue import match_local
from app.core.importing.importer import import_list
from app.core.inspections.store import add_inspection
from app.core.queue import LIST_ORDER, parse_filter
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session, open_session
from app.core.session.velocity import Velocity
from app.core.sharing.merge import merge
from app.ui.base.background import runner
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.judge.diagnostic_windows import windows_row
from app.ui.judge.diagnostic_windows.windows_row import WindowCell, measured_texts
from app.ui.judge.overview.overview_page import OverviewPage
from app.ui.judge.queue.queue_panel import QueuePanel
from app.ui.judge.similar.similar_panel import SimilarPanel
from app.ui.judge.verdict.key_strip import KeyStrip
from app.ui.judge.verdict.state_block import StateBlock
from app.ui.judge.verdict.status_line import StatusLine
from tests.app.core.inspected import said
from tests.app.ui.steps import texts_of
from tests.app.ui.whole_window import CTRL, before_window
from tests.night import BY_NIGHT

COUNT, STEP_A = 40, 2.0
STEPS = 2000 if BY_NIGHT else 60
MARK = re.compile(r"star(\d\d)")
SHOW_SEVERAL = QueuePanel, OverviewPage, SimilarPanel, StatusLine, StateBlock, KeyStrip
"""Parts that show other objects, too: they are lists, or tell by its name what was done to one."""


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("marked")
    rng = np.random.default_rng(1)
    with (folder / "list.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["object_id", "path", "ra", "dec", "note"])
        for number in range(1, COUNT + 1):
            wavelength, noise = wavelengths(number), 1.0 / (10.0 + number)
            flux = 1.0 + noise * rng.normal(size=wavelength.size)
            flux += np.exp(-0.5 * ((wavelength - 6564.6) / 8.0) ** 2)
            table = np.column_stack([wavelength, flux, np.full(flux.size, noise**-2)])
            name = f"{number}.csv"
            header = "wavelength,flux,ivar"
            np.savetxt(folder / name, table, delimiter=",", header=header, comments="")
            rows.writerow([mark(number), name, 10.0 + number, 5.0, f"{mark(number)} listed"])
    # A catalogue of the user's whose rows carry the marks, too.
    rows = [f"{10.0 + n},5.0,star{n:02}" for n in range(1, COUNT + 1)]
    (folder / "mine.csv").write_text("\n".join(["ra,dec,remark", *rows]))
    place = folder / "night.speco3"
    with new_session(place, find_task("CV"), "Ada") as session:
        import_list(session, folder / "list.csv", spectra=folder)
        match_local(session, folder / "mine.csv", "mine", 2.0)
        for number in range(1, COUNT + 1):
            opinion = Opinion(comment=f"{mark(number)} typed" if number % 5 == 0 else "")
            if number % 3 == 0:
                opinion = replace(opinion, velocity=Velocity(kms=float(velocities(number)[-1])))
            if opinion != Opinion():
                session.record_verdict(number, opinion)
            if number % 2 == 0:
                add_inspection(session, number, marked(number))
    return place


def wavelengths(number: int):
    """Each object has pixels at a place between full even angstroms that no other has."""
    return np.arange(3800.0, 9000.0, STEP_A) + number * STEP_A / (COUNT + 1)


def mark(number: int) -> str:
    return f"star{number:02}"


def marked(number: int):
    record = said(number=number)
    steps = tuple(replace(step, text=f"{mark(number)} {step.kind}") for step in record.steps)
    return replace(record, steps=steps)


class Gate:
    """Holds back all that works in the background, while it is shut."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()

    def shut(self) -> None:
        self._open.clear()

    def open(self) -> None:
        self._open.set()

    def held(self, work):
        def waiting():
            self._open.wait(60)  # far more than it takes
            return work()

        return waiting


@pytest.fixture
def gate(monkeypatch) -> Gate:
    gate = Gate()
    run = runner.Runner.run

    def held(self, work, *more, **named):
        return run(self, gate.held(work), *more, **named)

    monkeypatch.setattr(runner.Runner, "run", held)
    return gate


def of_others(person, expected) -> list[str]:
    """What the window says or draws that belongs to another object than the current one."""
    number = person.number
    found = []
    for widget in person.window.findChildren(QWidget):
        if widget.isVisible() and not is_in_list(widget):
            texts = [text for text in texts_of(widget) if is_of_another(text, number)]
            found += [f"{type(widget).__name__}: {text!r}" for text in texts]
            if isinstance(widget, WindowCell):
                found += curves_of_others(widget, number)
    for cell in person.view.judging.docks["windows"].part.cells:
        if cell.numbers and cell.numbers not in expected[number][cell.window_of_task.range]:
            found.append(f"{cell.window_of_task.label}: {cell.numbers}")
    for panel in person.window.findChildren(SimilarPanel):
        if any(cell.neighbour for cell in panel.cells) and panel.shown_id != number:
            found.append(f"similar spectra of {panel.shown_id}")
    curves = {"plot": person.plot.plot.curve, "minimap": person.plot.minimap.curve}
    for name, drawn in curves.items():
        if drawn.wavelength.size and owner(drawn.wavelength) != number:
            found.append(f"{name}: a curve of {owner(drawn.wavelength)}")
    kms = round(person.plot_view.options.velocity_kms)
    if kms not in velocities(number):
        found.append(f"velocity {kms}")
    return found


def is_in_list(widget: QWidget) -> bool:
    while widget is not None:
        if isinstance(widget, SHOW_SEVERAL):
            return True
        widget = widget.parentWidget()
    return False


def is_of_another(text: str, number: int) -> bool:
    return any(int(each) != number for each in MARK.findall(text))


def curves_of_others(cell: WindowCell, number: int):
    for wavelength, _ in cell.curves.values():
        if wavelength.size and owner(wavelength) != number:
            yield f"{cell.window_of_task.label}: a curve of {owner(wavelength)}"


def owner(wavelength) -> int:
    return round(float(np.median(np.mod(wavelength, STEP_A))) * (COUNT + 1) / STEP_A)


def velocities(number: int) -> list[int]:
    """Every third object has one of its own, which an undo takes away."""
    return [0, 10 * number] if number % 3 == 0 else [0]


@pytest.fixture(scope="module")
def expected(made):
    """The texts of all windows of each object, at its own velocities."""
    found = {}
    for number in range(1, COUNT + 1):
        spectrum = read(str(made.with_name(f"{number}.csv")))
        found[number] = {
            window.range: [
                texts
                for kms in velocities(number)
                for texts in measured_texts(spectrum, [window], kms / LIGHT_KMS)
            ]
            for window in find_task("CV").windows
        }
    return found


class Frames(QObject):
    """Calls `begin` before each frame of a window is painted."""

    def __init__(self, begin) -> None:
        super().__init__()
        self.begin = begin

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.UpdateRequest:
            self.begin()
        return False


@pytest.mark.timeout(3600)  # 2,000 steps take up to half an hour beside other work
def test_nothing_of_another_object_is_ever_shown(qtbot, tmp_path, made, gate, expected):
    place = tmp_path / "night.speco3"
    place.write_bytes(made.read_bytes())
    rng = np.random.default_rng(3)
    settings = SettingsStore()
    settings.change(model=MEASURED)
    with before_window(qtbot, place, settings) as person:
        person.made = made
        person.window.resize(1600, 900)
        prefetch = person.current.prefetch
        read = prefetch.read
        prefetch.read = lambda key: gate.held(partial(read, key))()
        wrong, done = [], []

        def look() -> None:
            found = of_others(person, expected)
            wrong.extend(f"step {len(done)}, {done[-1]}: {each}" for each in found)

        frames = Frames(look)
        person.window.installEventFilter(frames)
        for _ in range(STEPS):
            if rng.random() < 0.5:
                gate.shut()
            deed = DEEDS[rng.integers(len(DEEDS))]
            done.append(deed.__name__)
            deed(person, rng)
            look()
            for _ in range(rng.integers(1, 6)):
                QApplication.processEvents()
            gate.open()
            if rng.random() < 0.5:
                person.wait(lambda: person.current.is_painted)
        person.window.removeEventFilter(frames)
        assert wrong == []
        assert {each.__name__ for each in DEEDS} == set(done)


def test_the_small_windows_are_filled_in_the_first_frame_of_their_object(
    qtbot, tmp_path, made, expected, monkeypatch
):
    begun, seen = set(), [{}]
    table, paint = windows_row.window_table, WindowCell.paintEvent

    def noted_table(spectrum, *more, **named):
        begun.add(owner(spectrum.wavelength))
        return table(spectrum, *more, **named)

    def noted_paint(cell, event):
        paint(cell, event)
        curve = owner(cell.curves["flux"][0]) if cell.curves else None
        seen[-1][cell.window_of_task.range] = curve, cell.numbers

    monkeypatch.setattr(windows_row, "window_table", noted_table)
    monkeypatch.setattr(WindowCell, "paintEvent", noted_paint)
    place = tmp_path / "night.speco3"
    place.write_bytes(made.read_bytes())
    with before_window(qtbot, place) as person:
        frames = Frames(lambda: seen.append({}))
        person.window.installEventFilter(frames)
        person.plot.plot.painted.connect(lambda number: seen[-1].update(plot=number))
        for number in (2, 3):
            # They are measured one after another: what was begun before is known.
            person.wait(lambda number=number: number + 1 in begun)
            seen[:] = [{}]
            person.press("n", sees=number)
            frame = next(each for each in seen if "plot" in each)
            texts = {window: (number, each[-1]) for window, each in expected[number].items()}
            assert frame == {"plot": number, **texts}


def step_on(person, rng):
    person.press("n")


def step_back(person, rng):
    person.press("b")


def judge(person, rng):
    person.press("axu"[rng.integers(3)])


def undo(person, rng):
    person.press("z", CTRL)


def click_row(person, rng):
    person.current.go_to(int(rng.integers(1, COUNT + 1)))


def raise_dock(person, rng):
    name = ["agent", "guideline", "object", "evidence", "similar"][rng.integers(5)]
    person.view.judging.dock_area.show_dock(name)


def filter_list(person, rng):
    text = ["", "verdict:none", "not verdict:accept"][rng.integers(3)]
    person.current.set_queue(parse_filter(text), LIST_ORDER)


def smooth(person, rng):
    person.press("s")


def merge_another(person, rng):
    """Someone else has judged some of them."""
    place = person.session.location.with_name(f"other{rng.integers(1000)}.speco3")
    if not place.exists():
        place.write_bytes(person.made.read_bytes())
        with open_session(place, "Ben") as other:
            for number in rng.integers(1, COUNT + 1, 3).tolist():
                other.record_verdict(number, Opinion(verdict=Verdict.UNSURE, comment=mark(number)))
            merge(person.session, other)


def run_list(person, rng):
    person.press("r", CTRL)


DEEDS = (
    *(step_on, step_on, step_on, step_back, judge, undo),
    *(click_row, raise_dock, filter_list, smooth, merge_another, run_list),
)

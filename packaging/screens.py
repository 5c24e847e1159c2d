"""Pictures of the real window on the bundled sample, for the README and the guide.

    python packaging/screens.py            # all of them, into resources/help/images
    python packaging/screens.py main-dark  # those whose names begin so

Nothing is painted by hand: the window is driven by keys, offscreen, and photographed.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image
    from PySide6.QtGui import QPixmap
    from PySide6.QtWidgets import QDialog

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "resources" / "help" / "images"
SIZES = ((1440, 900), (1280, 720))
LANGUAGES = ("en", "zh")
PATIENCE_S = 60.0
CALM_S = 0.7
"""Without a change to wait for: what is drawn late has been drawn by then."""
COLOURS = 256
SHADE_ALPHA = 70
SEED = 5
SHOWN, NOT_JUDGED = 2, 52
"""A polar, with all that one looks for in a cataclysmic variable; and one that nobody has seen."""
TOUR_STOP = 3
LOOKS, TRIES = 2, 5
DEVELOPING = 4
"""Calm spells until the first small pictures of looks are there."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="only those that begin so")
    parser.add_argument("--out", type=Path, default=IMAGES)
    parser.add_argument("--one", help=argparse.SUPPRESS)  # language, width, height: a child's task
    given = parser.parse_args()
    if given.one:
        language, width, height = given.one.split(",")
        photograph(given.out, language, (int(width), int(height)), given.names)
        return
    given.out.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:  # a language is chosen once in the life of a program
        for width, height in SIZES:
            one = ["--one", f"{language},{width},{height}", "--out", str(given.out)]
            subprocess.run([sys.executable, __file__, *one, *given.names], check=True, cwd=ROOT)


def photograph(out: Path, language: str, size: tuple[int, int], names: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="ada-") as folder:
        os.environ.update(
            QT_QPA_PLATFORM="offscreen",
            HOME=folder,  # paths are shown from there
            SPEC_O3_CONFIG=f"{folder}/config",
            XDG_DATA_HOME=f"{folder}/data",
            SPEC_O3_REVIEWER="Ada",
        )
        sys.path.insert(0, str(ROOT))
        session = judged_session(Path(folder) / "surveys" / "cv-candidates.speco3")
        photographer = Photographer(out, language, size, names)
        photographer.take_all(session, Path(folder))


def refuse_boxes(language: str) -> None:
    """Where no font has the language's letters, Qt draws a box for each."""
    from PySide6.QtGui import QFontDatabase

    chinese = QFontDatabase.WritingSystem.SimplifiedChinese
    if language == "zh" and not QFontDatabase.families(chinese):
        sys.exit("no font here has Chinese letters: apt-get install fonts-noto-cjk")


def judged_session(place: Path) -> Path:
    """Two people have judged most of the sample blind, and the agent has seen all of it."""
    from agent.inspection.inspector_factory import default_model
    from agent.tasks.catalogue import find_task
    from agent.trajectory.trajectory import ModelRef
    from app.core.importing.importer import import_list
    from app.core.inspections.batch import inspect_all
    from app.core.session.records import Opinion, Verdict
    from app.core.session.session import new_session, open_session
    from app.worker.pool import WorkerPool
    from app.worker.request import LoadRequest

    place.parent.mkdir()
    sample = ROOT / "resources" / "sample"
    with (sample / "truth.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    truth = {(Path(row["file"]).name, int(row["row"])): row["label"] == "CV" for row in rows}
    with new_session(place, find_task("CV"), "Ada") as session:
        import_list(session, sample / "candidates.csv")
    chance = random.Random(SEED)
    for reviewer, share, doubt, slip in (("Grace", 0.9, 0.10, 0.06), ("Ada", 0.75, 0.08, 0.04)):
        with open_session(place, reviewer) as session:
            for number in range(1, round(session.count() * share) + 1):
                seen = session.candidate(number)
                is_one = truth[Path(seen.path).name, seen.row] != (chance.random() < slip)
                verdict = Verdict.ACCEPT if is_one else Verdict.REJECT
                if chance.random() < doubt:
                    verdict = Verdict.UNSURE
                opinion = Opinion(verdict=verdict, confidence=chance.choice([4, 4, 3, 2]))
                session.record_verdict(number, opinion, seconds=chance.uniform(2, 9))
    asked = LoadRequest(default_model("CV"))
    with open_session(place, "Ada") as session, WorkerPool(2, asked) as pool:
        model: ModelRef = pool.ready()
        for _ in inspect_all(session, pool, model):
            pass
    return place


def in_few_colours(image: Image.Image) -> Image.Image:
    """Surfaces and most letters exactly as they are, small marks as near as can be."""
    import numpy as np
    from PIL import Image

    pixels = np.asarray(image).reshape(-1, 3)
    colours, places, counts = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    kept = colours[np.argsort(-counts)[: COLOURS // 2]]
    rest = image.quantize(COLOURS - len(kept), Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = np.concatenate([kept, np.reshape(rest, (-1, 3))]).astype(int)
    far = ((colours[:, None, :].astype(int) - palette) ** 2).sum(axis=2)
    near = far.argmin(axis=1).astype(np.uint8)[places.reshape(-1)]
    few = Image.fromarray(near.reshape(image.height, image.width))
    few.putpalette(palette.astype(np.uint8).tobytes())
    return few


class Photographer:
    """One program, one language, one size."""

    def __init__(self, out: Path, language: str, size: tuple[int, int], names: list[str]) -> None:
        from PySide6.QtWidgets import QApplication

        from app.ui.base.apply_theme import ThemeApplier
        from app.ui.base.settings.settings_store import SettingsStore
        from app.ui.base.theme.theme import CurrentTheme
        from app.ui.base.translation.languages import install_translators

        self._out, self._language, self._size = out, language, size
        self._names = tuple(names)
        self._faults: list[BaseException] = []  # of slots, which Qt calls and only prints
        sys.excepthook = lambda kind, error, trace: self._faults.append(error)
        self._application = QApplication([])
        refuse_boxes(language)
        self._application.setCursorFlashTime(0)
        self._translators = install_translators(self._application, language)
        self._settings = SettingsStore()
        self._settings.change(reviewer="Ada", theme="light", language=language)
        self._current_theme = CurrentTheme()
        self._dresser = ThemeApplier(self._application, self._current_theme, self._settings)

    def take_all(self, session: Path, folder: Path) -> None:
        from app.ui.program.main_window import MainWindow

        self._folder = folder
        self._settings.change(recent=(str(session),))
        self.window = MainWindow(self._settings, self._current_theme)
        self.window.resize(*self._size)
        self.window.show()
        for name, scene in self._scenes(session):
            if not self._names or name.startswith(self._names):
                scene()
                self._shoot(name)
        self.window.close()

    def _scenes(self, session: Path) -> Iterator[tuple[str, Callable[[], None]]]:
        yield "welcome", self.window.opening.show_welcome
        yield "import", self._import
        yield "main", lambda: self._open(session, "light")
        yield "main-dark", lambda: self._open(session, "dark")
        yield "main-lamost", lambda: self._open(session, "lamost")
        yield "tour", lambda: self._tour(session)
        yield "about", lambda: self._about(session)
        yield "agent", lambda: self._agent_at_work(session)
        yield "evidence", lambda: self._evidence(session)
        yield "palette", lambda: self._over(session, "palette")
        yield "disagreement", lambda: self._page(session, "disagreement_page")
        yield "calibration", lambda: self._page(session, "agreement_page")
        yield "history", lambda: self._page(session, "history_page")
        yield "keys", lambda: self._over(session, "keys")
        yield "settings", lambda: self._over(session, "settings")
        yield "blind", lambda: self._blind(session)

    def _import(self) -> None:
        listed = self._folder / "cv_candidates.csv"
        listed.write_bytes((ROOT / "resources" / "sample" / "candidates.csv").read_bytes())
        self.window.opening.import_lists([listed])
        page = self.window.opening.importing
        self._wait(lambda: page is not None and page.import_button.isEnabled())

    def _open(self, session: Path, theme: str) -> None:
        self._settings.change(theme=theme)
        self.window.keys.overlay.hide()
        self.window.keys.palette.hide()
        self.window.tour.end()
        if self.window.view is None:
            self.window.opening.open_session(session)
            self._wait(lambda: self.window.view is not None)
            for _ in range(DEVELOPING):
                self._calm()
        current = self.window.view.context.current
        self.window.commands.run("judging_page")
        if current.blind_mode.is_on:
            self.window.commands.run("blind")
        current.go_to(SHOWN)
        self._wait(lambda: current.is_painted)

    def _tour(self, session: Path) -> None:
        """At the stop that says how one judges."""
        self._open(session, "light")
        self.window.commands.run("tour")
        for _ in range(TOUR_STOP - 1):
            self.window.tour.next()

    def _about(self, session: Path) -> None:
        self._open(session, "light")
        self.window.commands.run("about")
        self._wait(lambda: self.window.help.about.inspectors.count() > 0)

    def _agent_at_work(self, session: Path) -> None:
        """Held after its second look: a person may put in something."""
        self._open(session, "light")
        agent = self.window.view.context.agent

        def hold(*_: object) -> None:
            run = agent.shown.run
            looks = 0 if run is None else sum(step.is_look for step in run.steps)
            if looks >= LOOKS and not agent.is_paused:
                agent.toggle_pause()

        agent.step_ready.connect(hold)
        for _ in range(TRIES):  # it may be done before it hears of it
            self.window.commands.run("run_agent")
            self._wait(lambda: agent.is_paused or not agent.runs)
            self._calm()
            if agent.runs:
                break
        agent.step_ready.disconnect(hold)

    def _evidence(self, session: Path) -> None:
        """A whole inspection, and one of its looks on the plot."""
        self._open(session, "light")
        agent = self.window.view.context.agent
        if agent.is_paused:
            agent.resume()
        else:
            self.window.commands.run("run_agent")
        self._wait(lambda: not agent.runs and agent.shown.trajectory is not None)
        for _ in range(2):
            self._calm()
            self.window.commands.run("step")

    def _blind(self, session: Path) -> None:
        """An object nobody has judged yet, and nothing of what the agent makes of it."""
        self._open(session, "light")
        self.window.commands.run("blind")
        current = self.window.view.context.current
        current.go_to(NOT_JUDGED)
        self._wait(lambda: current.is_painted)

    def _page(self, session: Path, name: str) -> None:
        from app.ui.review.refresh import Refresh

        self._open(session, "light")
        self.window.commands.run(name)
        known = self.window.view.findChildren(Refresh)
        self._wait(lambda: all(each.is_fresh for each in known if each.parent().isVisible()))

    def _over(self, session: Path, name: str) -> None:
        self._open(session, "light")
        self.window.commands.run(name)

    def _wait(self, until: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not until():
            if self._faults:
                raise self._faults[0]
            if time.monotonic() > deadline:
                raise TimeoutError("the window never came to it")
            self._application.processEvents()

    def _calm(self) -> None:
        deadline = time.monotonic() + CALM_S
        while time.monotonic() < deadline:
            self._application.processEvents()

    def _shoot(self, name: str) -> None:
        """Whatever lies on top, in few colours: these files are kept in the repository."""
        from PIL import Image
        from PySide6.QtWidgets import QDialog

        self._calm()
        picture = self.window.grab()
        sheet = next((each for each in self.window.findChildren(QDialog) if each.isVisible()), None)
        if sheet is not None:
            self._lay_over(picture, sheet)
            sheet.hide()
        width = self._size[0]
        path = self._out / f"{name}-{self._language}-{width}.png"
        picture.save(str(path))
        with Image.open(path) as image:
            few = in_few_colours(image.convert("RGB"))
        few.save(path, optimize=True)
        print(path.name, path.stat().st_size)

    def _lay_over(self, picture: QPixmap, sheet: QDialog) -> None:
        """A sheet has no frame offscreen: a shade and an edge set it off, as a desktop would."""
        from PySide6.QtCore import QRect
        from PySide6.QtGui import QColor, QPainter

        place = QRect(self.window.rect().center() - sheet.rect().center(), sheet.size())
        painter = QPainter(picture)
        painter.fillRect(picture.rect(), QColor(0, 0, 0, SHADE_ALPHA))
        painter.drawPixmap(place, sheet.grab())
        painter.setPen(QColor(self._current_theme.theme.dim))
        painter.drawRect(place.adjusted(-1, -1, 0, 0))
        painter.end()


if __name__ == "__main__":
    main()

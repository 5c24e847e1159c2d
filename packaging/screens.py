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

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "resources" / "help" / "images"
SIZES = ((1440, 900), (1280, 720))
LANGUAGES = ("en", "zh")
PATIENCE_S = 60.0
CALM_S = 0.7
"""Without a change to wait for: what is drawn late has been drawn by then."""
COLOURS = 256
SEED = 5
SHOWN = 2
"""A polar, with all that one looks for in a cataclysmic variable."""


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
    with tempfile.TemporaryDirectory(prefix="spec-o3-screens-") as folder:
        os.environ.update(
            QT_QPA_PLATFORM="offscreen",
            SPEC_O3_CONFIG=f"{folder}/config",
            XDG_DATA_HOME=f"{folder}/data",
            SPEC_O3_REVIEWER="Ada",
        )
        sys.path.insert(0, str(ROOT))
        session = judged_session(Path(folder) / "cv-candidates.speco3")
        photographer = Photographer(out, language, size, names)
        photographer.take_all(session, Path(folder))


def judged_session(place: Path) -> Path:
    """Two people have judged most of the sample blind, and the agent has seen all of it."""
    from agent.tasks import task
    from agent.trajectory import ModelRef
    from app.core.importing.importer import import_list
    from app.core.records import Opinion, Verdict
    from app.core.session import new_session, open_session
    from app.core.vetting import vet
    from app.worker.pool import WorkerPool
    from app.worker.request import LoadRequest

    sample = ROOT / "resources" / "sample"
    with (sample / "truth.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    truth = {(Path(row["file"]).name, int(row["row"])): row["label"] == "CV" for row in rows}
    with new_session(place, task("CV"), "Ada") as session:
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
    with open_session(place, "Ada") as session, WorkerPool(2, LoadRequest(None)) as pool:
        model: ModelRef = pool.ready()
        for _ in vet(session, pool, model):
            pass
    return place


class Photographer:
    """One program, one language, one size."""

    def __init__(self, out: Path, language: str, size: tuple[int, int], names: list[str]) -> None:
        from PySide6.QtWidgets import QApplication

        from app.ui.dressing import Dresser
        from app.ui.languages import speak
        from app.ui.settings_keeper import SettingsKeeper
        from app.ui.theme import Looks

        self._out, self._language, self._size = out, language, size
        self._names = tuple(names)
        self._application = QApplication([])
        self._application.setCursorFlashTime(0)
        self._translators = speak(self._application, language)
        self._settings = SettingsKeeper()
        self._settings.change(reviewer="Ada", theme="light", language=language)
        self._looks = Looks()
        self._dresser = Dresser(self._application, self._looks, self._settings)

    def take_all(self, session: Path, folder: Path) -> None:
        from app.ui.main_window import MainWindow

        self._folder = folder
        self._settings.change(recent=(str(session),))
        self.window = MainWindow(self._settings, self._looks)
        self.window.resize(*self._size)
        self.window.show()
        for name, scene in self._scenes(session):
            if not self._names or name.startswith(self._names):
                scene()
                self._shoot(name)
        self.window.close()

    def _scenes(self, session: Path) -> Iterator[tuple[str, Callable[[], None]]]:
        yield "welcome", self.window.show_welcome
        yield "import", self._import
        yield "main", lambda: self._open(session, "light")
        yield "main-dark", lambda: self._open(session, "dark")
        yield "main-lamost", lambda: self._open(session, "lamost")
        yield "agent", lambda: self._agent(session)
        yield "disagreement", lambda: self._page(session, "disagreement_page")
        yield "calibration", lambda: self._page(session, "agreement_page")
        yield "history", lambda: self._page(session, "history_page")
        yield "keys", lambda: self._over(session, "keys")
        yield "settings", lambda: self._over(session, "settings")

    def _import(self) -> None:
        listed = self._folder / "survey" / "cv_candidates.csv"
        listed.parent.mkdir(exist_ok=True)
        listed.write_bytes((ROOT / "resources" / "sample" / "candidates.csv").read_bytes())
        self.window.import_lists([listed])

    def _open(self, session: Path, theme: str) -> None:
        self._settings.change(theme=theme)
        if self.window.view is None:
            self.window.open_session(session)
            self._wait(lambda: self.window.view is not None)
        desk = self.window.view.place.desk
        self._run("judging_page")
        desk.go_to(SHOWN)
        self._wait(lambda: desk.is_painted)

    def _agent(self, session: Path) -> None:
        """Its inspection, and one of the looks on the plot."""
        self._open(session, "light")
        agent = self.window.view.place.agent
        self._run("run_agent")
        self._wait(lambda: not agent.is_running and agent.shown is not None)
        for _ in range(2):
            self._calm()
            self._run("step")

    def _page(self, session: Path, name: str) -> None:
        self._open(session, "light")
        self._run(name)

    def _over(self, session: Path, name: str) -> None:
        self.window.overlay.hide()
        self._open(session, "light")
        self._run(name)

    def _run(self, name: str) -> None:
        self.window.commands.run(name)

    def _wait(self, until: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not until():
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
            from PySide6.QtGui import QPainter

            painter = QPainter(picture)
            middle = self.window.rect().center() - sheet.rect().center()
            painter.drawPixmap(middle, sheet.grab())
            painter.end()
            sheet.hide()
        width = self._size[0]
        path = self._out / f"{name}-{self._language}-{width}.png"
        picture.save(str(path))
        with Image.open(path) as image:
            few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(path, optimize=True)
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()

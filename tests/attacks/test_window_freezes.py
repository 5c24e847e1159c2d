"""The window answers while what it works with does not.

Each case runs in a process of its own. While the attack is on, the window's thread does nothing of
which it does not know the end (`tests.app.ui.window_work`), and a timer goes on.
"""

import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.services.catalogues.answer import State
from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.program.main_window import MainWindow
from app.ui.program.session_view import SessionView
from tests.app.ui.candidates import sample_file
from tests.app.ui.judge.evidence.small_sky import linked, picture, store_picture
from tests.app.ui.start.importing.dropping import drop
from tests.app.ui.window_work import BLOCKS, counted
from tests.attacks.sandbox import Sandbox
from tests.night import BY_NIGHT
from tests.processes import limit_files, wait_until

MOST_BEATS = 200
"""Of a timer, while an attack is on that nobody is told of."""


def many_aliases(folder: Path) -> Path:
    """An ECSV whose header of 700 bytes says a thousand million things."""
    lines = ["# %ECSV 1.0", "# ---", "# meta:", "# - &a0 {x: [a, a, a, a, a, a, a, a, a]}"]
    for number in range(1, 10):
        many = ", ".join([f"*a{number - 1}"] * 9)
        lines.append(f"# - &a{number} {{x: [{many}]}}")
    place = folder / "aliases.ecsv"
    head = "# datatype:\n# - {name: object_id, datatype: string, unit: *a9}\nobject_id\nJ1\n"
    place.write_text("\n".join(lines) + "\n" + head)
    return place


def long_line(folder: Path) -> Path:
    place = folder / "line.csv"
    place.write_text("object_id,file\n" + '"' + "x" * 30_000_000)
    return place


def pipe(folder: Path) -> Path:
    place = folder / "pipe.fits"
    os.mkfifo(place)
    return place


FILES = {"aliases.ecsv": many_aliases, "line.csv": long_line, "pipe.fits": pipe}


def press(key: str, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(QApplication.focusWidget() or QApplication.activeWindow(), key, held)


def preview(name: str, window: MainWindow, folder: Path) -> None:
    window.opening.import_lists([folder / name])


def dropped(name: str, window: MainWindow, folder: Path) -> None:
    drop(window, [folder / name])


def stopped_worker(window: MainWindow, folder: Path) -> None:
    """Its worker is stopped in the middle of an inspection, and waits for nobody."""
    assert window.view is not None
    press("v")
    agent = window.view.context.agent
    until(lambda: agent.worker_model.pid is not None)
    assert agent.worker_model.pid is not None
    os.kill(agent.worker_model.pid, signal.SIGSTOP)
    current = window.view.context.current
    for key, number in zip("nnbn", (2, 3, 2, 3), strict=True):
        press(key)
        until(lambda number=number: current.candidate.id == number and current.is_painted)


def full_disk(window: MainWindow, folder: Path) -> None:
    """No file grows any more."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit_files(1000)
    judge_some(window)


def read_only_folder(window: MainWindow, folder: Path) -> None:
    """The folder and the session are not to be written any more."""
    may_not_write_everywhere()
    for path in folder.iterdir():
        path.chmod(0o400)
    folder.chmod(0o500)
    judge_some(window)


def may_not_write_everywhere() -> None:
    """Root may; so give up that capability (see capabilities(7))."""
    if sys.platform == "linux" and os.geteuid() == 0:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        sets = (ctypes.c_uint32 * 6)()
        libc = ctypes.CDLL(None)
        assert libc.capget(header, sets) == 0
        sets[0] &= ~0b110  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        assert libc.capset(header, sets) == 0


def judge_some(window: MainWindow) -> None:
    for key in "a4xfsnu":
        press(key)
        QTest.qWait(100)
    assert window.view is not None


def opened(window: MainWindow, folder: Path) -> None:
    window.opening.open_session(sample_file(folder))
    until(lambda: window.view is not None and window.view.context.current.is_painted)


def look_once(window: MainWindow, folder: Path) -> None:
    """Show a list that is sound, as pages are laid out and styled when they are first shown."""
    place = folder / "sound.csv"
    place.write_text("object_id,ra,dec\nJ1,1,2\n")
    for make in FILES.values():  # now, as writing them takes time, too
        make(folder)
    window.opening.import_lists([place])
    until(lambda: window.opening.importing.list.preview is not None)
    QTest.qWait(100)
    window.opening.show_welcome()
    QTest.qWait(100)


until = partial(wait_until, rest=partial(QTest.qWait, 10))


def received(view: SessionView, folder: Path) -> None:
    """A stranger's pictures, after a sound one: they name a pipe, or are larger than any screen."""
    made = BytesIO()
    Image.new("L", (8000, 8000)).save(made, "JPEG")
    os.mkfifo(folder / "pipe.png")
    large = linked("a.png", 8000), made.getvalue()
    for number, content in enumerate((picture(), linked(folder / "pipe.png"), *large), 1):
        store_picture(view.context.bridge.session, number, content)
    press("d", Qt.KeyboardModifier.ControlModifier)
    until(lambda: is_told(view, State.FOUND))


def stored_pictures(window: MainWindow, folder: Path) -> None:
    assert window.view is not None
    for _ in range(3):
        press("n")
        until(lambda: is_told(window.view, State.FAILED))


def is_told(view: SessionView, state: State) -> bool:
    panel, here = view.judging.docks["evidence"].part.panel, view.context.current.candidate
    card = None if panel is None else panel.cards.get("picture")
    return card is not None and card.candidate == here and card.state is state


ATTACKS: dict[str, Callable[[MainWindow, Path], None]] = {
    "preview of aliases": lambda window, folder: preview("aliases.ecsv", window, folder),
    "preview of a long line": lambda window, folder: preview("line.csv", window, folder),
    "preview of a pipe": lambda window, folder: preview("pipe.fits", window, folder),
    "aliases dropped": lambda window, folder: dropped("aliases.ecsv", window, folder),
    "pipe dropped": lambda window, folder: dropped("pipe.fits", window, folder),
    "worker stopped": stopped_worker,
    "disk full": full_disk,
    "folder read-only": read_only_folder,
    "stored pictures": stored_pictures,
}


ON_SESSION = ("worker stopped", "disk full", "folder read-only", "stored pictures")


MAY_GO_ON = ("worker stopped", "folder read-only", "stored pictures")
"""Here nobody need be told; files that are open may still be written."""


def problems(window: MainWindow) -> list[str]:
    """What the window says of the attack."""
    if window.view is not None:
        return [each.message for each in window.view.status.errors]
    preview = window.opening.importing.list.preview
    found = [window.opening.welcome.problem.text]
    if preview is not None:
        found += [preview.problem, *(row.reason for row in preview.refused)]
    return list(filter(None, found))


def attack(name: str) -> dict[str, Any]:
    """What the window's thread did that may block it, how often a timer came, and what was said."""
    faults: list[str] = []
    sys.excepthook = lambda kind, error, trace: faults.append(f"{kind.__name__}: {error}")
    application = QApplication([])
    folder = Path(tempfile.mkdtemp())
    settings = SettingsStore()
    settings.change(reviewer="Ada")
    window = MainWindow(settings, CurrentTheme())
    GarbageTimer(window)  # as in the program
    window.show()
    window.activateWindow()
    QTest.qWait(100)
    if name in ON_SESSION:
        opened(window, folder)
        if name == "stored pictures":
            assert window.view is not None
            received(window.view, folder)
    else:
        look_once(window, folder)
    beats: list[int] = []
    timer = QTimer(interval=1)
    timer.timeout.connect(lambda: beats.append(1))
    timer.start()
    with counted() as work:
        ATTACKS[name](window, folder)
        until(lambda: (name in MAY_GO_ON and len(beats) > MOST_BEATS) or problems(window))
    timer.stop()
    said = problems(window)
    window.close()
    application.processEvents()
    return {"beats": len(beats), "did": work.did(*BLOCKS), "faults": faults, "said": said}


BY_DAY = ("preview of aliases", "pipe dropped", "worker stopped", "disk full", "stored pictures")


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox("tests.attacks.test_window_freezes:attack") as made:
        yield made


@pytest.mark.parametrize("name", ATTACKS if BY_NIGHT else BY_DAY)
def test_the_window_answers(name, sandbox):
    outcome = sandbox.run(name, deadline_s=250.0)  # fifty times what it takes
    assert (outcome.error, outcome.status) == ("", 0), outcome.output
    assert outcome.value["faults"] == []
    assert "Traceback" not in outcome.output
    assert outcome.value["did"] == {}
    assert outcome.value["beats"] > 0
    assert outcome.peak_mb <= 600

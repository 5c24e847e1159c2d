"""The program in a process of its own, which prints what it shows.

`python -m tests.app.ui.window_alone DEED [SESSION]`; each line of its output is JSON.
"""

import gc
import json
import sys
from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.reviewer_name import settings_path
from app.ui.program.application import NAME, start
from app.ui.program.main_window import MainWindow
from app.ui.session.candidate.current import CurrentCandidate

LOOK_MS = 5
HEAVY = (
    *("torch", "transformers", "llama_cpp", "xllamacpp", "huggingface_hub", "accelerate"),
    *("matplotlib", "scipy", "astropy", "sklearn", "pandas", "pyarrow", "specutils", "gguf"),
    *("pyvo", "requests"),
)
LATER = (
    *("app.core.exporting", "app.core.report", "app.core.sharing"),
    *("app.ui.exchange.export", "app.ui.judge.overview", "app.ui.judge.similar.similar_panel"),
    *("app.ui.review", "app.ui.start.importing.import_page", "train"),
    *("app.core.fetching", "app.services.archives", "app.ui.start.fetching.fetch_dialog"),
    *("app.core.finding", "app.ui.start.finding"),
    *("app.ui.program.help.guide_reader", "app.ui.program.help.about_dialog"),
    *("app.services.samp", "app.ui.program.samp.samp_sender", "app.ui.program.samp.samp_receiver"),
)
"""Parts of the program that are imported when they are first opened."""
Wait = Callable[[], object]
Deed = Iterator[Wait]
"""Yields what is waited for."""


def say(word: str, **more: object) -> None:
    sys.stdout.write(json.dumps({"said": word, **more}) + "\n")
    sys.stdout.flush()


class Doer:
    """Runs one step after another, each when its condition holds."""

    def __init__(self, deed: Deed) -> None:
        self._deed = deed
        self._wait: Wait = lambda: True
        self.timer = QTimer(interval=LOOK_MS)
        self.timer.timeout.connect(self._look)
        self.timer.start()

    def _look(self) -> None:
        while self._wait():
            try:
                self._wait = next(self._deed)
            except StopIteration:
                self.timer.stop()
                return


def window() -> MainWindow:
    return next(each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow))


def current() -> CurrentCandidate:
    view = window().view
    assert view is not None
    return view.context.current


def is_painted() -> bool:
    return window().view is not None and current().is_painted


def press(key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(QApplication.focusWidget() or window(), key, held)


def work() -> Deed:
    """Judge until killed, printing what was saved."""
    yield is_painted
    view = window().view
    assert view is not None
    for key in (Qt.Key.Key_S, Qt.Key.Key_S, Qt.Key.Key_E, Qt.Key.Key_F):
        press(key)
    window().resize(1200, 700)
    window().settings.change(comments=("mine",))
    current().judged.connect(lambda entry: say("kept", log=entry.id))
    yield lambda: "smoothing" in settings_path().read_text() if settings_path().exists() else False
    say("saved")
    while True:
        number = current().candidate.id if current().candidate is not None else 0
        press(Qt.Key.Key_A if number % 3 else Qt.Key.Key_X)
        if number == 50:
            current().undo()
        yield is_painted


def look() -> Deed:
    """Print what was restored."""
    yield lambda: is_painted() or window().opening.welcome.isVisible()
    keeper, view = window().settings, window().view
    options = window().state.view.options
    say(
        "seen", place=None if view is None else str(view.session.location),
        candidate=None if view is None or current().candidate is None else current().candidate.id,
        height=window().height(), smoothing=options.smoothing, errors=options.errors,
        rest_axis=options.rest_axis, comments=keeper.settings.comments,
        recent=keeper.settings.recent
    )  # fmt: skip
    press(Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)


def refused() -> Deed:
    """Print the error about an invalid argument."""
    yield window().opening.welcome.problem.isVisible
    say("told", words=window().opening.welcome.problem.text)
    press(Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)


def modules() -> Deed:
    """Print the modules loaded for a session on screen and three verdicts."""
    yield is_painted
    say("painted")
    for _ in range(3):
        press(Qt.Key.Key_A)
        yield is_painted
    names = sorted(sys.modules)
    early = [name for name in (*HEAVY, *LATER) if name in sys.modules]
    say("loaded", heavy=early, count=len(names))
    press(Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)


def run_agent() -> Deed:
    """Quit while the agent runs; P pauses it so that it still does."""
    yield is_painted
    press(Qt.Key.Key_V)
    press(Qt.Key.Key_P)
    view = window().view
    assert view is not None
    agent = view.context.agent
    yield lambda: agent.shown.run is not None and agent.worker_model.pid is not None
    say("running", worker=agent.worker_model.pid)
    press(Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)


def idle() -> Deed:
    """Run until ended from outside."""
    yield is_painted
    say("there")


DEEDS = {each.__name__: each for each in (work, look, refused, modules, run_agent, idle)}


def main() -> None:
    deed, *rest = sys.argv[1:]
    application = QApplication([NAME])
    doer = Doer(DEEDS[deed]())
    status = start(*rest)
    doer.timer.stop()
    say("ended", status=status, collects_anywhere=gc.isenabled())
    del application


if __name__ == "__main__":
    main()

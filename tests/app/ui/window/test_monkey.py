"""Random keys and clicks on a list with many broken entries."""

import random
import shutil
from collections import Counter
from contextlib import closing

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QDesktopServices, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMainWindow, QWidget
from shiboken6 import isValid

from agent.tasks.catalogue import find_task
from app.core.importing.importer import import_list
from app.core.session.session import new_session, open_session
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.key_names import split_key
from tests.app.core.session.kept_lines import held_by
from tests.app.core.session.recorder import line_of
from tests.app.ui.candidates import SAMPLE, copied
from tests.app.ui.steps import let_go
from tests.app.ui.whole_window import before_window
from tests.night import BY_NIGHT, seeds

SEEDS = seeds(by_day=1, by_night=4)
DEEDS = 5_000 if BY_NIGHT else 400
COUNT = 300
LEAVING = ("quit", "welcome", "open_list", "open_session")
"""They end the session, or open a dialog of the system."""
ASKING = ("getOpenFileName", "getOpenFileNames", "getSaveFileName", "getExistingDirectory")
MODIFIERS = {
    "Ctrl": Qt.KeyboardModifier.ControlModifier,
    "Alt": Qt.KeyboardModifier.AltModifier,
    "Shift": Qt.KeyboardModifier.ShiftModifier,
}
NAMED = {name: getattr(Qt.Key, f"Key_{name}") for name in ("Return", "Escape", "Backspace", "Tab")}
OFTEN = ("A", "X", "U", "N", "B", "Ctrl+Z", "Ctrl+Shift+Z", "4", "G", "Escape")


@pytest.fixture(scope="module")
def mess(tmp_path_factory):
    """A session of 300 candidates; every fifth is broken, missing, empty or odd."""
    folder = tmp_path_factory.mktemp("mess")
    whole = sorted((SAMPLE / "spectra").rglob("spec-9*.fits.gz"))
    rows = ["object_id,ra,dec,file\n"]
    for number in range(1, COUNT + 1):
        source = whole[number % len(whole)]
        place = folder / f"{number} {source.name}"
        if number % 5 == 0:
            spoil(place, number, source.read_bytes())
        else:
            shutil.copy(source, place)
        rows.append(f"S{number} 宽,{number * 1.1:.3f},{number / 10 - 10:.3f},{place}\n")
    (folder / "list.csv").write_text("".join(rows), encoding="utf-8")
    place = folder / "mess.speco3"
    with new_session(place, find_task("CV"), "Ada") as session:
        import_list(session, folder / "list.csv")
        assert session.count() == COUNT
    return place


def spoil(place, number, content):
    match number // 5 % 6:
        case 0:
            place.write_bytes(content[: len(content) // 2])
        case 1:
            place.touch()
        case 2:
            place.write_bytes(random.Random(number).randbytes(4096))
        case 3:
            place.mkdir()
        case 4:
            place.write_text("wavelength,flux\n1,nan\n", encoding="utf-8")
        case _:
            pass  # it is not there


@pytest.fixture
def nothing_of_the_system(monkeypatch, tmp_path, scripted_window):
    monkeypatch.chdir(tmp_path)  # where a name without a folder is written
    for name in ASKING:
        nothing = ([], "") if name.endswith("s") else ("", "")
        answer = "" if name == "getExistingDirectory" else nothing
        monkeypatch.setattr(QFileDialog, name, lambda *_, answer=answer, **__: answer)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda *_: True)


class Monkey:
    def __init__(self, window: QMainWindow, seed: int) -> None:
        self.window, self.chance = window, random.Random(seed)
        self.keys = [key for action in ACTIONS.values() for key in action.keys]
        self.done: list[str] = []
        self.known: list[QWidget] = []
        self.look_again = 0

    def act(self) -> None:
        deeds = {
            self.press: 70, self.click: 17, self.turn_wheel: 6, self.resize: 1, self.type: 2,
            self.hold: 2, self.come_back: 2,
        }  # fmt: skip
        (deed,) = self.chance.choices(list(deeds), list(deeds.values()))
        deed()
        if self.chance.random() < 0.35:
            QApplication.processEvents()

    def note(self, what: str, widget: QWidget) -> None:
        self.done.append(f"{what} on {type(widget).__name__}")

    def target(self) -> QWidget:
        if not QApplication.activeWindow() and not QApplication.activePopupWidget():
            self.window.activateWindow()
        return QApplication.activePopupWidget() or QApplication.focusWidget() or self.window

    def key(self) -> tuple[Qt.Key | str, Qt.KeyboardModifier]:
        chosen = self.chance.choice(self.keys if self.chance.random() < 0.5 else OFTEN)
        *held, last = split_key(chosen)
        modifiers = Qt.KeyboardModifier.NoModifier
        for name in held:
            modifiers |= MODIFIERS[name]
        if len(last) == 1:
            return last.lower() if modifiers == Qt.KeyboardModifier.NoModifier else last, modifiers
        return getattr(Qt.Key, f"Key_{last}"), modifiers

    def press(self) -> None:
        target, (key, modifiers) = self.target(), self.key()
        self.note(f"{key!r} {modifiers}", target)
        QTest.keyClick(target, key, modifiers)

    def hold(self) -> None:
        key = self.chance.choice((Qt.Key.Key_Z, Qt.Key.Key_A, Qt.Key.Key_N))
        self.note(f"hold {key}", self.target())
        QTest.keyPress(self.target(), key)
        QApplication.processEvents()
        QTest.keyRelease(self.target(), key)

    def type(self) -> None:
        target = self.target()
        text = "".join(self.chance.choices('id>:snr 0123456789.-"()axu', k=6))
        self.note(f"type {text}", target)
        QTest.keyClicks(target, text)

    def widget(self) -> QWidget:
        """Any visible widget; small ones are as likely as large ones."""
        if len(self.done) >= self.look_again:
            self.look_again = len(self.done) + 100
            self.known = self.window.findChildren(QWidget)
        there = [self.chance.choice(self.known) for _ in range(20)]
        seen = (each for each in there if isValid(each) and each.isVisible())
        return next(seen, self.window)

    def click(self) -> None:
        widget = self.widget()
        at = QPoint(
            self.chance.randrange(max(widget.width(), 1)),
            self.chance.randrange(max(widget.height(), 1)),
        )
        button = self.chance.choices(
            (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton), (9, 1)
        )[0]
        click = self.chance.choice((QTest.mouseClick, QTest.mouseClick, QTest.mouseDClick))
        self.note(f"{click.__name__} {at.x()},{at.y()}", widget)
        click(widget, button, Qt.KeyboardModifier.NoModifier, at)

    def turn_wheel(self) -> None:
        widget = self.widget()
        at = QPointF(widget.rect().center())
        none = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False
        turn = QPoint(0, self.chance.choice((-360, -120, 120, 360)))
        self.note(f"wheel {turn.y()}", widget)
        wheel = QWheelEvent(
            at, widget.mapToGlobal(at), QPoint(), turn, Qt.MouseButton.NoButton, *none
        )
        QApplication.sendEvent(widget, wheel)

    def come_back(self) -> None:
        """Return to the judging page."""
        close_all(self.window)
        self.window.setWindowState(Qt.WindowState.WindowNoState)
        self.window.activateWindow()
        self.window.commands.run("judging_page")

    def resize(self) -> None:
        size = self.chance.randrange(300, 1300), self.chance.randrange(200, 800)
        self.note(f"resize {size}", self.window)
        self.window.resize(*size)


@pytest.mark.timeout(900)  # 5,000 deeds take up to five minutes beside other work
@pytest.mark.parametrize("seed", SEEDS)
def test_random_keys_and_clicks(qtbot, tmp_path, mess, nothing_of_the_system, seed):
    place = copied(mess, tmp_path)
    shutil.copy(mess.with_name("list.csv"), tmp_path)
    with before_window(qtbot, place) as person:
        person.window.resize(1200, 600)
        monkey = Monkey(person.window, seed)
        for name in LEAVING:
            person.window.commands.add(name, lambda: None)
        try:
            for _ in range(DEEDS):
                monkey.act()
        except Exception as error:
            error.add_note("\n".join(monkey.done[-30:]))
            raise
        finally:
            close_all(person.window)
            for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
                let_go(qtbot, button)
        assert person.window.view is not None
        check(person.session)
        log = {entry.id: line_of(entry) for entry in person.log()}
    assert len(log) > DEEDS / 20  # it did do something
    with open_session(place, "Ada") as session, closing(session):
        assert log.items() <= {entry.id: line_of(entry) for entry in session.history()}.items()
        check(session)


def close_all(window):
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()
    for dialog in window.findChildren(QDialog):
        dialog.close()


def check(session):
    """Check that the verdicts follow from the log and nothing broken was judged."""
    # One transaction: an act of the overview may still be writing in the background.
    with session.database.reading() as connection:
        entries = list(session.history())
        lines = {entry.id: line_of(entry) for entry in entries}
        held = {}
        for number in range(1, COUNT + 1):
            for each in session.judgements(number):
                said = each.opinion
                opinion = [said.verdict, said.confidence, list(said.flags), said.comment]
                held[number, each.reviewer] = opinion
        assert connection.exec_driver_sql("PRAGMA integrity_check").all() == [("ok",)]
    assert list(lines) == sorted(lines) and held_by(lines) == held
    judged = Counter(entry.candidate_id for entry in entries if entry.opinion.verdict is not None)
    assert judged and not [number for number in judged if number % 5 == 0]

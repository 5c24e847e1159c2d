"""The pages of an open session."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget

from tests.app.ui.whole_window import CTRL, before_window

Key = Qt.Key
MOST_MOVED = 60
"""Widgets: the guideline, made before its dock, has some hundred."""


def test_pages_keep_their_keys_and_what_they_hide_is_not_judged(person):
    pages = ("disagreement_page", "agreement_page", "history_page")
    for digit, page in zip("234", pages, strict=True):
        person.press(digit, CTRL)
        assert person.view.page == page
        person.press("a")
        person.press("x")
        assert person.log() == []
    person.press("1", CTRL)
    assert person.view.page == "judging_page"
    person.press("a", sees=2)
    person.start_over()
    person.press("a", sees=2)
    person.press("4", CTRL)
    person.press("z", CTRL, sees=1)
    assert person.view.page == "judging_page" and person.verdicts() == {}
    person.start_over()
    person.press("3", CTRL)
    person.current.go_to(7)
    person.wait(lambda: person.current.spectrum is not None)
    QApplication.processEvents()
    assert not person.current.is_painted
    for menu in person.window.menuBar().actions():
        menu.menu().aboutToShow.emit()
        for entry in menu.menu().actions():
            if entry.data() in ("accept", "reject", "take_proposal", "confidence_4", "star"):
                assert not entry.isEnabled()
    person.window.commands.run("accept")
    assert person.log() == []
    person.press("1", CTRL, sees=7)
    person.press("x", sees=8)
    assert person.verdicts() == {7: "REJECT"}
    person.start_over()
    assert "export_dialog" not in vars(person.view)
    person.window.commands.run("pack")
    assert person.view.dialogs.export.isVisible()
    person.view.dialogs.export.close()
    assert person.window.opening.importing is None


class Moves(QObject):
    """The number of widgets in each that gets another parent."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, int] = {}

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ParentChange and isinstance(watched, QWidget):
            self.seen[type(watched).__name__] = len(watched.findChildren(QWidget))
        return False


def test_no_large_part_is_moved_while_the_view_is_built(qtbot, place):
    """Qt styles anew all that is in a moved widget, which was a tenth of the time to start."""
    moves = Moves()
    QApplication.instance().installEventFilter(moves)
    with before_window(qtbot, place) as before:
        QApplication.instance().removeEventFilter(moves)
        assert len(before.view.findChildren(QWidget)) > 4 * MOST_MOVED
    large = {name for name, size in moves.seen.items() if size > MOST_MOVED}
    assert not large, large
    assert moves.seen["QueuePanel"] > 30

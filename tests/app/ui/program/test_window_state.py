"""The window's state is restored, also after a crash; invalid records are ignored."""

import base64
import json

import pytest
from PySide6.QtCore import Qt

from app.core.session.session import open_session
from app.ui.base.settings.settings_store import SettingsStore, read_settings
from tests.app.ui.candidates import copied
from tests.app.ui.whole_window import PLAIN, SHIFT, before_window

Key = Qt.Key


def keeper(tmp_path):
    return SettingsStore(tmp_path / "config" / "settings.toml")


def written(layout):
    return base64.b64encode(json.dumps(layout).encode()).decode()


def test_size_panels_and_options_are_restored(qtbot, tmp_path, place):
    settings = keeper(tmp_path)
    with before_window(qtbot, place, settings) as person:
        person.window.resize(1300, 700)  # the offscreen platform's screen is 800 each way
        judging = person.view.judging
        before = judging.docks["agent"].width()
        judging.dock_area.dock_window.resizeDocks(
            [judging.docks["agent"]], [before + 90], Qt.Orientation.Horizontal
        )
        person.wait(lambda: judging.docks["agent"].width() == before + 90)
        for key, held in (("s", PLAIN), ("e", PLAIN), ("l", SHIFT), (Key.Key_Right, SHIFT)):
            person.press(key, held)
    assert read_settings(settings.path).faults == ()
    with before_window(qtbot, place, keeper(tmp_path)) as person:
        assert person.window.height() == 700
        person.wait(lambda: person.view.judging.docks["agent"].width() == before + 90)
        options = person.options
        assert (options.smoothing, options.errors, options.labels) == (1, False, False)
        assert round(options.velocity_kms) == 20  # kept with the object that is on screen again


def test_panels_that_are_off_keep_their_widths(qtbot, tmp_path, place):
    with before_window(qtbot, place, keeper(tmp_path)) as person:
        person.press("h")
        person.wait(lambda: not person.view.judging.docks["agent"].isVisible())
    with before_window(qtbot, place, keeper(tmp_path)) as person:
        assert person.view.judging.docks["agent"].isVisible()
        assert person.view.judging.docks["agent"].width() > 200


def test_a_normal_exit_leaves_no_session_open_and_the_first_window_fits_the_screen(
    qtbot, tmp_path, place
):
    with before_window(qtbot, None, keeper(tmp_path)) as person:
        window, room = person.window, person.window.screen().availableGeometry()
        least = window.minimumSize()
        assert window.width() <= max(room.width(), least.width())
        assert window.height() <= max(room.height(), least.height())
        window.opening.open_session(place)
        person.wait(lambda: window.view is not None and person.current.is_painted)
    with before_window(qtbot, None, keeper(tmp_path)) as person:
        assert person.window.reopen() is False and person.window.opening.welcome.isVisible()


def crashed(qtbot, tmp_path, place, number):
    """The settings on disk while a session is open."""
    settings = keeper(tmp_path)
    with before_window(qtbot, place, settings) as person:
        person.go(number)
        person.window.state.save()
        settings.flush()
        kept = settings.path.read_text(encoding="utf-8")
    settings.path.write_text(kept, encoding="utf-8")
    return kept


def test_after_a_crash_session_and_candidate_are_restored_where_they_are_there(
    qtbot, tmp_path, place
):
    kept = crashed(qtbot, tmp_path, place, 7)
    with before_window(qtbot, None, keeper(tmp_path)) as person:
        assert person.window.reopen() is True
        person.wait(lambda: person.window.view is not None and person.current.row is not None)
        person.sees(7)
        assert person.session.location == place
        assert "without closing" in person.view.status.message.full_text
        # Should it end so again before it is open, the next start is the welcome page.
        assert person.window.reopen() is False
    settings = crashed_again(tmp_path, kept)
    layout = json.loads(base64.b64decode(settings.settings.layout))
    layout["open"]["candidate"] = 99  # which is not there
    settings.change(layout=written(layout))
    with before_window(qtbot, None, settings) as person:
        person.window.reopen()
        person.wait(lambda: person.window.view is not None and person.current.row is not None)
        person.sees(1)
    settings = crashed_again(tmp_path, kept)
    with open_session(place, "Ada"), before_window(qtbot, None, settings) as person:
        assert person.window.reopen() is True
        person.wait(person.window.opening.welcome.isVisible)
        assert person.window.view is None  # it is open elsewhere
    place.unlink()
    with before_window(qtbot, None, crashed_again(tmp_path, kept)) as person:
        person.window.reopen()
        person.wait(person.window.opening.welcome.isVisible)
        assert person.reads("night.speco3")


def crashed_again(tmp_path, kept):
    settings = keeper(tmp_path)
    settings.close()
    settings.path.write_text(kept, encoding="utf-8")
    return keeper(tmp_path)


@pytest.mark.parametrize(
    "layout",
    [
        "", "bm90IGpzb24=", written([]), written({"geometry": 3, "docks": 4, "open": 5}),
        written({"geometry": "AAAA", "docks": {"800x800": "AAAA"}, "open": {"place": 3}}),
        written({"geometry": "!", "docks": {"800x800": 7, "x": "!"}, "open": []}),
        written({"docks": [[1, 2]], "open": {"candidate": 1}}),
        base64.b64encode(b"[" * 50_000).decode(),
    ]
)  # fmt: skip
def test_an_invalid_layout_is_ignored(qtbot, tmp_path, place, layout):
    settings = keeper(tmp_path)
    settings.change(layout=layout, view={"smoothing": "much", "errors": 1, "z": 4.0, "odd": []})
    with before_window(qtbot, place, settings) as person:
        assert person.window.reopen() is False
        assert person.options.smoothing == 0 and person.options.errors is True
        assert person.view.judging.docks["agent"].isVisible()
        person.press("a", sees=2)


def test_another_session_starts_without_window_and_redshift(qtbot, tmp_path, place):
    (tmp_path / "other").mkdir()
    other = copied(place, tmp_path / "other")
    with before_window(qtbot, place) as person:
        for key, held in ((Key.Key_F2, PLAIN), (Key.Key_Right, SHIFT), ("s", PLAIN)):
            person.press(key, held)
        person.plot_view.change(line_sets=frozenset({"other"}))
        person.window.opening.open_session(other)
        person.wait(lambda: person.window.view is not None and person.session.location == other)
        person.sees(1)
        assert person.plot_view.window is None
        options = person.options
        assert (options.z, options.line_sets, options.smoothing) == (0.0, None, 1)

"""The window is never held up while the agent inspects, a list runs and keys are pressed.

What could hold it up is counted in its thread; how long its turns take is printed by `make bench`.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from agent.inspection.built_in import MEASURED
from agent.inspection.inspector_factory import default_model
from agent.spectra.readers.registry import read
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.session.inspection import controller
from tests.app.ui.candidates import sample_file
from tests.app.ui.whole_window import CTRL, PLAIN, SHIFT, before_window
from tests.app.ui.window_work import BLOCKS, counted
from tests.night import BY_NIGHT

LISTED = 30 if BY_NIGHT else 12
KEYS = "nnanxnunlsnadmsSenbbn"
KEYS_THAT_ASK = sum(key in "axud" for key in KEYS)
"""Verdicts, the undo, and the one that draws something else; the others ask next to nothing."""
MOST_STATEMENTS = 20
"""A verdict that is written takes 18, with the rows of its neighbours."""
MOST_FOR_A_RUN = 40
"""All results of a run over the list, and of one inspection, take some 20 together."""


def press_all(person):
    for key in KEYS:
        person.press(key, SHIFT if key.isupper() else PLAIN)
        person.wait(lambda: person.current.is_painted)


def test_what_holds_up_the_window_is_seen(qtbot, tmp_path):
    place = sample_file(tmp_path)
    with before_window(qtbot, place) as person, counted() as work, ThreadPoolExecutor(1) as pool:
        assert work.did(*BLOCKS) == {}
        Event().wait(0.001)
        assert "test_window_thread.py" in work.did("wait")["wait"][0]
        person.session.candidate(1)
        assert work.counts["statement"] == 2
        pool.submit(person.session.candidate, 2).result()
        assert work.counts["statement"] == 2  # another thread may
        read(person.current.candidate.path)
        assert {"wait", "file", "reading"} <= work.did(*BLOCKS).keys()


@pytest.mark.parametrize("model", [MEASURED, default_model("CV")][: 2 if BY_NIGHT else 1])
def test_the_window_is_never_held_up(qtbot, tmp_path, model):
    """Not by the inspector, a list run, pictures, records, verdicts or moving."""
    settings = SettingsStore()
    settings.change(model=model)
    with before_window(qtbot, sample_file(tmp_path, LISTED), settings) as person:
        agent = person.view.context.agent
        ended = []
        agent.finished.connect(lambda number, record: ended.append(number))
        press_all(person)  # what is made and imported at first is there
        person.press("v")
        person.press("r", CTRL)
        person.wait(lambda: ended and agent.list_run.state.done)
        with counted() as work:
            work.watch(controller, "save_record", "saving")
            person.press("v")
            press_all(person)
            person.wait(lambda: not agent.list_run.state.is_running)
        assert agent.list_run.state.done == LISTED and len(ended) > 1
    assert work.did(*BLOCKS, "saving") == {}
    most = MOST_STATEMENTS * KEYS_THAT_ASK + MOST_FOR_A_RUN
    assert work.counts["statement"] <= most, work.did("statement")

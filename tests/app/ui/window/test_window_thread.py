"""The window is never held up while the agent inspects, a list runs and keys are pressed.

What could hold it up is counted in its thread; how long its turns take is printed by `make bench`.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event, current_thread, main_thread

import pytest
from sqlalchemy import insert

from agent.inspection.built_in import MEASURED
from agent.inspection.inspector_factory import default_model
from agent.spectra.readers.registry import read
from app.core.database.tables import candidates
from app.core.queue import LIST_ORDER, learned_orders
from app.core.session.records import Change
from app.core.session.session import open_session
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.judge.queue.queue_panel import LearnedLine
from app.ui.program.session_view import QUEUE_FACT
from app.ui.session.inspection import controller
from tests.app.core.sessions import ACCEPT, REJECT
from tests.app.ui.candidates import sample_file
from tests.app.ui.whole_window import CTRL, PLAIN, SHIFT, before_window
from tests.app.ui.window_work import BLOCKS, counted
from tests.night import BY_NIGHT
from tests.processes import LONG_S

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


def test_an_order_that_learns_is_made_by_other_threads(qtbot, tmp_path, monkeypatch):
    """Also the first one of a session that is opened again, and without what agents say."""
    made_in, may_go_on, pool = [], Event(), learned_orders._pool

    def noted(*given, **named):
        made_in.append(current_thread())
        if current_thread() is not main_thread():
            may_go_on.wait(LONG_S)
        return pool(*given, **named)

    place = sample_file(tmp_path, LISTED)
    with open_session(place, "Ada") as session:
        session.record_verdict(1, ACCEPT)
        session.record_verdict(2, REJECT)
        session.set_fact(f"{QUEUE_FACT}:Ada", "\nlearned:best")
    monkeypatch.setattr(learned_orders, "_pool", noted)
    with before_window(qtbot, place) as person, ExitStack() as at_end:
        at_end.callback(may_go_on.set)
        current, line = person.current, person.view.findChild(LearnedLine)
        assert current.queue.sort == LIST_ORDER and person.number == 3
        assert not line.isHidden() and line.text().startswith("Learning from your verdicts")
        may_go_on.set()
        person.wait(lambda: current.queue.sort.key == "learned")
        person.wait(lambda: "Learned from 2" in line.text())
        press_all(person)
        with qtbot.waitSignal(current.queue_changed):
            current.blind_mode.set_on(True)
        current.go_to(1)
        person.wait(lambda: current.queue.sort.key == "learned")
        with person.session.database.writing() as connection:
            row = dict(connection.execute(candidates.select().limit(1)).mappings().one())
            connection.execute(insert(candidates), [{**row, "id": LISTED + 1}])
        person.session.changed.emit(Change(aspect="list"))
        current.go_to(LISTED + 1)
    assert len(made_in) >= 3 and main_thread() not in made_in

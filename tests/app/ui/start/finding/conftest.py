"""A small survey with simulated spectra of two classes, and the dialog before a person."""

import shutil
import threading
from types import SimpleNamespace

import pytest

from agent.cluster.ray_actors import Answer
from app.core.finding import search as search_module
from app.core.finding.inputs import as_source
from app.core.finding.looking import Look, LookSettings
from app.core.finding.search import Search
from app.core.finding.table import FindTable
from app.ui.start.finding import find_dialog, search_thread
from app.ui.start.finding.find_dialog import FindDialog
from app.ui.start.finding.search_thread import BestSoFar
from tests.app.ui.tools import tools
from tests.made_once import made_once
from tests.processes import LONG_S
from train.simulate.archive import run_campaign
from train.simulate.campaign import Settings

__all__ = ["tools"]
COUNT, HELD_AFTER = 24, 2


class InThisProcess:
    """A finder as the processes are, without any."""

    count = 1

    def __init__(self, settings):
        self._look = Look(settings)

    def run(self, calls):
        for key, call in calls:
            yield Answer(key, self._look(call))


def make(folder):
    survey, out = folder / "survey", folder / "made"
    wanted = {"survey": "LAMOST", "labels": ("CV", "B"), "snr": (15.0, 60.0)}
    run_campaign(out, Settings(seed=3, count=COUNT, **wanted))
    shutil.move(out / "spectra", survey)
    (survey / "damaged.fits").write_bytes(b"SIMPLE  =                    T")
    settings = LookSettings(("CV", "B"), plant_each=1)
    table = FindTable.made(folder / "searched.find", [as_source(str(survey))], settings)
    Search(table).run(InThisProcess(settings))


@pytest.fixture(scope="session")
def searched(tmp_path_factory):
    """Folder of a survey and of the table of it, which nobody changes."""
    return made_once(tmp_path_factory, "survey", make, in_place=True)


@pytest.fixture
def survey(searched, tmp_path):
    return shutil.copytree(searched / "survey", tmp_path / "survey")


@pytest.fixture
def held(monkeypatch):
    """A search of small calls that waits after the second answer until this is set."""
    go_on, answers, add = threading.Event(), [], BestSoFar.add

    def add_and_wait(best, rows):
        add(best, rows)
        answers.append(rows)
        if len(answers) == HELD_AFTER:
            go_on.wait(LONG_S)

    monkeypatch.setattr(search_module, "IN_A_CALL", 2)
    monkeypatch.setattr(search_thread, "TELL_S", 0.0)
    monkeypatch.setattr(find_dialog, "LOOK_EVERY_MS", 20)
    monkeypatch.setattr(BestSoFar, "add", add_and_wait)
    yield go_on
    go_on.set()


@pytest.fixture
def dialog(qtbot, tools):
    made = FindDialog(*tools.all)
    qtbot.addWidget(made)
    made.open_page()
    qtbot.waitExposed(made)
    qtbot.waitUntil(lambda: bool(made.card.classes))
    yield made
    made.reject()
    made.search.close()


@pytest.fixture
def heard(dialog):
    """What the dialog has told so far."""
    told = SimpleNamespace(ended=[], made=[], progress=[])
    dialog.search.ended.connect(told.ended.append)
    dialog.search.told.connect(told.progress.append)
    dialog.made.connect(told.made.append)
    return told

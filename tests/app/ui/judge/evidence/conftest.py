"""One window for all tests of a file, on twelve candidates, and services on loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from app.services.catalogues.light_curve import ATLAS_TOKEN
from app.services.catalogues.service import all_services
from app.services.web import client as web_client
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.judge.evidence.card import SourceCard
from app.ui.judge.evidence.evidence_panel import EvidencePanel
from tests.app.services.fault_server import FaultServer, fault_server
from tests.app.ui.candidates import sample_file
from tests.app.ui.judge.evidence.small_sky import serve_sky, services_at
from tests.app.ui.whole_window import CTRL, Person, before_window


@dataclass
class Evidence:
    """The window with its evidence dock, and the server that plays every service."""

    person: Person
    server: FaultServer

    @property
    def panel(self) -> EvidencePanel:
        panel = self.person.view.judging.docks["evidence"].part.panel
        assert panel is not None
        return panel

    def card(self, name: str) -> SourceCard:
        return self.panel.cards[name]

    def show(self) -> None:
        """Bring the dock to the front by its key."""
        place = self.person.view.judging.docks["evidence"].part
        if not place.dock.is_seen():
            self.person.press("d", CTRL)
        self.person.wait(lambda: place.panel is not None and place.panel.isVisible())

    def turn_on(self, *names: str) -> None:
        """Bring the dock to the front and turn on these services at our server; none: all."""
        self.show()
        every, changes = services_at(self.server.url)
        self.person.window.settings.change(services=names or every, service_changes=changes)

    def is_shown(self, name: str, state: str) -> bool:
        card, here = self.panel.cards.get(name), self.person.current.candidate
        is_here = card is not None and card.candidate is not None and card.candidate.id == here.id
        return is_here and str(card.state) == state

    def text_of(self, name: str) -> str:
        """All that the card says."""
        card = self.card(name)
        rows = [f"{row.name} {row.text}" for row in card.table.values.rows]
        return "\n".join([card.note.text(), card.text.text(), card.match.text(), *rows])


@contextmanager
def evidence_window(qtbot, folder, server: FaultServer) -> Iterator[Evidence]:
    settings = SettingsStore()
    settings.change(reviewer="Ada", told=("name", "tour"), services=(), service_changes={})
    with before_window(qtbot, sample_file(folder), settings) as person:
        session = person.session
        serve_sky(server, [session.candidate(n) for n in range(1, session.count() + 1)])
        yield Evidence(person, server)


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries wait little, and hosts are asked often."""
    monkeypatch.setattr(web_client, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(web_client, "LONGEST_WAIT_S", 0.05)
    monkeypatch.setattr(web_client, "FAULTS_TO_REST", 10_000)
    monkeypatch.setenv(ATLAS_TOKEN, "a-token")


@pytest.fixture
def evidence(qtbot, tmp_path, quick_services) -> Iterator[Evidence]:
    with fault_server() as server, evidence_window(qtbot, tmp_path, server) as found:
        yield found


@pytest.fixture
def quick_services(monkeypatch: pytest.MonkeyPatch) -> None:
    """The services as they are, but asked 50 times a second."""
    give_time(monkeypatch, 60.0)


def give_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """How long an answer may take, for services that are turned on from now on."""
    quick = {
        name: replace(each, per_second=50.0, timeout_s=seconds)
        for name, each in all_services().items()
    }
    for user in ("app.core.evidence.choice", "app.ui.judge.evidence.feed"):
        monkeypatch.setattr(f"{user}.all_services", lambda: quick)

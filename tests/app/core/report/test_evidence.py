"""Which objects are shown, and what the agent's reasons rest on."""

import json
from unittest.mock import Mock

import numpy as np
import pytest

from agent.errors import ReadError
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from app.core.inspections.store import add_inspection
from app.core.report import evidence as module
from app.core.report.evidence import accepted_cards, agent_differs, key_look, people_differ
from app.core.session.records import Opinion
from app.core.statistics.adjudication import set_adjudicator
from app.core.statistics.verdicts import read_verdicts, settled
from tests.app.core.judged_sessions import A, R, U, inspect, say
from tests.app.core.sessions import change, made

MODEL = ModelRef(name="nano", sha256="ab" * 32)


@pytest.fixture
def session(tmp_path):
    with made(tmp_path / "night.speco3", 60) as session:
        yield session


def read(candidate):
    return Spectrum(wavelength=[1.0, 2.0], flux=[1.0, 2.0], object_id=candidate.object_id)


def looked(*looks, reasons="", z=None, verdict="YES", simulated=False):
    steps = [Step(kind="zoom", label=label, range=window) for label, window in looks]
    return Trajectory(
        task="CV",
        spectrum=SpectrumRef(z=z, simulated=simulated),
        model=MODEL,
        steps=(*steps, Step(kind="answer", text=reasons, verdict=verdict)),
        stopped_by="answer",
        verdict=verdict,
        p_yes=0.9,
    )


def cards(session, read=read):
    return accepted_cards(session, settled(read_verdicts(session)), read)


def test_the_surest_come_first_and_only_what_holds_each_once(session):
    inspect(session, "nano", {1: ("YES", 0.5), 2: ("YES", 0.9), 3: ("YES", 0.7)})
    for number, confidence in ((1, 4), (2, 3), (3, 3), (4, None), (5, 4)):
        session.record_verdict(number, Opinion(verdict=A, confidence=confidence))
    assert [card.candidate.id for card in cards(session)] == [1, 5, 2, 3, 4]
    assert [card.spectrum.object_id for card in cards(session)][:2] == ["J000001", "J000005"]
    say(session, "Ada", {1: A, 2: A, 3: A, 4: U, 5: U})
    say(session, "Ben", {1: A, 2: R})
    assert sorted(card.candidate.id for card in cards(session)) == [1, 3]
    set_adjudicator(session, "Ada")
    assert sorted(card.candidate.id for card in cards(session)) == [1, 2, 3]


def test_no_more_than_a_page_holds(session, monkeypatch):
    say(session, "Ada", dict.fromkeys(range(1, 51), A))
    asked = []
    assert len(cards(session, lambda c: asked.append(c) or read(c))) == module.MOST_CARDS
    assert len(asked) == module.MOST_CARDS


@pytest.mark.parametrize("error", [ReadError("it is <cut> short"), OSError("gone")])
def test_a_spectrum_that_cannot_be_read(session, error):
    say(session, "Ada", {1: A})

    (card,) = cards(session, Mock(side_effect=error))
    assert (card.spectrum, card.fault) == (None, str(error))


def test_the_look_the_answer_speaks_of_as_it_was_observed():
    looks = [("continuum", (4000, 9000)), ("H-beta", (4800, 4900)), ("H-alpha", (6500, 6600))]
    found = key_look(looked(*looks, reasons="H alpha is broad"))
    assert (found.label, found.range) == ("H-alpha", (6500.0, 6600.0))
    assert key_look(looked(*looks, reasons="nothing said")).label == "continuum"
    assert key_look(looked(reasons="no looks")) is None
    found = key_look(looked(("x", (6600, 6500)), z=0.001))
    assert found.range == pytest.approx((6506.5, 6606.6))
    assert len(key_look(looked(("x" * 500, (1, 2)))).label) == 80


@pytest.mark.parametrize(
    "text", ["\\boxed{YES} broad lines", "broad lines \\boxed{ NO }", "\\\\boxed{YES}broad lines"]
)
def test_reasons_without_the_box(text):
    assert looked(reasons=text).plain_reasons == "broad lines"


def test_what_people_differ_on_the_open_ones_first(session, monkeypatch):
    say(session, "Ada", dict.fromkeys(range(1, 11), A))
    say(session, "Ben", dict.fromkeys(range(1, 11), R))
    say(session, "Eve", {1: A, 2: R, 3: U})
    set_adjudicator(session, "Eve")
    assert [each.candidate.id for each in people_differ(session)] == [*range(4, 11), 1, 2, 3]
    monkeypatch.setattr(module, "MOST_DISPUTES", 8)
    assert [each.candidate.id for each in people_differ(session)] == [*range(4, 11), 1]


def test_where_the_agent_differs_the_surest_first(session):
    inspect(
        session,
        "nano",
        {
            1: ("YES", 0.6), 2: ("YES", 0.99), 3: ("NO", 0.01), 4: ("NO", 0.4), 5: ("YES", 0.9),
            6: ("YES", 0.9),
        },
    )  # fmt: skip
    say(session, "Ada", {1: R, 2: R, 3: A, 4: R, 5: U, 6: A})
    say(session, "Ben", {6: R})
    assert [each.candidate.id for each in agent_differs(session)] == [2, 3, 1]


def test_reasons_and_simulations_come_from_the_trajectory(session):
    add_inspection(
        session, 1, looked(("Hα", (6500, 6600)), reasons="\\boxed{YES} broad", simulated=True)
    )
    say(session, "Ada", {1: R, 2: A})
    (difference,) = agent_differs(session)
    assert (difference.reasons, difference.is_simulated) == ("broad", True)
    say(session, "Ada", {1: A})
    first, second = cards(session)
    assert (first.look.label, first.is_simulated) == ("Hα", True)
    assert (second.look, second.is_simulated) == (None, False)


def test_a_damaged_trajectory_costs_its_reasons_only(session):
    for record in ["{}", "nothing", json.dumps({"version": 99})]:
        add_inspection(session, 1, looked(reasons="broad"))
        say(session, "Ada", {1: R})
        change(session, f"UPDATE inspections SET record = '{record}'")
        (difference,) = agent_differs(session)
        assert difference.reasons == ""


def test_a_simulated_spectrum_says_so(session):
    say(session, "Ada", {1: A})
    simulated = Spectrum(wavelength=np.array([1.0, 2.0]), flux=np.ones(2), simulated=True)
    (card,) = cards(session, lambda candidate: simulated)
    assert card.is_simulated

"""Agreement between people against scikit-learn and a count by hand."""

import numpy as np
import pytest
import sklearn.metrics

from agent.spectra.spectrum import Spectrum
from app.core.report.evidence import accepted_cards, agent_differs, people_differ
from app.core.session.records import Opinion
from app.core.statistics import repeats
from app.core.statistics.adjudication import count_disputes, disputes, set_adjudicator
from app.core.statistics.calibration import calibrate, newest_calibration
from app.core.statistics.people import reviewer_agreement
from app.core.statistics.snr_bins import EDGES, split_by_snr
from app.core.statistics.summary import statistics, to_plain
from app.core.statistics.verdicts import read_verdicts, settled
from tests.agent.confidence.judged_samples import fleiss_by_definition, sample_judged
from tests.app.core.judged_sessions import (
    A,
    R,
    U,
    drawn_verdicts,
    inspect,
    nano_sample,
    say,
    set_snr,
)
from tests.app.core.sessions import made


@pytest.fixture
def session(tmp_path):
    with made(tmp_path / "night.speco3", 120) as session:
        yield session


def kappa(first, second, numbers):
    return sklearn.metrics.cohen_kappa_score(
        [first[n] for n in numbers], [second[n] for n in numbers]
    )


def test_pairs_are_scikit_learns(session, rng):
    truth = rng.random(120) < 0.3
    said = {
        name: drawn_verdicts(rng, truth, right, 0.1)
        for name, right in (("Ada", 0.95), ("Ben", 0.8), ("Cy", 0.7))
    }
    said["Cy"] = {number: verdict for number, verdict in said["Cy"].items() if number % 2}
    for name, verdicts in said.items():
        say(session, name, verdicts)
    found = reviewer_agreement(read_verdicts(session))
    told = [(pair.first, pair.second) for pair in found.pairs]
    assert told == [("Ada", "Ben"), ("Ada", "Cy"), ("Ben", "Cy")]
    for pair in found.pairs:
        shared = sorted(said[pair.first].keys() & said[pair.second].keys())
        assert pair.every.n == len(shared)
        told = pair.every.kappa.value
        assert told == pytest.approx(kappa(said[pair.first], said[pair.second], shared))
        assert pair.every.kappa.low < pair.every.kappa.value < pair.every.kappa.high
        alike = np.mean([said[pair.first][n] == said[pair.second][n] for n in shared])
        assert pair.every.observed.value == pytest.approx(alike)
    several = [[each[n] for each in said.values() if n in each] for n in range(1, 121)]
    assert found.several.kappa.value == pytest.approx(fleiss_by_definition(several))
    assert (found.several.n, found.several.verdicts) == (120, 300)
    assert found == reviewer_agreement(read_verdicts(session))


def test_bins_of_snr_hold_all_of_a_pair(session, rng):
    truth = rng.random(120) < 0.5
    snr = dict(enumerate(np.round(rng.uniform(0, 80, 120), 1).tolist(), 1)) | {
        1: None, 2: 5.0, 3: 50.0,
    }  # fmt: skip
    set_snr(session, snr)
    said = {name: drawn_verdicts(rng, truth, 0.8) for name in ("Ada", "Ben")}
    for name, verdicts in said.items():
        say(session, name, verdicts)
    found = reviewer_agreement(read_verdicts(session))
    (pair,) = found.pairs
    assert sum(each.found.n for each in pair.by_snr) == 120
    assert [each.name for each in pair.by_snr] == [
        "S/N below 5", "S/N 5-10", "S/N 10-20", "S/N 20-50", "S/N 50 or more", "S/N not known",
    ]  # fmt: skip
    for each, several in zip(pair.by_snr[:-1], found.several_by_snr, strict=False):
        low, high = each.low or 0.0, each.high or 1e9
        members = [n for n, value in snr.items() if value is not None and low <= value < high]
        assert each.found.n == several.found.n == len(members)
        assert each.found.kappa.value == pytest.approx(kappa(*said.values(), members))
        expected = fleiss_by_definition([[v[n] for v in said.values()] for n in members])
        assert several.found.kappa.value == pytest.approx(expected)
    assert pair.by_snr[-1].found.n == 1


def test_alone_there_is_nobody_to_agree_with(session):
    say(session, "Ada", {1: A, 2: R})
    say(session, "Ben", {3: U})
    found = reviewer_agreement(read_verdicts(session))
    assert found.pairs == () and found.several.n == 0
    assert found.several.kappa.value is None and found.several_by_snr == ()


def test_edges_belong_to_the_bin_above():
    bins = list(split_by_snr(np.array([*EDGES, np.nan])))
    found = [(each.low, each.found.tolist().index(True)) for each in bins]
    assert found == [(5.0, 0), (10.0, 1), (20.0, 2), (50.0, 3), (None, 4)]
    assert list(split_by_snr(np.array([]))) == []


# Agreement, repeats, calibration and figures are the same on a server as in a file.
SEEN = {"verdict": "YES"}


def read(candidate):
    return Spectrum(wavelength=[1.0, 2.0], flux=[1.0, 2.0])


def story(location):
    rng = np.random.default_rng(5)
    field = sample_judged(rng, 80, prior=0.4)
    with made(location, 80) as session:
        inspect(
            session,
            "nano",
            {n: ("YES" if p > 0.5 else "NO", p) for n, p in enumerate(field.p.tolist(), 1)},
        )
        set_snr(session, {n: 2.0 * n for n in range(1, 61)})
        for name, right in (("Ada", 0.95), ("Ben", 0.85), ("Cy", 0.8)):
            say(session, name, drawn_verdicts(rng, field.label[:70], right, 0.1))
        say(session, "Ben", {1: A, 2: R, 3: U, 4: None}, SEEN)
        set_adjudicator(session, "Cy")
        say(session, "Cy", {5: None, 6: None})
        session.record_verdict(71, Opinion(verdict=A, confidence=4))
        plan = [number for number in range(1, 5) if repeats.plan_repeats(session, 1.0, gap=0)]
        for number in plan:
            repeats.record_repeat(
                session, number, Opinion(verdict=A, flags=("again",)), seconds=1.5
            )
        withdrawn = repeats.withdraw_repeat(session)
        calibrate(session, nano_sample(session))
        found = statistics(session)
        verdicts = read_verdicts(session)
        cards = accepted_cards(session, settled(verdicts), read)
        return {
            "statistics": to_plain([found.counts, found.people, found.with_agents, found.agents]),
            "consistency": repeats.consistency(session),
            "served": [
                (each.candidate_id, each.is_same, each.second)
                for each in repeats.repeats_of(session)
            ],
            "withdrawn": withdrawn.candidate_id,
            "disputes": [(each.candidate_id, each.between) for each in disputes(session)],
            "open": [each.candidate_id for each in disputes(session, only_open=True)],
            "count": count_disputes(session, with_agent=False),
            "calibration": newest_calibration(session, "nano"),
            "blind": verdicts.blind.tolist(),
            "cards": [card.candidate.id for card in cards],
            "differ": [each.candidate.id for each in people_differ(session)],
            "agent": [each.candidate.id for each in agent_differs(session)],
        }


def test_the_same_story(file_location, team_location):
    in_file, on_server = story(file_location), story(team_location)
    assert in_file == on_server and in_file["open"]
    assert in_file["withdrawn"] == 4 and in_file["calibration"].method == "platt"
    assert len(in_file["cards"]) == 24

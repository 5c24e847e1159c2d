"""People beside agents, against scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics

from app.core.statistics import agents as module
from app.core.statistics.agents import (
    TrackRecord,
    compare_all_reviewers,
    compare_each_reviewer,
    read_agents,
    track_records,
)
from app.core.statistics.verdicts import read_verdicts
from tests.app.core.judged_sessions import A, R, U, drawn_verdicts, inspect, say, set_snr

SEEN = {"verdict": "YES"}


def test_figures_are_scikit_learns(session, rng):
    truth = rng.random(100) < 0.3
    ada = drawn_verdicts(rng, truth, 0.95, unsure=0.1)
    said = {n: (rng.choice(["YES", "NO"]).item(), float(rng.random())) for n in range(11, 101)}
    said[20] = (None, None)
    say(session, "Ada", ada)
    inspect(session, "nano", said)
    (agent,) = read_agents(session)
    (found,) = compare_each_reviewer(read_verdicts(session), agent)
    kept = [n for n, (verdict, _) in said.items() if verdict and ada[n] is not U]
    person, model = [ada[n] is A for n in kept], [said[n][0] == "YES" for n in kept]
    assert found.every.n == len(kept)
    told = found.every.kappa.value
    assert told == pytest.approx(sklearn.metrics.cohen_kappa_score(person, model))
    told = found.scores.precision.value
    assert told == pytest.approx(sklearn.metrics.precision_score(person, model))
    assert found.scores.recall.value == pytest.approx(sklearn.metrics.recall_score(person, model))
    assert found.scores.f1.value == pytest.approx(sklearn.metrics.f1_score(person, model))
    assert found.unsure == sum(ada[n] is U for n in said) and found.undecided == (ada[20] is not U)
    np.testing.assert_array_equal(
        found.every.counts, sklearn.metrics.confusion_matrix(person, model)
    )
    assert found.blind == found.every


def test_only_blind_verdicts_are_honest(session):
    inspect(session, "nano", dict.fromkeys(range(1, 11), ("YES", 0.9)))
    say(session, "Ada", dict.fromkeys(range(1, 6), R))
    say(session, "Ada", dict.fromkeys(range(4, 9), A), SEEN)
    (agent,) = read_agents(session)
    (found,) = compare_each_reviewer(read_verdicts(session), agent)
    assert found.every.counts == ((0, 3), (0, 5)) and found.blind.counts == ((0, 5), (0, 0))
    assert found.scores.precision.value == pytest.approx(5 / 8)
    assert found.blind_scores.precision.value == 0.0


def test_models_and_their_versions_are_apart(session):
    say(session, "Ada", {1: A, 2: R, 3: A})
    inspect(session, "nano", {1: ("YES", 0.9), 2: ("NO", 0.1)}, sha256="1" * 64)
    inspect(session, "nano", {2: ("YES", 0.8), 3: ("YES", 0.7)}, sha256="2" * 64)
    inspect(session, "measured", {3: ("NO", None)}, sha256="")
    found = read_agents(session)
    told = [(a.model, a.model_sha256[:1], a.candidate.tolist()) for a in found]
    assert told == [("measured", "", [3]), ("nano", "1", [1, 2]), ("nano", "2", [2, 3])]
    kappas = [compare_all_reviewers(read_verdicts(session), agent).every.counts for agent in found]
    assert kappas == [((0, 0), (1, 0)), ((1, 0), (0, 1)), ((0, 1), (0, 1))]


def test_people_as_one(session):
    inspect(session, "nano", dict.fromkeys(range(1, 6), ("YES", 0.9)))
    say(session, "Ada", {1: A, 2: A, 3: R, 4: U})
    say(session, "Ben", {1: A, 2: R, 3: R, 4: U})
    (agent,) = read_agents(session)
    found = compare_all_reviewers(read_verdicts(session), agent)
    assert (found.every.counts, found.unsure, found.reviewer) == (((0, 1), (0, 1)), 2, "")
    told = [each.reviewer for each in compare_each_reviewer(read_verdicts(session), agent)]
    assert told == ["Ada", "Ben"]


def test_bins_of_snr(session):
    set_snr(session, {1: 3.0, 2: 3.0, 3: 30.0, 4: 30.0})
    inspect(session, "nano", {1: ("YES", 0.9), 2: ("NO", 0.2), 3: ("YES", 0.9), 4: (None, None)})
    say(session, "Ada", {1: R, 2: A, 3: A, 4: A})
    (agent,) = read_agents(session)
    (found,) = compare_each_reviewer(read_verdicts(session), agent)
    told = [(each.name, each.found.n, each.found.observed.value) for each in found.by_snr]
    assert told == [("S/N below 5", 2, 0.0), ("S/N 20-50", 1, 1.0)]


def test_what_ended_badly_is_counted(session, monkeypatch):
    inspect(session, "nano", {1: (None, None), 2: (None, None)}, stopped_by="error")
    inspect(session, "nano", {3: (None, None)}, stopped_by="answer")
    inspect(session, "nano", {4: ("YES", 0.5)})
    monkeypatch.setattr(module, "PAGE", 1)
    (agent,) = read_agents(session)
    assert (len(agent), agent.failed, agent.ill_formed) == (4, 2, 1)
    assert np.isnan(agent.p_yes).tolist() == [True, True, True, False]


def test_numbers_no_probability_could_be_are_left_out(session):
    inspect(session, "nano", {1: ("YES", 1.5), 2: ("MAYBE", 0.5)})
    (agent,) = read_agents(session)
    assert np.isnan(agent.p_yes).tolist() == [True, False]
    assert agent.verdict.tolist() == [1, -1]


def test_who_met_no_agent_is_left_out(session):
    say(session, "Ada", {1: A})
    inspect(session, "nano", {2: ("YES", 0.9)})
    (agent,) = read_agents(session)
    assert compare_each_reviewer(read_verdicts(session), agent) == ()
    assert compare_all_reviewers(read_verdicts(session), agent).every.n == 0


def test_a_track_record_counts_what_both_decided(session):
    inspect(session, "nano", dict.fromkeys(range(1, 11), ("YES", 0.9)) | {11: (None, None)})
    inspect(session, "other", {50: ("NO", 0.1)})
    say(session, "Ada", {1: A, 2: A, 3: R, 4: U, 11: A, 60: A})
    say(session, "Bob", {1: R})
    assert track_records(session, "Ada") == {("nano", "ab" * 32): TrackRecord(2, 3)}
    assert track_records(session, "Bob") == {("nano", "ab" * 32): TrackRecord(0, 1)}
    assert track_records(session, "nobody") == {}

"""Agreement between people against scikit-learn and a count by hand."""

from dataclasses import replace

import numpy as np
import pytest
import sklearn.metrics
from sqlalchemy import insert

from agent.confidence.scores import wilson
from agent.spectra.spectrum import Spectrum
from app.core.database.tables import known_answers
from app.core.report.evidence import accepted_cards, agent_differs, people_differ
from app.core.session.records import Opinion
from app.core.session.session import open_session
from app.core.statistics import repeats
from app.core.statistics.adjudication import count_disputes, disputes, set_adjudicator
from app.core.statistics.calibration import calibrate, newest_calibration
from app.core.statistics.known_figures import MIN_BLOCK, known_figures
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
    inspect_scores,
    nano_sample,
    say,
    set_snr,
)
from tests.app.core.sessions import change, made


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
        inspect_scores(session, field.p)
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


# Completeness and purity of each person on what is known, and their change over a night.
@pytest.fixture
def known(file_location):
    """Candidates 1 to 40 are known: the odd ones are members, the first ten are simulated."""
    with made(file_location, 60) as opened:
        rows = [
            {
                "candidate_id": number,
                "is_member": number % 2 == 1,
                "class_name": "CV" if number % 2 else "M dwarf",
                "simulated": number <= 10,
                "source": f"{number}.fits:0",
            }
            for number in range(1, 41)
        ]
        change(opened, insert(known_answers), rows)
        yield opened


def test_completeness_and_purity_with_their_intervals(known):
    say(known, "Ada", {1: A, 3: A, 5: R, 7: U, 2: A, 4: R, 6: R, 50: A})
    say(known, "Grace", {1: A})
    ada, grace = known_figures(known)
    assert (ada.reviewer, ada.members, ada.members_accepted) == ("Ada", 4, 2)
    assert (ada.others, ada.others_accepted, ada.unsure, ada.simulated) == (3, 1, 1, 7)
    assert (ada.completeness.value, ada.purity.value) == (2 / 4, 2 / 3)
    assert (ada.completeness.low, ada.completeness.high) == wilson(2, 4)
    assert (ada.purity.low, ada.purity.high) == wilson(2, 3)
    assert ada.wrong == 2 and ada.words == ""
    assert (grace.completeness.value, grace.purity.value, grace.members) == (1.0, 1.0, 1)


def test_no_figure_tells_which_answers_were_wrong(known):
    """`stats --json` prints all of it, to people who may still judge them."""
    say(known, "Ada", {1: A, 3: R, 5: R, 2: R, 4: A})
    say(known, "Grace", {1: R, 3: R, 5: A, 2: A, 4: R})
    ada, grace = (replace(each, reviewer="", blocks=()) for each in known_figures(known))
    assert ada == grace and ada.wrong == 3


def test_nothing_is_said_of_who_accepted_nothing_and_who_may_not_write_reads_it(known, tmp_path):
    say(known, "Ada", {2: R, 4: R})
    (ada,) = known_figures(known)
    assert ada.completeness.value is None and ada.purity.value is None
    assert len(ada.blocks) == 1
    say(known, "Ada", {1: A})
    with open_session(known.location, "Grace", read_only=True) as reader:
        assert len(known_figures(reader)) == 1
    with made(tmp_path / "other.speco3") as known:
        say(known, "Ada", {1: A})
        assert known_figures(known) == ()


def test_the_first_verdict_counts_as_the_answer_is_told_after_it(known):
    known.record_verdict(1, Opinion(verdict=R))
    known.undo()
    known.record_verdict(1, Opinion(verdict=A))
    known.record_verdict(2, Opinion(comment="hm"))
    known.record_verdict(2, Opinion(verdict=U))
    known.record_verdict(2, Opinion(verdict=R))
    (ada,) = known_figures(known)
    assert (ada.members_accepted, ada.others_accepted, ada.unsure) == (0, 0, 1)


def test_what_is_judged_with_others_in_one_act_counts_too(known):
    """Also where the act was on the flags of what was judged before."""
    say(known, "Ada", {1: A})
    known.record_group_act(
        range(1, 6), lambda former: replace(former, flags=("star",)), place="overview"
    )
    known.record_group_act(range(2, 9), lambda former: replace(former, verdict=A), place="overview")
    (ada,) = known_figures(known)
    assert (ada.members, ada.members_accepted, ada.others, ada.others_accepted) == (4, 4, 4, 4)
    assert (ada.completeness.value, ada.purity.value) == (1.0, 0.5) and ada.together == 7


def test_a_person_who_tires_is_told_and_a_steady_one_is_not(known):
    right = {number: A if number % 2 else R for number in range(1, 41)}
    wrong = {number: R if number % 2 else A for number in range(1, 41)}
    say(known, "Steady", right)
    say(known, "Tired", {n: (right if n <= 20 else wrong)[n] for n in right})
    steady, tired = known_figures(known)
    assert (len(steady.blocks), len(tired.blocks)) == (40 // MIN_BLOCK, 40 // MIN_BLOCK)
    assert sum(block.n for block in tired.blocks) == 40
    assert tired.blocks[0].correct.value == 1.0 and tired.blocks[-1].correct.value == 0.0
    assert tired.blocks[0].since <= tired.blocks[0].until <= tired.blocks[-1].since
    assert steady.words == ""
    assert "100 % at first and 0 % at last" in tired.words

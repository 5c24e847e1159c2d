"""Agreement, repeats, calibration and figures are the same on a server as in a file."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import Spectrum
from app.core.report.evidence import accepted_cards, agent_differs, people_differ
from app.core.session.records import Opinion
from app.core.statistics.adjudication import count_disputes, disputes, set_adjudicator
from app.core.statistics.calibration import calibrate, newest_calibration
from app.core.statistics.repeats import (
    consistency,
    plan_repeats,
    record_repeat,
    repeats_of,
    withdraw_repeat,
)
from app.core.statistics.summary import statistics, to_plain
from app.core.statistics.verdicts import read_verdicts, settled
from tests.agent.confidence.judged_samples import sample_judged
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
        plan = [number for number in range(1, 5) if plan_repeats(session, 1.0, gap=0)]
        for number in plan:
            record_repeat(session, number, Opinion(verdict=A, flags=("again",)), seconds=1.5)
        withdrawn = withdraw_repeat(session)
        calibrate(session, nano_sample(session))
        found = statistics(session)
        verdicts = read_verdicts(session)
        cards = accepted_cards(session, settled(verdicts), read)
        return {
            "statistics": to_plain([found.counts, found.people, found.with_agents, found.agents]),
            "consistency": consistency(session),
            "served": [
                (each.candidate_id, each.is_same, each.second) for each in repeats_of(session)
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
    assert in_file == on_server
    assert in_file["open"]
    assert in_file["withdrawn"] == 4
    assert in_file["calibration"].method == "platt"
    assert len(in_file["cards"]) == 24

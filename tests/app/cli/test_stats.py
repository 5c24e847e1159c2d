"""`spec-o3 stats`."""

import json

import numpy as np
import pytest

from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.statistics.repeats import plan_repeats, record_repeat
from tests.app.cli.commands import FEW, MEASURED, fails, invoke, run
from tests.app.core import judged_sessions
from tests.app.core.sessions import made


def test_stats(vetted):
    place, _ = vetted
    said = run("stats", place)
    assert "4 candidates: 1 accepted" in said and "1 unreadable" in said
    found = json.loads(run("stats", place, "--json"))
    assert found["counts"]["candidates"] == 4
    assert "measured" in {each["model"] for each in found["agents"]}


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Three people and a model over 600 candidates, of which 200 are judged."""
    place = tmp_path_factory.mktemp("judged") / "night.speco3"
    rng = np.random.default_rng(3)
    truth = rng.random(600) < 0.4
    p_yes = np.where(truth, rng.uniform(0.5, 1.0, 600), rng.uniform(0.0, 0.6, 600))
    with made(place, 600) as session:
        said = {n: ("YES" if p > 0.55 else "NO", float(p)) for n, p in enumerate(p_yes, 1)}
        judged_sessions.inspect(session, "nano", said)
        for name, count in (("Ada", 200), ("Ben", 80), ("Cy [b]", 40)):
            some = judged_sessions.drawn_verdicts(rng, truth[:count], 1.0 if name == "Ada" else 0.9)
            judged_sessions.say(session, name, some)
        judged_sessions.set_snr(session, {n: float(n % 40) for n in range(1, 601)})
        for number in plan_repeats(session):
            record_repeat(session, number, Opinion(verdict=Verdict.ACCEPT))
    return place


def test_stats_of_several_people(judged):
    said = " ".join(run("stats", judged).split())
    assert "Ada and Ben 80 0." in said and "all (Fleiss) 80 0." in said
    assert "Ben and Cy [b] 40 0." in said and "S/N below 5 " in said
    assert "kappa, S/N 10-20 0." in said and "Ada judged 10 candidates twice" in said
    assert "Ada" in said and "off by" in said
    assert "No cut" not in said


def test_stats_with_the_cut_for_a_wanted_precision(judged):
    said = " ".join(run("stats", judged, "--precision", "0.9", "--recall", "0.8").split())
    assert "on, at least 90 % are real, with 95 % certainty" in said
    assert "are at most 20 % of the real ones" in said and "Of the 400 unjudged candidates" in said
    assert "by calibrated p(YES)" in said
    (cut,) = json.loads(run("stats", judged, "--precision", "0.9", "--json"))["cuts"]
    assert cut["model"] == "nano"
    found = cut["plan"]["abstention"]["precision"]
    assert found["bound"] >= 0.9 and 0.5 < found["threshold"] < 1.0
    assert "cuts" not in json.loads(run("stats", judged, "--json"))
    for wrong in ("95", "0", "nan"):
        result = invoke("stats", judged, "--recall", wrong)
        assert result.exit_code == 2


def test_why_there_is_no_cut(tmp_path):
    place = tmp_path / "night.speco3"
    with made(place, 30) as session:
        judged_sessions.inspect(session, "nano", {n: ("YES", n / 31) for n in range(1, 31)})
        judged_sessions.say(session, "Ada", dict.fromkeys(range(1, 31), Verdict.ACCEPT))
    said = " ".join(run("stats", place, "--precision", "0.99").split())
    assert "No cut for a precision of 99 % yet: it needs 230 judged" in said
    assert "nothing is left to decide" in said


def test_sub_classes_and_kappa_by_level(tmp_path):
    place = tmp_path / "night.speco3"
    finer = Opinion(verdict=Verdict.ACCEPT, subclass="DN/WZ Sge")
    with made(place, 3, "Ben") as session:
        session.record_verdict(1, finer)
    with open_session(place, "Ada") as session:
        session.record_verdict(1, finer)
        session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT, subclass="NL"))
    said = " ".join(run("stats", place).split())
    assert "DN/WZ Sge 1 NL 1" in said and "Ada and Ben, level 1 1 " in said
    assert "Ada and Ben, level 2 1 " in said
    found = json.loads(run("stats", place, "--json"))["subclasses"]
    assert found["counts"] == {"DN/WZ Sge": 1, "NL": 1}


# `spec-o3 plan`.
def test_plan_says_how_long_and_by_which_rate(night):
    told = run("plan", night, "--model", "spec-o3-3b", "--gpus", 8)
    assert told.splitlines() == [
        f"{FEW} of {FEW} candidates to inspect with spec-o3-3b",
        "rate       1.6 s each (published: 0.2 s a sample on 8 H100)",
        "time       1 s with 8 GPUs",
        "GPU-hours  0.00178",
        told.splitlines()[-1],
    ]
    assert told.splitlines()[-1].startswith("disk       0.0")
    told = run("plan", night, "--model", "mine", "--seconds-each", 3600, "--shard", "1/2")
    assert "time       2 h 0 min with 1 GPU\nGPU-hours  2\n" in told


def test_plan_goes_by_what_was_measured(night):
    assert "--limit 5" in fails("plan", night, *MEASURED)
    run("vet", night, "--limit", 2, *MEASURED)
    told = run("plan", night, *MEASURED)
    assert told.startswith("2 of 4 candidates to inspect with measured")
    assert "(measured: the mean of inspections in this session, one at a time)" in told

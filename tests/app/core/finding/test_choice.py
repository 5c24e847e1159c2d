"""Choosing from a table: by number, recall and purity; one star once; known members."""

import math

import numpy as np
import pytest

from agent.errors import WorkbenchError
from app.core.errors import ImportFailed, NoRowAllowedError
from app.core.finding.choice import ODD, ChoiceRule, choose
from app.core.finding.found_session import allow_sources, found_session
from app.core.finding.inputs import known_positions
from app.core.finding.looking import LookSettings
from app.core.finding.table import FindTable
from app.core.queue import matching, parse_filter, parse_sort
from app.core.queue.blind_filters import breaks_blind_mode
from app.core.queue.column_values import gives_class_away
from app.core.session.provenance import found_choice
from tests.bench.bench_find import one_row

UNASKED = ("p_", "quick_")  # of classes that nobody searched for
N, MEMBERS, PLANTED = 20_000, 60, 400


@pytest.fixture(scope="module")
def survey_table(tmp_path_factory):
    """Rows as a search makes them: p of members and of others are calibrated at odds of 1:5."""
    return simulated_table(tmp_path_factory.mktemp("choice"), 1)[0]


def simulated_table(folder, seed):
    rng = np.random.default_rng(seed)
    is_member = np.zeros(N, dtype=bool)
    is_member[rng.choice(N, MEMBERS, replace=False)] = True

    def p_of(members):
        # Log-odds with variance v and means of v/2 and -v/2 are calibrated at equal odds.
        sigma = 3.5
        logit = rng.normal(np.where(members, sigma**2 / 2, -(sigma**2) / 2), sigma)
        return 1 / (1 + 5 * np.exp(-logit))

    p = p_of(is_member)
    rows = {name: [value] * N for name, value in one_row().items() if not name.startswith(UNASKED)}
    rows |= {"path": [f"/survey/{number}.fits" for number in range(N)]}
    rows |= {"ra": rng.uniform(0, 360, N), "dec": rng.uniform(-60, 60, N)}
    rows |= {"snr": rng.uniform(5, 50, N), "oddness": rng.standard_normal(N)}
    rows |= {"quick_CV": p / 2, "p_CV": np.where(p > 0.01, p, math.nan)}
    is_planted = np.arange(N) % (N // PLANTED) == 0
    planted_p = p_of(np.ones(N, dtype=bool))
    rows["planted"] = np.where(is_planted, "CV", "").tolist()
    rows["planted_quick"] = planted_p / 2
    rows["planted_p"] = np.where(planted_p > 0.01, planted_p, math.nan)
    table = FindTable.made(folder / f"{seed}.find", ["/survey"], LookSettings(("CV",)))
    table.add(rows, [])
    return table, is_member


def test_the_likeliest_come_first(survey_table):
    choice = choose(survey_table, ChoiceRule(task="CV", keep=100))
    p = np.nan_to_num(survey_table.columns(["p_CV"])["p_CV"])
    np.testing.assert_array_equal(p[choice.numbers], np.sort(p)[::-1][:100])
    assert choice.sentence.startswith("the 100 likeliest of 20,000 spectra; ")
    # By chance some are so near each other that they count as one star.
    every = choose(survey_table, ChoiceRule(task="CV", keep=10 * N))
    assert N - 5 < len(every.numbers) <= N


def test_what_a_choice_costs_holds_in_its_interval(tmp_path):
    inside = []
    for seed in range(20):
        table, is_member = simulated_table(tmp_path, seed)
        choice = choose(table, ChoiceRule(task="CV", keep=120))
        kept = is_member[choice.numbers].sum()
        true = kept / MEMBERS
        # Of so few members the share itself scatters, too.
        spread = 2 * math.sqrt(choice.recall.value * (1 - choice.recall.value) / MEMBERS)
        is_recall = choice.recall.low - spread <= true <= choice.recall.high + spread
        is_purity = choice.purity.low <= kept / 120 <= choice.purity.high
        inside.append((is_recall, is_purity, choice.members.low <= MEMBERS <= choice.members.high))
    assert (np.sum(inside, axis=0) >= 18).all(), np.sum(inside, axis=0)


def test_recall_and_purity_are_reached(survey_table):
    for recall in (0.5, 0.9, 0.97):
        choice = choose(survey_table, ChoiceRule(task="CV", recall=recall))
        assert choice.recall.value == pytest.approx(recall, abs=0.02)
        assert choice.recall.value >= recall - 1e-9
    for purity in (0.5, 0.9):
        choice = choose(survey_table, ChoiceRule(task="CV", purity=purity))
        assert choice.purity.value >= purity - 1e-9
        more = choose(survey_table, ChoiceRule(task="CV", keep=len(choice.numbers) + 5))
        assert more.purity.value < purity + 0.05


def test_filters_and_the_oddest(survey_table):
    columns = survey_table.columns(["snr", "oddness"])
    choice = choose(survey_table, ChoiceRule(task="CV", keep=50, least_snr=30.0))
    assert columns["snr"][choice.numbers].min() >= 30
    # A member behind a filter is lost.
    assert choice.recall.value < 0.6
    oddest = choose(survey_table, ChoiceRule(task=ODD, keep=50))
    np.testing.assert_array_equal(
        columns["oddness"][oddest.numbers], np.sort(columns["oddness"])[::-1][:50]
    )
    assert (oddest.recall, oddest.purity) == (None, None)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"task": "CV"}, "give one of"),
        ({"task": "CV", "keep": 5, "recall": 0.5}, "give one of"),
        ({"task": "CV", "recall": 1.5}, "shares between 0 and 1"),
        ({"task": "odd", "recall": 0.5}, "only a number"),
        ({"task": "CV", "keep": 5, "without": ("dust",)}, "no flag 'dust'"),
        ({"task": "MG", "keep": 5}, "was not searched for 'MG', but for CV"),
    ],
)
def test_what_cannot_be_chosen_is_one_sentence(survey_table, options, reason):
    with pytest.raises(WorkbenchError, match=reason):
        choose(survey_table, ChoiceRule(**options))


def test_spectra_of_one_star_are_one_candidate(tmp_path):
    rows = {name: [value] * 6 for name, value in one_row().items()}
    rows |= {"path": [f"/s/{number}.fits" for number in range(6)], "dec": [0.0] * 6}
    rows |= {"ra": [10.0, 10.0002, 10.0003, 11.0, 12.0, math.nan]}
    rows |= {"p_CV": [0.5, 0.9, math.nan, 0.8, 0.1, 0.7]}
    table = FindTable.made(tmp_path / "a.find", ["/s"], LookSettings(("CV",)))
    table.add(rows, [])
    choice = choose(table, ChoiceRule(task="CV", keep=3), known=[(10.0, 0.0), (12.0, 0.0), (50, 1)])
    assert choice.numbers.tolist() == [1, 3, 5]
    assert choice.epochs.tolist() == [3, 1, 1]
    assert choice.others[0] == [0, 2]
    # Of two known members with a spectrum one is kept; of the third there is none.
    assert choice.known.value == 0.5


def test_a_session_keeps_where_each_candidate_comes_from(found, tmp_path, monkeypatch):
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path / "settings" / "settings.json"))
    allow_sources(found)
    choice = choose(found, ChoiceRule(task="CV", keep=8))
    session, report = found_session(found, choice, tmp_path / "cv.speco3", "me")
    with session:
        assert report.rows_used == 8
        about = found_choice(session)
        assert about["sentence"] == choice.sentence
        assert (about["kept"], about["spectra"], about["id"]) == (8, 40, found.id)
        first = next(iter(matching(session, parse_filter("")))).candidate
        own = dict(first.own)
        assert (own["found_rank"], first.score) == (1, None)
        assert own["found_score"] == own["found_p"] == pytest.approx(choice.scores[0])
        # In blind mode nothing that the search knew of the class is told.
        told = {name for name in own if not gives_class_away(name)}
        assert not told & {"kind", "kind_p", "oddness", "p_CV", "quick_CV"}
        sort = parse_sort("own.found_p")
        assert breaks_blind_mode(parse_filter("own.found_p>0.5"), parse_sort("list"))
        assert breaks_blind_mode(parse_filter(""), sort)
    assert (tmp_path / "cv-found.parquet").is_file()


def test_a_table_that_was_not_made_here_names_no_file_elsewhere(survey_table, tmp_path):
    choice = choose(survey_table, ChoiceRule(task="CV", keep=5))
    with pytest.raises(NoRowAllowedError):
        found_session(survey_table, choice, tmp_path / "cv.speco3", "me")
    assert not list(tmp_path.iterdir())


def test_known_members_come_from_any_list(tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("name,ra,dec\na,1.5,2.5\nb,,\nc,3.5,4.5\n")
    assert known_positions(path) == [(1.5, 2.5), (3.5, 4.5)]
    path.write_text("name\na\nb\n")
    with pytest.raises(ImportFailed, match="has no positions"):
        known_positions(path)

"""What the report of a study says, in both languages."""

import csv
import re
from dataclasses import replace
from io import StringIO

import pytest

from app.core.errors import SessionError
from app.core.session.session import open_session
from app.core.sharing.study_plan import new_study, study_of
from app.core.study import report
from app.core.study.report import report_parts, study_csv, study_page, value_text
from tests.app.core.sessions import change_candidates, made
from tests.app.core.sharing.test_study_plan import COUNT, judge, labels, vetted


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    location = tmp_path_factory.mktemp("study") / "night.speco3"
    with vetted(location) as session:
        new_study(session, ["=Ada()", "<b>Grace</b>"], "crossover", labelled=labels(step=1))
    for name in ("=Ada()", "<b>Grace</b>"):
        judge(location, name)
    return location


def test_it_says_what_was_found_and_where_it_comes_from(place):
    with open_session(place, "Lead", read_only=True) as session:
        plan, parts = report_parts(session)
    said = {part.title: part for part in parts}
    assert f"{4 * COUNT} of {4 * COUNT} readings are given." in said["The study"].sentences
    assert plan.sha256 in said["Methods"].sentences[0]
    table = {row[:2]: row for row in said["By arm, person, S/N and class"].rows}
    own = table["=Ada()", "without"]
    assert own[2] == COUNT and own[3].endswith(")")
    # Of 24 it accepts the even 12, of which 6 are members; there are 6.
    assert [value_text(each) for each in own[4:6]] == [
        "100 % (61 % to 100 %)",
        "50 % (25 % to 75 %)",
    ]
    assert tuple(
        value_text(each).partition(" (")[0]
        for each in said["What the agent does to people"].rows[0][:2]
    ) == ("bias", "0 %")


def test_the_page_escapes_names_and_draws_intervals(place):
    with open_session(place, "Lead", read_only=True) as session:
        page, chinese = (
            study_page(session.name, *report_parts(session, language), language)
            for language in ("en", "zh")
        )
    assert "<b>Grace" not in page and "&lt;b&gt;Grace" in page
    assert "script" not in page.replace("default-src", "") and page.count('id="interval"') > 10
    assert "研究" in chinese and '<html lang="zh">' in chinese
    assert "Bias:" not in chinese and "without" not in chinese


def test_a_spreadsheet_runs_no_name(place):
    with open_session(place, "Lead", read_only=True) as session:
        _, parts = report_parts(session)
    rows = list(csv.reader(StringIO(study_csv(parts))))
    assert rows[0] == ["section", "of", "figure", "value", "low", "high"]
    assert all(len(row) == 6 for row in rows)
    assert not [cell for row in rows for cell in row if cell and cell[0] in "=+@"]
    bias = next(row for row in rows if row[1].startswith("bias"))
    assert float(bias[4]) <= float(bias[3]) <= float(bias[5])


def test_every_sentence_has_a_translation(tmp_path):
    """Each design, with and without what only some studies have."""
    source = report.__loader__.get_source(report.__name__)
    for design, more in (
        ("split", {"retire_after": 2}), ("unaided-first", {"aided": "verdict"}), ("crossover", {}),
    ):  # fmt: skip
        place = tmp_path / f"{design}.speco3"
        with vetted(place) as session:
            change_candidates(session, {1: {"snr": None}})
            plan = new_study(session, ["Ada", "Ben"], design, labelled=labels(), **more)
            readings = report.readings_of(session, plan)
            reasons = dict.fromkeys(
                (
                    "the agent's answer had been seen", "not the answer of the plan was shown",
                    "more or less was shown than planned",
                ), 1,
            )  # fmt: skip
        judge(place, "Ada")
        judge(place, "Ben")
        with open_session(place, "Lead") as session:
            readings = replace(report.readings_of(session, plan), deviating=reasons)
            say = report.Translator("zh")
            parts = list(
                report._parts(session, plan, readings, report.study_figures(readings), say)
            )
        assert len(parts) >= 6
    for text in re.findall(r'say\(\s*"([^"]+)"\s*[,)]', source):
        assert report.Translator("zh")(text)


def test_a_session_without_a_study_says_how_to_make_one(file_location):
    with made(file_location, 3) as session:
        with pytest.raises(SessionError, match="study new"):
            report_parts(session)
        assert study_of(session) is None

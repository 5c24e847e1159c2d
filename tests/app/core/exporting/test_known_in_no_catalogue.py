"""Whatever is written about a session, hidden candidates with a known answer are not in it.

Names and files of the hidden ones are searched in all that is written, in every state of work: not
judged, judged, disputed, inspected, measured, rated, merged from parts and asked for by their ids;
and in all that a script, a notebook, an assistant or another program is given.
"""

import ast
import io
import json
import random
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import app.core
from app.core.exporting.export import all_formats, export, read_catalogue
from app.core.exporting.formats.records_file import write_records
from app.core.exporting.log_file import log_lines, write_log
from app.core.exporting.rows import selected_ids
from app.core.inspections.ratings import agent_faults, rate
from app.core.inspections.store import add_inspection, compare_models, inspections_of
from app.core.queue import EVERYTHING, LIST_ORDER
from app.core.report import write_report
from app.core.session.measurements import HandMeasurement, record_measurement
from app.core.session.provenance import provenance
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing.merge import merge
from app.core.sharing.parts import split
from app.core.sharing.share_out import SharePlan, plan_of, share_out
from app.core.spectra.packing import read_spectrum
from app.core.statistics.adjudication import count_disputes
from app.core.statistics.repeats import plan_repeats
from app.core.statistics.summary import statistics, to_plain
from app.core.statistics.verdicts import read_verdicts
from app.mcp.candidates import candidate_page, candidate_record
from app.session_api import OpenSession, history_table, verdict_table
from app.ui.exchange.export.export_work import preview_export
from app.ui.program.samp.samp_work import written_table
from app.ui.session.candidate.queue_neighbours import Queue
from tests.app.core.exporting.catalogues import read_back
from tests.app.core.inspected import MEASURED, NANO, said
from tests.app.core.sessions import ACCEPT
from tests.app.core.sharing.hidden import LIST, hide, known
from tests.app.example_plugin import PluginSite, write_package
from tests.app.ui.candidates import sample_file
from tests.night import seeds
from train.review.session_file import SessionReader

LINE = HandMeasurement(line="Hα", ew=-12.0, left=(6500.0, 1.0), right=(6600.0, 1.0))
SEEDS = seeds(2, 12)
WRITERS = {
    "export": export,
    "write_records": write_records,
    "write_log": write_log,
    "write_report": lambda session, out: write_report(
        session, out, partial(read_spectrum, session)
    ),
}
"""How each function that writes a file of a session is called."""
TABLES = {
    "read_catalogue": read_catalogue,
    "verdict_table": verdict_table,
    "history_table": history_table,
}
SESSIONS = {"pack", "split"}
"""These write sessions, which have the known answers, so that the work goes on in them."""
OF_STUDIES = {"write_study_page"}
"""This tells how well people judged the known answers, for whoever leads; it names none of them."""
PLUGIN = """
def write(file, table):
    for row in table:
        file.write(repr(list(row)).encode())
"""


def worked(session, draw):
    """Two people and two models at work, whatever they say."""
    number_of, former = list(range(1, session.count() + 1)), session.reviewer
    for name in ("Ada", "Grace"):
        session.reviewer = name
        for number in draw.sample(number_of, draw.randint(5, len(number_of))):
            opinion = Opinion(verdict=draw.choice(list(Verdict)), comment=f"by {name}")
            session.record_verdict(number, opinion)
    session.reviewer = former
    for model in (NANO, MEASURED):
        for number in draw.sample(number_of, len(number_of) // 2):
            path = session.candidate(number).path
            verdict = draw.choice(("YES", "NO"))
            p = 0.9 if verdict == "YES" else 0.1
            add_inspection(session, number, renamed(said(verdict, p, model=model), path))
    for number in draw.sample(number_of, 6):
        record_measurement(session, number, LINE)


def renamed(trajectory, path):
    return replace(trajectory, spectrum=replace(trajectory.spectrum, path=path, object_id=path))


def traces(session):
    """What would give a hidden candidate away in a file: its name, and its file's name."""
    found = []
    for number in known(session):
        candidate = session.candidate(number)
        found += [candidate.object_id, candidate.path.rpartition("/")[2]]
    assert found
    return found


def assert_clean(content, hidden):
    for word in hidden:
        assert word.encode() not in content, word


@pytest.fixture(scope="module", params=SEEDS)
def whole(request, tmp_path_factory):
    """The file of one where people began before and after the known answers were hidden."""
    place = sample_file(tmp_path_factory.mktemp("whole"), LIST)
    with open_session(place, "Ada") as opened:
        if request.param % 3:
            opened.record_verdict(1, ACCEPT)
        hide(opened, rate=25.0, seed=request.param)
        if request.param % 2:
            share_out(opened, SharePlan(people=("Ada", "Grace"), overlap=20.0))
        worked(opened, random.Random(request.param))
    return place


@pytest.fixture
def session(whole, tmp_path):
    with open_session(shutil.copy(whole, tmp_path), "Ada") as opened:
        yield opened


def exporters():
    """The public functions that write a file of a session, or make a table of it."""
    writing, tables = set(), set()
    core = Path(app.core.__file__).parent
    for path in (*sorted(core.rglob("*.py")), core.parent / "session_api.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            parts = [*node.args.args, *node.args.kwonlyargs]
            given = {part.arg: part.annotation and ast.unparse(part.annotation) for part in parts}
            if given.get("session") != "Session":
                continue
            if "out" in given or node.name == "split":
                writing.add(node.name)
            if node.returns is not None and ast.unparse(node.returns).endswith("Table"):
                tables.add(node.name)
    return writing, tables


def test_every_exporter_of_the_program_is_tried_here():
    """One that is added later fails this until it is in WRITERS or TABLES."""
    writing, tables = exporters()
    assert writing == WRITERS.keys() | SESSIONS | OF_STUDIES
    assert tables == TABLES.keys()


def test_no_writer_and_no_table_has_them(session, tmp_path):
    hidden = traces(session)
    for name, write in WRITERS.items():
        out = tmp_path / {"write_records": "x.jsonl", "write_report": "x.html"}.get(name, "x.csv")
        write(session, out)
        assert out.stat().st_size > 0
        assert_clean(out.read_bytes(), hidden)
        assert out.suffix != ".html" or re.search(rf"\b{LIST} candidates", out.read_text("utf-8"))
    for which in (list(range(1, session.count() + 1)), "judged"):
        write_records(session, tmp_path / "some.jsonl", which=which)
        assert (tmp_path / "some.jsonl").stat().st_size > 0
        assert_clean((tmp_path / "some.jsonl").read_bytes(), hidden)
    for table_of in TABLES.values():
        table, written = table_of(session), io.StringIO()
        assert len(table)
        table.write(written, format="ascii.ecsv")
        assert_clean(written.getvalue().encode(), hidden)


def test_no_format_and_no_choice_has_them(session, tmp_path, monkeypatch):
    site = PluginSite(tmp_path / "site", monkeypatch)
    write_package(site.folder, "plain_format", PLUGIN, {"exporters/plain": "plain_format:write"})
    hidden, every = traces(session), list(range(1, session.count() + 1))
    one_of_each = {format_: suffix for suffix, format_ in all_formats().items()}
    assert {"csv", "ecsv", "fits", "votable", "parquet", "plain"} <= one_of_each.keys()
    for suffix in one_of_each.values():
        for which in ("all", "judged", "accepted", every, list(known(session))):
            name = which if isinstance(which, str) else len(which)
            out = tmp_path / f"{name}{suffix}"
            report = export(session, out, which=which)
            assert_clean(out.read_bytes(), hidden)
            if suffix == ".parquet":  # packed
                assert not set(read_back(out)["object_id"]) & set(hidden)
            if which in ("all", every):
                assert report.rows == LIST
    assert export(session, tmp_path / "x.csv", which=list(known(session))).rows == 0
    assert export(session, tmp_path / "x.csv", which="all", reviewer="Grace").rows == LIST


def test_all_numbers_leave_them_out(session):
    hidden = set(known(session))
    assert not hidden & set(read_verdicts(session).candidate.tolist())
    found = statistics(session)
    assert found.counts.candidates == LIST
    assert found.counts.judged + found.counts.open == LIST
    assert found.counts.inspected <= LIST
    assert sum(each.inspected for each in found.agents) == compared(session, hidden)
    about = provenance(session)
    assert about.candidates == LIST
    assert about.judged == found.counts.judged
    assert sum(sum(each.verdicts.values()) for each in about.reviewers) == len(
        read_verdicts(session)
    )
    real = set(range(1, session.count() + 1)) - hidden
    assert set(selected_ids(session, "all")) == real
    assert compare_models(session, NANO, MEASURED).n <= LIST
    assert count_disputes(session) <= LIST
    assert not hidden & set(plan_repeats(session, 1.0, gap=0))


def compared(session, hidden):
    with session.database.reading() as connection:
        rows = connection.exec_driver_sql("SELECT candidate_id FROM inspections").scalars()
        return sum(number not in hidden for number in rows)


def test_window_and_other_programs_get_none(session, tmp_path):
    hidden, queue = traces(session), Queue(tree=EVERYTHING, sort=LIST_ORDER)
    for choice in ("all", "judged", "filtered", "selected"):
        every = range(1, session.count() + 1)
        preview = preview_export(session, choice, queue, tuple(every))
        assert not {str(cell) for row in preview.cells for cell in row} & set(hidden)
    table = written_table(session, queue, tmp_path, "t1", lambda: False, is_blind=False)
    assert len(table.ids) == LIST
    assert not set(table.ids) & set(known(session))
    assert_clean((tmp_path / "t1.vot").read_bytes(), hidden)


def test_a_script_or_notebook_tabulates_none(session):
    """The tables of the Python interface, and what it iterates over."""
    hidden, opened = traces(session), OpenSession(session)
    tables = [opened.candidates(), opened.candidates("any:accept or any:reject")]
    tables += [opened.candidates(reviewer="Ada"), opened.verdicts(), opened.history()]
    for table in tables:
        written = io.StringIO()
        table.write(written, format="ascii.ecsv")
        assert_clean(written.getvalue().encode(), hidden)
    assert len(tables[0]) == len(opened) == len(list(opened)) == LIST
    accepted = [each.object_id for each in opened.iterate("any:accept")]
    assert accepted
    assert not set(accepted) & set(hidden)


def test_an_assistant_lists_none(session):
    """Page by page; one that it asks for by its number is told like any other."""
    for text in ["", "any:accept", "agent:yes"]:
        hidden, rows, after = traces(session), [], ""
        while True:
            found = candidate_page(session, text, "", after, 7)
            rows += found["rows"]
            assert_clean(json.dumps(found).encode(), hidden)
            assert found["matching"] == candidate_page(session, text, "", "", 100)["matching"]
            if (after := found["next"]) is None:
                break
        assert len(rows) == found["matching"]["number"]
        assert found["session"]["candidates"] == LIST
        assert text or len(rows) == LIST
        told = candidate_record(session, next(iter(known(session))))
        ordinary = candidate_record(session, rows[0]["candidate"])
        assert told.keys() == ordinary.keys()
        assert not re.search(r"known|simulated", json.dumps(list(told)))


def test_lessons_faults_log_and_statistics_have_none(session):
    hidden = traces(session)
    number = next(iter(known(session)))
    session.record_verdict(number, Opinion(verdict=Verdict.ACCEPT, subclass="DN"))
    add_inspection(session, number, renamed(said("NO", 0.1, model=NANO), hidden[1]))
    rate(session, number, inspections_of(session, number)[0].trajectory, 0)
    assert_clean(repr(agent_faults(session)).encode(), hidden)
    printed = "\n".join(log_lines(session))
    assert printed
    assert_clean(printed.encode(), hidden)
    found = statistics(session)
    assert "DN" not in found.subclasses.counts
    assert_clean(json.dumps(to_plain(found), ensure_ascii=False).encode(), hidden)
    reader = SessionReader(str(session.location))
    taught = [each.trajectory.spectrum.object_id for each in reader.inspections()]
    assert taught
    assert not [name for name in taught for word in hidden if word in name]


def test_merged_from_parts_there_are_none(session, tmp_path):
    if plan_of(session) is None:
        share_out(session, SharePlan(people=("Ada", "Grace")))
    hidden = traces(session)
    (tmp_path / "parts").mkdir()
    place = sample_file(tmp_path / "parts", 2)
    with open_session(place, "Ada") as other_session:
        for each in split(session, tmp_path / "parts"):
            with open_session(each.path, each.reviewer, read_only=True) as part:
                export(part, tmp_path / "part.csv", which="all")
                assert_clean((tmp_path / "part.csv").read_bytes(), hidden)
                merge(other_session, part)
        assert len(known(other_session)) == len(known(session))
        export(other_session, tmp_path / "merged.csv", which="all")
        assert_clean((tmp_path / "merged.csv").read_bytes(), hidden)

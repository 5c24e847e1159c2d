"""The tools, asked by the SDK's own client."""

import base64
import csv
import io
import json
import math
import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import stdio_client
from mcp.server.mcpserver.exceptions import ToolError
from PIL import Image
from sqlalchemy import insert

from agent.confidence.calibration import Calibration, calibration_to_json
from agent.errors import WorkbenchError
from agent.inspection.measured_inspector import MeasuredInspector
from agent.program_version import program_version
from agent.trajectory.trajectory import ModelRef
from app.core.database.tables import calibrations
from app.core.evidence.store import save as save_evidence
from app.core.exporting.export import export
from app.core.inspections.seen import read_seen
from app.core.inspections.shown_opinion import show_model
from app.core.inspections.store import add_inspection, inspections_of
from app.core.queue import LIST_ORDER, page, parse_filter, parse_sort
from app.core.queue.blind_filters import FACT, breaks_blind_mode
from app.core.queue.own_columns import OwnColumn, own_columns
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.mcp.proposals import NOT_BLIND
from app.mcp.server import MAX_LINE, BoundedLines, Calls
from app.services.catalogues.answer import Match, answer_of
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from app.ui.session.inspection.records import read_records
from tests.app.cli.commands import run
from tests.app.core.finding.surveys import make_survey, searched
from tests.app.core.inspected import agent_of, panel_said, shown
from tests.app.core.inspected import said as inspected
from tests.app.mcp.clients import COMMAND, ENVIRONMENT, ROOT, ask, refused, said, started
from tests.processes import LONG_S


def test_only_reading_without_permission_to_propose(night):
    async def talk(client):
        assert client.server_info.version == program_version()
        return (await client.list_tools()).tools

    reading = ask(talk, night)
    assert [each.name for each in reading if not each.annotations.read_only_hint] == []
    names = {each.name for each in ask(talk, night, proposing=True)}
    assert names - {each.name for each in reading} == {"propose_verdict"}


def test_a_spectrum_is_read_measured_and_drawn(night):
    async def talk(client):
        root = (await client.call_tool("list_files", {})).structured_content["folders"][0]
        files = (await client.call_tool("list_files", {"folder": root})).structured_content["files"]
        name = next(each for each in files if each.endswith(".gz"))
        for tool, more in (
            ("read_spectrum", {}),
            ("measure_spectrum", {"lines": ["H_alpha"], "indices": ["TiO5"]}),
            ("measure_spectrum", {"wavelength_range": [6400, 6700]}),
            ("draw_spectrum", {"wavelength_range": [6400, 6700], "label": "Hα"}),
            ("draw_spectrum", {}),
        ):
            yielded.append(await client.call_tool(tool, {"file": name, **more}))

    yielded = []
    ask(talk, folders=[night.parent])
    assert not any(each.is_error for each in yielded)
    facts, lines, window, zoom, whole = yielded
    assert facts.structured_content["simulated"] is True
    assert facts.structured_content["measured_snr"]["whole"]["value"] > 1
    (line,) = lines.structured_content["lines"]
    assert line["name"] == "H_alpha" and line["ew_error"] > 0
    assert set(lines.structured_content["indices"]) == {"TiO5"}
    assert window.structured_content["window"]["n_pixels"] > 50
    for drawn, words in ((zoom, "(6400.0, 6700.0) Å for Hα"), (whole, "whole spectrum")):
        assert words in said(drawn) and "SIMULATED" in said(drawn)
        (picture,) = [each for each in drawn.content if each.type == "image"]
        image = Image.open(io.BytesIO(base64.b64decode(picture.data)))
        assert image.format == "PNG" and max(image.size) < 3000


def test_a_candidate_is_inspected_with_evidence_and_calibrated(own_night):
    async def talk(client):
        return (await client.call_tool("inspect_spectrum", {"candidate": 1})).structured_content

    plain = ask(talk, own_night)
    assert plain["verdict"] in ("YES", "NO") and plain["evidence"][0]["measured"]["n_pixels"] > 0
    assert 0 <= plain["p_yes"] <= 1 and plain["p_yes_calibrated"] is None
    assert plain["calibration"].startswith("not calibrated")
    with closing(MeasuredInspector()) as inspector:
        model = inspector.model
    rule = Calibration(
        method="platt", intercept=2.0, n=40, positives=12, model=model.name,
        model_sha256=model.sha256,
    )  # fmt: skip
    with open_session(own_night, "Ada") as session, session.database.writing() as connection:
        values = {"model": model.name, "fitted_at": "", "content": calibration_to_json(rule)}
        connection.execute(insert(calibrations).values(values))
    told = ask(talk, own_night)
    assert told["p_yes"] == plain["p_yes"]
    assert told["p_yes_calibrated"] == rule.apply(plain["p_yes"]) > plain["p_yes"]
    assert "40 verdicts of this session, 12 of them ACCEPT" in told["calibration"]


def test_pages_of_candidates_follow_one_another(night):
    async def talk(client):
        found, after = [], ""
        while True:
            page = await client.call_tool(
                "query_candidates", {"order": "snr:up", "rows": 2, "after": after}
            )
            told = page.structured_content
            found += [(row["snr"], row["candidate"]) for row in told["rows"]]
            if told["next"] is None:
                return found, told
            after = told["next"]

    found, told = ask(talk, night)
    assert len(found) == 3 and found == sorted(found)
    assert told["session"]["task"] == "CV" and told["matching"] == {"number": 3, "is_exact": True}


def test_filters_and_one_candidate(own_night):
    with open_session(own_night, "Ada") as session:
        session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT, comment="a\nb\x1b[31m"))

    async def talk(client):
        query = {"filter": "verdict:accept"}
        rows = (await client.call_tool("query_candidates", query)).structured_content["rows"]
        one = (await client.call_tool("get_candidate", {"candidate": 2})).structured_content
        wrong = await client.call_tool("query_candidates", {"filter": "snr>>"})
        return rows, one, wrong

    rows, one, wrong = ask(talk, own_night)
    assert [row["candidate"] for row in rows] == [2] and rows[0]["verdict"] == "ACCEPT"
    assert one["judgements"][0]["reviewer"] == "Ada"
    assert one["judgements"][0]["comment"] == "a\nb?[31m"
    assert "a value is missing after snr>" in refused(wrong)


def test_the_likeliest_of_a_survey(night, tmp_path_factory):
    folder = tmp_path_factory.mktemp("surveys")
    make_survey(folder / "files")
    searched(folder / "a.find", folder / "files")

    async def talk(client):
        every = (
            {"table": "a.find", "task": "CV", "count": 3},
            {"table": "a.find", "task": "MG"},
            {"table": "../elsewhere.find", "task": "CV"},
            {"table": "files", "task": "odd"},
        )
        return [await client.call_tool("likeliest_of_survey", words) for words in every]

    best, wrong, outside, no_table = ask(talk, night, folders=[folder])
    found = best.structured_content
    p = [row["p_CV"] for row in found["rows"]]
    assert len(p) == 3 and p == sorted(p, reverse=True)
    assert found["sentence"].startswith("the 3 likeliest of 40 spectra")
    assert "was not searched for 'MG'" in refused(wrong)
    assert "no folder of that name" in refused(outside)
    assert "is not a table of spec-o3 find" in refused(no_table)


def test_a_proposal_is_no_verdict(own_night, tmp_path):
    with open_session(own_night, "Ada") as session:
        add_inspection(session, 1, inspected("NO", 0.1))

    async def talk(client):
        window = {"low": 6400, "high": 6700, "label": "Hα"}
        told = []
        for verdict in ("REJECT", "ACCEPT"):
            words = {"candidate": 1, "verdict": verdict, "reasons": "broad Hα", "windows": [window]}
            told.append(await client.call_tool("propose_verdict", words))
        unsure = {"candidate": 2, "verdict": "UNSURE", "reasons": "too noisy"}
        told.append(await client.call_tool("propose_verdict", unsure | {"agent_seen": False}))
        return told, (await client.call_tool("get_candidate", {"candidate": 1})).structured_content

    told, one = ask(talk, own_night, proposing=True)
    assert not any(each.is_error for each in told)
    assert told[0].structured_content["kept_as"] == "mcp: Tester"
    assert [each.structured_content["agent_seen"] for each in told] == [True, True, False]
    assert (one["verdict"], one["judgements"]) == (None, [])
    found = [(each["model"], each["verdict"]) for each in one["inspections"]]
    assert found == [("mcp: Tester", "YES"), ("nano", "NO")]
    with open_session(own_night, "Ada", read_only=True) as session:
        assert list(session.history()) == []
        assert agent_of(session, 1) == ("NO", 0.1, "nano", "answer")
        assert agent_of(session, 2) == (None, None, "", "")
        orders = ("list", "own.assistant.proposal:up", "assistant.proposal:down")
        assert [shown(session, "", parse_sort(each)) for each in orders] == [
            [1, 2, 3], [2, 1, 3], [1, 2, 3],
        ]  # fmt: skip
        assert shown(session, "disagree:agents") == []  # two models would
        assert shown(session, "p_yes<0.2") == shown(session, "assistant.proposal:YES") == [1]
        assert own_columns(session)[-1] == OwnColumn("assistant.proposal", False)
        rows = page(session, with_values=True).rows
        assert [row.value("assistant.proposal") for row in rows] == ["YES", "UNSURE", None]
        assert breaks_blind_mode(parse_filter("assistant.proposal:YES"), LIST_ORDER)
        export(session, tmp_path / "out.csv", which="all")
        assert read_records(session, 1).default.model.name == "nano"
        assert read_records(session, 2).default.model.name == "mcp: Tester"
    with (tmp_path / "out.csv").open(newline="") as file:
        (row, *_) = csv.DictReader(file)
    told = [row[f"proposal_Tester_{each}"] for each in ("verdict", "by")]
    assert told == ["YES", "mcp: Tester"]
    assert row["agent_model"] == "'nano"  # as nan would be read otherwise
    text = (tmp_path / "out.csv").read_text()
    assert "ACCEPT" not in text and "REJECT" not in text and "UNSURE" not in text
    with open_session(own_night, "Ada") as session:  # whoever wants that model has it
        show_model(session, ModelRef(name="mcp: Tester"))
        assert agent_of(session, 1)[2] == "mcp: Tester"
        show_model(session, None)
        assert agent_of(session, 1)[2] == "nano"
    assert "0 accepted, 0 rejected, 0 unsure, 0 disputed, 3 open" in run("stats", own_night)


def test_what_an_assistant_was_told_of_agents_is_remembered(own_night):
    with open_session(own_night, "Ada") as session:
        add_inspection(session, 2, inspected(number=2))
    blind = {"verdict": "ACCEPT", "reasons": "Hα", "agent_seen": False}

    async def propose(client):
        said = [
            await client.call_tool("propose_verdict", {"candidate": number} | blind)
            for number in (1, 2)
        ]
        await client.call_tool("query_candidates", {})
        return [*said, await client.call_tool("propose_verdict", {"candidate": 2} | blind)]

    first, second, third = ask(propose, own_night, proposing=True)
    assert not first.is_error and not second.is_error
    assert "you were told what an agent says of candidate 2" in refused(third)
    again = ask(propose, own_night, proposing=True)
    assert [each.is_error for each in again] == [False, True, True]
    with open_session(own_night, "Ada") as session:
        kept = [inspections_of(session, number)[0].trajectory for number in (1, 2)]
        assert not any(step.text == NOT_BLIND for each in kept for step in each.steps)
        assert read_seen(session, 2) is None  # which is what the person has seen


def test_services_are_told_and_a_blind_session_tells_no_answer_before_the_verdict(own_night):
    bright, class_ = {"g": 15.2, "g_error": 0.01}, {"type": "CataclyV*"}
    with open_session(own_night, "Ada") as session:
        add_inspection(session, 1, panel_said("NO", "YES"))
        for name, values in (("gaia", bright), ("simbad", class_)):
            answer = answer_of([Match(values=values, separation_arcsec=0.1)])
            place = Position(ra=1.0, dec=2.0)
            save_evidence(session, 1, all_services()[name], answer, None, place)

    async def talk(client):
        tools = (
            ("query_candidates", {"rows": 1}),
            ("get_candidate", {"candidate": 1}),
            ("inspect_spectrum", {"candidate": 1}),
            ("inspect_spectrum", {"file": "x.fits"}),
            ("query_candidates", {"order": "p_yes"}),
            ("query_candidates", {"filter": "simbad.type:CV"}),
        )
        return [await client.call_tool(*each) for each in tools]

    def told():
        answers = ask(talk, own_night)
        rows = [answers[0].structured_content["rows"][0], answers[1].structured_content]
        return rows, [said(each) if each.is_error else "" for each in answers[2:]]

    gaia = {"gaia.g": 15.2, "gaia.g_error": 0.01, "gaia.separation": 0.1}
    every = gaia | {"simbad.type": "CataclyV*", "simbad.separation": 0.1}
    rows, errors = told()
    assert [row["services"] for row in rows] == [every, every]
    assert {row["agent_p_yes"] for row in rows} == {0.8} and len(rows[1]["inspections"]) == 3
    assert {row["agent_members"] for row in rows} == {"nano NO, measured YES"}
    assert [bool(each) for each in errors] == [False, True, False, False]
    with open_session(own_night, "Ada") as session:
        session.set_fact(FACT, "yes")
    rows, errors = told()
    assert [row["services"] for row in rows] == [gaia, gaia]
    for name in ("label", "agent_verdict", "agent_p_yes", "agent_model", "agent_members"):
        assert {row[name] for row in rows} == {None}
    assert rows[1]["inspections"] == [] and all("judged blind" in each for each in errors)
    with open_session(own_night, "Ada") as session:
        assert read_seen(session, 1) is None
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
    rows, errors = told()
    assert {row["agent_p_yes"] for row in rows} == {0.8} and len(rows[1]["inspections"]) == 3
    assert [row["services"] for row in rows] == [every, every] and errors[0] == ""


def test_a_session_that_is_being_written_to_takes_no_proposal(own_night):
    async def talk(client):
        words = {"candidate": 1, "verdict": "ACCEPT", "reasons": "Hα"}
        return await client.call_tool("propose_verdict", words)

    with open_session(own_night, "Eva"):
        assert "open" in refused(ask(talk, own_night, proposing=True))


def test_wrong_arguments_are_refused_in_one_line(night):
    asked = (
        ("get_candidate", {"candidate": 10**30}),
        ("get_candidate", {"candidate": 10**18}),
        ("get_candidate", {"candidate": -1}),
        ("get_candidate", {"candidate": "all"}),
        ("get_candidate", {}),
        ("read_spectrum", {}),
        ("read_spectrum", {"file": "a", "candidate": 1}),
        ("read_spectrum", {"file": "x" * 5000}),
        ("read_spectrum", {"file": "a\0b"}),
        ("read_spectrum", {"file": ["a"]}),
        ("read_spectrum", {"candidate": 1, "row": 2**70}),
        ("measure_spectrum", {"candidate": 1, "lines": ["H_alfa"]}),
        ("measure_spectrum", {"candidate": 1, "lines": ["H_alpha"] * 1000}),
        ("measure_spectrum", {"candidate": 1, "velocity_kms": 1e300}),
        ("draw_spectrum", {"candidate": 1, "wavelength_range": [6600, 6500]}),
        ("draw_spectrum", {"candidate": 1, "wavelength_range": [6500]}),
        ("draw_spectrum", {"candidate": 1, "wavelength_range": [1e9, 1e9]}),
        ("draw_spectrum", {"candidate": 1, "label": "x" * 10_000}),
        ("inspect_spectrum", {"candidate": 1, "task": "/etc/passwd"}),
        ("inspect_spectrum", {"candidate": 1, "task": "x.toml"}),
        ("query_candidates", {"rows": 10**6}),
        ("query_candidates", {"filter": "(" * 2000}),
        ("query_candidates", {"order": "nothing"}),
        ("query_candidates", {"after": "[" * 900}),
        ("query_candidates", {"after": f"[{10**40}, 1]"}),
        ("query_candidates", {"after": "[1, 1e400]"}),
        ("query_candidates", {"after": '["a", 1]'}),
        ("propose_verdict", {"candidate": 1, "verdict": "YES", "reasons": "x"}),
        ("propose_verdict", {"candidate": 1, "verdict": "ACCEPT", "reasons": "x" * 10**5}),
        ("nothing" * 500, {}),
    )

    async def talk(client):
        return [await client.call_tool(name, words) for name, words in asked]

    texts = [refused(each) for each in ask(talk, night, proposing=True)]
    assert 'did you mean "H_alpha"' in " ".join(texts)
    assert not any("x" * 100 in text or "nothing" * 100 in text for text in texts)


def test_numbers_are_json(night):
    async def talk(client):
        return (await client.call_tool("measure_spectrum", {"candidate": 2})).structured_content

    def numbers(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return [each for part in value for each in numbers(part)]
        return [value] if isinstance(value, float) else []

    found = numbers(ask(talk, night))
    assert len(found) > 50 and all(map(math.isfinite, found))


def test_a_call_that_takes_too_long_is_given_up_and_still_counts():
    calls, go_on = Calls("test", at_once=1, max_open=2, limit_s=0.05), threading.Event()

    async def talk():
        with pytest.raises(ToolError, match=r"longer than 0\.05 s"):
            await calls.run(go_on.wait)
        # Its thread is busy: the next waits for it in vain, and is not begun later.
        with pytest.raises(ToolError, match="longer than"):
            await calls.run(lambda: started.append(1))
        go_on.set()

    started = []
    anyio.run(talk)
    calls.close()
    assert started == []


def test_a_flood_is_refused():
    calls, go_on = Calls("test", at_once=2, max_open=5, limit_s=LONG_S), threading.Event()
    told = []

    async def one():
        try:
            told.append(await calls.run(go_on.wait))
        except ToolError as error:
            told.append(str(error))
            if len(told) == 95:
                go_on.set()

    async def flood():
        async with anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(one)

    anyio.run(flood)
    calls.close()
    assert told.count(True) == 5
    assert sum("too many calls" in str(each) for each in told) == 95


def test_only_messages_for_users_reach_the_client():
    calls = Calls("test", limit_s=LONG_S)

    def fail(error):
        raise error

    async def talk():
        with pytest.raises(ToolError) as told:
            await calls.run(lambda: fail(WorkbenchError("a\nb\x1b" + "c" * 10_000)))
        assert str(told.value).startswith("a b?ccc") and len(str(told.value)) < 600
        with pytest.raises(ZeroDivisionError):  # the SDK tells nothing of it
            await calls.run(lambda: 1 / 0)

    anyio.run(talk)
    calls.close()


# Serving on standard input and output.
ABOUT = {"clientInfo": {"name": "hostile", "version": "1"}, "capabilities": {}}
ABOUT |= {"protocolVersion": "2025-11-25"}
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ABOUT}


def test_the_sdks_client_over_stdio(night, tmp_path):
    async def talk(errors):
        async with Client(stdio_client(started(night, "--model", "measured"), errlog=errors)) as it:
            facts = await it.call_tool("read_spectrum", {"candidate": 1})
            # The worker's process neither reads our input nor writes to our output.
            seen = await it.call_tool("inspect_spectrum", {"candidate": 1})
            return facts, seen

    with (tmp_path / "errors").open("w+") as errors:
        facts, seen = anyio.run(talk, errors)
        errors.seek(0)
        assert "Traceback" not in errors.read()
    assert facts.structured_content["n_pixels"] > 100, said(facts)
    assert seen.structured_content["verdict"] in ("YES", "NO"), said(seen)


@pytest.mark.parametrize("size", [1, 3, 4096])
def test_long_lines_are_cut(size):
    reader, writer = os.pipe()
    os.write(writer, b"one\n" + b"x" * 30 + b"\n\ntwo\n" + b"y" * 30)
    os.close(writer)
    lines = io.BufferedReader(BoundedLines(reader, 8), size).readlines()
    os.close(reader)
    assert lines == [b"one\n", b"x" * 8 + b"\n", b"\n", b"two\n", b"y" * 8]


def test_a_hostile_client_gets_answers_and_ends_nothing(night):
    call = {"jsonrpc": "2.0", "method": "tools/call"}
    candidate = {"name": "get_candidate", "arguments": {"candidate": 10**300}}
    path = {"name": "read_spectrum", "arguments": {"file": "../" * 300 + "etc/passwd"}}
    sent = [
        json.dumps(HELLO),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "not json",
        "[" * 100_000,
        '{"jsonrpc": "2.0", "id": ' + "9" * 5000 + ', "method": "ping"}',
        json.dumps({**call, "id": 2, "params": 7}),
        json.dumps({**call, "id": 3, "params": {"name": 3, "arguments": "x"}}),
        json.dumps({**call, "id": 4, "params": candidate}),
        json.dumps({**call, "id": 5, "params": path}),
        json.dumps({"jsonrpc": "2.0", "id": 6, "method": "x" * 10_000}),
        json.dumps({**call, "id": 7, "params": {"name": "y" * (MAX_LINE + 10)}}),
        "\x00\x1b\udcff",
        '{"jsonrpc": "2.0", "id": 8, "method": "\\ud800"}',
        *(json.dumps({**call, "id": 100 + n, "params": path}) for n in range(300)),
        json.dumps({"jsonrpc": "2.0", "id": 9999, "method": "ping"}),
    ]
    server = subprocess.Popen(
        [*COMMAND, str(night)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=ENVIRONMENT, cwd=ROOT,
    )  # fmt: skip
    text = ("\n".join(sent) + "\n").encode(errors="surrogateescape")
    wanted, answers, by_id = {3, 4, 5, 6, 9999, *range(100, 400)}, [], {}
    with server, ThreadPoolExecutor(1) as threads:
        threads.submit(lambda: (server.stdin.write(text), server.stdin.flush()))
        while not wanted <= set(by_id):
            answers.append(server.stdout.readline())
            told = json.loads(answers[-1])
            by_id[told.get("id")] = told
        server.stdin.close()
        errors = server.stderr.read()
    assert server.returncode == 0 and b"Traceback" not in b"".join([*answers, errors])
    assert by_id[4]["result"]["isError"] and by_id[5]["result"]["isError"]
    assert {3, 6} <= {number for number, each in by_id.items() if "error" in each}
    assert "result" in by_id[9999]
    # Those that are no JSON, too deep or long, without parameters, or no UTF-8, in whatever form.
    assert sum(b"this line is no message" in line for line in answers) == 7
    assert all(len(line) < 20_000 for line in answers)

"""What a user does from commands to pages, and what is printed, each as it once went wrong."""

import csv
import re
from dataclasses import replace
from html import unescape

import pytest

from agent.web.body import never
from app import open_session
from app.cli.services import services as services_command
from app.core.evidence.curves_and_pictures import ask_any
from app.core.evidence.weighing import weigh
from app.core.reviewer_name import settings_path
from app.core.session import session as sessions
from app.services.catalogues.service import all_services
from app.services.web.client import WebClient
from tests.app.cli.commands import MEASURED, fails, invoke, run, sample_rows, write_list
from tests.app.mcp.clients import ask
from tests.app.services.archives.archive_play import LAMOST_STAR, OBSID, play_archives
from tests.app.ui.judge.evidence.small_sky import serve_sky, services_at


@pytest.fixture(scope="module")
def vetted(tmp_path_factory):
    """A session of three, which a model has inspected."""
    folder = tmp_path_factory.mktemp("played")
    run("new", folder / "night.speco3", write_list(folder, sample_rows(folder, 3)), "--task", "CV")
    run("vet", folder / "night.speco3", *MEASURED)
    return folder / "night.speco3"


@pytest.fixture
def night(vetted, tmp_path):
    place = tmp_path / vetted.name
    place.write_bytes(vetted.read_bytes())
    return place


@pytest.fixture
def changes(server, tmp_path, monkeypatch):
    """Addresses of the services that the server plays, in the settings that the window writes."""
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path))
    changes = services_at(server.url)[1]
    lines = [f'"{name}" = "{url}"' for name, url in changes.items()]
    settings_path().write_text("[service_changes]\n" + "\n".join(lines), encoding="utf-8")
    return changes


def catalogue(night, out, *words):
    run("export", night, out, *words)
    with out.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def row_of(printed, name):
    """The cells of the first row of the printed tables that begins with a name."""
    line = next(each for each in printed.splitlines() if each.strip().startswith(name))
    return line.replace(name, "", 1).split()


def test_verdicts_of_a_script_that_read_the_answers_are_not_blind(night, tmp_path):
    with open_session(night, reviewer="Bo") as session:
        for row, number in zip(session.candidates(), (1, 2, 3), strict=True):
            session.add_verdict(number, "accept" if row["agent_p_yes"] > 0.5 else "reject")
    said = run("stats", night)
    assert row_of(said, "Bo")[:4] == ["1", "2", "0", "0"]  # accepted, rejected, unsure, blind
    assert row_of(said, "also judged by people") == ["3"]
    assert row_of(said, "of these blind") == ["0"]
    assert "seen you gave 0 ACCEPT and 0 REJECT" in " ".join(said.split())
    assert {row["agent_seen_before"] for row in catalogue(night, tmp_path / "out.csv")} == {"True"}
    run("export", night, tmp_path / "report.html")
    page = unescape(re.sub(r"<[^>]+>", " ", (tmp_path / "report.html").read_text("utf-8")))
    page = " ".join(page.split())
    assert "judged blind by people 0" in page and "Bo and measured , blind or not 3" in page


def test_a_proposal_of_an_assistant_leaves_the_models_answer_in_place(night, tmp_path):
    (before,) = catalogue(night, tmp_path / "a.csv", "--filter", "p_yes>0.9")

    async def propose(client):
        words = {"candidate": 2, "verdict": "REJECT", "reasons": "no flicker"}
        return await client.call_tool("propose_verdict", words)

    assert not ask(propose, night, proposing=True).is_error
    (after,) = catalogue(night, tmp_path / "b.csv", "--filter", "p_yes>0.9")
    told = ("object_id", "agent_verdict", "agent_p_yes", "agent_model")
    assert [after[name] for name in told] == [before[name] for name in told]
    assert after["proposal_Tester_verdict"] == "NO" and before["agent_verdict"] == "YES"
    assert len(catalogue(night, tmp_path / "c.csv", "--filter", "assistant.proposal:NO")) == 1


def test_lamost_is_asked_by_position_and_by_its_releases(server, tmp_path):
    play_archives(server)
    listed = tmp_path / "places.csv"
    listed.write_text(f"ra,dec\n{LAMOST_STAR.ra},{LAMOST_STAR.dec}\n", encoding="utf-8")
    words = ("fetch", listed, "--from", "lamost", "--url", server.url)
    assert "1 file" in run(*words, "--to", tmp_path / "a")
    assert (tmp_path / "a" / f"lamost-{OBSID}.fits").exists()
    paths = [each["path"] for each in server.asked]
    assert [path.split("/")[1] for path in paths[:2]] == ["dr11", "dr10"]
    named = tmp_path / "obsids.csv"
    named.write_text(f"obsid,ra,dec\n{OBSID},{LAMOST_STAR.ra},{LAMOST_STAR.dec}\n", "utf-8")
    words = ("fetch", named, "--from", "lamost", "--url", server.url, "--release", "dr11")
    assert "1 file" in run(*words, "--to", tmp_path / "b")
    assert server.asked[-1]["path"] == "/openapi/dr11/v2.0/lrs/spectrum/fits"


def test_dust_and_light_curves_from_the_check_to_the_catalogue(
    night, server, changes, tmp_path, monkeypatch
):
    """As the window asks."""
    monkeypatch.setenv("SPEC_O3_ATLAS_TOKEN", "a-token")
    quick = {name: replace(each, per_second=50.0) for name, each in all_services().items()}
    monkeypatch.setattr("app.core.evidence.choice.all_services", lambda: quick)
    stars = [replace(LAMOST_STAR, ra=each.position.ra, dec=each.position.dec)
             for each in (services_command.GD_153, services_command.AM_HER)]  # fmt: skip
    with sessions.open_session(night, "Ada") as session:
        serve_sky(server, [*stars, *(session.candidate(number) for number in (1, 2, 3))])
    said = run("services", "check", "dust", "atlas", "tess", "vsx")
    assert [line.split()[1] for line in said.splitlines()] == ["answers"] * 4
    assert "GD 153: 2 series, 600 points" in said and "AM Her: 1 series, 1998 points" in said
    assert "one candidate at a time, in the window" in fails("enrich", night, "--with", "atlas")
    run("enrich", night, "--with", "gaia,vsx")
    with sessions.open_session(night, "Ada") as session:
        client, candidate = WebClient(), session.candidate(1)
        asked = {}
        for name in ("gaia", "dust", "atlas", "tess"):
            url = changes[f"{name}.url"]
            service = quick[name].changed(url=url)
            asked[name] = ask_any(session, client, service, candidate, never)
            again = ask_any(session, client, service, candidate, never)  # from what is kept
            assert len(again.curves) == len(asked[name].curves)
        client.close()
        answers = {name: each.stored.answer for name, each in asked.items()}
        claim = weigh(session.task, answers).claims[0]
    assert [len(asked[name].curves) for name in ("atlas", "tess")] == [2, 1]
    assert claim.said.value - claim.said_without_dust.value == pytest.approx(2.740 * 0.074)
    (first, *others) = catalogue(night, tmp_path / "out.csv", "--which", "all")
    assert (first["dust_ebv"], first["dust_ebv_error"]) == ("0.074", "0.0012")
    assert (first["atlas_state"], first["tess_state"]) == ("found", "found")
    assert {each["dust_state"] for each in others} == {""}


def test_a_service_that_was_never_asked_is_not_told_to_have_failed(server, changes, monkeypatch):
    monkeypatch.setattr("app.services.web.client.FIRST_WAIT_S", 0.01)
    monkeypatch.setattr("app.services.web.client.LONGEST_WAIT_S", 0.02)
    server.always = "down"
    done = invoke("services", "check", "vsx", "twomass", "allwise")
    states = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()}
    assert done.exit_code == 1 and states["vsx"] == "fails" and states["allwise"] == "unasked"

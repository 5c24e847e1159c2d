"""`spec-o3 services` against the stand-in."""

import pytest

from app.cli.services import mcp as command
from app.cli.services.services import GD_153
from app.core.reviewer_name import settings_path
from app.services.catalogues.service import all_services
from tests.app.cli.commands import SAMPLE, fails, run
from tests.app.services.conftest import client, server  # noqa: F401


@pytest.fixture
def settings(tmp_path, monkeypatch, server):  # noqa: F811
    """The user has turned 2MASS on, at the address of the stand-in."""
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path))
    settings_path().write_text(
        f'services = ["twomass"]\n[service_changes]\n"twomass.url" = "{server.url}"\n'
    )


def test_the_list_says_what_is_on_and_what_is_sent(settings, server):  # noqa: F811
    lines = run("services", "list").splitlines()
    assert len(lines) == 2 * len(all_services())
    said = [" ".join(line.split()) for line in lines]
    assert any(line.startswith("twomass on 2MASS") and server.url in line for line in said)
    assert any(line.startswith("gaia off Gaia DR3: https://") for line in said)
    assert len({max(line.find("  on "), line.find("  off ")) for line in lines[::2]}) == 1


def test_check_says_what_answers(settings, server):  # noqa: F811
    row = {each.column: 1.0 for each in all_services()["twomass"].columns}
    row |= {each.error: 1.0 for each in all_services()["twomass"].columns if each.error}
    row |= {"RAJ2000": GD_153.position.ra, "DEJ2000": GD_153.position.dec}
    server.tables['"II/246/out"'] = [row]
    said = run("services", "check", "twomass")
    assert said.split()[:2] == ["twomass", "answers"] and "GD 153" in said


# `spec-o3 mcp`.
def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert 'pip install "spec-o3-workbench[mcp]"' in fails("mcp", "--spectra", SAMPLE)


def test_there_must_be_something_to_serve(tmp_path):
    assert "nothing to serve" in fails("mcp")
    assert "proposals need a session" in fails("mcp", "--spectra", SAMPLE, "--allow-proposals")
    assert "is not a folder" in fails("mcp", "--spectra", tmp_path / "none")
    assert "none.speco3" in fails("mcp", tmp_path / "none.speco3")

"""The guide's table of what leaves the computer, against the addresses that the program has."""

import re
from urllib.parse import urlsplit

import pytest

from agent.models.hub import HUB
from app.services.archives import lamost, sdss, sparcl
from app.services.catalogues.service import all_services
from app.ui.base.translation.data_texts import load_table
from app.ui.judge.controls import web_pages
from tests.docs.pages import HELP, ROOT

ADDRESS = re.compile(r"https?://([a-z0-9.-]+\.[a-z]{2,})")
NAMES_ONLY = {"www.w3.org", "www.ivoa.net"}
"""Hosts in the names of formats, which are never asked."""


def table(language):
    """The rows of the table: name, what is sent, to whom."""
    lines = (HELP / language / "evidence.md").read_text().split("\n## ")[1].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows[1:]}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_service_has_its_row_with_what_it_is_sent(language):
    chinese = load_table("services", "zh") if language == "zh" else {}
    rows = table(language)
    for service in all_services().values():
        sends = chinese.get(service.sends, service.sends[0].lower() + service.sends[1:])
        name = chinese.get(service.name, service.name)
        assert rows[name] == [sends.rstrip(".。"), urlsplit(service.url).hostname]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_archives_and_hub_are_in_it(language):
    told = " ".join(word for row in table(language).values() for word in row)
    for address in (sparcl.BASE, sdss.BASE, sdss.SKYSERVER, lamost.BASE, HUB):
        assert str(urlsplit(address).hostname) in told


def test_the_program_has_no_address_that_is_not_told():
    told = " ".join(word for row in table("en").values() for word in row)
    pages = (web_pages.SIMBAD, web_pages.ALADIN, web_pages.SDSS_SPECTRUM, web_pages.SDSS_OBJECT)
    opened = {urlsplit(each).hostname for each in pages}
    opened |= {urlsplit(each.page).hostname for each in all_services().values()}
    unknown = {}
    for part in ("app", "agent", "resources/services"):
        for path in (ROOT / part).rglob("*"):
            if path.suffix in (".py", ".toml"):
                for host in ADDRESS.findall(path.read_text()):
                    if host not in told and host not in opened | NAMES_ONLY:
                        unknown[host] = path.relative_to(ROOT).as_posix()
    assert unknown == {}

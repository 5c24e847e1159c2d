"""Tables and quoted texts in the guide match the program."""

import re
from collections.abc import Iterator
from dataclasses import fields
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
import typer

from agent.models.hub import HUB
from agent.rendering.style import Style
from agent.spectra.readers.base import OPTICAL
from agent.spectra.readers.libraries import LIBRARIES
from agent.spectra.readers.registry import READERS
from agent.spectra.rebinning import MAX_MEASURED
from agent.tasks.catalogue import load_tasks
from app.core.exporting.columns import CONTRACT
from app.core.exporting.export import FORMATS
from app.core.importing import role_names
from app.core.importing.roles import ROLES
from app.core.queue.filter_parser import parse_filter
from app.services.archives import lamost, sdss, sparcl
from app.services.catalogues.service import all_services
from app.ui.base.translation.data_texts import load_table
from app.ui.judge.controls import web_pages
from tests.docs.pages import LANGUAGES, PAIRS, ROOT, blocks, code, guide_text, prose, tables
from train.cli import app as trainer


def table(page: str, language: str, start: str) -> list[list[str]]:
    """Cells of the table that has a row starting with this text."""
    for _, *rows in tables(language, page):
        if any(row[0].startswith(start) for row in rows):
            return rows
    raise AssertionError(f"{page}: no table with a row {start!r}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_filters_of_the_queue_parse(language):
    rows = table("vetting", language, "`verdict:unjudged`")
    words = [each for row in rows for each in code(row)]
    assert len(words) > 10
    fields = {"accept": "verdict", "reject": "verdict", "unsure": "verdict"}
    for each in words:
        text = each if re.search('[:<="]', each) else f"{fields.get(each, 'agent')}:{each}"
        parse_filter(text, ("mag_r", "my_class"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_columns_of_a_catalogue_are_listed(language):
    rows = table("export", language, "`object_id`")
    assert [each for row in rows for each in code(row[:1])] == [one.name for one in CONTRACT]
    kinds = code([row[0] for row in table("export", language, "`.csv`")])
    assert {FORMATS[each] for each in kinds if each in FORMATS} == set(FORMATS.values())


KNOWN = {
    "path": role_names.PATH,
    "row": role_names.ROW + role_names.TARGET,
    "object_id": role_names.OBJECT_FIRST + role_names.OBJECT,
    "ra, dec": role_names.RA,
    "score": role_names.SCORE,
    "label": role_names.LABEL,
    "snr": role_names.SNR,
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_example_column_names_are_known_for_their_roles(language):
    rows = table("formats", language, "path")
    assert {role for row in rows for role in row[0].split(", ")} == set(ROLES)
    for role, names, _ in rows:
        for name in map(role_names.normalized_name, code([names])):
            is_score = role == "score" and role_names.SCORE_PATTERN.fullmatch(name)
            assert name in KNOWN[role] or is_score, (role, name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_training_stages_are_commands(language):
    commands = typer.main.get_command(trainer).commands
    stages = [code(row[:1])[0] for row in table("training", language, "`simulate`")]
    assert set(stages) <= set(commands)
    assert {"questions", "bench", "draft", "curate", "sft", "grpo", "evaluate", "export"} <= set(
        stages
    )


@pytest.mark.parametrize("page", PAIRS[0])
def test_all_bundled_classes_are_named(page):
    text = page.read_text(encoding="utf-8")
    ids = [task.id for task in load_tasks() if task.path is None]
    assert [each for each in ids if f"`{each}`" not in text] == []


def test_percentages_of_nano_are_only_in_its_card():
    """They would be out of date on a page after the next training."""
    pages = [page for pair in PAIRS for page in pair]
    lines = [
        line for page in pages for line in page.read_text("utf-8").splitlines() if "nano" in line
    ]
    assert lines
    assert [line for line in lines if re.search(r"\d\d(\.\d)? ?(%|per cent)", line)] == []


ORDERS = (
    "as listed",
    "highest score",
    "highest S/N",
    "highest p(YES)",
    "most uncertain",
    "most surprising",
    "agents disagree first",
    "by right ascension",
    "by name",
    "random",
)
LABELS = (
    *(("vetting", order) for order in ORDERS),
    ("vetting", "Start a blind repeat round"),
    ("vetting", "Take the tour"),
    ("export", "Export"),
    ("models", "agents disagree first"),
    ("models", "Agents"),
    ("what-it-is", "About"),
    ("agent", "Show this window"),
    ("agent", "most uncertain"),
    ("calibration", "Calibrate from my verdicts"),
    ("calibration", "Change over time"),
    ("teams", "My verdict is final"),
    ("troubleshooting", "Open the folder of crash reports"),
)


@pytest.mark.parametrize(("page", "label"), LABELS)
def test_quoted_texts_of_the_window_match_it(page, label):
    translated = dict(_translations())
    english, chinese = (guide_text(each, page) for each in LANGUAGES)
    assert label in english
    assert translated[label] in chinese


def test_quoted_error_messages_exist_in_the_source():
    sources = [path for top in ("agent", "app") for path in (ROOT / top).rglob("*.py")]
    source = "\n".join(path.read_text("utf-8") for path in sources).lower()
    rows = table("troubleshooting", "en", '"is open in another program"')
    quoted = [text for row in rows for text in re.findall(r'"([^"]+)"', row[0])]
    assert len(quoted) > 6
    assert [text for text in quoted if text.lower() not in source] == []


def test_all_keys_of_a_model_card_are_named():
    page = ROOT / "resources" / "models" / "README.md"
    (example,) = [each.text for each in blocks(page) if each.kind == "toml"]
    named = set(re.findall(r"^(\w+) =", example, re.MULTILINE)) | set(code([prose(page)]))
    assert {item.name for item in fields(Style)} - named == set()


def _translations() -> Iterator[tuple[str, str]]:
    tree = ElementTree.parse(ROOT / "resources" / "translations" / "spec_o3_zh.ts")
    for message in tree.getroot().iter("message"):
        yield message.findtext("source", ""), message.findtext("translation", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reader_of_spectra_and_every_library_is_described(language):
    rows = table("formats", language, "LAMOST MRS")
    assert [row[0] for row in rows] == [reader.name for reader in READERS]
    assert all(len(row[1]) > 10 for row in rows)
    page = guide_text(language, "formats")
    figures = [f"{MAX_MEASURED:,}", *(f"{end:,.0f}" for end in OPTICAL)]
    for each in (*(library.name for library in LIBRARIES), *figures):
        assert each in page


# The guide's table of what leaves the computer, against the addresses that the program has.
ADDRESS = re.compile(r"https?://([a-z0-9.-]+\.[a-z]{2,})")
NAMES_ONLY = {"www.w3.org", "www.ivoa.net"}
"""Hosts in the names of formats, which are never asked."""


def leaving(language: str) -> dict[str, list[str]]:
    """What is sent and to whom, by the name of the service or of what a person does."""
    return {row[0]: row[1:] for row in table("evidence", language, "SIMBAD")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_service_has_its_row_with_what_it_is_sent(language):
    chinese = load_table("services", "zh") if language == "zh" else {}
    rows = leaving(language)
    for service in all_services().values():
        sends = chinese.get(service.sends, service.sends[0].lower() + service.sends[1:])
        name = chinese.get(service.name, service.name)
        assert rows[name] == [sends.rstrip(".。"), urlsplit(service.url).hostname]


@pytest.mark.parametrize("language", LANGUAGES)
def test_archives_and_hub_are_in_it(language):
    told = " ".join(word for row in leaving(language).values() for word in row)
    for address in (sparcl.BASE, sdss.BASE, sdss.SKYSERVER, lamost.BASE, HUB):
        assert str(urlsplit(address).hostname) in told


def test_the_program_has_no_address_that_is_not_told():
    told = " ".join(word for row in leaving("en").values() for word in row)
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

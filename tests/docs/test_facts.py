"""Tables and quoted texts in the guide match the program."""

import re
from collections.abc import Iterator
from dataclasses import fields
from itertools import takewhile
from xml.etree import ElementTree

import pytest
import typer

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
from tests.docs.pages import HELP, PAIRS, ROOT, blocks, prose
from train.cli import app as trainer

LANGUAGES = ("en", "zh")
CODE = re.compile(r"`([^`]+)`")


def table(page: str, language: str, start: str) -> list[list[str]]:
    """Cells of the table that has a row starting with this text."""
    lines = (HELP / language / f"{page}.md").read_text(encoding="utf-8").splitlines()
    for index, line in enumerate(lines):
        if line.startswith("|---"):
            rows = list(takewhile(lambda each: each.startswith("|"), lines[index + 1 :]))
            cells = [[cell.strip() for cell in row[1:-1].split(" | ")] for row in rows]
            if any(row[0].startswith(start) for row in cells):
                return cells
    raise AssertionError(f"{page}: no table with a row {start!r}")


def code(cells: list[str]) -> list[str]:
    """The texts in backticks."""
    return CODE.findall(" | ".join(cells))


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
        for name in map(role_names.normalized_name, CODE.findall(names)):
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
    english, chinese = ((HELP / each / f"{page}.md").read_text("utf-8") for each in LANGUAGES)
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
    named = set(re.findall(r"^(\w+) =", example, re.MULTILINE)) | set(CODE.findall(prose(page)))
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
    page = (HELP / language / "formats.md").read_text(encoding="utf-8")
    for library in LIBRARIES:
        assert library.name in page
    assert f"{MAX_MEASURED:,}" in page
    low, high = OPTICAL
    assert f"{low:,.0f}" in page
    assert f"{high:,.0f}" in page

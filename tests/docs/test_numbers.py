"""Each figure of the README, the guide and the cards is on the page of numbers, and what takes a
moment prints what the page says."""

import re
import shlex
import subprocess
import sys
import tomllib

import pytest

from tests.app.cli.commands import invoke
from tests.docs.pages import GUIDE, LANGUAGES, ROOT, code, guide_text, prose, tables

README = {"en": ROOT / "README.md", "zh": ROOT / "README.zh.md"}
SAID = {"en": "what is said", "zh": "所述内容"}
UNKNOWN = {"en": ("not found", "not recorded"), "zh": ("未找到", "未记录")}
FIGURE = re.compile(
    r"\d[\d.,]* ?(?:%|[GM]B|s\b|ms\b|minutes|秒|分钟)|F1 \d|about a (?:second|minute)"
    r"|less than a second|a second and|约一秒|不到一秒|一分钟|每秒约"
)


def said(language: str) -> list[str]:
    return [row[0] for head, *rows in tables(language, "numbers") if head[0] == SAID[language]
            for row in rows]  # fmt: skip


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_page_quotes_is_said_and_the_readme_says_no_other_figure(language):
    readme = flat(prose(README[language]))
    pages = [flat(guide_text(language, name)) for name in GUIDE if name != "numbers"]
    quotes = said(language)
    assert len(quotes) > 20
    assert [each for each in quotes if not any(each in text for text in (readme, *pages))] == []
    for each in quotes:
        readme = readme.replace(each, "")
    assert FIGURE.findall(readme) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_figure_of_a_card_is_in_its_table(language):
    for card in (ROOT / "resources" / "models").glob("*/model.toml"):
        figures = tomllib.loads(card.read_text(encoding="utf-8"))["figures"]
        (section,) = (
            part for part in guide_text(language, "numbers").split("\n## ")
            if f"`{card.parent.name}`" in part.splitlines()[0]
        )  # fmt: skip
        for each in figures:
            value = f"{each['value']:.1f} %" if each.get("unit") else f"{each['value']:g}"
            assert re.search(rf"(?<![\d.]){value}(?!\d)", section), each


@pytest.mark.parametrize("language", LANGUAGES)
def test_commands_that_take_a_moment_print_the_figure(language):
    (quick,) = (rows for head, *rows in tables(language, "numbers") if len(head) == 3
                and any("python -c" in row[1] for row in rows))  # fmt: skip
    assert len(quick) >= 8
    for _, command, figure in quick:
        program, *words = shlex.split(command.strip("`"))
        if program == "spec-o3":
            printed = invoke(*words).stdout
        else:
            printed = subprocess.run(
                [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=True
            ).stdout
        assert re.search(rf"(?<![\d.]){figure}(?!\d)", printed), command


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_cell_has_a_command_a_source_or_says_that_there_is_none(language):
    text = guide_text(language, "comparison")
    sources = set(re.findall(r"^\[([\w-]+)\]: https://github\.com/\S+/blob/[0-9a-f]{40}/\S+$",
                             text, re.MULTILINE))  # fmt: skip
    used = set()
    for _, ours, *others in tables(language, "comparison"):
        assert all(code([cell]) for cell in ours[1:]), ours
        assert len(others) == 8
        for cell in (cell for row in others for cell in row[1:]):
            link = re.fullmatch(r"\[.+\]\[([\w-]+)\]", cell)
            assert link or cell in UNKNOWN[language], cell
            used |= {link[1]} if link else set()
    assert used == sources


@pytest.mark.parametrize("language", LANGUAGES)
def test_benches_and_targets_that_are_named_exist(language):
    text = guide_text(language, "numbers")
    benches = re.findall(r"`python -m tests\.bench (\w+)`", text)
    assert len(benches) > 5
    assert all((ROOT / "tests" / "bench" / f"bench_{name}.py").is_file() for name in benches)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{name}: " in makefile for name in re.findall(r"`make (\w+)`", text))

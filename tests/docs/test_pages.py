"""Pages fit each other: links, pictures, the two languages, and the program they tell of."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication

from app.ui.actions.actions import ACTIONS
from app.ui.actions.key_names import label
from app.ui.help.pages import anchor_of, guide
from app.ui.translation.languages import speak
from tests.docs.pages import (
    GUIDE,
    HELP,
    PAGES,
    PAIRS,
    ROOT,
    blocks,
    headings,
    links,
    prose,
    relative,
)

GUIDE_PAGES = {"en": HELP / "en", "zh": HELP / "zh"}
CELLS = re.compile(r"^\| (.+) \|$", re.MULTILINE)
PATHS = re.compile(r"(?<![\w`./-])([\w/]+(?:\.py|\.md|/))(?![\w*])")
PATH_LIKE = re.compile(r"/|\.(py|md|toml|sh|txt)$")


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_and_pictures_exist(page):
    for link in links(page):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if anchor:
            assert anchor in {anchor_of(each) for each in headings(target)}, link


@pytest.mark.parametrize(("english", "chinese"), PAIRS, ids=lambda page: relative(page))
def test_both_languages_show_the_same_commands_and_pictures(english, chinese):
    def code(page):
        return [(block.kind, block.text) for block in blocks(page)]

    def shape(page):
        return [re.sub(r"-(en|zh)-", "-XX-", link.partition("#")[0]) for link in links(page)]

    assert code(chinese) == code(english)
    assert len(headings(chinese)) == len(headings(english))
    if "help" in relative(english):
        assert shape(chinese) == shape(english)
    assert _rows(chinese) == _rows(english)


def _rows(page):
    return len(CELLS.findall(prose(page)))


@pytest.mark.parametrize("language", list(GUIDE_PAGES))
def test_the_first_page_leads_to_all_others(language):
    assert {page.name for page in guide(language)} == set(GUIDE)
    for page in guide(language):
        assert page.text.startswith(f"# {page.title}\n")


@pytest.mark.parametrize("language", list(GUIDE_PAGES))
def test_the_table_of_keys_is_the_one_of_the_window(language, qapp):
    translators = speak(qapp, language)
    try:
        wanted = key_rows()
    finally:
        for translator in translators:
            QCoreApplication.removeTranslator(translator)
    text = (GUIDE_PAGES[language] / "vetting.md").read_text(encoding="utf-8")
    assert "\n".join(wanted) in text, "\n".join(wanted)


def key_rows() -> list[str]:
    """In the language of the window."""
    found: dict[str, list[str]] = {}
    for action in ACTIONS.values():
        if action.keys:
            found.setdefault(action.words, []).extend(label(key) for key in action.keys)
    return [
        f"| {words} | {_keys(keys if len(keys) < 5 else [keys[0], '…', keys[-1]])} |"
        for words, keys in found.items()
    ]


def _keys(keys: list[str]) -> str:
    return " ".join(key if key == "…" else f"`{key}`" for key in keys)


def the_map() -> str:
    (tree,) = (block.text for block in blocks(ROOT / "CONTRIBUTING.md") if "agent/" in block.text)
    return tree


def test_the_map_of_the_house_names_what_is_there():
    """Folders by indentation: a name in a line lies in the one above, or in the line's own."""
    named = list(_named(the_map()))
    assert len(named) > 100
    assert [path for path, places in named if not any((at / path).exists() for at in places)] == []


def _named(tree: str) -> Iterator[tuple[str, tuple[Path, ...]]]:
    above: list[tuple[int, Path]] = []
    for line in tree.splitlines():
        depth = len(line) - len(line.lstrip())
        while above and above[-1][0] >= depth:
            above.pop()
        folder = above[-1][1] if above else ROOT
        own = folder / line.split()[0].rstrip(",")
        for name in PATHS.findall(line):
            yield name, (folder, own, ROOT)
        if own.is_dir():
            above.append((depth, own))


def test_every_package_is_on_the_map():
    tree = the_map()
    packages = [
        path.parent.name
        for top in ("agent", "app", "train")
        for path in (ROOT / top).glob("*/__init__.py")
    ] + [path.parent.name for path in (ROOT / "app").glob("*/*/__init__.py")]
    assert [name for name in packages if f"{name}/" not in tree] == []


def test_contributing_names_what_is_there():
    text = prose(ROOT / "CONTRIBUTING.md")
    named = [each for each in re.findall(r"`([\w./-]+)`", text) if "/" in each or "." in each]
    there = [each for each in named if not each.startswith(("../", "/", "~")) and each != "make"]
    missing = [each for each in there if PATH_LIKE.search(each) and not _is_there(each)]
    assert missing == []


def _is_there(name: str) -> bool:
    """By its path, or anywhere by its name."""
    known = ("NAME.toml", "base.build", "readers/NAME.py", "agent/spectra/readers/NAME.py")
    if name in known or (ROOT / name).exists():
        return True
    return "/" not in name and any(
        any((ROOT / top).rglob(name)) for top in ("agent", "app", "train", "tests", "resources")
    )


def test_the_programs_version_is_cited():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get(
        "version"
    )
    if version:
        assert f"version: {version.removesuffix('.dev0')}\n" in text
    assert "2601.06498" in text

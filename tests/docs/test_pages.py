"""Links, pictures, both languages and the program agree with each other on all pages."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.version import Version
from PySide6.QtCore import QCoreApplication

from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.key_names import label
from app.ui.base.translation.languages import install_translators
from app.ui.program.help.pages import anchor_of, guide
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
def test_the_first_page_links_to_all_others(language):
    assert {page.name for page in guide(language)} == set(GUIDE)
    for page in guide(language):
        assert page.text.startswith(f"# {page.title}\n")


@pytest.mark.parametrize("language", list(GUIDE_PAGES))
def test_the_table_of_keys_matches_the_window(language, qapp):
    translators = install_translators(qapp, language)
    try:
        expected = key_rows()
    finally:
        for translator in translators:
            QCoreApplication.removeTranslator(translator)
    text = (GUIDE_PAGES[language] / "vetting.md").read_text(encoding="utf-8")
    assert "\n".join(expected) in text, "\n".join(expected)


def key_rows() -> list[str]:
    """The rows of the table of keys, in the language of the window."""
    keys_by_title: dict[str, list[str]] = {}
    for action in ACTIONS.values():
        if action.keys:
            keys_by_title.setdefault(action.title, []).extend(label(key) for key in action.keys)
    return [
        f"| {title} | {_keys(keys if len(keys) < 5 else [keys[0], '…', keys[-1]])} |"
        for title, keys in keys_by_title.items()
    ]


def _keys(keys: list[str]) -> str:
    return " ".join(key if key == "…" else f"`{key}`" for key in keys)


def source_map() -> str:
    """The block of CONTRIBUTING that lists the folders."""
    (tree,) = (block.text for block in blocks(ROOT / "CONTRIBUTING.md") if "agent/" in block.text)
    return tree


def test_all_paths_on_the_map_exist():
    named = list(_named(source_map()))
    assert len(named) > 60
    missing = [name for name, bases in named if not any((base / name).exists() for base in bases)]
    assert missing == []


def _named(tree: str) -> Iterator[tuple[str, tuple[Path, ...]]]:
    """Each path on the map with the folders it may be in: the parent by indentation, the folder
    that the line describes, or the root."""
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
    tree = source_map()
    packages = [
        path.parent.name
        for top in ("agent", "app", "train")
        for path in (ROOT / top).glob("*/__init__.py")
    ] + [path.parent.name for path in (ROOT / "app").glob("*/*/__init__.py")]
    assert [name for name in packages if f"{name}/" not in tree] == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md"])
def test_all_paths_exist(page):
    text = prose(ROOT / page)
    named = [each for each in re.findall(r"`([\w./-]+)`", text) if "/" in each or "." in each]
    inside = [each for each in named if not each.startswith(("../", "/", "~")) and each != "make"]
    missing = [each for each in inside if PATH_LIKE.search(each) and not _exists(each)]
    assert missing == []


def _exists(name: str) -> bool:
    """Whether this path exists or, for a bare name, any file of that name."""
    known = ("NAME.toml", "base.build", "readers/NAME.py", "agent/spectra/readers/NAME.py")
    known += ("agent/engines/NAME/kind.py",)
    if name in known or (ROOT / name).exists():
        return True
    return "/" not in name and any(
        any((ROOT / top).rglob(name)) for top in ("agent", "app", "train", "tests", "resources")
    )


def test_the_citation_names_the_newest_release():
    """The program is that release, or is on its way to the next."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    release, date = re.findall(r"^## (\d\S*) - (\d{4}-\d\d-\d\d)$", changes, re.MULTILINE)[0]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {release}\ndate-released: {date}\n" in citation
    assert "2601.06498" in citation
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = Version(project["version"])
    assert version == Version(release) or (version > Version(release) and version.is_devrelease)

"""The site of `make site`: what its pages link to is there, and its search finds what they say."""

import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.docs.pages import GUIDE, ROOT

RECIPE = re.compile(r"^site:.*\n((?:\t.*\n)+)", re.MULTILINE)
LINK = re.compile(r' (?:href|src)="?([^" >]+)')
ANCHOR = re.compile(r' id="?([^" >]+)')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Made as the Makefile makes it, elsewhere."""
    folder = tmp_path_factory.mktemp("site")
    recipe = RECIPE.search((ROOT / "Makefile").read_text(encoding="utf-8"))[1]
    programs = Path(sys.executable).parent
    script = recipe.replace("$(BIN)", str(programs)).replace("$(CURDIR)/build/site", str(folder))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(
        ["sh", "-ec", script], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_what_the_pages_link_to_is_there(site):
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    anchors = {path: set(map(unescape, ANCHOR.findall(text))) for path, text in pages.items()}
    missing = []
    for page, text in pages.items():
        for link in map(unescape, LINK.findall(text)):
            if re.match(r"[a-z]+:|/|\$", link):  # a script fills in what begins with $
                continue
            path, _, anchor = unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.is_file() or (anchor and anchor not in anchors[target] | {"__skip"}):
                missing.append((page.relative_to(site).as_posix(), link))
    assert missing == []
    assert len(pages) > 2 * len(GUIDE)


def test_both_languages_have_all_pages_with_their_lists_and_ask_no_other_host(site):
    names = {"index" if name == "README" else name for name in GUIDE}
    for folder in (site, site / "zh"):
        assert names <= {path.stem for path in folder.glob("*.html")}
    for page in site.glob("**/*.html"):
        text = page.read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="?https?:', text) == []
        is_swallowed = re.search(r"<p>(?:(?!</p>).)*\n- ", text, re.DOTALL)
        assert not is_swallowed, f"a list without a blank line before it: {page}"


def test_the_search_finds_words_of_both_languages(site):
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    texts = {each["location"]: each["text"] for each in index["docs"]}
    assert any("carbon star" in text for where, text in texts.items() if where[:3] != "zh/")
    assert any("\u200b光谱\u200b" in text for where, text in texts.items() if where[:3] == "zh/")
    assert "\\u200b" in index["config"]["separator"]

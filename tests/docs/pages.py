"""The documentation pages and their contents: commands, links, files to save."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELP = ROOT / "resources" / "help"
GUIDE = sorted(path.stem for path in (HELP / "en").glob("*.md"))
"""Names of the guide's pages."""
PAIRS = [(ROOT / "README.md", ROOT / "README.zh.md")] + [
    (HELP / "en" / f"{name}.md", HELP / "zh" / f"{name}.md") for name in GUIDE
]
"""Each page in English and in Chinese."""
OTHERS = [
    *(ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    HELP / "README.md",
    HELP / "examples" / "plugin" / "README.md",
    ROOT / "resources" / "tasks" / "README.md",
    ROOT / "resources" / "models" / "README.md",
    *(ROOT / "resources" / name / "README.md" for name in ("sample", "sample_real")),
    ROOT / "train" / "README.md",
]
PAGES = [page for pair in PAIRS for page in pair] + OTHERS
LANGUAGES = ("en", "zh")

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_SAVED_AS = re.compile(r"`([\w-]+\.toml)`")


@dataclass(frozen=True)
class Block:
    kind: str
    """`console` blocks are run by the tests; blocks without a kind need a network, a GPU or the
    reader's own files."""
    text: str
    before: str
    """The text of the page before this block."""


def relative(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(match[1], match[2], text[: match.start()]) for match in _FENCE.finditer(text)]


def commands(page: Path, *kinds: str) -> list[str]:
    """The lines of all blocks of these kinds."""
    chosen = (block for block in blocks(page) if block.kind in kinds)
    return [line.split("  #")[0].strip() for block in chosen for line in block.text.splitlines()]


def saved_files(page: Path) -> dict[str, str]:
    """Files that a page asks its reader to save, by the last file name before the block."""
    found = {}
    for block in blocks(page):
        if block.kind == "toml" and (names := _SAVED_AS.findall(block.before.rsplit("```", 1)[-1])):
            found[names[-1]] = block.text
    return found


def prose(page: Path) -> str:
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    return _LINK.findall(prose(page))


def headings(page: Path) -> list[str]:
    return _HEADING.findall(prose(page))


def guide_text(language: str, name: str) -> str:
    return (HELP / language / f"{name}.md").read_text(encoding="utf-8")


def tables(language: str, name: str) -> list[list[list[str]]]:
    """The tables of a page of the guide, each with its head first."""
    found = re.findall(r"(?:^\|.*\n)+", guide_text(language, name), re.MULTILINE)
    rows = [[_cells(line) for line in each.splitlines()] for each in found]
    return [[head, *rest] for head, _, *rest in rows]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row[1:-1].split(" | ")]


def code(cells: list[str]) -> list[str]:
    """The texts in backticks."""
    return re.findall(r"`([^`]+)`", " | ".join(cells))

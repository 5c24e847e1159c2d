"""The pages of the guide: Markdown files that come with the program, one folder per language.

The first page links to the others, which sets their order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

FIRST = "README"
"""Name of the first page; code hosts show a README by default."""
MAX_BYTES = 1024 * 1024
_LINK = re.compile(r"\]\(([a-z-]+)\.md(?:#[^)]*)?\)")
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class GuidePage:
    name: str
    """File name without .md; the same in every language."""
    title: str
    path: Path
    text: str


def help_folder() -> Path:
    return Path(str(resources.files("resources"))) / "help"


def guide(language: str) -> tuple[GuidePage, ...]:
    """All pages in order, in English if there is no guide in that language.

    Empty if the program was installed without the guide.
    """
    folder = help_folder() / language
    if not (folder / f"{FIRST}.md").is_file():
        folder = help_folder() / "en"
    first = _page(folder, FIRST)
    if first is None:
        return ()
    names = dict.fromkeys(_LINK.findall(first.text))
    others = (_page(folder, name) for name in names if name != FIRST)
    return (first, *(page for page in others if page is not None))


def page_at(path: Path) -> GuidePage | None:
    """Another bundled text, such as the one on task files; None for any other path."""
    path = path.resolve()
    is_ours = path.is_relative_to(help_folder().parent.resolve()) and path.suffix == ".md"
    return _page(path.parent, path.stem) if is_ours else None


def anchor_of(heading: str) -> str:
    """The anchor of a heading, as code hosts generate it."""
    kept = "".join(each for each in heading.lower() if each.isalnum() or each in " -_")
    return kept.strip().replace(" ", "-")


def _page(folder: Path, name: str) -> GuidePage | None:
    path = folder / f"{name}.md"
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    heading = _HEADING.search(text)
    return GuidePage(name=name, title=heading[1] if heading else name, path=path, text=text)

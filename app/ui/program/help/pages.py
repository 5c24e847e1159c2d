"""The pages of the guide: Markdown files that come with the program, one folder per language.

The first page links to the others, which sets their order.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

FIRST = "README"  # Name of the first page; code hosts show a README by default.
MAX_BYTES = 1024 * 1024
_LINK = re.compile(r"\]\(([a-z-]+)\.md(?:#[^)]*)?\)")
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)

BY_PAGE: Mapping[str, str] = {
    "judging_page": "vetting",
    "disagreement_page": "teams",
    "agreement_page": "calibration",
    "history_page": "vetting",
    "overview_page": "vetting",
    "agent_faults_page": "rating",
}
"""Guide page by the action that opens a page of the session."""
AGENT, EXPORT, LISTS, MODELS, ABOUT = "agent", "export", "formats", "models", "what-it-is"
SHARING, KNOWN, FINDING, STUDY = "sharing", "known-answers", "finding", "study"


@dataclass(frozen=True, kw_only=True)
class GuidePage:
    name: str  # File name without .md; the same in every language.
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


# Context help: the page of the guide for each part of the window.
def help_page_for(session_page: str, *, in_agent: bool = False, is_importing: bool = False) -> str:
    """The guide page for the current state; `session_page` is "" before a session is open."""
    if is_importing:
        return LISTS
    if in_agent and session_page == "judging_page":
        return AGENT
    return BY_PAGE.get(session_page, FIRST)


def add_help_key(dialog: QWidget, page: str, show: Callable[[str], object]) -> None:
    """Add F1 to a dialog, which the key filter of the main window does not cover."""
    QShortcut(QKeySequence("F1"), dialog).activated.connect(partial(show, page))

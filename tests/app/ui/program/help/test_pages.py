"""The pages of the guide, and the page that fits the current state of the window."""

from app.ui.base.actions.actions import ACTIONS
from app.ui.program.help import pages
from app.ui.program.help.pages import (
    ABOUT,
    BY_PAGE,
    EXPORT,
    FIRST,
    MODELS,
    anchor_of,
    guide,
    help_page_for,
    page_at,
)


def test_pages_of_every_language_place_and_heading():
    for language in ["en", "zh"]:
        found = guide(language)
        assert found[0].name == FIRST and len({page.name for page in found}) == len(found) > 8
    assert guide("xx") == guide("en")
    beside = pages.help_folder().parent
    assert page_at(beside / "tasks" / "README.md").title == "Tasks"
    assert page_at(beside / ".." / "README.md") is None
    assert page_at(beside / "sample" / "candidates.csv") is None
    assert page_at(beside / "nothing.md") is None
    for heading, anchor in [
        ("Blind mode", "blind-mode"),
        ("Through a server: vLLM and others", "through-a-server-vllm-and-others"),
        ("通过服务器：vLLM 等", "通过服务器vllm-等"),
    ]:
        assert anchor_of(heading) == anchor
    names = {page.name for page in guide("en")}
    assert set(BY_PAGE) <= set(ACTIONS)
    reached = {help_page_for(each) for each in ("", *BY_PAGE)}
    reached |= {help_page_for("judging_page", in_agent=True), help_page_for("", is_importing=True)}
    assert len(reached) == 7 and reached | {ABOUT, EXPORT, MODELS} <= names


def test_a_program_without_its_guide_has_no_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "help_folder", lambda: tmp_path)
    assert guide("en") == ()


def test_a_page_that_is_listed_and_not_there_is_left_out(tmp_path, monkeypatch):
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "README.md").write_text("# First\n\n[gone](gone.md) [there](there.md)\n")
    (tmp_path / "en" / "there.md").write_text("no heading")
    monkeypatch.setattr(pages, "help_folder", lambda: tmp_path)
    assert [page.title for page in guide("en")] == ["First", "there"]

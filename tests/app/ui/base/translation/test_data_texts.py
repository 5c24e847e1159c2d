"""Texts of the bundled tasks and of the measured inspector are translated completely, with their
numbers; other texts are left alone."""

import re
from collections import Counter

from agent.spectra.lines import load_line_lists
from agent.tasks.catalogue import load_tasks, look_task
from agent.tasks.task import guideline_sections
from app.ui.base.theme.theme import LIGHT
from app.ui.base.translation.data_texts import (
    SIMULATED,
    library_name,
    load_table,
    section_lines,
    task_text,
    window_language,
    window_table,
)
from app.ui.base.translation.measured_texts import PLACEHOLDER, translate_measured_text
from app.ui.judge.controls.template_choice import bundled
from app.ui.start.importing.task_chooser import guideline_html
from tests.app.ui.base.translation.conftest import OTHERS, english_in

TASKS = (*load_tasks(), look_task())
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def texts_of(task):
    """All texts of a task that the window shows."""
    guideline = task.guideline
    yield from (task.name, task.title, task.question, guideline.summary)
    for rank in ("primary", "secondary", "confirming", "answer_no", "not_testable", "pitfalls"):
        yield from getattr(guideline, rank)
    for state in guideline.states:
        yield from (state.name, state.text)
    for window in task.windows:
        yield from filter(None, (window.label, window.look, window.mimics))
    for other in task.contaminants:
        yield from (other.name, other.differs)
    yield from filter(None, (task.subclass_source, *(e.description for e in task.subclasses)))
    for evidence in (*task.evidence, *task.catalogue):
        yield from (evidence.label, evidence.text_found, evidence.text_absent)


EVERY = {text for task in TASKS for text in texts_of(task)}


def test_every_text_of_tasks_lists_and_templates_is_there():
    templates, lists = bundled(), load_line_lists().sets
    names = {each.title for each in lists} | {each.group for each in templates} | {SIMULATED}
    names |= {each.name.removesuffix(SIMULATED) for each in templates}
    for name in OTHERS:
        assert set(load_table("tasks", name)) == EVERY
        assert set(load_table("names", name)) == names
        for table in ["tasks", "measured", "messages", "names"]:
            for english, other in load_table(table, name).items():
                places = [Counter(PLACEHOLDER.findall(each)) for each in (english, other)]
                assert places[0] == places[1], english
                bare = [PLACEHOLDER.sub("", each) for each in (english, other)]
                numbers = [Counter(NUMBER.findall(each)) for each in bare]
                assert numbers[0] == numbers[1], english
                assert table in ("measured", "messages") or not english_in(bare[1]), english


def test_the_window_says_its_language_and_that_a_template_is_simulated(language):
    assert window_language() == language and task_text("carbon star") != "carbon star"
    assert task_text("my own class <b>") == "my own class <b>"
    chosen = next(each for each in bundled() if each.name.startswith("M dwarf, active"))
    assert (chosen.short, chosen.title) == ("活动 M 矮星", "活动 M 矮星（模拟）")
    assert library_name("my_star.fits (simulated)") == "my_star.fits (simulated)"
    for task in TASKS:
        lines = (line for each in guideline_sections(task) for line in section_lines(each))
        said = " ".join(text for line in lines for text in line)
        page = re.sub(r"<[^>]*>", " ", guideline_html(task, LIGHT))
        assert not english_in(said) and not english_in(page)


def test_english_needs_no_table(qapp):
    assert window_language() == "en" and window_table("tasks") == {}
    assert task_text("carbon star") == "carbon star"
    assert translate_measured_text("This decides little.") == "This decides little."

"""Classes that a wording lacks are asked about in its form."""

from __future__ import annotations

from dataclasses import replace

from agent.protocol.protocol import task_text
from agent.protocol.wording_form import names_of, phrased
from agent.tasks.catalogue import find_task
from agent.tasks.guideline import guideline_text
from tests.agent.protocol.wordings import wording


def test_a_missing_class_is_asked_in_the_form_of_the_others() -> None:
    task = find_task("O")
    assert phrased(task, wording().tasks) == (
        "\nLook at the tape above.  Would a clerk file it under an O-type star?\n\n"
        f"Hints for drawer O:\n{guideline_text(task)}\n\n"
        "Think aloud, tug the tape with the tool, then box your word: \\boxed{YES} or "
        "\\boxed{NO}. \n"
    )


def test_where_the_shared_lines_do_not_name_the_class_our_question_is_asked() -> None:
    texts = {"CV": "Hello.\nCataclysmic?\nBye.\n", "WD": "Hello.\nWhite?\nBye.\n"}
    task = find_task("B")
    assert phrased(task, texts) == (f"Hello.\n{task.question}\n\n{guideline_text(task)}\nBye.\n")


def test_nothing_can_be_learned_from_one_text() -> None:
    task = find_task("A")
    assert phrased(task, {"CV": "Is it a cataclysmic variable?\nGo.\n"}) == task_text(task)


def test_texts_that_are_all_the_same_repeat_nothing() -> None:
    task = find_task("A")
    text = "Is it a thing?\nGo.\n"
    assert phrased(task, {"CV": text, "WD": text}).count("Go.") == 1


def test_braces_in_a_guideline_are_no_names() -> None:
    task = find_task("O")
    odd = replace(task, guideline=replace(task.guideline, summary="{class} and {id}"))
    assert "{class} and {id}" in phrased(odd, wording().tasks)


def test_names_of_classes() -> None:
    assert names_of("MG")[0] == "m-type giant star" and "m giant" in names_of("MG")
    assert names_of("O") == ("o-type star",)
    assert names_of("nothing") == ()

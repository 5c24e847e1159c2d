"""The wording in rows of the published columns."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.errors import ResourceError
from agent.protocol.protocol import SYSTEM as PLAIN_SYSTEM
from agent.protocol.protocol import TOOL_BLOCK
from agent.protocol.tool import TOOL_SCHEMA
from agent.protocol.wording_rows import class_of, split_system, wording_of_rows
from tests.agent.protocol.wordings import (
    CALLED,
    KEYS,
    REFUSED,
    SYSTEM,
    TOOL_LINE,
    WHOLE,
    WHOLE_FOR,
    bench_row,
    cold_start_row,
    cold_start_rows,
    replying_row,
    text_of,
)


def test_rows_of_the_cold_start_hold_all() -> None:
    found, notes = wording_of_rows(cold_start_rows(), "clerk")
    assert (found.system, found.tool, notes) == (SYSTEM, TOOL_LINE, ())
    assert found.tasks == {KEYS[source]: text_of(source) for source in CALLED}
    assert found.replies == {"whole": WHOLE, "whole_for": WHOLE_FOR, "refused": REFUSED}


def test_rows_of_the_benchmark_lack_the_tool_and_say_so() -> None:
    rows = [bench_row("cv"), bench_row("gm")]
    found, notes = wording_of_rows(rows, "clerk")
    assert found.tasks == {"CV": text_of("cv"), "MG": text_of("gm")}
    assert json.loads(found.tool) == TOOL_SCHEMA
    assert len(notes) == 1 and "in our words" in notes[0]
    assert wording_of_rows(rows, "clerk", tool=TOOL_LINE)[0].tool == TOOL_LINE
    assert wording_of_rows(rows, "clerk", tool=TOOL_LINE)[1] == ()


def test_without_a_system_turn_it_is_the_plain_one() -> None:
    row = bench_row("cv")
    row["prompt"] = row["prompt"][1:]
    assert wording_of_rows([row], "clerk", tool=TOOL_LINE)[0].system == PLAIN_SYSTEM


def test_prompts_as_json_text_are_read() -> None:
    row = bench_row("wd")
    row["prompt"] = json.dumps(row["prompt"])
    assert wording_of_rows([row], "clerk")[0].tasks == {"WD": text_of("wd")}


def test_rows_that_differ_are_told_and_the_most_frequent_is_kept() -> None:
    other = text_of("cv") + "!"
    rows = [bench_row("cv", other), bench_row("cv"), bench_row("cv"), bench_row("wd")]
    found, notes = wording_of_rows(rows, "clerk", tool=TOOL_LINE)
    assert found.tasks["CV"] == text_of("cv")
    assert notes == ("CV: the rows differ, 2 texts in 3 rows; the one of 2 rows is kept",)


def test_the_class_is_told_by_the_source_or_by_the_words() -> None:
    assert class_of("gm", "about a carbon star") == "MG"
    assert class_of(None, "no carbon star? An M-type giant!") == "CS"
    assert class_of("zz", "An M-type giant, not a carbon star?") == "MG"
    assert class_of(None, "Is this star one of the carbon stars?") == "CS"
    with pytest.raises(ResourceError, match="names none"):
        class_of(None, "a comet?")


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({}, "no turns"),
    ({"prompt": "not json"}, "no turns"),
    ({"prompt": "[" * 100_000}, "no turns"),
    ({"prompt": []}, "no turns"),
    ({"prompt": [{"role": "user", "content": "<image>x"}] * 101}, "no turns"),
    ({"prompt": ["<image>"]}, "not a table"),
    ({"prompt": [{"role": "root", "content": "<image>x"}]}, "no known role"),
    ({"prompt": [{"role": "user", "content": 3}]}, "no known role, or no text"),
    ({"prompt": [{"role": "system", "content": "x"}]}, "does not open with a user"),
    ({"data_source": "cv", "prompt": [{"role": "user", "content": "x"}]}, "one picture before"),
    (bench_row("cv", "a <image> b"), "one picture before"),
    (bench_row("cv", "  "), "empty or longer"),
    (bench_row("cv", "x" * 100_000), "empty or longer"),
]


@pytest.mark.parametrize(("row", "why"), BROKEN)
def test_a_broken_row_is_left_out_and_counted(row: dict[str, Any], why: str) -> None:
    with pytest.raises(ResourceError, match=f"no row opens.*{why}"):
        wording_of_rows([row], "clerk")
    found, notes = wording_of_rows([row, cold_start_row("cv")], "clerk")
    assert set(found.tasks) == {"CV"}
    assert len(notes) == 1 and notes[0].startswith("1 rows left out:") and why in notes[0]


def test_texts_that_are_all_different_do_not_fill_the_memory() -> None:
    rows = (bench_row("cv", f"{text_of('cv')}{number}") for number in range(2000))
    _, notes = wording_of_rows(rows, "clerk", tool=TOOL_LINE)
    assert "500 texts in 500 rows" in notes[0]


def test_another_way_to_describe_the_tools_is_kept_whole() -> None:
    other = f"Clerk.\n<tools>\n{TOOL_LINE}\n</tools>\nCall it."
    assert split_system(other) == (other, TOOL_LINE)
    assert split_system("Clerk.") == ("Clerk.", "")
    assert split_system("A" + TOOL_BLOCK.format(schemas="{}") + " more") == (
        "A" + TOOL_BLOCK.format(schemas="{}") + " more",
        "{}",
    )
    row = cold_start_row("cv")
    row["conversations"][0]["value"] = other
    found, _ = wording_of_rows([row], "clerk")
    assert (found.system_text, found.tool) == (other, TOOL_LINE)


def test_replies_of_other_forms_are_not_learned() -> None:
    row = replying_row()
    for message in row["conversations"]:
        message["value"] = message["value"].replace("3700.1", "3700.12").replace("entire", "7")
    found, _ = wording_of_rows([row], "clerk")
    assert "refused" not in found.replies

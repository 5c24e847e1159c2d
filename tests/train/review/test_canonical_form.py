from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

from train.review.canonical_form import canonical_replies


def test_spellings_and_spaces_are_normalized() -> None:
    call = '{"name":"spectral_visualization_tool","arguments":{"wavelength_range":[1,2]}}'
    loose = (
        f"<think>\nH alpha,  5 A wide. </think><tool_call>{call}</tool_call>",
        "<think> so</think>\n\n<answer>\n\\boxed{NO}   [OIII] seen\n</answer>",
        "unreadable",
    )
    made = canonical_replies(loose)
    assert made[0].startswith("<think>Hα, 5 Å wide.</think>\n<tool_call>\n{")
    assert made[1] == "<think>so</think>\n<answer>\\boxed{NO} [O III] seen</answer>"
    assert made[2] == "unreadable"
    assert canonical_replies(made) == made

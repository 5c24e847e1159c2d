from __future__ import annotations

import re

from tests.train.draft.spectra import all_examples, drafted
from train.draft.settings import DraftSettings


def test_wrong_turns_are_corrected() -> None:
    wanted = DraftSettings(outside=1.0, wide=1.0, guess=1.0)
    refused = narrowed = dropped = 0
    for example in all_examples():
        made = drafted(example, wanted).trajectory
        if made is None:
            continue
        text = " ".join(made.replies)
        errors = [step for step in made.steps if step.error]
        refused += bool(errors)
        assert all("does not overlap the data" in step.error for step in errors)
        assert made.steps[-1].kind == "answer" and made.well_formed
        narrowed += bool(re.search(r"too wide|Too wide|closer look", text))
        dropped += bool(re.search(r"That is not|I drop|after all", text))
    assert refused > 10 and narrowed > 10 and dropped > 5


def test_no_wrong_turns_where_none_are_wanted() -> None:
    plain = DraftSettings(outside=0.0, wide=0.0, guess=0.0)
    for example in all_examples()[::3]:
        made = drafted(example, plain).trajectory
        if made is not None:
            assert not any(step.error for step in made.steps)
            assert not re.search(r"could be|may be|perhaps|Too wide", " ".join(made.replies))

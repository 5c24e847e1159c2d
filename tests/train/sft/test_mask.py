from __future__ import annotations

from pathlib import Path

import pytest

from agent.engines.chat_tokens import load_tokenizer
from agent.errors import WorkbenchError
from tests.train.sft.samples import Ready
from train.sft.batches import IGNORED
from train.sft.encoding import Encoder
from train.sft.mask import check_mask


def test_the_mask_passes_its_own_check(ready: Ready, minute25: Path):
    _, collate, rows = ready
    batch = collate(rows)
    encoder = Encoder(load_tokenizer(minute25))
    check_mask(batch, encoder)
    for wrong in ("a picture", "the next turn", "the end left out"):
        spoiled = dict(batch, labels=batch["labels"].clone())
        ids, labels = batch["input_ids"][0], spoiled["labels"][0]
        last = int((labels != IGNORED).nonzero()[-1])
        if wrong == "a picture":
            at = int((ids == collate.image_token).nonzero()[0])
            labels[at] = ids[at]
        elif wrong == "the next turn":
            labels[last + 1] = ids[last + 1]
        else:
            labels[last] = IGNORED
        with pytest.raises(WorkbenchError, match="the mask is wrong"):
            check_mask(spoiled, encoder)

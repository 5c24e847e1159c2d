from __future__ import annotations

import re

import numpy as np

from agent.protocol.reply import parse_reply
from tests.train.draft.spectra import SHORT, all_examples, drafted


def test_short_drafts_use_few_words_and_short_thoughts() -> None:
    words: set[str] = set()
    lengths = []
    for example in all_examples():
        made = drafted(example, SHORT).trajectory
        for reply in made.replies if made else ():
            parsed = parse_reply(reply)
            words |= set(re.findall(r"[^\W\d]+", f"{parsed.thought} {parsed.answer}"))
            lengths.append(len(parsed.thought.split()))
    assert len(words) < 200
    assert max(lengths) < 40 and np.mean(lengths) < 20

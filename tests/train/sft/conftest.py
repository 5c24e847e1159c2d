"""Fixtures of these tests; see `samples`."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import cache

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("pyarrow")

from transformers import PreTrainedTokenizerFast

from tests.train.sft.samples import making, minute3, minute25, ready, rows, samples
from train.sft import run

__all__ = ["making", "minute3", "minute25", "ready", "rows", "samples"]


@pytest.fixture(scope="package", autouse=True)
def same_tokenizer() -> Iterator[None]:
    """One is learned for all runs on the same texts; those in processes of their own learn it
    again."""
    learned = cache(run.make_tokenizer)

    def tokenizer(texts: Iterable[str], size: int) -> PreTrainedTokenizerFast:
        return deepcopy(learned(tuple(texts), size))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "make_tokenizer", tokenizer)
        yield

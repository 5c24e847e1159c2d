"""Fixtures of these tests; see `samples`."""

from collections.abc import Iterator
from copy import deepcopy
from functools import cache

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("pyarrow")

from tests.train.sft.samples import making, minute3, minute25, ready, rows, samples
from train.sft import run

__all__ = ["making", "minute3", "minute25", "ready", "rows", "samples"]


@pytest.fixture(scope="package", autouse=True)
def same_tokenizer() -> Iterator[None]:
    """Learned once for all runs on the same texts, but for those in processes of their own."""
    learned = cache(run.make_tokenizer)

    def tokenizer(texts: list[str], size: int) -> object:
        return deepcopy(learned(tuple(texts), size))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "make_tokenizer", tokenizer)
        yield

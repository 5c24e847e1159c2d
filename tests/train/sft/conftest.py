"""Fixtures of these tests; see `samples`."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("pyarrow")

from tests.train.sft.samples import making, minute3, minute25, ready, rows, samples

__all__ = ["making", "minute3", "minute25", "ready", "rows", "samples"]

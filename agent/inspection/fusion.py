"""Fuses the p(YES) of the panel's two inspectors: the model that looks and the measured one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from agent.checked_toml import read_toml
from agent.confidence.judged import logit, sigmoid
from agent.hashing import text_hash
from agent.spectra.spectrum import FloatArray

MAX_BYTES = 10_000
LARGEST = 20.0
MAX_LOGIT = 6.0
"""Log-odds of a member count up to this size (p of 0.9975). Beyond it models are not surer, only
more extreme, and one of them would overrule the other whatever that says."""


@dataclass(frozen=True, kw_only=True)
class FusionWeights:
    """log-odds of YES = intercept + eye * log-odds of the eye + measured * those measured."""

    intercept: float
    eye: float
    measured: float

    def fuse(self, eye: float | None, measured: float | None) -> float | None:
        """The panel's p(YES); where one of them has none, that of the other as it is."""
        if eye is None or measured is None:
            return measured if eye is None else eye
        terms = clipped_logit([eye, measured]) * (self.eye, self.measured)
        return float(sigmoid(self.intercept + terms.sum()))

    @property
    def sha256(self) -> str:
        return text_hash(f"{self.intercept:.6g},{self.eye:.6g},{self.measured:.6g},{MAX_LOGIT:g}")


def clipped_logit(p: ArrayLike) -> FloatArray:
    return np.clip(logit(p), -MAX_LOGIT, MAX_LOGIT)


def read_fusion(path: Path) -> FusionWeights:
    """Read the weights; a ResourceError names the faulty key."""
    file = read_toml(path, MAX_BYTES)
    weights = FusionWeights(
        intercept=file.number("intercept", low=-LARGEST, high=LARGEST),
        eye=file.number("eye", low=0, high=LARGEST),
        measured=file.number("measured", low=0, high=LARGEST),
    )
    file.close()
    return weights


@cache
def builtin_fusion() -> FusionWeights:
    with as_file(files("resources") / "weights" / "panel.toml") as path:
        return read_fusion(path)

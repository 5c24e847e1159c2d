"""llama.cpp against transformers on the same tiny models: both families, every type of file.

Random weights, so near ties are common; a trained model is surer of its next word.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch

from agent.convert.episodes import random_episode
from agent.engines.gguf.engine import GgufEngine
from tests.bench.measuring import figure_line
from tests.small_models import make_folder
from train.export.export import export_gguf
from train.export.parity import Parity, Reference, compare
from train.models.small_model import FamilyName

FAMILIES: tuple[FamilyName, ...] = ("qwen2.5-vl", "qwen3-vl")
TYPES = (("f32", "f32"), ("f16", "f16"), ("q8_0", "f16"))
EPISODES = 50


def figures() -> Iterator[dict[str, object]]:
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as place:
        for family in FAMILIES:
            folder = make_folder(Path(place) / family, family)
            engines = [_loaded(folder, *types) for types in TYPES]
            reference = Reference(folder)
            episodes = (random_episode(seed, reference.sizing) for seed in range(EPISODES))
            found = compare(reference, engines, episodes)
            for engine in engines:
                engine.close()
            for (lm_type, mmproj_type), parity in zip(TYPES, found, strict=True):
                yield from _lines(f"{family} {lm_type} + {mmproj_type} pictures", parity)


def _loaded(folder: Path, lm_type: str, mmproj_type: str) -> GgufEngine:
    out = folder.with_name(f"{folder.name}-gguf")
    report = export_gguf(folder, out, lm_type=lm_type, mmproj_type=mmproj_type)
    return GgufEngine.load(
        out / report.language_model.name, out / report.mmproj.name, threads=1, context_length=8192
    )


def _lines(name: str, parity: Parity) -> Iterator[dict[str, object]]:
    unit = f"% of {parity.positions} text positions"
    title = f"{name}: same likeliest token"
    yield figure_line(title, 100.0 * parity.share, unit, baseline="wanted in F16: >= 99")
    title = f"{name}: same likeliest token in the model's turns"
    value = 100.0 * parity.own_equal / parity.own_positions
    unit = f"% of {parity.own_positions} positions"
    yield figure_line(title, value, unit, baseline="wanted in F16: >= 99")
    title = f"{name}: largest difference of a logit"
    baseline = f"logits spread by {parity.spread:.2g}"
    yield figure_line(title, parity.largest, f"logits; rms {parity.rms:.2g}", baseline=baseline)
    baseline = f"wanted: all; largest difference of p(YES) {parity.largest_p_yes:.2g}"
    unit = f"of {parity.episodes} episodes, {parity.verdicts_yes} of them YES"
    title = f"{name}: verdicts that agree"
    yield figure_line(title, parity.verdicts_equal, unit, baseline=baseline)

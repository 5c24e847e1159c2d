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
    yield {
        "figure": f"{name}: same likeliest token",
        "value": 100.0 * parity.share,
        "unit": f"% of {parity.positions} text positions",
        "baseline": "wanted in F16: >= 99",
    }
    yield {
        "figure": f"{name}: same likeliest token in the model's turns",
        "value": 100.0 * parity.own_equal / parity.own_positions,
        "unit": f"% of {parity.own_positions} positions",
        "baseline": "wanted in F16: >= 99",
    }
    yield {
        "figure": f"{name}: largest difference of a logit",
        "value": parity.largest,
        "unit": f"logits; rms {parity.rms:.2g}",
        "baseline": f"logits spread by {parity.spread:.2g}",
    }
    yield {
        "figure": f"{name}: verdicts that agree",
        "value": parity.verdicts_equal,
        "unit": f"of {parity.episodes} episodes, {parity.verdicts_yes} of them YES",
        "baseline": f"wanted: all; largest difference of p(YES) {parity.largest_p_yes:.2g}",
    }

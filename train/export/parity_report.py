"""The export's own check against transformers, where both programs are there."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

from agent.rendering.style import Style
from train.export.export import ExportReport
from train.models.errors import ExportError

EPISODES = 3
MOST_PARAMETERS = 1_500_000_000
"""In float32 they take 6 GB; larger models are compared only when asked to."""
LEAST_SHARE = {"f32": 0.97, "f16": 0.97, "q8_0": 0.85}
"""Of positions with the same likeliest token. Below it the file is wrong, not rounded: models with
random weights, which are the hardest, reach 0.99 in float16 and 0.92 in Q8_0."""


def with_parity(
    report: ExportReport,
    model: Path,
    *,
    wanted: bool | None,
    threads: int | None = None,
    style: Style | None = None,
) -> ExportReport:
    """Compare the written pair with `model`, the transformers folder, and save the report again.

    `wanted` None: where the model is small enough and the programs are there. `style` is the
    model's own, where it is known: a small one may not have room for the words and pictures of
    another. Raises ExportError where llama.cpp does not compute what transformers does.
    """
    why_not = "not asked for" if wanted is False else _hindrance(report, forced=wanted is True)
    if why_not and wanted:
        raise ExportError(f"parity cannot be measured: {why_not}")
    if why_not:
        report = replace(report, parity_note=why_not)
        report.save()
        return report
    from agent.engines.gguf.engine import GgufEngine
    from train.export.episodes import random_episode
    from train.export.parity import Reference, compare

    reference = Reference(model)
    episodes = [random_episode(seed, reference.sizing, style) for seed in range(EPISODES)]
    engine = GgufEngine.load(
        report.folder / report.language_model.name,
        report.folder / report.mmproj.name,
        threads=threads,
    )
    try:
        (parity,) = compare(reference, [engine], episodes)
    finally:
        engine.close()
    report = replace(report, parity=parity.to_json(), parity_note="")
    path = report.save()
    if parity.share < LEAST_SHARE[report.language_model.type]:
        raise ExportError(
            f"llama.cpp does not compute what transformers does: the likeliest token is the same "
            f"at {parity.share:.1%} of positions only. Do not use these files; see {path}"
        )
    return report


def _hindrance(report: ExportReport, *, forced: bool) -> str:
    missing = [
        name
        for name in ("torch", "transformers", "llama_cpp")
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        return f"{' and '.join(missing)} not installed"
    count = report.language_model.parameters
    if count > MOST_PARAMETERS and not forced:
        return f"a model of {count / 1e9:.1f} billion parameters is compared with --parity alone"
    return ""

"""Compares an export with transformers, if both programs are installed."""

from __future__ import annotations

import importlib.util
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from agent.convert.checkpoint import ConversionError
from agent.rendering.style import Style
from train.export.export import ExportReport

EPISODES = 3
# 6 GB in float32; larger models are only compared on request.
MOST_PARAMETERS = 1_500_000_000
# Least fraction of positions with the same likeliest token. Rounding alone does not go below it:
# random weights, the hardest case, reach 0.99 in float16 and 0.92 in Q8_0.
LEAST_SHARE = {"f32": 0.97, "f16": 0.97, "q8_0": 0.85}


def with_parity(
    report: ExportReport,
    model: Path,
    *,
    wanted: bool | None,
    threads: int | None = None,
    style: Style | None = None,
) -> ExportReport:
    """Compare the exported files with `model`, the transformers folder, and save the report again.

    `wanted` None compares if the model is small enough and the programs are installed. `style` is
    the model's own, if known: a small model may have too little context for another. Raises
    ConversionError if the outputs differ by more than rounding.
    """
    reason = "not requested" if wanted is False else _obstacle(report, forced=wanted is True)
    if reason and wanted:
        raise ConversionError(f"parity cannot be measured: {reason}")
    if reason:
        report = replace(report, parity_note=reason)
        report.save()
        return report
    from agent.convert.episodes import random_episode
    from agent.engines.gguf.engine import GgufEngine
    from train.export.parity import Reference, compare

    reference = Reference(model)
    episodes = [random_episode(seed, reference.sizing, style) for seed in range(EPISODES)]
    files = (report.folder / file.name for file in (report.language_model, report.mmproj))
    with closing(GgufEngine.load(*files, threads=threads)) as engine:
        (parity,) = compare(reference, [engine], episodes)
    report = replace(report, parity=parity.to_json(), parity_note="")
    path = report.save()
    if parity.share < LEAST_SHARE[report.language_model.type]:
        raise ConversionError(
            f"llama.cpp does not compute what transformers does: the likeliest token is the same "
            f"at only {parity.share:.1%} of the positions. Do not use these files; see {path}"
        )
    return report


def _obstacle(report: ExportReport, *, forced: bool) -> str:
    needed = ("torch", "transformers", "llama_cpp")
    if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
        return f"{' and '.join(missing)} not installed"
    count = report.language_model.parameters
    if count > MOST_PARAMETERS and not forced:
        return f"a model of {count / 1e9:.1f} billion parameters is only compared with --parity"
    return ""

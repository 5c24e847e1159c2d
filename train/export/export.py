"""Converts a transformers folder to the two GGUF files of llama.cpp, and compares both programs."""

import importlib.util
import json
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agent.atomic_file import write_file
from agent.convert import convert
from agent.convert.checkpoint import ConversionError
from agent.convert.shapes import Family
from agent.engines.gguf.kind import GGUF
from agent.engines.kind import Role
from agent.models.card import Card, ModelFile
from agent.models.card_file import CARD_NAME, read_card, write_card
from agent.rendering.style import Style

REPORT = "export.json"
EPISODES = 3
# 6 GB in float32; larger models are only compared on request.
MOST_PARAMETERS = 1_500_000_000
# Least fraction of positions with the same likeliest token. Rounding alone does not go below it:
# random weights, the hardest case, reach 0.99 in float16 and 0.92 in Q8_0.
LEAST_SHARE = {"f32": 0.97, "f16": 0.97, "q8_0": 0.85}
Say = Callable[[str], None]


@dataclass(frozen=True)
class ExportReport:
    """What was written into `folder`. `parity` compares llama.cpp with transformers on the model;
    where it is None `parity_note` says why."""

    family: Family
    source: Path
    folder: Path
    language_model: convert.WrittenFile
    mmproj: convert.WrittenFile
    seconds: float
    adapter: Path | None = None  # the adapter merged into `source`, if any
    parity: Mapping[str, Any] | None = None
    parity_note: str = "not measured"

    def to_json(self) -> dict[str, Any]:
        adapter = None if self.adapter is None else str(self.adapter)
        paths = {"source": str(self.source), "folder": str(self.folder), "adapter": adapter}
        return asdict(self) | paths

    def save(self) -> Path:
        path = self.folder / REPORT
        write_file(path, json.dumps(self.to_json(), indent=2) + "\n")
        return path


def export_gguf(
    folder: Path,
    out_folder: Path,
    *,
    lm_type: convert.LanguageType = "f16",
    mmproj_type: convert.PictureType = "f16",
    name: str = "",
    say: Say = lambda line: None,
) -> ExportReport:
    """Write `model-TYPE.gguf`, `mmproj-TYPE.gguf` and `export.json` into `out_folder`.

    Raises ConversionError for models that llama.cpp would compute differently. A file appears under
    its name only after it was written and checked. `name` is the model's name in the files, by
    default the folder's; `say` receives a progress message for each step.
    """
    started = time.perf_counter()
    plan = convert.plan_conversion(folder, lm_type, mmproj_type, name)
    said = ""

    def progress(what: str, done: int, total: int) -> None:
        nonlocal said
        if what != said:
            said = what
            say(f"{what} in {out_folder}")

    language_model, mmproj = convert.write_files(plan, out_folder, progress)
    seconds = time.perf_counter() - started
    report = ExportReport(plan.family, folder, out_folder, language_model, mmproj, seconds)
    report.save()
    return report


def write_gguf_card(model: Path, report: ExportReport) -> Card | None:
    """Write the card of `model` for the two files; returns None if it has none."""
    if not (model / CARD_NAME).is_file():
        return None
    words, pictures = report.language_model, report.mmproj
    card = replace(
        read_card(model),
        engine=GGUF.name,
        base="",
        source=None,
        parameters=words.parameters + pictures.parameters,
        files=(_entry("weights", words), _entry("mmproj", pictures)),
    )
    write_card(card, report.folder)
    return card


def _entry(role: Role, file: convert.WrittenFile) -> ModelFile:
    return ModelFile(role=role, path=file.name, size=file.bytes, sha256=file.sha256)


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

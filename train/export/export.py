"""Converts a transformers folder to the two GGUF files of llama.cpp: language model and vision."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from train.export.checkpoint import StoredTensor, open_checkpoint
from train.export.gguf_file import check_gguf, write_gguf
from train.export.metadata import Metadata, text_metadata, vision_metadata
from train.export.shapes import Family, read_shape
from train.export.targets import (
    TensorTarget,
    is_tied,
    refuse_misfits,
    stored_sources,
    text_targets,
    vision_targets,
)
from train.export.vocabulary import read_vocabulary
from train.models.errors import ExportError

LanguageType = Literal["f32", "f16", "q8_0"]
# Never q8_0: the vision part is small, and rounding it changes answers most.
PictureType = Literal["f32", "f16"]

REPORT = "export.json"
Say = Callable[[str], None]


@dataclass(frozen=True)
class WrittenFile:
    """A GGUF file whose numbers were all checked against the checkpoint."""

    name: str
    type: str
    tensors: int
    parameters: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class ExportReport:
    """What was written into `folder`. `parity` compares llama.cpp with transformers on the model;
    where it is None `parity_note` says why."""

    family: Family
    source: Path
    folder: Path
    language_model: WrittenFile
    mmproj: WrittenFile
    seconds: float
    adapter: Path | None = None
    """The adapter merged into `source`, if any."""
    parity: Mapping[str, Any] | None = None
    parity_note: str = "not measured"

    def to_json(self) -> dict[str, Any]:
        paths = {
            "source": str(self.source),
            "folder": str(self.folder),
            "adapter": None if self.adapter is None else str(self.adapter),
        }
        return asdict(self) | paths

    def save(self) -> Path:
        """Write `export.json` beside the two files."""
        path = self.folder / REPORT
        part = _part(path)
        part.write_text(json.dumps(self.to_json(), indent=2) + "\n", encoding="utf-8")
        part.replace(path)
        return path


@dataclass(frozen=True)
class _Plan:
    """A file to write."""

    path: Path
    file_type: str
    metadata: Metadata
    targets: Sequence[TensorTarget]


def export_gguf(
    folder: Path,
    out_folder: Path,
    *,
    lm_type: LanguageType = "f16",
    mmproj_type: PictureType = "f16",
    name: str = "",
    say: Say = lambda line: None,
) -> ExportReport:
    """Write `model-TYPE.gguf`, `mmproj-TYPE.gguf` and `export.json` into `out_folder`.

    Raises ExportError for models that llama.cpp would compute differently. A file appears under its
    name only after it was written and checked. `name` is the model's name in the files, by default
    the folder's; `say` receives a progress message for each step.
    """
    if lm_type not in get_args(LanguageType) or mmproj_type not in get_args(PictureType):
        raise ExportError(
            f"no export as {lm_type} with pictures as {mmproj_type}: choose f32, f16 or q8_0, "
            "and f32 or f16 for the pictures"
        )
    started = time.perf_counter()
    checkpoint = open_checkpoint(folder)
    shape = read_shape(checkpoint.config)
    vocabulary = read_vocabulary(checkpoint, shape.text.vocab)
    stored = stored_sources(checkpoint)
    words = text_targets(shape, tied=is_tied(checkpoint.config, stored))
    pictures = vision_targets(shape)
    refuse_misfits(stored, [*words, *pictures])
    name = name or folder.resolve().name
    plans = (
        _Plan(
            out_folder / f"model-{lm_type}.gguf",
            lm_type,
            text_metadata(shape, vocabulary, lm_type, name),
            words,
        ),
        _Plan(
            out_folder / f"mmproj-{mmproj_type}.gguf",
            mmproj_type,
            vision_metadata(shape, checkpoint, mmproj_type, name),
            pictures,
        ),
    )
    out_folder.mkdir(parents=True, exist_ok=True)
    language_model, mmproj = (_write(plan, stored, say) for plan in plans)
    seconds = time.perf_counter() - started
    report = ExportReport(shape.family, folder, out_folder, language_model, mmproj, seconds)
    report.save()
    return report


def _write(plan: _Plan, stored: Mapping[str, StoredTensor], say: Say) -> WrittenFile:
    contents = (plan.metadata, plan.targets, stored, plan.file_type)
    part = _part(plan.path)
    try:
        say(f"writing {plan.path}")
        write_gguf(part, *contents)
        say(f"reading {plan.path} back")
        check_gguf(part, *contents)
        part.replace(plan.path)
    except OSError as error:
        raise ExportError(f"cannot write {plan.path}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    with plan.path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return WrittenFile(
        plan.path.name,
        plan.file_type,
        len(plan.targets),
        sum(math.prod(target.shape) for target in plan.targets),
        plan.path.stat().st_size,
        digest,
    )


def _part(path: Path) -> Path:
    """The temporary name of a file that is being written."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")

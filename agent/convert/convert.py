"""Converts a transformers folder to the two GGUF files of llama.cpp, without torch.

A file appears under its name only after it was written and checked against its source.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from agent.convert.checkpoint import Checkpoint, ConversionError, open_checkpoint
from agent.convert.forms import SPARE_BYTES
from agent.convert.gguf_file import Contents, check_gguf, write_gguf
from agent.convert.metadata import text_metadata, vision_metadata
from agent.convert.quantizer import MIXED, quantize_chunk
from agent.convert.shapes import Family, read_shape
from agent.convert.targets import (
    is_tied,
    refuse_misfits,
    stored_sources,
    text_targets,
    vision_targets,
)
from agent.convert.vocabulary import read_vocabulary
from agent.hashing import file_hash
from agent.models.long_work import Progress, alone, counted, kept_bytes

LanguageType = Literal["f32", "f16", "q8_0", "q5_k_m", "q4_k_m"]
# Never fewer bits: the vision part is small, and rounding it changes answers most.
PictureType = Literal["f32", "f16"]

HEADER_BYTES = 16_000_000  # room for the header, most of it the vocabulary


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
class PlannedFile:
    name: str
    contents: Contents

    @property
    def bytes(self) -> int:
        return self.contents.data_bytes + HEADER_BYTES


@dataclass(frozen=True)
class Plan:
    """The files that a model's folder is to become; nothing of the weights was read yet."""

    family: Family
    source: Checkpoint
    language_model: PlannedFile
    mmproj: PlannedFile

    @property
    def files(self) -> tuple[PlannedFile, PlannedFile]:
        return self.language_model, self.mmproj

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


def plan_conversion(
    folder: Path, lm_type: LanguageType, mmproj_type: PictureType = "f16", name: str = ""
) -> Plan:
    """Plan `model-TYPE.gguf` and `mmproj-TYPE.gguf`; `name`, by default the folder's, is in them.

    Raises ConversionError for models that llama.cpp would compute differently, and for folders
    that are damaged or incomplete.
    """
    if lm_type not in get_args(LanguageType) or mmproj_type not in get_args(PictureType):
        raise ConversionError(
            f"no file of {lm_type} with pictures as {mmproj_type}: choose "
            f"{', '.join(get_args(LanguageType))}, and f32 or f16 for the pictures"
        )
    if lm_type in MIXED:
        quantize_chunk()
    checkpoint = open_checkpoint(folder)
    shape = read_shape(checkpoint.config)
    vocabulary = read_vocabulary(checkpoint, shape.text.vocab)
    stored = stored_sources(checkpoint)
    words = text_targets(shape, tied=is_tied(checkpoint.config, stored))
    pictures = vision_targets(shape)
    refuse_misfits(stored, [*words, *pictures])
    name = name or folder.resolve().name
    keys = text_metadata(shape, vocabulary, lm_type, name)
    language_model = PlannedFile(f"model-{lm_type}.gguf", Contents(keys, words, stored, lm_type))
    keys = vision_metadata(shape, checkpoint, mmproj_type, name)
    mmproj = PlannedFile(
        f"mmproj-{mmproj_type}.gguf", Contents(keys, pictures, stored, mmproj_type)
    )
    return Plan(shape.family, checkpoint, language_model, mmproj)


def write_files(
    plan: Plan,
    out_folder: Path,
    progress: Progress = lambda what, done, total: None,
    *,
    threads: int = 1,
) -> tuple[WrittenFile, WrittenFile]:
    """Write and check the language model and the vision part.

    What was written when this is interrupted stays, and the next call with the same plan goes on
    there.
    """
    lock = out_folder / ".converting.lock"
    busy = ConversionError(
        f"another program is converting into {out_folder} now: wait until it has finished"
    )
    with _explained_errors(out_folder), alone(lock, busy), ExitStack() as stack:
        stack.callback(lock.unlink, missing_ok=True)
        parts = {file.name: part_of(out_folder, plan, file) for file in plan.files}
        # the unfinished files of this conversion or of earlier ones
        known = {part for name in parts for part in out_folder.glob(f".{name}.*.part")}
        for part in known - set(parts.values()):
            part.unlink()
        needed = plan.bytes - sum(map(kept_bytes, parts.values()))
        free = shutil.disk_usage(out_folder).free
        if needed + SPARE_BYTES > free:
            raise ConversionError(
                f"the conversion needs {needed / 1e9:.1f} GB, but only {free / 1e9:.1f} GB are "
                f"free at {out_folder}: free some space, or set SPEC_O3_MODELS to a folder on "
                "another disk"
            )
        language_model, mmproj = (
            _write(file, out_folder, parts[file.name], progress, threads) for file in plan.files
        )
        return language_model, mmproj


def _write(
    file: PlannedFile, folder: Path, part: Path, progress: Progress, threads: int
) -> WrittenFile:
    path, contents = folder / file.name, file.contents
    with _explained_errors(path):
        try:
            written = counted(progress, f"writing {file.name}", contents.numbers)
            write_gguf(part, contents, written, threads)
            check_gguf(part, contents, counted(progress, f"checking {file.name}", contents.numbers))
        except ConversionError:
            part.unlink(missing_ok=True)  # or the next conversion would go on with it
            raise
        part.replace(path)
        digest = file_hash(path)
    facts = (contents.file_type, len(contents.targets), contents.numbers)
    return WrittenFile(path.name, *facts, path.stat().st_size, digest)


def part_of(folder: Path, plan: Plan, file: PlannedFile) -> Path:
    """The unfinished file, named after what it is made of: other weights begin another one."""
    digest = hashlib.sha256(repr((file.contents.metadata, file.contents.file_type)).encode())
    for path in sorted({tensor.path for tensor in plan.source.tensors.values()}):
        facts = path.stat()
        digest.update(repr((path.name, facts.st_size, facts.st_mtime_ns)).encode())
    return folder / f".{file.name}.{digest.hexdigest()[:12]}.part"


@contextmanager
def _explained_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or os.strerror(error.errno or 0)
        raise ConversionError(
            f"{path} could not be written: {reason}. What was written stays: the same command "
            "goes on there"
        ) from error

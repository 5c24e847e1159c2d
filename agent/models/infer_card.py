"""Infer the card of a model without one, from what its engine finds in its files."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent.engines.kind import role_of
from agent.engines.registry import ENGINES
from agent.errors import ResourceError, read_errors
from agent.hashing import file_hash
from agent.models.card import MAX_FILES, Card, ModelFile, path_problem
from agent.models.card_file import CARD_NAME, read_card
from agent.models.long_work import OnBytes

MAX_ENTRIES = 5000
# In bytes. Files up to this size are hashed whenever a card is inferred; weights are not.
HASHED_AT_ONCE = 32 * 1024 * 1024


def read_or_infer_card(path: Path) -> Card:
    """Return the card of a model folder or a single GGUF file, inferred if there is none."""
    if (path / CARD_NAME).is_file():
        return read_card(path)
    return infer_card(path)


def make_card(path: Path, *, on_bytes: OnBytes = lambda count: None, **known: Any) -> Card:
    """Infer the card of a new folder, hash every file and set the `known` fields."""
    card = infer_card(path)
    folder = path if path.is_dir() else path.parent
    files = [
        replace(each, sha256=each.sha256 or sha256_of(folder / each.path, on_bytes))
        for each in card.files
    ]
    return replace(card, files=tuple(files), **known)


def infer_card(path: Path) -> Card:
    """Infer a card from the files; the picture style is assumed to be the published one."""
    is_model_file = path.is_file() and may_be_model_file(path)
    if not is_model_file and not path.is_dir():
        raise ResourceError(f"{path} is neither a model folder nor a .gguf file")
    folder = path.parent if is_model_file else path
    names = []
    with read_errors(folder, ResourceError):
        for count, entry in enumerate(folder.iterdir()):
            if count >= MAX_ENTRIES:
                raise ResourceError(
                    f"{folder} has more than {MAX_ENTRIES} files: not a model folder"
                )
            if path_problem(entry.name) is None and entry.is_file():
                names.append(entry.name)
    if len(names) > MAX_FILES:
        raise ResourceError(f"{folder} has more than {MAX_FILES} model files")
    names.sort()
    for engine in ENGINES:
        if (found := engine.find(path, names)) is not None:
            return Card(
                name=plain_name(found.name),
                family=found.family,
                engine=engine.name,
                base=plain_name(found.base) if found.base else "",
                context_length=found.context_length,
                sizing=found.sizing,
                files=tuple(_file(folder, name) for name in found.files),
            )
    raise ResourceError(f"{path} has no model: neither config.json nor a .gguf file")


def may_be_model_file(path: Path) -> bool:
    """Whether an engine has models that are a file with such a name, not a folder."""
    return path.suffix.lower() in {engine.suffix for engine in ENGINES} - {""}


def sha256_of(path: Path, on_bytes: OnBytes = lambda count: None) -> str:
    """Hash a file; `on_bytes` receives the size of each piece read."""
    with read_errors(path, ResourceError):
        return file_hash(path, on_bytes)


def plain_name(text: str) -> str:
    """Turn the name of a file or folder into a valid model name."""
    name = re.sub(r"[^A-Za-z0-9._+-]+", "-", text).strip("._+-")[:80]
    return name or "model"


def _file(folder: Path, name: str) -> ModelFile:
    path = folder / name
    with read_errors(path, ResourceError):
        size = path.stat().st_size
    sha256 = sha256_of(path) if size <= HASHED_AT_ONCE else _blob_hash(path)
    return ModelFile(role=role_of(name), path=name, size=size, sha256=sha256)


def _blob_hash(path: Path) -> str:
    # in the hub's cache a large file is a link to a blob named by its hash
    if not path.is_symlink():
        return ""
    target = path.readlink()
    is_blob = target.parent.name == "blobs" and re.fullmatch(r"[0-9a-f]{64}", target.name)
    return target.name if is_blob else ""

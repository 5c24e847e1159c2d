"""Are a model's files all there, and are they the ones its card names?"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from platformdirs import user_cache_path

from agent.errors import ResourceError
from agent.models.card import MAX_FILES, Card, ModelFile, path_problem
from agent.models.infer_card import read_json, sha256_of

Check = Literal["sizes", "once", "always"]
MAX_REMEMBERED = 500
_INDEX = ".safetensors.index.json"


def missing_files(card: Card, folder: Path) -> tuple[str, ...]:
    """Files that are absent or of another size, and shards that an index names and nobody has."""
    listed = [file.path for file in card.files if _size(folder / file.path) != file.size]
    known = {file.path for file in card.files}
    shards = [name for name in _shards(card, folder) if name not in known]
    needed = [] if card.engine != "transformers" or card.base else _needed(card)
    return tuple(dict.fromkeys([*listed, *shards, *needed]))


def check_files(
    card: Card,
    folder: Path,
    check: Check = "once",
    on_bytes: Callable[[int], None] = lambda count: None,
) -> None:
    """Raise ResourceError unless every file is there and has the size and the hash in the card.

    `once` reads for the hash only files that have not been found right before and have the same
    size and date since.
    """
    if missing := missing_files(card, folder):
        raise ResourceError(
            f"{folder}: the model {card.name} is not complete: {_some(missing)} missing or of "
            "another size than its card says"
        )
    if check == "sizes":
        return
    remembered = {} if check == "always" else _remembered()
    found = dict(remembered)
    for file in card.files:
        path = folder / file.path
        stamp = _stamp(path, file)
        if not file.sha256 or (check == "once" and remembered.get(_key(path)) == stamp):
            continue
        if sha256_of(path, on_bytes) != file.sha256:
            raise ResourceError(
                f"{path}: not the file that the model's card names (its SHA-256 differs): "
                "damaged or replaced; fetch it again, or delete the folder and the model with it"
            )
        found[_key(path)] = stamp
    if found != remembered:
        _remember(found)


def remember_files(card: Card, folder: Path) -> None:
    """These have just been hashed: `check_files` need not read them again."""
    files = [(folder / file.path, file) for file in card.files if file.sha256]
    _remember({**_remembered(), **{_key(path): _stamp(path, file) for path, file in files}})


def _needed(card: Card) -> list[str]:
    names = {PurePosixPath(file.path).name for file in card.files}
    has_words = {"vocab.json", "merges.txt"} <= names
    needed = [] if "config.json" in names else ["config.json"]
    return needed if has_words or "tokenizer.json" in names else [*needed, "tokenizer.json"]


def _shards(card: Card, folder: Path) -> list[str]:
    """What the index of a checkpoint in several files names; hostile names are left out."""
    names: dict[str, None] = {}
    for path in card.paths("config"):
        if not path.endswith(_INDEX) or not (folder / path).is_file():
            continue
        where = read_json(folder / path, 64 * 1024 * 1024).get("weight_map")
        values = where.values() if isinstance(where, dict) else ()
        for value in values:
            if isinstance(value, str) and len(names) < MAX_FILES and path_problem(value) is None:
                names[value] = None
    return list(names)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else -1
    except OSError:
        return -1


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _key(path: Path) -> str:
    return str(path.resolve())


def _stamp(path: Path, file: ModelFile) -> list[Any]:
    return [file.size, path.stat().st_mtime_ns, file.sha256]


def _memory() -> Path:
    return user_cache_path("spec-o3-workbench", appauthor=False) / "checked-files.json"


def _remembered() -> dict[str, Any]:
    try:
        return read_json(_memory())
    except ResourceError:
        return {}


def _remember(found: dict[str, Any]) -> None:
    """Best effort: where it cannot be written, the files are hashed again next time."""
    target = _memory()
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    newest = dict(list(found.items())[-MAX_REMEMBERED:])
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(newest), encoding="utf-8")
        draft.replace(target)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)

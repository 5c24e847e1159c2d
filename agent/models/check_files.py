"""Check that a model's files are complete and match the hashes in its card."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from agent.atomic_file import write_file
from agent.engines.kind import read_json
from agent.engines.registry import engine_kind
from agent.errors import ResourceError
from agent.models.card import MAX_FILES, Card, ModelFile, path_problem
from agent.models.infer_card import sha256_of
from agent.models.long_work import OnBytes

MAX_REMEMBERED = 500
_INDEX = ".safetensors.index.json"


def missing_files(card: Card, folder: Path) -> tuple[str, ...]:
    """Return files that are absent or of another size, and missing shards of an index."""
    listed = [file.path for file in card.files if _size(folder / file.path) != file.size]
    known = {file.path for file in card.files}
    shards = [name for name in _shards(card, folder) if name not in known]
    return tuple(dict.fromkeys([*listed, *shards, *engine_kind(card.engine).missing_files(card)]))


def check_files(card: Card, folder: Path, on_bytes: OnBytes = lambda count: None) -> None:
    """Raise ResourceError unless every file has the size and the hash in the card.

    Only files are hashed that were not verified before or have changed size or date since.
    """
    if missing := missing_files(card, folder):
        some = ", ".join(missing[:3])
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise ResourceError(
            f"{folder}: the model {card.name} is incomplete: {some}{more} missing or of another "
            "size than in its card"
        )
    remembered = _verified()
    verified = dict(remembered)
    for file in card.files:
        path = folder / file.path
        stamp = _stamp(path, file)
        if not file.sha256 or remembered.get(_key(path)) == stamp:
            continue
        if sha256_of(path, on_bytes) != file.sha256:
            raise ResourceError(
                f"{path} is not the file in the model's card (its SHA-256 differs): it is damaged "
                "or was replaced; delete the folder and download the model again"
            )
        verified[_key(path)] = stamp
    if verified != remembered:
        _save_verified(verified)


def remember_files(card: Card, folder: Path) -> None:
    """Record files that were just hashed, so that `check_files` does not read them again."""
    files = [(folder / file.path, file) for file in card.files if file.sha256]
    _save_verified({**_verified(), **{_key(path): _stamp(path, file) for path, file in files}})


def _shards(card: Card, folder: Path) -> list[str]:
    """Return the shards in a checkpoint's index, without unsafe names."""
    names: dict[str, None] = {}
    for path in card.paths("config"):
        if not path.endswith(_INDEX) or not (folder / path).is_file():
            continue
        weight_map = read_json(folder / path, 64 * 1024 * 1024).get("weight_map")
        values = weight_map.values() if isinstance(weight_map, dict) else ()
        for value in values:
            if isinstance(value, str) and len(names) < MAX_FILES and path_problem(value) is None:
                names[value] = None
    return list(names)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else -1
    except OSError:
        return -1


def _key(path: Path) -> str:
    return str(path.resolve())


def _stamp(path: Path, file: ModelFile) -> list[Any]:
    return [file.size, path.stat().st_mtime_ns, file.sha256]


def _verified_file() -> Path:
    return user_cache_path("spec-o3-workbench", appauthor=False) / "checked-files.json"


def _verified() -> dict[str, Any]:
    try:
        return read_json(_verified_file())
    except ResourceError:
        return {}


def _save_verified(verified: dict[str, Any]) -> None:
    """Save the record; if that fails, the files are hashed again next time."""
    target = _verified_file()
    newest = dict(list(verified.items())[-MAX_REMEMBERED:])
    with suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, json.dumps(newest))

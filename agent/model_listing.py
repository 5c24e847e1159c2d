"""What a repository on the hub holds, as the hub tells it, and whether a file is what was told."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from agent.model_card import CARD_NAME
from agent.model_deduce import sha256_of
from agent.model_types import MAX_BYTES, MAX_FILES, REVISION, SHA256, path_problem

MAX_TEXT_FILE_BYTES = 256 * 1024 * 1024
PIECE = 1024 * 1024
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")


class DownloadError(WorkbenchError):
    """A model could not be fetched: why, and what to do."""


class HubUnreachable(DownloadError):
    """The hub was not reached, or not well enough: another machine may do better."""


@dataclass(frozen=True, kw_only=True)
class HubFile:
    """A file as the hub tells of it: one of `sha256` (large files) and `git_sha1` is known."""

    path: str
    size: int
    sha256: str = ""
    git_sha1: str = ""


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A repository at one commit, with the files that may be part of a model."""

    repo: str
    revision: str
    licence: str
    files: tuple[HubFile, ...]
    has_pickles: bool = False
    """It holds weights in a form that runs code when loaded; those are left where they are."""


def read_listing(repo: str, content: bytes) -> Listing:
    """From the hub's JSON. Raises ValueError where it is not what a hub says."""
    try:
        return _listing(repo, json.loads(content))
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"unexpected {type(error).__name__}") from error


def is_right(path: Path, file: HubFile) -> bool:
    """Whether a file is the one the hub told of, by size and hash."""
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    if file.sha256:
        return sha256_of(path) == file.sha256
    # A small file's name in git: SHA-1 of a header and the content.
    digest = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    with path.open("rb") as stream:
        while piece := stream.read(PIECE):
            digest.update(piece)
    return digest.hexdigest() == file.git_sha1


def _listing(repo: str, answer: Mapping[str, Any]) -> Listing:
    revision = answer["sha"]
    if not REVISION.fullmatch(revision):
        raise ValueError("no commit")
    siblings = answer["siblings"]
    names = [str(each["rfilename"]) for each in siblings]
    files = [_file(each) for each in siblings if _is_wanted(str(each["rfilename"]))]
    if len(files) > MAX_FILES:
        raise DownloadError(f"{repo} holds {len(files)} files: that is no single model")
    return Listing(
        repo=repo,
        revision=revision,
        licence=_licence(answer),
        files=tuple(sorted(files, key=lambda file: (file.size, file.path))),
        has_pickles=any(name.endswith(_PICKLES) for name in names),
    )


def _is_wanted(name: str) -> bool:
    """Data in the repository's top folder; below it lie checkpoints and other people's forms."""
    return name == CARD_NAME or ("/" not in name and path_problem(name) is None)


def _file(sibling: Mapping[str, Any]) -> HubFile:
    name, size, lfs = str(sibling["rfilename"]), sibling["size"], sibling.get("lfs")
    sha256 = str(lfs["sha256"]).lower() if lfs else ""
    git_sha1 = str(sibling.get("blobId", "")) if not lfs else ""
    most = MAX_BYTES if name.endswith((".safetensors", ".gguf")) else MAX_TEXT_FILE_BYTES
    if type(size) is not int or not 0 <= size <= most:
        raise ValueError("no size")
    if not (SHA256.fullmatch(sha256) if lfs else REVISION.fullmatch(git_sha1)):
        raise ValueError("no hash")
    return HubFile(path=name, size=size, sha256=sha256, git_sha1=git_sha1)


def _licence(answer: Mapping[str, Any]) -> str:
    facts = answer.get("cardData")
    if not isinstance(facts, dict):
        return ""
    named = facts.get("license_name") or facts.get("license")
    plain = re.sub(r"[^\w .,()+-]", "", named) if isinstance(named, str) else ""
    return printable(plain, 100).strip()

"""The commit and the files of a model that is being downloaded, kept so that they cannot change.

A hub or a mirror that lists other files for the same commit is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from agent.engines.model_files import read_json
from agent.errors import ResourceError
from agent.models.card import Card, ModelFile
from agent.models.card_file import CARD_NAME, read_card
from agent.models.hub import HubFile, Listing
from agent.models.hub_address import DownloadError

RECORD = ".download.json"


@dataclass(frozen=True)
class Pinned:
    """What is known of a model before its files are listed; `revision` is empty for the newest."""

    revision: str = ""
    files: tuple[HubFile, ...] = ()


def pinned_model(repo: str, revision: str, card: Card | None, folders: Iterable[Path]) -> Pinned:
    """Combine what the user asks for, the published card, and what is in the model's folders."""
    if card is not None and card.source is not None and card.source.revision:
        listed = tuple(map(_of_card, card.files))
        return Pinned(_agreeing(repo, revision, card.source.revision), listed)
    for folder in folders:
        begun = _begun(repo, folder)
        if begun is not None:
            return Pinned(_agreeing(repo, revision, begun.revision), begun.files)
    return Pinned(revision)


def keep_listing(listing: Listing, folder: Path) -> None:
    """Record the commit and files of a download that begins."""
    record = {
        "repo": listing.repo,
        "revision": listing.revision,
        "files": [asdict(file) for file in listing.files],
    }
    (folder / RECORD).write_text(json.dumps(record), encoding="utf-8")


def check_listing(pinned: Pinned, listing: Listing, folder: Path) -> None:
    """Raise DownloadError if the hub lists other files than are known for the commit."""
    listed = {file.path: file for file in listing.files}
    for file in pinned.files:
        now = listed.get(file.path)
        if now is None or now.size != file.size or _differs(file, now):
            raise _changed(file.path, listing, folder)


def check_hashes(
    pinned: Pinned, files: Iterable[ModelFile], listing: Listing, folder: Path
) -> None:
    """Raise DownloadError if a downloaded file has another SHA-256 than is known."""
    known = {file.path: file.sha256 for file in pinned.files if file.sha256}
    for file in files:
        if known.get(file.path, file.sha256) != file.sha256:
            raise _changed(file.path, listing, folder)


def _begun(repo: str, folder: Path) -> Pinned | None:
    """What an unfinished download or an incomplete model in this folder tells, if anything."""
    with suppress(ResourceError, KeyError, TypeError, AttributeError):
        record = read_json(folder / RECORD)
        if record["repo"] == repo:
            files = tuple(HubFile(**file) for file in record["files"])
            return Pinned(str(record["revision"]), files)
    with suppress(ResourceError):
        card = read_card(folder / CARD_NAME)
        if card.source is not None and card.source.repo == repo and card.source.revision:
            return Pinned(card.source.revision, tuple(map(_of_card, card.files)))
    return None


def _of_card(file: ModelFile) -> HubFile:
    return HubFile(path=file.path, size=file.size, sha256=file.sha256)


def _differs(known: HubFile, now: HubFile) -> bool:
    pairs = ((known.sha256, now.sha256), (known.git_sha1, now.git_sha1))
    return any(old and new and old != new for old, new in pairs)


def _agreeing(repo: str, asked: str, known: str) -> str:
    if asked and asked != known:
        raise DownloadError(
            f"the model folder or the card of {repo} is of commit {known[:12]}, not {asked[:12]}: "
            "delete the folder to change to another commit"
        )
    return known


def _changed(path: str, listing: Listing, folder: Path) -> DownloadError:
    return DownloadError(
        f"{path} of {listing.repo} is not what it was at commit {listing.revision[:12]}: the hub "
        f"or a mirror may have been tampered with. If you trust it, delete {folder} and start again"
    )

"""Fetches a published wording from the hub: the smallest files that hold it, which are not kept."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from huggingface_hub import get_token

from agent.errors import ResourceError, WorkbenchError
from agent.models.card import Card
from agent.models.folders import models_folder, wording_folder
from agent.models.hub import WAITS_S, Hub, HubFile, Listing
from agent.models.hub_address import DownloadError, HubUnreachable, refuse_if_offline
from agent.models.wording_source import SUFFIXES, rows_of, source_name, tool_of_yaml
from agent.models.wordings import wording_of
from agent.protocol.wording import Wording
from agent.protocol.wording_file import write_wording
from agent.protocol.wording_rows import CLASS_OF_SOURCE, WordingRows

SOURCES = {"spec-o3": ("Maxwell-Jia/Spec-o3-ColdStartSFT", "Maxwell-Jia/SpecVI-Bench")}
"""Data sets of the hub that hold a wording, the first that does is enough."""
CLASSES = frozenset(CLASS_OF_SOURCE.values())
MAX_FILE_BYTES = 512 * 1024**2
MAX_FETCHED_BYTES = 2 * 1024**3
_PATH = re.compile(r"(?:[A-Za-z0-9_][\w.+ -]{0,199}/){0,4}[A-Za-z0-9_][\w.+ -]{0,199}")
_SETTINGS = re.compile(r"(?:.*[_-])?(?:infos?|config|settings|metadata)", re.IGNORECASE)
Progress = Callable[[str, int, int], None]


def get_wording(
    card: Card,
    progress: Progress = lambda file, done, total: None,
    *,
    endpoint: str | None = None,
    token: str | None = None,
    waits_s: Sequence[float] = WAITS_S,
) -> tuple[str, ...]:
    """Fetch the wording that a card names, unless it is here; returns what to tell the user.

    Raises a WorkbenchError that says why it could not be fetched.
    """
    if not card.wording or card.wording not in SOURCES or wording_of(card) is not None:
        return ()
    reasons = []
    for repo in SOURCES[card.wording]:
        try:
            wording, notes = wording_from_hub(
                card.wording, repo, progress, endpoint=endpoint, token=token, waits_s=waits_s
            )
        except HubUnreachable:
            raise
        except WorkbenchError as error:
            reasons.append(f"{repo}: {error}")
            continue
        write_wording(wording, wording_folder(card.wording))
        return notes
    raise DownloadError("; ".join(reasons))


def wording_from_hub(
    name: str,
    repo: str,
    progress: Progress = lambda file, done, total: None,
    *,
    endpoint: str | None = None,
    token: str | None = None,
    waits_s: Sequence[float] = WAITS_S,
) -> tuple[Wording, tuple[str, ...]]:
    """The wording in a data set of the hub, and what to tell the user about it."""
    refuse_if_offline()
    models_folder().mkdir(parents=True, exist_ok=True)
    rows, tool, read = WordingRows(), "", []
    with (
        Hub(endpoint, token or get_token(), waits_s, of_data=True) as hub,
        TemporaryDirectory(prefix=".wording-", dir=models_folder()) as folder,
    ):
        listing = hub.listing(repo, is_wanted=_is_wanted)
        for number, file in enumerate(_candidates(listing)):
            if _is_known(file, rows):
                continue
            path = Path(folder) / f"{number}{PurePosixPath(file.path).suffix}"
            _fetch(hub, listing, file, path, progress)
            try:
                if path.suffix in (".yaml", ".yml"):
                    tool = tool or tool_of_yaml(path)
                else:
                    for row in rows_of(path):
                        rows.add(row)
            except ResourceError as error:
                rows.unread[f"{file.path}: {_without(str(error), folder)}"] += 1
                continue
            finally:
                path.unlink(missing_ok=True)
            read.append(file.path)
            if rows.has_tool and rows.texts.keys() >= CLASSES:
                break
        source = source_name(f"{repo} at {listing.revision[:12]}: {', '.join(read[:8])}")
        return rows.wording(name, tool=tool, source=source, licence=listing.licence)


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    return (
        path.suffix in SUFFIXES
        and _PATH.fullmatch(name) is not None
        and not (path.suffix == ".json" and _SETTINGS.fullmatch(path.stem))
    )


def _candidates(listing: Listing) -> Iterator[HubFile]:
    """The files that may hold words, conversations before pictures, small ones first."""
    left = MAX_FETCHED_BYTES
    ordered = sorted(listing.files, key=lambda file: (file.path.endswith(".parquet"), file.size))
    for file in ordered:
        if file.size <= min(left, MAX_FILE_BYTES):
            left -= file.size
            yield file


def _is_known(file: HubFile, rows: WordingRows) -> bool:
    """Whether a file is of one class, by its name, whose words are known already."""
    last = re.split(r"[_-]", PurePosixPath(file.path).stem.casefold())[-1]
    return file.path.endswith(".parquet") and CLASS_OF_SOURCE.get(last) in rows.texts


def _fetch(hub: Hub, listing: Listing, file: HubFile, path: Path, progress: Progress) -> None:
    done = 0

    def on_bytes(count: int) -> None:
        nonlocal done
        done += count
        progress(file.path, done, file.size)

    hub.fetch(listing, file, path, on_bytes)


def _without(text: str, folder: str) -> str:
    return text.replace(f"{folder}{os.sep}", "")

"""`get_model`: a published model from the hub into the user's folder, whole and checked."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout
from huggingface_hub import get_token

from agent.checked_toml import shown
from agent.errors import ResourceError
from agent.models.card import REPO, Card, Source
from agent.models.card_file import CARD_NAME, read_card, write_card
from agent.models.check_files import remember_files
from agent.models.hub import WAITS_S, DownloadError, Hub, HubFile, HubUnreachable, Listing, matches
from agent.models.infer_card import family_of_config, infer_card, plain_name, sha256_of
from agent.models.registry import (
    PARTIAL,
    ModelLocation,
    as_published,
    list_models,
    model_at,
    models_folder,
    published_model,
)

SPARE_BYTES = 200 * 1024 * 1024
"""Left free on the disk."""
Progress = Callable[[str, int, int], None]
"""File at hand, bytes there, bytes in all. What it raises stops the download; a later one goes on
from there."""


def get_model(
    name: str,
    progress: Progress = lambda file, done, total: None,
    *,
    endpoint: str | None = None,
    token: str | None = None,
    waits_s: Sequence[float] = WAITS_S,
) -> ModelLocation:
    """Fetch a published model, or any repository `owner/name`, unless it is there already.

    `endpoint` is the hub or a mirror of it, else HF_ENDPOINT; `token` else the one that
    huggingface_hub knows. Raises DownloadError, which says what to do without a network.
    """
    card = published_model(name)
    repo = card.source.repo if card is not None and card.source is not None else name
    if not REPO.fullmatch(repo):
        raise ResourceError(_not_fetchable(name))
    called = card.name if card is not None else plain_name(repo.split("/")[1])
    target = models_folder() / called
    if (there := _ready(target)) is not None:
        return there
    with _explained(repo, target), _locked(target):
        if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
            raise HubUnreachable("HF_HUB_OFFLINE forbids the network")
        with Hub(endpoint, token or get_token(), waits_s) as hub:
            listing = _chosen(hub.listing(repo))
            partial = _partial(target)
            _fetch_all(hub, listing, partial, progress)
        made = _finished_card(partial, card, called, listing)
        write_card(made, partial)
        partial.rename(target)
        remember_files(made, target)
    return model_at(target, "user")


def by_hand(repo: str, target: Path) -> str:
    """What to do on a machine that has no network."""
    return (
        f"Without a network here: on a machine that has one, run `hf download {repo} --local-dir "
        f"{target.name}` (or fetch its .safetensors, .json and .txt files from "
        f"https://huggingface.co/{repo}), and copy that folder to {target} "
        f"(`spec-o3 models path {target.name}` prints it)"
    )


def _ready(target: Path) -> ModelLocation | None:
    if not target.is_dir():
        return None
    try:
        location = model_at(target, "user")
    except ResourceError:
        return None  # nothing usable yet: the download goes on with what is there
    return location if location.is_ready else None


def _not_fetchable(name: str) -> str:
    names = [location.card.name for location in list_models(on_fault=lambda fault: None)]
    if name in names:
        return f"the model {name} lies here already, or is not one that the hub has"
    return (
        f"nothing to fetch under the name {shown(name)}: expected a published model or owner/name"
    )


@contextmanager
def _explained(repo: str, target: Path) -> Iterator[None]:
    """Every failure with what the person can do about it."""
    try:
        yield
    except HubUnreachable as error:
        raise HubUnreachable(f"{target.name}: {error}. {by_hand(repo, target)}") from error
    except DownloadError as error:
        raise DownloadError(f"{target.name}: {error}") from error
    except OSError as error:
        where, why = error.filename or target, error.strerror or error
        raise DownloadError(
            f"{target.name}: {where} could not be written: {why}. "
            "SPEC_O3_MODELS names another folder to keep models in"
        ) from error


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    target.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            lock = FileLock(target.parent / f".{target.name}.lock", blocking=False)
            stack.enter_context(lock)
        except Timeout as error:
            raise DownloadError("another program is fetching it now; wait for that one") from error
        except NotImplementedError:
            pass  # a file system without locks: two downloads at once would show in the hashes
        yield


def _partial(target: Path) -> Path:
    """The folder the files come into. One put there by hand and not complete is gone on with."""
    partial = target.with_name(target.name + PARTIAL)
    if target.exists():
        if partial.exists():
            raise DownloadError(
                f"{target} and {partial} both exist and neither is complete; delete one of them"
            )
        target.rename(partial)
    partial.mkdir(exist_ok=True)
    return partial


def _chosen(listing: Listing) -> Listing:
    """The files of one model among those of a repository."""
    names = [file.path for file in listing.files]
    if any(name.endswith(".safetensors") for name in names):
        files = [file for file in listing.files if not file.path.endswith(".gguf")]
        return replace(listing, files=tuple(files))
    weights = [n for n in names if n.endswith(".gguf") and "mmproj" not in n.lower()]
    if not weights:
        why = " but pickled weights, which are never loaded" if listing.has_pickles else ""
        raise DownloadError(f"{listing.repo} holds no .safetensors or .gguf file{why}")
    if len(weights) > 1:
        raise DownloadError(
            f"{listing.repo} holds {len(weights)} GGUF models, such as {weights[0]}: fetch the one "
            "you want and its mmproj file into a folder of their own"
        )
    return listing


def _fetch_all(hub: Hub, listing: Listing, partial: Path, progress: Progress) -> None:
    """Small files first, so that a model of another kind is refused before its weights come."""
    total = sum(file.size for file in listing.files)
    waiting = [file for file in listing.files if not matches(partial / file.path, file)]
    had = sum(_kept(partial, file) for file in waiting)
    done = total - sum(file.size for file in waiting) + had
    _check_space(partial, total - done)
    for file in sorted(waiting, key=_is_weights):
        if _is_weights(file) and (partial / "config.json").is_file():
            family_of_config(partial)

        def on_bytes(count: int, path: str = file.path) -> None:
            nonlocal done
            done += count
            progress(path, done, total)

        on_bytes(0)
        hub.fetch(listing, file, partial / file.path, on_bytes)


def _is_weights(file: HubFile) -> bool:
    return file.path.endswith((".safetensors", ".gguf"))


def _kept(partial: Path, file: HubFile) -> int:
    """Bytes of a file that are there already, in the `.part` beside its place."""
    path, part = partial / file.path, partial / f"{file.path}.part"
    if path.is_file():  # not what the hub has, or is_right would have said so
        path.replace(part)
    size = part.stat().st_size if part.is_file() else 0
    return size if size <= file.size else 0


def _check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed + SPARE_BYTES > free:
        raise DownloadError(
            f"{needed / 1e9:.1f} GB are to come and {free / 1e9:.1f} GB are free at {folder}; "
            "make room, or name another folder in SPEC_O3_MODELS"
        )


def _finished_card(partial: Path, card: Card | None, called: str, listing: Listing) -> Card:
    """What we know of a published model, what its maker put beside it, or what its files tell."""
    found = infer_card(partial)
    if card is None:
        theirs = (partial / CARD_NAME).is_file()
        card = replace(read_card(partial) if theirs else found, name=called)
    told = {file.path: file.sha256 for file in listing.files}
    files = [
        replace(file, sha256=file.sha256 or told.get(file.path) or sha256_of(partial / file.path))
        for file in found.files
    ]
    return replace(
        as_published(card, found),
        files=tuple(files),
        source=Source(repo=listing.repo, revision=listing.revision),
        licence=listing.licence or card.licence,
    )

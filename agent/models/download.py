"""`get_model` downloads a model from the hub into the user's folder and checks it."""

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

from huggingface_hub import get_token

from agent.checked_toml import shown
from agent.engines.hf.kind import family_of_config
from agent.engines.kind import read_json
from agent.errors import ResourceError
from agent.models.card import REPO, REVISION, Card, ModelFile, Source
from agent.models.card_file import CARD_NAME, read_card, write_card
from agent.models.check_files import remember_files
from agent.models.folders import models_folder
from agent.models.hub import (
    DownloadError,
    Hub,
    HubFile,
    HubUnreachable,
    Listing,
    matches,
    refuse_if_offline,
)
from agent.models.infer_card import infer_card, plain_name, sha256_of
from agent.models.long_work import Progress, alone, kept_bytes
from agent.models.registry import (
    PARTIAL,
    ModelLocation,
    as_published,
    list_models,
    model_at,
    published_model,
    ready_model,
)

# Disk space to leave free
SPARE_BYTES = 200 * 1024 * 1024
RECORD = ".download.json"


def get_model(name: str, progress: Progress = lambda file, done, total: None) -> ModelLocation:
    """Download a published model or a repository `owner/name`, unless it is already here.

    `owner/name@COMMIT` gives that commit, else it is the newest, resolved once: what is resumed
    or completed later is of the same commit, with the same files. Raises DownloadError, which
    explains what to do without a network.
    """
    name, _, commit = name.partition("@")
    if commit and not REVISION.fullmatch(commit):
        raise ResourceError(f"{shown(commit)} is not a commit, 40 hexadecimal digits")
    card = published_model(name)
    repo = card.source.repo if card is not None and card.source is not None else name
    if not REPO.fullmatch(repo):
        if any(name == known.card.name for known in list_models(on_fault=lambda fault: None)):
            raise ResourceError(f"the model {name} is already here or is not on the hub")
        raise ResourceError(
            f"there is nothing to download named {shown(name)}: "
            "expected a published model or owner/name"
        )
    local_name = card.name if card is not None else plain_name(repo.split("/")[1])
    target = models_folder() / local_name
    if (location := ready_model(target, "user")) is not None:
        source = location.card.source
        if commit and (source is None or source.revision != commit):
            raise ResourceError(
                f"{target} has the model of another commit than {commit[:12]}: "
                "delete that folder first"
            )
        return location
    folders = (target, target.with_name(target.name + PARTIAL))
    lock = target.parent / f".{target.name}.lock"
    busy = DownloadError("another program is downloading it now; wait until that one has finished")
    with _explained_errors(repo, target), alone(lock, busy):
        refuse_if_offline()
        with Hub(token=get_token()) as hub:
            revision, known = pinned_model(repo, commit, card, folders)
            listing = _model_files(hub.listing(repo, revision))
            check_listing(known, listing, target)
            partial = _partial_folder(target)
            keep_listing(listing, partial)
            _fetch_all(hub, listing, partial, progress)
        finished = _finished_card(partial, card, local_name, listing)
        check_hashes(known, finished.files, listing, partial)
        write_card(finished, partial)
        (partial / RECORD).unlink()
        partial.rename(target)
        remember_files(finished, target)
    return model_at(target, "user")


@contextmanager
def _explained_errors(repo: str, target: Path) -> Iterator[None]:
    """Add the model's name and advice to every failure."""
    try:
        yield
    except HubUnreachable as error:
        by_hand = (  # a sentence of its own for translators
            f"Without a network here, run `hf download {repo} --local-dir {target.name}` on "
            f"another machine (or download the .safetensors, .json and .txt files from "
            f"https://huggingface.co/{repo}) and copy that folder to {target} "
            f"(`spec-o3 models path {target.name}` prints this path)"
        )
        raise HubUnreachable(f"{target.name}: {error}. {by_hand}") from error
    except DownloadError as error:
        raise DownloadError(f"{target.name}: {error}") from error
    except OSError as error:
        path, reason = error.filename or target, error.strerror or error
        raise DownloadError(
            f"{target.name}: {path} could not be written: {reason}. "
            "Set SPEC_O3_MODELS to keep models in another folder"
        ) from error


def _partial_folder(target: Path) -> Path:
    """Return the folder to download into, continuing an incomplete model folder if there is one."""
    partial = target.with_name(target.name + PARTIAL)
    if target.exists():
        if partial.exists():
            raise DownloadError(
                f"{target} and {partial} both exist and both are incomplete; delete one of them"
            )
        target.rename(partial)
    partial.mkdir(exist_ok=True)
    return partial


def _model_files(listing: Listing) -> Listing:
    """Keep the files of one model; raise if the repository has none or several."""
    names = [file.path for file in listing.files]
    if any(name.endswith(".safetensors") for name in names):
        files = [file for file in listing.files if not file.path.endswith(".gguf")]
        return replace(listing, files=tuple(files))
    weights = [n for n in names if n.endswith(".gguf") and "mmproj" not in n.lower()]
    if not weights:
        reason = ", only pickled weights, which are never loaded" if listing.has_pickles else ""
        raise DownloadError(f"{listing.repo} has no .safetensors or .gguf file{reason}")
    if len(weights) > 1:
        raise DownloadError(
            f"{listing.repo} has {len(weights)} GGUF models, such as {weights[0]}: download the "
            "one you want and its mmproj file into a folder of their own"
        )
    return listing


def _fetch_all(hub: Hub, listing: Listing, partial: Path, progress: Progress) -> None:
    """Fetch small files first, so an unsupported model is rejected before its weights."""
    total = sum(file.size for file in listing.files)
    missing = [file for file in listing.files if not matches(partial / file.path, file)]
    kept = sum(_kept_bytes(partial, file) for file in missing)
    done = total - sum(file.size for file in missing) + kept
    needed, free = total - done, shutil.disk_usage(partial).free
    if needed + SPARE_BYTES > free:
        raise DownloadError(
            f"the download needs {needed / 1e9:.1f} GB, but only {free / 1e9:.1f} GB are free at "
            f"{partial}; free some space or set SPEC_O3_MODELS to another folder"
        )
    for file in sorted(missing, key=_is_weights):
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


def _kept_bytes(partial: Path, file: HubFile) -> int:
    """Return how many bytes of a file its `.part` file already has."""
    path, part = partial / file.path, partial / f"{file.path}.part"
    if path.is_file():  # incomplete or of another version: `matches` was false
        path.replace(part)
    size = kept_bytes(part)
    return size if size <= file.size else 0


def _finished_card(partial: Path, card: Card | None, local_name: str, listing: Listing) -> Card:
    """Make the card: ours for a published model, else the repository's own, else inferred."""
    inferred = infer_card(partial)
    if card is None:
        has_card = (partial / CARD_NAME).is_file()
        card = replace(read_card(partial) if has_card else inferred, name=local_name)
    listed = {file.path: file.sha256 for file in listing.files}
    files = [
        replace(each, sha256=each.sha256 or listed.get(each.path) or sha256_of(partial / each.path))
        for each in inferred.files
    ]
    return replace(
        as_published(card, inferred),
        files=tuple(files),
        source=Source(repo=listing.repo, revision=listing.revision),
        licence=listing.licence or card.licence,
    )


# The commit and the files of a model that is being downloaded, kept so that they cannot change. A
# hub or a mirror that lists other files for the same commit is refused.
def pinned_model(
    repo: str, revision: str, card: Card | None, folders: Iterable[Path]
) -> tuple[str, tuple[HubFile, ...]]:
    """The commit, empty for the newest, and the files that are known before they are listed.

    Combines what the user asks for, the published card, and what is in the model's folders.
    """
    if card is not None and card.source is not None and card.source.revision:
        known = tuple(map(_of_card, card.files))
        return _agreeing(repo, revision, card.source.revision), known
    for folder in folders:
        if (begun := _begun(repo, folder)) is not None:
            return _agreeing(repo, revision, begun[0]), begun[1]
    return revision, ()


def keep_listing(listing: Listing, folder: Path) -> None:
    """Record the commit and files of a download that begins."""
    files = [asdict(file) for file in listing.files]
    record = {"repo": listing.repo, "revision": listing.revision, "files": files}
    (folder / RECORD).write_text(json.dumps(record), encoding="utf-8")


def check_listing(known: Iterable[HubFile], listing: Listing, folder: Path) -> None:
    """Raise DownloadError if the hub lists other files than are known for the commit."""
    listed = {file.path: file for file in listing.files}
    for file in known:
        now = listed.get(file.path)
        if now is None or now.size != file.size or _differs(file, now):
            raise _changed(file.path, listing, folder)


def check_hashes(
    known: Iterable[HubFile], files: Iterable[ModelFile], listing: Listing, folder: Path
) -> None:
    """Raise DownloadError if a downloaded file has another SHA-256 than is known."""
    hashes = {file.path: file.sha256 for file in known if file.sha256}
    for file in files:
        if hashes.get(file.path, file.sha256) != file.sha256:
            raise _changed(file.path, listing, folder)


def _begun(repo: str, folder: Path) -> tuple[str, tuple[HubFile, ...]] | None:
    """What an unfinished download or an incomplete model in this folder tells, if anything."""
    with suppress(ResourceError, KeyError, TypeError, AttributeError):
        record = read_json(folder / RECORD)
        if record["repo"] == repo:
            return str(record["revision"]), tuple(HubFile(**file) for file in record["files"])
    with suppress(ResourceError):
        card = read_card(folder / CARD_NAME)
        if card.source is not None and card.source.repo == repo and card.source.revision:
            return card.source.revision, tuple(map(_of_card, card.files))
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

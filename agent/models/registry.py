"""Find models: bundled, in the user's folder, in the hub's cache, at a path or on a server."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from agent.checked_toml import near_miss, shown
from agent.engines.kind import role_of
from agent.engines.remote.kind import REMOTE
from agent.errors import OnFault, ResourceError, read_errors, reporting
from agent.models.card import Card, Source, is_server, read_server
from agent.models.card_file import CARD_NAME, card_hash
from agent.models.check_files import missing_files
from agent.models.folders import WORDINGS, hub_cache, models_folder
from agent.models.infer_card import infer_card, may_be_model_file, plain_name, read_or_infer_card
from agent.models.wordings import checked_name, missing_wording, wording_of
from agent.trajectory.trajectory import ModelRef

BUNDLED = Path(__file__).resolve().parents[2] / "resources" / "models"
# The suffix of a model folder while it is being downloaded
PARTIAL = ".partial"
MAX_IN_FOLDER = 500  # a folder with more is not one of models, and each entry is looked into
REMOVED_MODEL = "nano"  # was bundled in version 0.2; settings and commands may still name it

Origin = Literal["bundled", "user", "cache", "path", "server", "hub"]


@dataclass(frozen=True, kw_only=True)
class ModelLocation:
    """A model and its folder; with the origin `hub`, the folder it will be downloaded to."""

    card: Card
    origin: Origin
    folder: Path | None = None  # None for a server
    missing: tuple[str, ...] = ()  # files that are absent or have another size than in the card

    @property
    def is_ready(self) -> bool:
        return self.origin != "hub" and not self.missing

    @property
    def ref(self) -> ModelRef:
        """The model as recorded in trajectories; in another wording it is another model."""
        return ref_of(self.card)


def ref_of(card: Card) -> ModelRef:
    """The model of a card, with the wording that is here, as recorded in trajectories."""
    wording = wording_of(card)
    words = "" if wording is None else wording.sha256
    sha256 = card_hash(card, words)
    server = card.server
    if server is None:
        return ModelRef(name=card.name, engine=card.engine, sha256=sha256)
    # Older records hash the card with the first of its addresses; the order may have changed since.
    at_each = (replace(card, server=replace(server, url=url)) for url in server.urls)
    return ModelRef(
        name=card.name,
        engine=card.engine,
        sha256=sha256,
        address=",".join(server.urls),
        also=tuple(card_hash(each, words, with_address=True) for each in at_each),
    )


def list_models(*, on_fault: OnFault | None = None) -> tuple[ModelLocation, ...]:
    """Return every named model once, ready ones first.

    An invalid folder raises ResourceError, or is passed to `on_fault` and left out.
    """
    published = _bundled()
    known = {location.card.name.casefold(): location.card for location in published}
    locations = [*_user_models(known, on_fault), *_cached_models(published, on_fault), *published]
    found: dict[str, ModelLocation] = {}
    for location in sorted(locations, key=lambda each: not each.is_ready):
        found.setdefault(location.card.name.casefold(), location)
    return tuple(found.values())


def find_model(name: str) -> ModelLocation:
    """Find a model by name, repository, path or address (`http://host:port/v1#model`).

    It may not be ready. Raises ResourceError, which suggests a similar name.
    """
    if is_server(name):
        return _server_location(name)
    faults: list[ResourceError] = []
    locations = list_models(on_fault=faults.append)
    for location in locations:
        if _is_named(location.card, name):
            return location
    path = Path(name).expanduser()
    if path.exists():
        return model_at(path)
    if name.casefold() == REMOVED_MODEL:
        raise ResourceError("the model nano is no longer part of this program: use nano-eye")
    names = [location.card.name for location in locations]
    left_out = "".join(f"\nleft out: {fault}" for fault in faults)
    raise ResourceError(
        f"there is no model {shown(name, 120)}; use one of {', '.join(names)}, the path of a model "
        f"folder or .gguf file, or the address of a server{near_miss(name, names)}{left_out}"
    )


def is_partly_downloaded(location: ModelLocation) -> bool:
    """Whether an unfinished download of the model can be resumed."""
    folder = location.folder
    return folder is not None and folder.with_name(folder.name + PARTIAL).is_dir()


def model_at(path: Path, origin: Origin = "path") -> ModelLocation:
    """Return the model in a folder, or a GGUF file with its vision part beside it."""
    return _locate(path, origin, {})


def ready_model(path: Path, origin: Origin) -> ModelLocation | None:
    """The model in a folder; None if there is none that can be used."""
    try:
        location = model_at(path, origin)
    except ResourceError:
        return None
    return location if location.is_ready else None


def as_published(published: Card, found: Card) -> Card:
    """Return a published model's card with the engine and files of the copy that was found."""
    return replace(published, engine=found.engine, files=found.files)


def wording_name(name: str) -> str:
    """The name of the wording of the model of this name; if there is no such model, the name."""
    try:
        card = find_model(name).card
    except ResourceError:
        return checked_name(name)
    if not card.wording:
        raise ResourceError(
            f'the card of {card.name} names no wording: add `wording = "NAME"` to its model.toml'
        )
    return card.wording


def wording_warning(model: str) -> str:
    """What to tell the user if a model's own wording is not here; empty if nothing is missing."""
    try:
        return missing_wording(find_model(model).card)
    except ResourceError:
        return ""  # the measured inspector and the panel, or a name that is told to be wrong


def published_model(name: str) -> Card | None:
    """Return the card of a published model by name or repository, or None."""
    return next((each.card for each in _bundled() if _is_named(each.card, name)), None)


def _is_named(card: Card, name: str) -> bool:
    repo = card.source.repo if card.source else ""
    return name.casefold() in (card.name.casefold(), repo.casefold())


def _bundled() -> list[ModelLocation]:
    """The models that come with the program, and those of which only the card does."""
    locations = []
    for path in sorted(BUNDLED.glob(f"*/{CARD_NAME}")):
        location = _locate(path.parent, "bundled", {})
        card = location.card
        # a card may name the files on the hub, with their hashes
        if not card.files or (card.source is not None and location.missing):
            folder = models_folder() / card.name
            location = ModelLocation(card=card, origin="hub", folder=folder)
        locations.append(location)
    return locations


def _locate(path: Path, origin: Origin, known: dict[str, Card]) -> ModelLocation:
    folder = path if path.is_dir() else path.parent
    card = read_or_infer_card(path)
    published = known.get(card.name.casefold())
    if published is not None and not (path / CARD_NAME).is_file():
        # copied there by hand: the files are as found, the rest is as published
        card = as_published(published, card)
    return ModelLocation(
        card=card, origin=origin, folder=folder, missing=missing_files(card, folder)
    )


def _user_models(known: dict[str, Card], on_fault: OnFault | None) -> Iterator[ModelLocation]:
    folder = models_folder()
    with reporting(on_fault):
        for path in _entries(folder):
            with reporting(on_fault):
                yield _locate(path, "user", known)


def _entries(folder: Path) -> list[Path]:
    """Return the folders and single GGUF files in the user's folder that may be models."""
    if not folder.is_dir():
        return []
    with read_errors(folder, ResourceError):
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    if len(paths) > MAX_IN_FOLDER:
        raise ResourceError(f"{folder} has more than {MAX_IN_FOLDER} entries")
    return [path for path in paths if _may_be_model(path)]


def _may_be_model(path: Path) -> bool:
    if path.is_dir():
        return not path.name.endswith(PARTIAL) and path.name != WORDINGS
    return may_be_model_file(path) and role_of(path.name) != "mmproj"


def _cached_models(
    published: list[ModelLocation], on_fault: OnFault | None
) -> Iterator[ModelLocation]:
    """Yield published models that other programs have downloaded into the hub's cache."""
    for location in published:
        source = location.card.source
        snapshot = _snapshot(source.repo) if source else None
        if snapshot is None or source is None:
            continue
        with reporting(on_fault):
            found = infer_card(snapshot)
            origin = Source(repo=source.repo, revision=snapshot.name)
            card = replace(as_published(location.card, found), source=origin)
            missing = missing_files(card, snapshot)
            yield ModelLocation(card=card, origin="cache", folder=snapshot, missing=missing)


def _snapshot(repo: str) -> Path | None:
    # the cache has one folder per repository, and refs/main names the newest snapshot
    folder = hub_cache() / f"models--{repo.replace('/', '--')}"
    try:
        revision = (folder / "refs" / "main").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    snapshot = folder / "snapshots" / revision
    return snapshot if revision.isalnum() and (snapshot / "config.json").is_file() else None


def _server_location(name: str) -> ModelLocation:
    server = read_server(name)
    model = server.model
    own = plain_name(model or server.url.split("//", 1)[1])
    card = Card(name=own, family="other", engine=REMOTE.name, server=server)
    published = published_model(model.rpartition("/")[2]) if model else None
    if published is not None and published.wording:
        # A server that names a published model has that model: prompt it as it was trained.
        card = replace(
            card,
            rules=published.rules,
            wording=published.wording,
            style=published.style,
            sampling=published.sampling,
        )
    return ModelLocation(card=card, origin="server")

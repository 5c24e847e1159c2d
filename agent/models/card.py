"""The model card: frozen dataclasses that validate themselves."""

import re
from dataclasses import dataclass, field

from agent.checked_toml import shown
from agent.engines.base import SamplingSettings
from agent.engines.kind import LONGEST_CONTEXT, Family, Role, ServerAddress
from agent.engines.registry import PluginEngine, engine_kind
from agent.errors import EngineError, ResourceError
from agent.protocol.protocol import PROTOCOL_VERSION
from agent.protocol.rules import RulesName
from agent.rendering.model_image import QWEN25, Sizing
from agent.rendering.render import PUBLISHED, Style

# The allowed kinds of model files: numbers and text, nothing that a loader could execute
SAFE_SUFFIXES = (".safetensors", ".gguf", ".json", ".txt", ".jinja")
MAX_FILES = 300
MAX_BYTES = 10**13

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,79}")
REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
REVISION = re.compile(r"[0-9a-f]{40}")
SHA256 = re.compile(r"[0-9a-f]{64}")
_STEP = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+ -]{0,199}")
_DEEPEST = 4


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """One file of a model. `path` is relative to the model's folder, with `/`; size in bytes."""

    role: Role
    path: str
    size: int
    sha256: str = ""  # empty if unknown

    def __post_init__(self) -> None:
        if (problem := path_problem(self.path)) is not None:
            raise ResourceError(f"model file {shown(self.path)}: {problem}")


@dataclass(frozen=True, kw_only=True)
class Source:
    """The hub repository of a model; `revision` is the commit, empty before a download."""

    repo: str
    revision: str = ""


@dataclass(frozen=True, kw_only=True)
class ReportedFigure:
    """One measured figure and the data it was measured on."""

    figure: str
    value: float
    unit: str = ""
    on: str


@dataclass(frozen=True, kw_only=True)
class Card:
    """A model: its files, its settings and how pictures are prepared for it."""

    name: str
    title: str = ""
    family: Family
    engine: str  # the name of one in `agent.engines.registry`, or of a plug-in
    parameters: int = 0  # 0 if unknown
    context_length: int = LONGEST_CONTEXT
    protocol: int = PROTOCOL_VERSION
    rules: RulesName = "ours"
    """In the file, `protocol = "published"` stands for the rules of the published models."""
    wording: str = ""
    """The name of the wording it was trained on, in the user's models folder; empty for ours."""
    style: Style = PUBLISHED
    sizing: Sizing = QWEN25
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    files: tuple[ModelFile, ...] = ()
    """Empty for a server, and for a model on the hub that is not downloaded."""
    base: str = ""  # for an adapter, the name of the model it was trained on
    source: Source | None = None
    server: ServerAddress | None = None
    licence: str = ""
    tasks: tuple[str, ...] = ()
    """Ids of the classes it was trained on; empty if unknown or if any guideline works."""
    trained_on: str = ""
    simulated_only: bool = False  # whether it was trained on simulated spectra only
    figures: tuple[ReportedFigure, ...] = ()

    def __post_init__(self) -> None:
        if (problem := _card_problem(self)) is not None:
            raise ResourceError(f"model {shown(self.name)}: {problem}")

    def paths(self, *roles: Role) -> tuple[str, ...]:
        """Return the paths of the files with these roles, in the card's order."""
        return tuple(file.path for file in self.files if file.role in roles)

    @property
    def bytes(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def reads_remarks(self) -> bool:
        """Whether it was taught on whole turns; one of brief turns knows only what we measured."""
        return not self.style.brief


def path_problem(path: str) -> str | None:
    """Return why a path is not allowed in a model, or None if it is.

    Allowed are relative paths of plain names, at most four deep, to files that only hold data.
    """
    steps = path.split("/")
    if len(steps) > _DEEPEST or not all(_STEP.fullmatch(step) for step in steps):
        return "expected a plain relative path such as model.safetensors"
    if any(step.endswith((" ", ".")) for step in steps):
        return "a name may not end with a space or a dot"
    if not path.lower().endswith(SAFE_SUFFIXES):
        return f"only {', '.join(SAFE_SUFFIXES)} files may be part of a model"
    return None


def _card_problem(card: Card) -> str | None:
    if not NAME.fullmatch(card.name):
        return "a name has at most 80 letters, digits, dots, underscores, + and -"
    if card.wording and not NAME.fullmatch(card.wording):
        return "its wording has no valid name"
    if card.protocol > PROTOCOL_VERSION:
        return (
            f"needs protocol {card.protocol}, but this program has {PROTOCOL_VERSION}: "
            "update the program"
        )
    engine = engine_kind(card.engine)
    if engine.is_server != (card.server is not None):
        return "[server] is required for the engine remote and not allowed for others"
    if engine.is_server:
        return "a model on a server may not list files" if card.files else None
    if isinstance(engine, PluginEngine):
        return _paths_problem(card)  # what else it needs is known to the plug-in
    if card.family == "other":
        return "the family other is only for models on servers"
    if (problem := _paths_problem(card)) is not None:
        return problem
    if not card.files:
        return None if card.source else "it has neither files nor a source to download them from"
    return engine.card_problem(card)


def _paths_problem(card: Card) -> str | None:
    paths = [file.path.casefold() for file in card.files]
    if len(set(paths)) != len(paths):
        return "two files have the same path"
    return f"more than {MAX_FILES} files" if len(paths) > MAX_FILES else None


def is_server(name: str) -> bool:
    return name.lower().startswith(("http://", "https://"))


def split_servers(name: str) -> tuple[str, ...]:
    return tuple(re.split(r"\s*,\s*(?=https?://)", name.strip(), flags=re.IGNORECASE))


def read_server(name: str) -> ServerAddress:
    """Read `URL[,URL...]`; a model after `#` may stand behind one address or behind all."""
    parts = [each.partition("#") for each in split_servers(name)]
    models = {model.strip() for _, _, model in parts} - {""}
    if len(models) > 1:
        named = " and ".join(sorted(models))
        raise ResourceError(f"all addresses must name the same model, not {named}")
    first, *others = dict.fromkeys(checked_url(url) for url, _, _ in parts)
    return ServerAddress(url=first, model="".join(models), others=tuple(others))


def checked_url(url: str) -> str:
    """Return the normalized root. Rejects addresses with a key, since they are recorded."""
    from agent.engines.remote.address import read_address  # httpx takes a while to import

    try:
        return read_address(url, allow_http=True).root  # the engine decides whether http is allowed
    except EngineError as error:
        raise ResourceError(str(error)) from error

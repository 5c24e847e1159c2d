"""What a model's card says: frozen values that check themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, get_args

from agent.checked_toml import shown
from agent.engines.base import SamplingSettings
from agent.errors import ResourceError
from agent.protocol.protocol import PROTOCOL_VERSION
from agent.rendering.model_image import QWEN3, QWEN25, Sizing
from agent.rendering.render import PUBLISHED, Style

Family = Literal["qwen2.5-vl", "qwen3-vl", "other"]
EngineKind = Literal["transformers", "gguf", "remote"]
Role = Literal["weights", "mmproj", "adapter", "config", "tokenizer", "other"]

FAMILIES: tuple[Family, ...] = get_args(Family)
ENGINES: tuple[EngineKind, ...] = get_args(EngineKind)
ROLES: tuple[Role, ...] = get_args(Role)
SIZING_OF: dict[Family, Sizing] = {"qwen2.5-vl": QWEN25, "qwen3-vl": QWEN3, "other": QWEN25}

SAFE_SUFFIXES = (".safetensors", ".gguf", ".json", ".txt", ".jinja")
"""Of the files a model may consist of: numbers and text, nothing that a loader would run."""
MAX_FILES = 300
MAX_BYTES = 10**13
LONGEST_CONTEXT = 32_768
"""Tokens. What Spec-o3 was trained with; more only costs memory."""

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
    sha256: str = ""
    """Empty where nobody has told or computed it."""

    def __post_init__(self) -> None:
        if (problem := path_problem(self.path)) is not None:
            raise ResourceError(f"model file {shown(self.path)}: {problem}")


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where on the hub it comes from. `revision` is the commit, empty before a download."""

    repo: str
    revision: str = ""


@dataclass(frozen=True, kw_only=True)
class ServerAddress:
    """An OpenAI-compatible server. `model` empty: the one it offers. Never holds a key."""

    url: str
    model: str = ""


@dataclass(frozen=True, kw_only=True)
class ReportedFigure:
    """One measured figure, and what it was measured on."""

    figure: str
    value: float
    unit: str = ""
    on: str


@dataclass(frozen=True, kw_only=True)
class Card:
    """A model: what it is, its files, and how to show it pictures. See `agent.models.card_file`."""

    name: str
    title: str = ""
    family: Family
    engine: EngineKind
    parameters: int = 0
    """0: not known."""
    context_length: int = LONGEST_CONTEXT
    protocol: int = PROTOCOL_VERSION
    style: Style = PUBLISHED
    sizing: Sizing = QWEN25
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    files: tuple[ModelFile, ...] = ()
    """Empty for a server, and for a model on the hub that nobody has fetched."""
    base: str = ""
    """Of an adapter: the name of the model it was trained on."""
    source: Source | None = None
    server: ServerAddress | None = None
    licence: str = ""
    tasks: tuple[str, ...] = ()
    """Classes it was trained on, by their ids; empty: not known, or any that has a guideline."""
    trained_on: str = ""
    simulated_only: bool = False
    """Trained on simulated spectra and nothing else."""
    figures: tuple[ReportedFigure, ...] = ()

    def __post_init__(self) -> None:
        if (problem := _card_problem(self)) is not None:
            raise ResourceError(f"model {shown(self.name)}: {problem}")

    def paths(self, *roles: Role) -> tuple[str, ...]:
        """The paths of the files in these roles, in the card's order."""
        return tuple(file.path for file in self.files if file.role in roles)

    @property
    def bytes(self) -> int:
        return sum(file.size for file in self.files)


def path_problem(path: str) -> str | None:
    """Why a file of that path may not belong to a model; None where it may.

    Relative, of plain names, at most four deep, and of a kind that holds data alone.
    """
    steps = path.split("/")
    if len(steps) > _DEEPEST or not all(_STEP.fullmatch(step) for step in steps):
        return "expected a plain relative path such as model.safetensors"
    if any(step.endswith((" ", ".")) for step in steps):
        return "a name may not end with a blank or a dot"
    if not path.lower().endswith(SAFE_SUFFIXES):
        return f"only {', '.join(SAFE_SUFFIXES)} may be part of a model"
    return None


def _card_problem(card: Card) -> str | None:
    if not NAME.fullmatch(card.name):
        return "a name is letters, digits, dots, + and -, at most 80"
    if card.protocol > PROTOCOL_VERSION:
        return (
            f"speaks protocol {card.protocol}, this program {PROTOCOL_VERSION}: "
            "a newer version of the program is needed"
        )
    if (card.engine == "remote") != (card.server is not None):
        return "a [server] goes with the engine remote, and with no other"
    if card.engine == "remote":
        return "a model on a server has no files" if card.files else None
    if card.family == "other":
        return "the family other is for models on servers"
    return _files_problem(card)


def _files_problem(card: Card) -> str | None:
    paths = [file.path.casefold() for file in card.files]
    if len(set(paths)) != len(paths):
        return "two files have the same path"
    if len(paths) > MAX_FILES:
        return f"more than {MAX_FILES} files"
    if not card.files:
        return None if card.source else "neither files nor a source to fetch them from"
    if card.engine == "gguf":
        count = len(card.paths("mmproj")), len(card.paths("weights"))
        if count[0] != 1 or count[1] < 1:
            return "a GGUF model is weights and one mmproj (its vision part)"
    elif card.base:
        return None if card.paths("adapter") else "an adapter without a file in the role adapter"
    elif not card.paths("weights"):
        return "no file in the role weights"
    return None

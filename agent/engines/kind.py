"""What the program knows of an engine before it loads one, and what an engine asks of a card."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, get_args

from agent.engines.base import Engine
from agent.errors import ResourceError
from agent.protocol.rules import RulesName
from agent.rendering.model_image import QWEN3, QWEN25, Sizing

Family = Literal["qwen2.5-vl", "qwen3-vl", "other"]
Role = Literal["weights", "mmproj", "adapter", "config", "tokenizer", "other"]
Device = Literal["auto", "cpu", "cuda", "mps"]
Precision = Literal["auto", "float32", "bfloat16", "float16"]

FAMILIES: tuple[Family, ...] = get_args(Family)
ROLES: tuple[Role, ...] = get_args(Role)
SIZING_OF: dict[Family, Sizing] = {"qwen2.5-vl": QWEN25, "qwen3-vl": QWEN3, "other": QWEN25}
# In tokens, as Spec-o3 was trained; a longer context only costs memory
LONGEST_CONTEXT = 32_768
MAX_JSON_BYTES = 4 * 1024 * 1024

_TOKENIZER = re.compile(
    r"(tokenizer.*|vocab|merges|added_tokens|special_tokens_map|chat_template)\.(json|txt|jinja)"
)
_CONFIG = re.compile(r"(config|.*_config|.*\.index)\.json")


@dataclass(frozen=True, kw_only=True)
class ServerAddress:
    """An OpenAI-compatible server, without its key; an empty `model` means its only one.

    `others` serve the same model; they are not written to cards, so they do not change its hash.
    """

    url: str
    model: str = ""
    others: tuple[str, ...] = ()

    @property
    def urls(self) -> tuple[str, ...]:
        return (self.url, *self.others)


class ModelCard(Protocol):
    """What an engine asks of `agent.models.card.Card`, which knows the engines."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> Family: ...
    @property
    def base(self) -> str: ...
    @property
    def rules(self) -> RulesName: ...
    @property
    def sizing(self) -> Sizing: ...
    @property
    def context_length(self) -> int: ...
    @property
    def server(self) -> ServerAddress | None: ...
    def paths(self, *roles: Role) -> tuple[str, ...]: ...


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """How a model is loaded."""

    device: Device = "auto"
    threads: int | None = None
    sharing: int = 1
    """Without `threads`, each of so many processes uses its share of the processors."""
    side_by_side: bool = False
    """Whether many conversations are open at once, whose text nobody reads along."""
    base: Path | None = None  # the folder of an adapter's base


@dataclass(frozen=True, kw_only=True)
class FoundModel:
    """A model without a card, as its files describe it."""

    name: str  # as the folder or file has it
    family: Family
    sizing: Sizing
    files: tuple[str, ...]
    context_length: int = LONGEST_CONTEXT
    base: str = ""


class EngineKind(ABC):
    """One engine, which is loaded only when a model needs it."""

    name: str  # in model cards and records
    program: str  # what runs its models, as people call it
    needs: ClassVar[str] = ""
    """What has to be installed, as people call it, if that is not the program alone."""
    extra: ClassVar[str] = ""  # the extra of our package that brings it
    modules: ClassVar[tuple[str, ...]] = ()  # the modules of what has to be installed
    takes_any_module: ClassVar[bool] = False  # whether one of the modules is enough
    packages: ClassVar[tuple[str, ...]] = ()
    """Packages that may be missing, and then nothing of ours that imports them is used."""
    suffix: ClassVar[str] = ""  # of models that are a file, not a folder
    is_server: ClassVar[bool] = False
    """Whether its models are on servers: a card names the address instead of files."""
    wants_gpu: ClassVar[bool] = False
    has_adapters: ClassVar[bool] = False  # whether a model may be an adapter of another one
    no_conversion: ClassVar[str] = ""
    """What its models are instead of what can be converted to GGUF; empty: they can be."""
    has_self_test: ClassVar[bool] = False

    def obstacle(self) -> str:
        """What to install before a model can run here; empty if it can."""
        enough = any if self.takes_any_module else all
        if not self.modules or enough(map(is_installed, self.modules)):
            return ""
        return f'Needs {self.needs or self.program}: pip install "spec-o3-workbench[{self.extra}]"'

    def card_problem(self, card: ModelCard) -> str | None:
        """What is wrong with the files of a card; None if nothing is."""
        return None

    def missing_files(self, card: ModelCard) -> list[str]:
        """Files that every model has and the card does not list."""
        return []

    def find(self, path: Path, names: Sequence[str]) -> FoundModel | None:
        """Recognise a model in a folder with files of these `names`, or the file itself.

        None: it is none of this engine. Raises ResourceError if it is one that cannot be used.
        """
        return None

    def self_test(self, folder: Path) -> str:
        """Run the program without a model, in an empty folder; returns which it is.

        Raises EngineError if it does not work.
        """
        raise NotImplementedError(self.name)

    @abstractmethod
    def load(self, card: ModelCard, folder: Path | None, options: LoadOptions) -> Engine:
        """Load a model whose files in `folder` have been checked; one on a server has none."""


def is_installed(module: str) -> bool:
    return find_spec(module) is not None


def role_of(name: str) -> Role:
    """What a file is for, by its name."""
    plain = name.lower()
    if plain.endswith(".gguf"):
        return "mmproj" if "mmproj" in plain else "weights"
    if plain.endswith(".safetensors"):
        return "adapter" if plain.startswith("adapter") else "weights"
    if _TOKENIZER.fullmatch(plain):
        return "tokenizer"
    return "config" if _CONFIG.fullmatch(plain) else "other"


def read_json(path: Path, max_bytes: int = MAX_JSON_BYTES) -> dict[str, Any]:
    """Read a JSON object from an untrusted file."""
    try:
        with path.open("rb") as stream:
            content = stream.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise ResourceError(f"{path}: longer than {max_bytes // 1024} KiB, the most allowed")
        value = json.loads(content)
    except (OSError, ValueError, RecursionError) as error:
        raise ResourceError(f"{path} could not be read: {str(error)[:120]}") from error
    if not isinstance(value, dict):
        raise ResourceError(f"{path}: expected a JSON object")
    return value


def usable_context(value: object) -> int:
    """The context in tokens that a model's own settings name, as far as it is of use."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 256:
        return LONGEST_CONTEXT
    return min(value, LONGEST_CONTEXT)

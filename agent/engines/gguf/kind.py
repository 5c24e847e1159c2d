"""Models of llama.cpp: GGUF files, the language model and its vision part."""

import re
from collections.abc import Sequence
from pathlib import Path

from agent.checked_toml import shown
from agent.engines.base import Engine
from agent.engines.gguf.header import read_gguf_header
from agent.engines.kind import (
    SIZING_OF,
    EngineKind,
    Family,
    FoundModel,
    LoadOptions,
    ModelCard,
    is_installed,
    role_of,
    usable_context,
)
from agent.errors import EngineError, ResourceError
from agent.protocol.rules import RULES

ALL_LAYERS = -1
# Up to this many bytes of weights one thread is fastest. Several threads wait for each other longer
# than they compute, a hundred times longer on a busy machine.
SMALL_WEIGHTS = 64_000_000

_FAMILY_OF_GGUF: dict[str, Family] = {"qwen2vl": "qwen2.5-vl", "qwen3vl": "qwen3-vl"}


class GgufKind(EngineKind):
    """Loaded with llama-cpp-python if it is installed, else with xllamacpp's server."""

    name = "gguf"
    program = "llama.cpp"
    extra = "gguf"
    modules = ("llama_cpp", "xllamacpp")
    takes_any_module = True
    suffix = ".gguf"
    no_conversion = "a GGUF model already: convert the model that it was made from"
    has_self_test = True

    def card_problem(self, card: ModelCard) -> str | None:
        count = len(card.paths("mmproj")), len(card.paths("weights"))
        if count[0] != 1 or count[1] < 1:
            return "a GGUF model needs weights and one mmproj file (its vision part)"
        return None

    def find(self, path: Path, names: Sequence[str]) -> FoundModel | None:
        if not path.is_dir():
            is_model = path.suffix.lower() == self.suffix
            return _found_model(path, names, path.stem) if is_model else None
        weights = [name for name in names if name.endswith(self.suffix) and not _is_vision(name)]
        if not weights:
            return None
        stems = {_split_stem(name) for name in weights}
        if len(weights) > 1 and (len(stems) > 1 or "" in stems):
            raise ResourceError(f"{path} has several models: use one of {', '.join(weights[:6])}")
        return _found_model(path / weights[0], names, path.resolve().name)

    def self_test(self, folder: Path) -> str:
        from agent.engines.gguf.self_test import try_library

        return try_library(folder / "none.gguf")

    def load(self, card: ModelCard, folder: Path | None, options: LoadOptions) -> Engine:
        from agent.engines.gguf import llama_server, native
        from agent.engines.gguf.engine import LONGEST_CONTEXT, GgufEngine, thread_share

        assert folder is not None
        weights, vision = folder / card.paths("weights")[0], folder / card.paths("mmproj")[0]
        # llama.cpp allocates memory for the whole context at once.
        length = min(card.context_length, LONGEST_CONTEXT)
        threads = options.threads
        if threads is None:
            is_small = weights.stat().st_size <= SMALL_WEIGHTS
            threads = 1 if is_small else thread_share(options.sharing)
        try:
            library = native.native()
        except EngineError:
            if not is_installed("xllamacpp"):
                raise
            _refuse_gpu(card, options.device, has_gpu=False)
            return llama_server.LlamaServerEngine.start(
                weights,
                vision,
                context=length,
                threads=threads,
                sizing=card.sizing,
                rules=RULES[card.rules],
            )
        _refuse_gpu(card, options.device, has_gpu=library.llama.llama_supports_gpu_offload())
        return GgufEngine.load(
            weights,
            vision,
            context_length=length,
            threads=threads,
            gpu_layers=0 if options.device == "cpu" else ALL_LAYERS,
            sizing=card.sizing,
        )


GGUF = GgufKind()


def _refuse_gpu(card: ModelCard, device: str, *, has_gpu: bool) -> None:
    if device not in ("auto", "cpu") and not has_gpu:
        raise EngineError(
            f"{card.name} is a GGUF model, and the installed llama.cpp does not support {device}: "
            "use auto or cpu, or build llama-cpp-python with GPU support"
        )


def _found_model(weights: Path, names: Sequence[str], name: str) -> FoundModel:
    try:
        header = read_gguf_header(weights)
    except EngineError as error:
        raise ResourceError(str(error)) from error
    kind = header.text("general.architecture")
    family = _FAMILY_OF_GGUF.get(kind)
    if family is None:
        raise ResourceError(
            f"{weights} is a GGUF model of type {shown(kind)}; expected qwen2vl or qwen3vl"
        )
    vision = [each for each in names if _is_vision(each)]
    if len(vision) != 1:
        found = "none" if not vision else ", ".join(vision[:6])
        raise ResourceError(
            f"{weights} needs its vision part beside it, one file mmproj*.gguf; found {found}"
        )
    parts = [weights.name]
    if _split_stem(weights.name):
        parts = [each for each in names if _split_stem(each) == _split_stem(weights.name)]
    return FoundModel(
        name=name,
        family=family,
        context_length=usable_context(header.integer(f"{kind}.context_length")),
        sizing=SIZING_OF[family],
        files=(*parts, *vision),
    )


def _is_vision(name: str) -> bool:
    return role_of(name) == "mmproj"


def _split_stem(name: str) -> str:
    """Return `big` for `big-00001-of-00003.gguf`; empty for a model in one file."""
    match = re.fullmatch(r"(.+)-\d{5}-of-\d{5}\.gguf", name)
    return match.group(1) if match else ""

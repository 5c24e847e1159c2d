"""From a model that was found to the right engine, with the card's settings."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent.engines.base import Engine
from agent.engines.kind import LoadOptions, is_installed
from agent.engines.remote.engine import RemoteEngine
from agent.errors import EngineError, ResourceError
from agent.inspection.inspector_factory import engine_ref, load_engine
from agent.models.card_file import write_card
from agent.models.infer_card import make_card
from agent.models.registry import ModelLocation, find_model, model_at
from agent.rendering.model_image import Sizing
from tests.small_models import tiny_qwen3, tiny_qwen25

__all__ = ["tiny_qwen3", "tiny_qwen25"]  # fixtures

SMALL = Sizing.of_tokens(28, 8, 64)


@pytest.fixture(autouse=True)
def home(own_models: Path) -> Path:
    return own_models.parent


@pytest.fixture(scope="module")
def tiny_gguf(tiny_qwen25: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("gguf")
    from train.export.export import export_gguf

    folder = tmp_path_factory.mktemp("gguf") / "tiny"
    export_gguf(tiny_qwen25, folder)
    return folder


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[Path, dict[str, Any]]]]:
    """What the transformers engine is asked to load, which it then does not."""
    from agent.engines.hf.engine import TransformersEngine

    asked: list[tuple[Path, dict[str, Any]]] = []

    def load(folder: Path, **options: Any) -> str:
        asked.append((folder, options))
        return "an engine"

    monkeypatch.setattr(TransformersEngine, "load", load)
    yield asked


def copied(folder: Path, target: Path, **card: Any) -> ModelLocation:
    """A model folder of its own, with a card."""
    target.mkdir(parents=True)
    for path in folder.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    write_card(replace(make_card(target), **card), target)
    return model_at(target)


@pytest.mark.parametrize("family", ["qwen2.5-vl", "qwen3-vl"])
def test_a_transformers_folder_is_loaded_with_its_cards_limits(
    family: str, request: pytest.FixtureRequest, home: Path
) -> None:
    folder = request.getfixturevalue("tiny_qwen25" if family == "qwen2.5-vl" else "tiny_qwen3")
    sizing = Sizing.of_tokens(28 if family == "qwen2.5-vl" else 32, 8, 64)
    location = copied(folder, home / "m", sizing=sizing)
    assert location.card.family == family
    with closing(load_engine(location, LoadOptions(device="cpu", threads=1))) as engine:
        assert type(engine).__name__ == "TransformersEngine"
        assert engine.sizing == sizing
        assert engine_ref(location, engine) == location.ref


def test_options_reach_the_transformers_engine(
    tiny_qwen25: Path, home: Path, loaded: list[tuple[Path, dict[str, Any]]]
) -> None:
    location = copied(tiny_qwen25, home / "m", sizing=SMALL, context_length=4096)
    load_engine(location, LoadOptions(device="cpu", threads=2))
    assert loaded[0] == (
        home / "m",
        {
            "device": "cpu", "adapter": None, "sizing": SMALL, "context_length": 4096, "threads": 2,
        },
    )  # fmt: skip


def test_an_adapter_is_loaded_onto_its_base(
    tiny_qwen25: Path, home: Path, loaded: list[tuple[Path, dict[str, Any]]]
) -> None:
    lora = home / "models" / "lora"
    lora.mkdir(parents=True)
    (lora / "adapter_model.safetensors").write_bytes(b"low rank")
    settings = {"peft_type": "LORA", "base_model_name_or_path": "elsewhere/tiny"}
    (lora / "adapter_config.json").write_text(json.dumps(settings))
    with pytest.raises(EngineError, match=r'needs the base tiny: there is no model "tiny"'):
        load_engine(find_model("lora"))
    copied(tiny_qwen25, home / "models" / "tiny")
    load_engine(find_model("lora"))
    assert loaded[-1][0] == home / "models" / "tiny"
    assert loaded[-1][1]["adapter"] == lora
    base = copied(tiny_qwen25, home / "other").card
    write_card(replace(make_card(lora), base="lora"), lora)
    with pytest.raises(EngineError, match="lora cannot be the base of the adapter lora"):
        load_engine(find_model("lora"))
    assert base.base == ""


@pytest.mark.parametrize("device", ["auto", "cpu"])
def test_a_gguf_pair_goes_to_llama_cpp(tiny_gguf: Path, home: Path, device: Any) -> None:
    pytest.importorskip("llama_cpp")
    location = copied(tiny_gguf, home / "m", sizing=SMALL)
    with closing(load_engine(location, LoadOptions(device=device, threads=1))) as engine:
        assert type(engine).__name__ == "GgufEngine"
        assert engine.sizing == SMALL
    with pytest.raises(EngineError, match="threads must be from 1 to 512, not 0"):
        load_engine(location, LoadOptions(threads=0))


@pytest.mark.parametrize(("sharing", "threads"), [(1, None), (3, 2), (16, 1)])
def test_processes_that_share_a_machine_take_their_part_of_it(
    tiny_qwen25: Path, home: Path, loaded: list[tuple[Path, dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch, sharing: int, threads: int | None,
) -> None:  # fmt: skip
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    location = copied(tiny_qwen25, home / "m")
    load_engine(location, LoadOptions(sharing=sharing))
    assert loaded[-1][1]["threads"] == threads
    load_engine(location, LoadOptions(sharing=sharing, threads=5))
    assert loaded[-1][1]["threads"] == 5


@pytest.mark.parametrize(
    ("small", "sharing", "threads"),
    [(10**9, 1, 1), (10**9, 4, 1), (0, 1, None), (0, 3, 4), (0, 99, 1)],
)
def test_llama_cpp_has_one_thread_for_a_small_model_and_its_part_for_a_large_one(
    tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch, small: int, sharing: int, threads: int | None
) -> None:
    pytest.importorskip("llama_cpp")
    asked: list[int | None] = []
    monkeypatch.setattr("os.cpu_count", lambda: 12)
    monkeypatch.setattr("agent.engines.gguf.kind.SMALL_WEIGHTS", small)
    load = "agent.engines.gguf.engine.GgufEngine.load"
    monkeypatch.setattr(load, lambda *_, threads, **__: asked.append(threads))
    load_engine(model_at(tiny_gguf), LoadOptions(sharing=sharing))
    assert asked == [threads]


def without_llama_cpp() -> Engine:
    raise EngineError("GGUF models need llama-cpp-python")


def test_without_llama_cpp_python_a_server_of_our_own_is_started(
    tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_installed("xllamacpp"):
        pytest.skip("xllamacpp is not installed")
    monkeypatch.setattr("agent.engines.gguf.native.native", without_llama_cpp)
    with closing(load_engine(model_at(tiny_gguf), LoadOptions(threads=1))) as engine:
        assert type(engine).__name__ == "LlamaServerEngine"
    with pytest.raises(EngineError, match="does not support cuda: use auto or cpu"):
        load_engine(model_at(tiny_gguf), LoadOptions(device="cuda"))
    monkeypatch.setattr("agent.engines.gguf.kind.is_installed", lambda name: False)
    with pytest.raises(EngineError, match="need llama-cpp-python"):
        load_engine(model_at(tiny_gguf))


@pytest.mark.parametrize(
    ("device", "has_gpu", "layers"), [("cpu", True, 0), ("cuda", True, -1), ("auto", False, -1)]
)
def test_layers_go_to_the_gpu_where_there_is_one(
    tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch, device: Any, has_gpu: bool, layers: int
) -> None:
    llama = SimpleNamespace(llama_supports_gpu_offload=lambda: has_gpu)
    monkeypatch.setattr("agent.engines.gguf.native.native", lambda: SimpleNamespace(llama=llama))
    asked: dict[str, Any] = {}
    monkeypatch.setattr(
        "agent.engines.gguf.engine.GgufEngine.load",
        lambda model, mmproj, **options: asked.update(options, model=model, mmproj=mmproj),
    )
    load_engine(model_at(tiny_gguf), LoadOptions(device=device))
    assert asked["gpu_layers"] == layers
    assert asked["context_length"] == 16384
    assert asked["threads"] == 1  # so small
    monkeypatch.setattr("agent.engines.gguf.kind.SMALL_WEIGHTS", 1000)
    load_engine(model_at(tiny_gguf), LoadOptions(device=device))
    assert asked["threads"] is None
    assert (asked["model"].name, asked["mmproj"].name) == ("model-f16.gguf", "mmproj-f16.gguf")


def test_a_server_is_connected_to() -> None:
    location = find_model("http://127.0.0.1:9#big")
    with closing(load_engine(location)) as engine:
        assert isinstance(engine, RemoteEngine)
        assert engine.model == "big"
        assert engine_ref(location, engine) == location.ref


def test_a_server_that_was_not_told_which_names_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    named = SimpleNamespace(model="spec-o3-q8")
    monkeypatch.setattr(RemoteEngine, "connect", lambda url, model, **options: named)
    location = find_model("http://127.0.0.1:9")
    ref = engine_ref(location, load_engine(location))
    assert (ref.name, ref.engine) == ("spec-o3-q8", "remote")
    assert ref.sha256 == find_model("http://127.0.0.1:9#spec-o3-q8").ref.sha256


def test_what_is_not_here_yet_says_how_to_get_it(tiny_qwen25: Path, home: Path) -> None:
    with pytest.raises(EngineError, match="not downloaded yet: run `spec-o3 models get"):
        load_engine(find_model("spec-o3-7b"))
    copied(tiny_qwen25, home / "m")
    (home / "m" / "model.safetensors").write_bytes(b"cut off")
    with pytest.raises(EngineError, match=r"lacks model\.safetensors: copy the missing files"):
        load_engine(model_at(home / "m"))


def test_files_that_were_replaced_are_not_loaded(tiny_qwen25: Path, home: Path) -> None:
    location = copied(tiny_qwen25, home / "m")
    tokenizer = home / "m" / "tokenizer.json"
    tokenizer.write_bytes(tokenizer.read_bytes()[::-1])
    with pytest.raises(ResourceError, match=r"tokenizer\.json is not the file in the model's card"):
        load_engine(location)


def test_a_missing_extra_is_named(tiny_qwen25: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.engines.kind.find_spec", lambda name: name != "torch" or None)
    with pytest.raises(EngineError, match=r'needs torch.*install "spec-o3-workbench\[gpu\]"'):
        load_engine(model_at(tiny_qwen25))

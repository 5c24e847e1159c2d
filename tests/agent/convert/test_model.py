"""A model that is here becomes a GGUF model by a name of its own; what cannot says why."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent.convert import model
from agent.convert.checkpoint import ConversionError
from agent.convert.convert import plan_conversion, write_files
from agent.convert.episodes import RandomEpisode, random_episode
from agent.convert.model import Answers, Converted, agreement, answers, convert_model, measure_speed
from agent.engines.gguf.engine import GgufEngine
from agent.engines.gguf.llama_server import LlamaServerEngine
from agent.engines.kind import is_installed
from agent.engines.sampling import log_softmax
from agent.errors import ResourceError, WorkbenchError
from agent.models.card import Source
from agent.models.card_file import read_card, write_card
from agent.models.infer_card import make_card
from agent.models.registry import find_model
from agent.protocol.reply import parse_reply
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT, PUBLISHED

FIRST = "model-00001-of-00002.safetensors"


def with_card(folder: Path, **known: Any) -> Path:
    write_card(make_card(folder, style=COMPACT, **known), folder)
    return folder


def converted(name: Path | str, kind: Any = "q4_k_m") -> Converted:
    return convert_model(str(name), kind, compare=False, threads=1)


def test_the_new_model_is_found_by_its_name(small: Path, own_models: Path) -> None:
    source = Source(repo="someone/small", revision="a" * 40)
    with_card(small, name="mine", title="Mine", source=source, licence="MIT", trained_on="stars")
    result = converted(small)
    assert result.location.folder == own_models / "mine-q4_k_m"
    location = find_model("mine-q4_k_m")
    assert location.is_ready
    card = location.card
    assert (card.engine, card.title, card.licence) == ("gguf", "Mine, q4_k_m", "MIT")
    assert (card.style, card.source, card.figures) == (COMPACT, None, ())
    assert card.trained_on.startswith("Converted to q4_k_m from mine")
    assert card.trained_on.endswith("stars")
    assert all(file.sha256 for file in card.files)
    report = json.loads((own_models / "mine-q4_k_m" / "conversion.json").read_text())
    assert [file["type"] for file in report["files"]] == ["q4_k_m", "f16"]
    assert report["note"] == result.note == "not compared with F16"
    assert not [path for path in own_models.iterdir() if path.suffix == ".partial"]
    again = converted(small)
    assert (again.seconds, again.note) == (0.0, "it was here already")


def needs(program: str) -> None:
    """Without importing it: its Cython may differ from that of what is loaded here."""
    if not is_installed(program):
        pytest.skip(f"{program} is not installed")


def short_episode(seed: int, *how: Any) -> RandomEpisode:
    """These models read byte by byte: the whole prompt would be thousands of tokens."""
    whole = random_episode(seed, *how)
    return replace(whole, turns=tuple(replace(one, text=one.text[:600]) for one in whole.turns))


@pytest.mark.parametrize("program", ["llama_cpp", "xllamacpp"])
def test_it_is_compared_with_f16(
    small: Path, own_models: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """By the server of the base install, too, which tells one token after each word."""
    needs(program)
    monkeypatch.setattr(model, "is_installed", lambda name: name == program)
    monkeypatch.setattr(model, "PROMPTS", 1)
    monkeypatch.setattr(model, "random_episode", short_episode)
    seen: list[str] = []
    name = str(with_card(small))
    result = convert_model(name, "q8_0", lambda what, *_: seen.append(what), threads=1)
    assert result.agreement is not None
    assert result.agreement.positions > (1000 if program == "llama_cpp" else 30)
    assert 0.9 < result.agreement.share <= 1.0
    assert (result.agreement.prompts, result.agreement.verdicts_equal) == (1, 1)
    assert result.speed is not None
    assert min(result.speed.read, result.speed.written) > 0
    assert {"writing F16", "asking F16", "asking small-q8_0"} <= set(seen)
    assert {path.name for path in (own_models / "small-q8_0").iterdir()} == {
        *("model-q8_0.gguf", "mmproj-f16.gguf", "model.toml", "conversion.json")
    }


@pytest.mark.parametrize(("what", "says"), [
    ("disk", "not compared with F16: that needs 0.0 GB of disk"),
    ("memory", "not compared with F16: that needs 3 GB of memory"),
])  # fmt: skip
def test_without_room_it_is_not_compared(
    small: Path, own_models: Path, monkeypatch: pytest.MonkeyPatch, what: str, says: str
) -> None:
    here = model.this_machine(small)
    monkeypatch.setattr(model, "is_installed", lambda name: name == "xllamacpp")
    less = {"disk_free": 10**6} if what == "disk" else {"memory_free": 10**9}
    monkeypatch.setattr(model, "this_machine", lambda folder: model.replace(here, **less))
    result = convert_model(str(with_card(small)), "q8_0", threads=1)
    assert (result.agreement, result.note) == (None, says)


def test_it_goes_on_after_a_stop_while_comparing(
    small: Path, own_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llama_cpp")
    with_card(small)

    def stop(what: str, done: int, total: int) -> None:
        if what == "writing F16":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert_model(str(small), "q8_0", stop, threads=1)
    partial = own_models / "small-q8_0.partial"
    assert not (partial / ".f16-to-compare.gguf").exists()
    written = []
    monkeypatch.setattr(
        "agent.convert.gguf_file.encoded", lambda *arguments: written.append(arguments)
    )
    assert converted(small, "q8_0").location.is_ready
    assert written == [], "what was finished is checked again, not written again"


def _cut_off(folder: Path) -> None:
    data = (folder / FIRST).read_bytes()
    (folder / FIRST).write_bytes(data[: len(data) // 2])


def _replaced(folder: Path) -> None:
    data = bytearray((folder / FIRST).read_bytes())
    data[-1] ^= 1
    (folder / FIRST).write_bytes(data)


def _no_header(folder: Path) -> None:
    (folder / FIRST).write_bytes(b"\xff" * 4096)


def _endless_header(folder: Path) -> None:
    (folder / FIRST).write_bytes(b"\xff" * 7 + b"\x7f" + b"{}")


def _beyond_the_file(folder: Path) -> None:
    data = (folder / FIRST).read_bytes()
    (folder / FIRST).write_bytes(data[:-100])


@pytest.mark.parametrize(("damage", "has_card", "says"), [
    (_replaced, True, r"is not the file in the model's card \(its SHA-256 differs\)"),
    (_cut_off, True, "is incomplete, it lacks model-00001-of-00002.safetensors"),
    (lambda folder: (folder / FIRST).unlink(), True, "it lacks model-00001-of-00002"),
    (lambda folder: (folder / FIRST).unlink(), False, "it lacks model-00001-of-00002"),
    (_no_header, False, "is not a safetensors file, or is cut off"),
    (_endless_header, False, "is not a safetensors file, or is cut off"),
    (_cut_off, False, "does not fit in .*: the file is cut off or damaged"),
    (_beyond_the_file, False, "does not fit in .*: the file is cut off or damaged"),
])  # fmt: skip
def test_damaged_models_say_what_is_wrong(
    small: Path, own_models: Path, damage: Any, has_card: bool, says: str
) -> None:
    if has_card:
        with_card(small)
    damage(small)
    with pytest.raises(WorkbenchError, match=says):
        converted(small)
    assert not (own_models / "small-q4_k_m").exists()


def test_what_cannot_be_converted(small: Path, own_models: Path, tmp_path: Path) -> None:
    for name, says in (
        ("nano-eye", "nano-eye is a GGUF model already"),
        ("spec-o3-3b", "not here yet: `spec-o3 models get spec-o3-3b`"),
        ("http://localhost:1#m", "on a server: there is nothing here to convert"),
        ("no-such", "there is no model"),
    ):
        with pytest.raises((ConversionError, ResourceError), match=says):
            converted(name)
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text('{"base_model_name_or_path": "Qwen/base"}')
    (adapter / "adapter_model.safetensors").write_bytes(b"weights")
    with pytest.raises(ConversionError, match="spec-o3-train export BASE OUT --adapter"):
        converted(adapter)
    with pytest.raises(ConversionError, match="no form 'q2_k': choose f16, q8_0, q5_k_m, q4_k_m"):
        converted(small, "q2_k")


def test_what_is_in_the_way(small: Path, own_models: Path) -> None:
    with_card(small)
    location = converted(small).location
    assert location.folder is not None
    (location.folder / "model-q4_k_m.gguf").unlink()
    assert read_card(location.folder).engine == "gguf"
    with pytest.raises(ConversionError, match="exists but is incomplete: delete it"):
        converted(small)


# Two models are compared by what they would say in the same conversations.
def test_what_is_counted() -> None:
    def said(tokens: list[int], p_yes: float) -> Answers:
        return Answers(np.array(tokens), p_yes)

    before = said([1, 2, 3], 0.9), said([4, 5], 0.2)
    after = said([1, 2, 4], 0.7), said([4, 5], 0.6)
    found = agreement(before, after)
    assert (found.prompts, found.positions, found.equal) == (2, 5, 4)
    assert found.verdicts_equal == 1
    assert found.share == pytest.approx(0.8)


def test_answers_are_those_of_all_logits(random_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp")
    write_files(plan_conversion(random_folder, "f16"), tmp_path)
    files = tmp_path / "model-f16.gguf", tmp_path / "mmproj-f16.gguf"
    engine = GgufEngine.load(*files, threads=1, context_length=8192)
    episode = short_episode(1, QWEN25, COMPACT)
    try:
        (found,) = answers(engine, [episode])
        conversation = engine.open()
        _, logits = conversation.read_scored(episode.turns, episode.pictures)
        speed = measure_speed(engine, episode)
        yes, no = (engine.token_ids(word)[0] for word in ("YES", "NO"))
    finally:
        engine.close()
    assert np.array_equal(found.likeliest, logits.argmax(axis=1))
    wanted = np.exp(log_softmax(logits[-3][[yes, no]]))[0]  # two tokens close the turn
    assert found.p_yes == pytest.approx(float(wanted), abs=1e-4)
    assert speed.read > 0
    assert speed.written > 0


def test_a_server_goes_on_with_a_turn_as_the_library_does() -> None:
    needs("llama_cpp")
    needs("xllamacpp")
    location = find_model("nano-eye")
    assert location.folder is not None
    files = [location.folder / location.card.paths(role)[0] for role in ("weights", "mmproj")]
    sizing, found = location.card.sizing, []
    for start in (GgufEngine.load, LlamaServerEngine.start):
        with closing(start(*files, threads=1, sizing=sizing)) as engine:
            found += answers(engine, [random_episode(1, sizing, location.card.style)])
    assert found[0].p_yes == pytest.approx(found[1].p_yes, abs=0.01)
    assert 30 < found[1].likeliest.size < found[0].likeliest.size


# Random conversations have the agent's form, and the same seed gives the same one.
def test_two_calls_with_their_pictures_and_an_open_answer() -> None:
    episode = random_episode(3, QWEN25, COMPACT)
    roles = [turn.role for turn in episode.turns]
    assert roles[-5:] == ["assistant", "tool", "assistant", "tool", "assistant"]
    calls = [parse_reply(turn.text) for turn in episode.turns if turn.role == "assistant"][:2]
    assert [call.kind for call in calls] == ["call", "call"]
    assert [turn.picture for turn in episode.turns if turn.picture is not None] == [0, 1, 2]
    assert len(episode.pictures) == 3
    assert episode.turns[-1].text.endswith("<answer>\\boxed{")


def test_the_same_for_the_same_seed() -> None:
    first, again, other = (random_episode(seed, QWEN25, COMPACT) for seed in (1, 1, 2))
    assert first.turns == again.turns != other.turns
    assert [one.tobytes() for one in first.pictures] == [one.tobytes() for one in again.pictures]


@pytest.mark.parametrize(("seed", "style"), [(0, PUBLISHED), (1, COMPACT), (5, PUBLISHED)])
def test_every_fifth_has_the_published_pictures(seed: int, style: object) -> None:
    default = random_episode(seed, QWEN25).pictures[0]
    assert default.tobytes() == random_episode(seed, QWEN25, style).pictures[0].tobytes()

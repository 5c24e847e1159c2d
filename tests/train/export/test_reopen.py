"""A GGUF pair is the model it was made from, and training goes on from it."""

import json
import shutil
from pathlib import Path

import gguf
import pytest
from safetensors.torch import load_file
from typer.testing import CliRunner

pytest.importorskip("gguf")
pytest.importorskip("torch")

import numpy as np
import torch
from transformers import AutoTokenizer

from agent.convert.checkpoint import ConversionError
from agent.errors import WorkbenchError
from agent.inspection.built_in import EYE
from agent.models.card_file import read_card
from agent.models.registry import BUNDLED
from agent.protocol.protocol import opening
from agent.tasks.catalogue import load_tasks
from tests.agent.convert.folders import export_pair, model
from tests.night import BY_NIGHT
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.cli import app
from train.export.reopen import reopen
from train.models.model_folder import load_trainable, starting_folder

__all__ = ["model", "tiny_qwen3", "tiny_qwen25"]

BOXED = BUNDLED / EYE


def test_every_weight_comes_back(model: Path, tmp_path: Path) -> None:
    card = reopen(str(export_pair(model, tmp_path / "pair")), tmp_path / "again")
    before = load_file(model / "model.safetensors")
    after = load_file(tmp_path / "again/model.safetensors")
    assert set(after) == set(before)
    assert card.parameters == sum(weight.numel() for weight in after.values())
    assert all(torch.equal(after[name], before[name]) for name in before)


def test_the_model_in_the_box_goes_there_and_back(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["reopen", EYE, str(tmp_path / "eye")])
    assert done.exit_code == 0, done.output
    assert "7.4 M weights" in done.output
    card, boxed = read_card(tmp_path / "eye"), read_card(BOXED)
    assert (card.engine, card.style, card.tasks) == ("transformers", boxed.style, boxed.tasks)
    assert (card.sampling, card.trained_on) == (boxed.sampling, boxed.trained_on)
    words = ["export", str(tmp_path / "eye"), str(tmp_path / "pair"), "--threads", "1", "--json"]
    done = CliRunner().invoke(app, words if BY_NIGHT else [*words, "--no-parity"])
    assert done.exit_code == 0, done.output
    if BY_NIGHT:
        found = json.loads(done.stdout)["parity"]
        assert found["share"] >= 0.99 and found["own_equal"] >= 0.99 * found["own_positions"]
    for name in ("model-f16.gguf", "mmproj-f16.gguf"):
        before, after = gguf.GGUFReader(BOXED / name), gguf.GGUFReader(tmp_path / "pair" / name)
        again = {tensor.name: tensor.data for tensor in after.tensors}
        assert set(again) == {tensor.name for tensor in before.tensors}
        assert all(np.array_equal(again[one.name], one.data) for one in before.tensors)
        for key in set(before.fields) - {"general.name"}:
            assert after.get_field(key).contents() == before.get_field(key).contents(), key


def test_rounded_weights_are_refused(tiny_qwen25: Path, tmp_path: Path) -> None:
    with pytest.raises(ConversionError, match="Q8_0"):
        reopen(str(export_pair(tiny_qwen25, tmp_path / "pair", "q8_0")), tmp_path / "again")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pair"]


def test_a_pair_that_does_not_fit(tiny_qwen25: Path, tiny_qwen3: Path, tmp_path: Path) -> None:
    first = export_pair(tiny_qwen25, tmp_path / "first")
    second = export_pair(tiny_qwen3, tmp_path / "second")
    shutil.copyfile(second / "mmproj-f32.gguf", first / "mmproj-f32.gguf")
    with pytest.raises(ConversionError):
        reopen(str(first), tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_a_file_cut_off(tiny_qwen25: Path, tmp_path: Path) -> None:
    path = export_pair(tiny_qwen25, tmp_path / "pair") / "model-f32.gguf"
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(WorkbenchError, match="download it again"):
        reopen(str(tmp_path / "pair"), tmp_path / "again")


def test_what_is_no_gguf_and_a_folder_in_use(tiny_qwen25: Path, tmp_path: Path) -> None:
    with pytest.raises(ConversionError, match="not a complete GGUF model"):
        reopen(str(tiny_qwen25), tmp_path / "again")
    (tmp_path / "again").mkdir()
    (tmp_path / "again/notes.txt").touch()
    with pytest.raises(ConversionError, match="already"):
        reopen(str(export_pair(tiny_qwen25, tmp_path / "pair")), tmp_path / "again")
    assert [path.name for path in (tmp_path / "again").iterdir()] == ["notes.txt"]


def test_training_says_where_to_begin(tiny_qwen25: Path, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="spec-o3-train reopen"):
        starting_folder(str(export_pair(tiny_qwen25, tmp_path / "pair")))


# The configs and the tokenizer of a reopened model equal those of the original.


@pytest.fixture(scope="module", params=["tiny_qwen25", "tiny_qwen3"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folder of a model, and of the model reopened."""
    model: Path = request.getfixturevalue(request.param)
    place = tmp_path_factory.mktemp("reopened")
    reopen(str(export_pair(model, place / "pair")), place / "again")
    return [model, place / "again"]


def test_it_computes_the_same(both: list[Path]) -> None:
    """What the weights are used with comes back, too: heads, norms, rotations."""
    ids = torch.arange(40, 90)[None]
    with torch.no_grad():
        before, after = (load_trainable(folder)(input_ids=ids).logits for folder in both)
    assert torch.allclose(after, before, atol=1e-5)
    files = [folder / "preprocessor_config.json" for folder in both]
    pictures = [json.loads(file.read_text("utf-8")) for file in files]
    for key in ("image_mean", "image_std", "patch_size", "merge_size"):
        assert pictures[1][key] == pytest.approx(pictures[0][key], rel=1e-6)


def test_towers_are_the_same(both: list[Path]) -> None:
    towers = [load_trainable(folder).config.vision_config.to_dict() for folder in both]
    for told in towers:
        told.pop("dtype", None)
        told.pop("initializer_range", None)  # of random weights
    assert towers[1] == towers[0]


def test_words_are_cut_alike(both: list[Path]) -> None:
    before, after = (AutoTokenizer.from_pretrained(at) for at in both)
    assert len(after) == len(before)
    assert (after.eos_token, after.pad_token) == (before.eos_token, before.pad_token)
    for task in load_tasks():
        for turn in opening(task):
            ids = before(turn.text).input_ids
            assert after(turn.text).input_ids == ids
            assert after.decode(ids) == before.decode(ids)
    said = "<|im_start|>a\n<tool_call>naïve Å 6563.0</tool_call><|im_end|>"
    ids = before(said).input_ids
    assert after(said).input_ids == ids
    # a call must survive where control tokens are left out
    kept, original = (one.decode(ids, skip_special_tokens=True) for one in (after, before))
    assert kept == original

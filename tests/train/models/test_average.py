"""The mean of a run's checkpoints is a model in use, and one checkpoint is itself."""

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from safetensors.torch import load_file, save_file
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.models.card_file import read_card, write_card
from agent.models.infer_card import make_card
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.cli import app
from train.models.average import average, checkpoints_of
from train.models.model_folder import load_trainable

__all__ = ["tiny_qwen3", "tiny_qwen25"]

SCALES = {2: 0.5, 4: 1.0, 10: 3.0}


def checkpoint(model: Path, folder: Path, scale: float) -> None:
    shutil.copytree(model, folder)
    (folder / "model.toml").unlink(missing_ok=True)
    weights = load_file(model / "model.safetensors")
    scaled = {name: weight * scale for name, weight in weights.items()}
    save_file(scaled, folder / "model.safetensors", {"format": "pt"})
    state = {"global_step": int(folder.name.rpartition("-")[2])}
    (folder / "trainer_state.json").write_text(json.dumps(state), "utf-8")


@pytest.fixture(params=["tiny_qwen25", "tiny_qwen3"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A finished run whose checkpoints are its model, scaled."""
    model: Path = request.getfixturevalue(request.param)
    folder = tmp_path / "run"
    shutil.copytree(model, folder / "model")
    card = make_card(folder / "model", trained_on="labels", simulated_only=True, tasks=("CV",))
    write_card(card, folder / "model")
    for step, scale in SCALES.items():
        checkpoint(model, folder / f"checkpoints/checkpoint-{step}", scale)
    return folder


def weights_of(folder: Path) -> dict[str, torch.Tensor]:
    return dict(load_trainable(folder).state_dict())


def test_it_is_the_mean(run: Path, tmp_path: Path) -> None:
    average(run, checkpoints_of(run, 0, 4), tmp_path / "mean")
    before, after = weights_of(run / "model"), weights_of(tmp_path / "mean")
    assert set(after) == set(before)
    for name, weight in before.items():
        assert torch.allclose(after[name], 0.75 * weight, atol=1e-6), name


def test_one_checkpoint_is_itself(run: Path, tmp_path: Path) -> None:
    average(run, checkpoints_of(run, 10, 10), tmp_path / "tenth")
    before, after = weights_of(run / "checkpoints/checkpoint-10"), weights_of(tmp_path / "tenth")
    assert all(torch.equal(after[name], before[name]) for name in before)


def test_its_card_tells_what_it_is(run: Path, tmp_path: Path) -> None:
    card = average(run, checkpoints_of(run, 0, 10**9), tmp_path / "mean")
    assert card == read_card(tmp_path / "mean")
    assert (card.name, card.tasks, card.simulated_only) == ("mean", ("CV",), True)
    assert card.trained_on == "labels; the mean after steps 2, 4, 10"
    assert card.style == read_card(run / "model").style


def test_checkpoints_come_in_the_order_of_their_steps(run: Path) -> None:
    (run / "checkpoints/checkpoint-7.part").mkdir()
    names = [folder.name for folder in checkpoints_of(run, 3, 99)]
    assert names == ["checkpoint-4", "checkpoint-10"]


def test_one_that_was_cut_off_is_left_out(run: Path) -> None:
    (run / "checkpoints/checkpoint-4/trainer_state.json").write_text('{"global_st', "utf-8")
    assert [folder.name for folder in checkpoints_of(run, 3, 99)] == ["checkpoint-10"]


def test_what_is_kept_is_named_where_none_fits(run: Path) -> None:
    with pytest.raises(WorkbenchError, match="steps 5 and 9; its checkpoints: 2, 4, 10"):
        checkpoints_of(run, 5, 9)


def test_a_run_that_has_not_ended_is_refused(run: Path, tmp_path: Path) -> None:
    (run / "model/model.toml").unlink()
    with pytest.raises(WorkbenchError, match=r"not a finished model(.|\n)*--like"):
        average(run, checkpoints_of(run, 0, 9), tmp_path / "mean")
    assert not (tmp_path / "mean").exists()


def test_one_ended_early_is_like_the_model_it_began_with(run: Path, tmp_path: Path) -> None:
    (run / "model").rename(tmp_path / "begun")
    words = ["average", str(run), str(tmp_path / "mean"), "--first", "2", "--last", "4"]
    result = CliRunner().invoke(app, [*words, "--like", str(tmp_path / "begun")])
    assert result.exit_code == 0, result.output
    before, after = weights_of(tmp_path / "begun"), weights_of(tmp_path / "mean")
    assert all(torch.allclose(after[name], 0.75 * before[name], atol=1e-6) for name in before)
    assert read_card(tmp_path / "mean").trained_on == "labels; the mean after steps 2, 4"


def test_half_way_back_to_where_it_began(run: Path, tmp_path: Path) -> None:
    average(run, checkpoints_of(run, 0, 4), tmp_path / "mean", back=run / "model")
    before, after = weights_of(run / "model"), weights_of(tmp_path / "mean")
    for name, weight in before.items():
        assert torch.allclose(after[name], 0.875 * weight, atol=1e-6), name
    told = read_card(tmp_path / "mean").trained_on
    assert told == "labels; the mean after steps 2, 4; half way back to where that began"


def test_a_model_goes_half_way_back_to_another(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run / "checkpoints/checkpoint-10", tmp_path / "begun")
    words = ["average", str(run / "model"), str(tmp_path / "mean")]
    result = CliRunner().invoke(app, [*words, "--back", str(tmp_path / "begun")])
    assert result.exit_code == 0, result.output
    before, after = weights_of(run / "model"), weights_of(tmp_path / "mean")
    assert all(torch.allclose(after[name], 2 * before[name], atol=1e-6) for name in before)
    card = read_card(tmp_path / "mean")
    assert card.trained_on == "labels; half way back to where that began"
    assert card.title == "Half way back from model"
    again = CliRunner().invoke(app, [*words, "--back", str(run / "model")])
    assert again.exit_code == 0, again.output  # an older mean is replaced
    with pytest.raises(WorkbenchError, match="--back"):
        average(run / "model", checkpoints_of(run / "model", 0, 9), tmp_path / "same")


def test_adapters_are_refused(run: Path, tmp_path: Path) -> None:
    (run / "checkpoints/checkpoint-4/adapter_config.json").write_text("{}", "utf-8")
    with pytest.raises(WorkbenchError, match="only whole models"):
        average(run, checkpoints_of(run, 0, 9), tmp_path / "mean")


def test_what_lies_there_is_kept(run: Path, tmp_path: Path) -> None:
    (tmp_path / "mean").mkdir()
    (tmp_path / "mean/mine.txt").write_text("mine", "utf-8")
    with pytest.raises(WorkbenchError, match="name a new folder"):
        average(run, checkpoints_of(run, 0, 9), tmp_path / "mean")
    assert [path.name for path in (tmp_path / "mean").iterdir()] == ["mine.txt"]


def test_an_older_mean_is_replaced_and_no_other_model(run: Path, tmp_path: Path) -> None:
    average(run, checkpoints_of(run, 0, 4), tmp_path / "mean")
    average(run, checkpoints_of(run, 10, 10), tmp_path / "mean")
    before, after = weights_of(run / "checkpoints/checkpoint-10"), weights_of(tmp_path / "mean")
    assert all(torch.equal(after[name], before[name]) for name in before)
    with pytest.raises(WorkbenchError, match="name a new folder"):
        average(run, checkpoints_of(run, 0, 4), run / "model")


def test_another_shape_is_refused(tiny_qwen25: Path, tiny_qwen3: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(tiny_qwen25, folder / "model")
    write_card(make_card(folder / "model"), folder / "model")
    checkpoint(tiny_qwen25, folder / "checkpoints/checkpoint-1", 1.0)
    checkpoint(tiny_qwen3, folder / "checkpoints/checkpoint-2", 1.0)
    with pytest.raises(WorkbenchError, match="another shape"):
        average(folder, checkpoints_of(folder, 0, 9), tmp_path / "mean")
    assert not (tmp_path / "mean").exists()


def test_the_command(run: Path, tmp_path: Path) -> None:
    words = ["average", str(run), str(tmp_path / "mean"), "--first", "3", "--last", "10"]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 0, told.output
    assert "checkpoint-4, checkpoint-10" in told.output
    assert (tmp_path / "mean/model.toml").is_file()

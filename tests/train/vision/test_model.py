from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import (
    Qwen2_5_VisionTransformerPretrainedModel,
)

from agent.engines.families import Vision
from agent.engines.patches import patches
from tests.train.vision.conftest import SCHOOL
from train.models.small_model import CLIP_MEAN, CLIP_STD
from train.vision.model import Answers, Eye, feature_places, loss_of, patch_rows


@pytest.fixture
def grey() -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(0).integers(0, 255, (2, 56, 84), dtype=np.uint8))


def test_rows_are_those_of_inspections(grey: torch.Tensor) -> None:
    rows, grid = patch_rows(grey)
    red, green, blue = CLIP_MEAN
    vision = Vision(patch=14, mean=(red, green, blue), std=(CLIP_STD[0], CLIP_STD[1], CLIP_STD[2]))
    for number, picture in enumerate(grey.numpy()):
        own = patches(Image.fromarray(np.repeat(picture[..., None], 3, axis=2)), vision)
        assert (1, *grid) == own.grid
        found = rows.reshape(2, -1, rows.shape[1])[number].numpy()
        assert found == pytest.approx(own.rows, abs=1e-5)


def test_tokens_are_those_of_transformers(grey: torch.Tensor) -> None:
    eye = Eye(SCHOOL, 3, 4).eval()
    tower = Qwen2_5_VisionTransformerPretrainedModel(eye.tower.config).train(False)
    tower.load_state_dict(eye.tower.state_dict())
    rows, (down, across) = patch_rows(grey)
    grid = torch.tensor([[1, down, across]] * len(grey))
    with torch.no_grad():
        expected = tower(rows, grid_thw=grid).pooler_output
        found = eye.tokens(grey).reshape(expected.shape)
    assert torch.allclose(found, expected, atol=1e-4)


def test_each_answer_depends_on_the_picture_and_on_the_place(grey: torch.Tensor) -> None:
    torch.manual_seed(1)
    eye = Eye(SCHOOL, 3, 4).eval()
    places = torch.rand(2, 3, 2)
    with torch.no_grad():
        ranks, errors, kinds, ends, _ = eye.answers(grey, places)
        blank = eye.answers(torch.full_like(grey, 255), places).ranks
        moved = eye.answers(grey, places + 0.3).ranks
    assert ranks.shape == errors.shape == (2, 3)
    assert (kinds.shape, ends.shape) == ((2, 4), (2, 2))
    assert errors.min() > 0.0
    assert not torch.allclose(ranks, blank, atol=1e-4)
    assert not torch.allclose(ranks, moved, atol=1e-4)


def test_places_are_fractions_of_the_axis() -> None:
    features = torch.tensor([[6500.0, 6600.0], [100.0, 200.0]])
    places = feature_places(torch.tensor([[6000.0, 7000.0]]), features)
    assert places[0, 0].tolist() == pytest.approx([0.5, 0.6])
    assert places[0, 1].tolist() == pytest.approx([-0.5, -0.5])


def unlearned(pictures: int) -> Answers:
    said = Answers(*(torch.zeros(pictures, size) for size in (3, 3, 4, 2, 5)))
    return said._replace(errors=torch.full((pictures, 3), 0.5))


def test_a_window_counts_more_than_its_share_of_the_quantities() -> None:
    """Of 9 quantities of a whole spectrum and 1 of a window, the window has a quarter."""
    said = Answers(*(torch.zeros(2, size) for size in (9, 9, 4, 2, 5)))
    said = said._replace(errors=torch.ones(2, 9))
    ranks = torch.full((2, 9), torch.nan)
    ranks[0], ranks[1, 0] = 0.0, 1.0
    parts = loss_of(said, ranks, torch.tensor([-1, -1]), torch.zeros(2, 2), SCHOOL)[1]
    assert parts["rank"] == pytest.approx(0.95 / 4)


def test_errors_are_learned_from_what_is_wrong_and_cost_the_ranks_nothing() -> None:
    torch.manual_seed(2)
    eye = Eye(SCHOOL, 3, 4)
    pictures = torch.full((2, 56, 84), 255, dtype=torch.uint8)
    answers = eye.answers(pictures, torch.rand(2, 3, 2))
    answers.errors.sum().backward()
    assert eye.error[0].weight.grad is not None
    assert all(weight.grad is None for weight in eye.tower.parameters())
    near, far = (
        loss_of(
            unlearned(1)._replace(errors=torch.full((1, 3), error)),
            torch.full((1, 3), 0.1), torch.tensor([-1]), torch.zeros(1, 2), SCHOOL,
        )[1]["error"]
        for error in (0.1, 0.9)
    )  # fmt: skip
    assert near < far


def test_unknown_answers_cost_nothing() -> None:
    said = unlearned(2)
    ranks = torch.tensor([[0.5, torch.nan, torch.nan], [torch.nan] * 3])
    total, parts = loss_of(said, ranks, torch.tensor([1, -1]), torch.zeros(2, 2), SCHOOL)
    assert torch.isfinite(total)
    assert parts["rank"] == pytest.approx(0.45)  # |0.5| - beta / 2
    assert parts["axis"] == 0.0


def test_a_batch_of_which_nothing_is_known_still_has_a_loss() -> None:
    nothing = torch.full((1, 3), torch.nan)
    total, parts = loss_of(unlearned(1), nothing, torch.tensor([-1]), torch.zeros(1, 2), SCHOOL)
    assert parts["rank"] == parts["kind"] == 0.0
    assert torch.isfinite(total)

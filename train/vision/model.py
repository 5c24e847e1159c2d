"""The vision tower of a small Qwen2.5-VL with light heads that answer what it is asked."""

from functools import lru_cache
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.models.qwen2_5_vl.configuration_qwen2_5_vl import Qwen2_5_VLVisionConfig
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import (
    Qwen2_5_VisionTransformerPretrainedModel,
)
from transformers.vision_utils import (
    get_vision_cu_seqlens,
    get_vision_position_ids,
    get_vision_window_index,
)

from agent.rendering.style import EYE
from train.models.small_model import CLIP_MEAN, CLIP_STD
from train.sft.fast_path import use_fast_vision
from train.vision.grades import MOST_BORDERS
from train.vision.settings import SchoolSettings

PATCH, MERGE, FRAMES = 14, 2, 2
WINDOW = 112
"""Pixels; not used, since every layer attends to the whole picture, but the layout has it."""
WAVES = 8  # Sines and cosines that tell a head where on the axis a quantity lies
ATTENTION_HEADS = 6
ABOVE_WEIGHT = 0.2  # of the grades in the loss: there are up to six for one rank
LEAST_ERROR = 0.02  # smallest error of a rank that the eye may claim


class Answers(NamedTuple):
    """What an eye says of n pictures."""

    ranks: Tensor  # (n, features), each between -1 and 1
    errors: Tensor
    """(n, features): the typical distance of a rank from the truth, by the eye's own estimate."""
    above: Tensor
    """(n, features, borders), logits: whether the value lies above each border of its grades."""
    kinds: Tensor  # (n, kinds), logits
    ends: Tensor  # (n, 2): the ends of the wavelength axis.
    state: Tensor  # (n, width): what is behind the kind.


def make_tower(settings: SchoolSettings) -> Any:
    config = Qwen2_5_VLVisionConfig(
        depth=settings.layers, hidden_size=settings.hidden, intermediate_size=settings.ffn,
        num_heads=settings.heads, out_hidden_size=settings.out,
        patch_size=PATCH, spatial_merge_size=MERGE, temporal_patch_size=FRAMES,
        window_size=WINDOW, fullatt_block_indexes=list(range(settings.layers)),
    )  # fmt: skip
    config._attn_implementation = "sdpa"
    tower = Qwen2_5_VisionTransformerPretrainedModel(config)
    use_fast_vision(tower)
    return tower


class Eye(nn.Module):
    """The tower and its heads: each question attends to the picture's tokens."""

    def __init__(self, settings: SchoolSettings, features: int, kinds: int) -> None:
        super().__init__()
        width = settings.out
        self.tower = make_tower(settings)
        self.questions = nn.Parameter(0.1 * torch.randn(features + 2, width))
        """One for each feature, then the kind of object, then the ends of the axis."""
        self.where = nn.Linear(4 * WAVES, width)
        self.token_places = nn.Linear(4 * WAVES, width)
        self.attention = nn.MultiheadAttention(width, ATTENTION_HEADS, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        self.last_norm = nn.LayerNorm(width)
        self.rank = nn.Linear(width, 1)
        self.error = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        self.above = nn.Linear(width, MOST_BORDERS)
        self.kind = nn.Linear(width, kinds)
        self.ends = nn.Linear(width, 2)

    def tokens(self, pictures: Tensor) -> Tensor:
        """(pictures, tokens, width) from grey pictures (pictures, height, width) of bytes."""
        rows, grid = patch_rows(pictures)
        layout = _layout(len(pictures), *grid, rows.device)
        merged = self.tower(rows, **layout).pooler_output
        return cast(Tensor, merged.reshape(len(pictures), -1, merged.shape[-1]))

    def answers(self, shown: Tensor, places: Tensor) -> Answers:
        """What it says of pictures, or of their tokens.

        `places` (n, features, 2): begin and end of each feature, as fractions of the axis.
        """
        is_seen = shown.is_floating_point()
        height, width = (EYE.height, EYE.width) if is_seen else shown.shape[1:]
        size = height // PATCH // MERGE, width // PATCH // MERGE
        return self.read(shown if is_seen else self.tokens(shown), size, places)

    def read(self, tokens: Tensor, size: tuple[int, int], places: Tensor) -> Answers:
        """The same from the tokens of pictures of so many tokens down and across."""
        down, across = size
        y, x = torch.meshgrid(torch.arange(down), torch.arange(across), indexing="ij")
        grid = torch.stack([(x.flatten() + 0.5) / across, (y.flatten() + 0.5) / down], dim=-1)
        tokens = tokens + self.token_places(waves(grid.float().to(tokens.device)))[None]
        asked = self.questions[None].expand(len(tokens), -1, -1)
        whole = places.new_tensor([[0.0, 1.0]]).expand(len(tokens), 2, 2)
        asked = asked + self.where(waves(torch.cat([places, whole], dim=1)))
        seen, _ = self.attention(self.norm(asked), tokens, tokens, need_weights=False)
        state = asked + seen
        state = self.last_norm(state + self.mix(state))
        of_features = state[:, :-2]
        # Detached: that an error is learned must not cost anything that is read.
        errors = LEAST_ERROR + functional.softplus(self.error(of_features.detach())[..., 0])
        kind, ends = state[:, -2], state[:, -1]
        ranks = self.rank(of_features)[..., 0]
        above = self.above(of_features)
        return Answers(ranks, errors, above, self.kind(kind), self.ends(ends), kind)


def waves(places: Tensor) -> Tensor:
    """(..., 2) fractions as (..., 4 * WAVES) sines and cosines."""
    scale = torch.pi * 2.0 ** torch.arange(WAVES, dtype=places.dtype, device=places.device) / 2.0
    angles = places[..., None] * scale
    return torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def patch_rows(pictures: Tensor) -> tuple[Tensor, tuple[int, int]]:
    """The rows that the tower reads, in the order of `agent.engines.patches`, and their grid."""
    number, height, width = pictures.shape
    grey = pictures.float() / 255.0
    mean, std = grey.new_tensor(CLIP_MEAN), grey.new_tensor(CLIP_STD)
    down, across = height // PATCH, width // PATCH
    cut = grey.reshape(number, down // MERGE, MERGE, PATCH, across // MERGE, MERGE, PATCH)
    squares = cut.permute(0, 1, 4, 2, 5, 3, 6)  # merged down, merged across, down, across, y, x
    flat = squares.reshape(number * down * across, 1, 1, PATCH * PATCH)
    coloured = (flat - mean[None, :, None, None]) / std[None, :, None, None]
    return coloured.expand(-1, 3, FRAMES, -1).reshape(len(flat), -1), (down, across)


@lru_cache(maxsize=8)
def _layout(number: int, down: int, across: int, device: torch.device) -> dict[str, Tensor]:
    """What the tower needs to know of so many pictures of one size, which is slow to compute."""
    grid = torch.tensor([[1, down, across]] * number)
    index, ends = get_vision_window_index(
        grid, spatial_merge_size=MERGE, window_size=WINDOW, patch_size=PATCH
    )
    return {
        "grid_thw": grid,
        "position_ids": get_vision_position_ids(grid, MERGE).to(device),
        # The fast attention reads lengths on the CPU: a GPU would have to be waited for.
        "cu_seqlens": get_vision_cu_seqlens(grid),
        "window_index": index.to(device),
        "cu_window_seqlens": ends,
    }


def feature_places(ranges: Tensor, windows: Tensor) -> Tensor:
    """(n, features, 2): where the features lie on each axis, as fractions of it."""
    low, high = ranges[:, None, :1], ranges[:, None, 1:]
    return ((windows[None] - low) / (high - low)).clamp(-0.5, 1.5)


def loss_of(
    answers: Answers,
    ranks: Tensor,
    borders: Tensor,
    kinds: Tensor,
    ends: Tensor,
    settings: SchoolSettings,
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss, and its parts; ranks may be NaN and kinds -1 where nothing is known.

    `borders` (features, borders) are ranks, NaN where a quantity has fewer.
    """
    known = torch.isfinite(ranks)
    number = known.sum(dim=1, keepdim=True).expand_as(known)[known]
    # A window shows few quantities and the whole spectrum all of them: weighed by the root of
    # their number, windows have more than half of the loss. A batch of galaxies has no rank.
    weights = number.float().rsqrt()
    weights = weights / weights.sum().clamp(min=1e-6)
    said, errors = answers.ranks[known].float(), answers.errors[known].float()
    rank = weights @ functional.smooth_l1_loss(said, ranks[known], beta=0.1, reduction="none")
    asked = torch.isfinite(borders).expand_as(answers.above)[known]
    is_above = (ranks[..., None] > borders)[known].float()
    grades = functional.binary_cross_entropy_with_logits(
        answers.above[known].float(), is_above, reduction="none"
    )
    above = weights @ (grades * asked).sum(dim=-1)
    missed = (said.detach() - ranks[known]).abs()
    error = weights @ (missed / errors + errors.log())
    kind = functional.cross_entropy(
        answers.kinds.float(), kinds, ignore_index=-1, label_smoothing=0.02, reduction="sum"
    )
    kind = kind / (kinds >= 0).sum().clamp(min=1)
    axis = functional.smooth_l1_loss(answers.ends.float(), ends, beta=0.02)
    total = (
        rank
        + error
        + ABOVE_WEIGHT * above
        + settings.kind_weight * kind
        + settings.range_weight * axis
    )
    parts = {"rank": rank, "error": error, "above": above, "kind": kind, "axis": axis}
    return total, {name: part.detach() for name, part in parts.items()}

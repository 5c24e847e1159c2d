"""Muon's updates and weights, and the schedule and checkpoint shared with AdamW."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import nn

from agent.errors import WorkbenchError
from train.sft.optimizer import CombinedOptimizer, Muon, muon_and_adamw, orthogonalize
from train.sft.settings import SftSettings

RATE = 0.01


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(4)
        self.embed_tokens = nn.Embedding(12, 8)
        self.inner = nn.Linear(8, 6)
        self.norm = nn.LayerNorm(6)
        self.lm_head = nn.Linear(6, 12, bias=False)

    def loss(self) -> torch.Tensor:
        tokens = torch.arange(12)
        said = self.lm_head(self.norm(self.inner(self.embed_tokens(tokens))))
        return nn.functional.cross_entropy(said, tokens.flip(0))


def steps(model: Model, optimizer: CombinedOptimizer, count: int) -> list[float]:
    losses = []
    for _ in range(count):
        optimizer.zero_grad()
        loss = model.loss()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_matrices_inside_are_muons_and_the_rest_is_not():
    model = Model()
    muon, adamw = muon_and_adamw(model, RATE, 0.1).parts
    of_muon = [each for group in muon.param_groups for each in group["params"]]
    assert [id(each) for each in of_muon] == [id(model.inner.weight)]
    decays = {
        id(each): group["weight_decay"] for group in adamw.param_groups for each in group["params"]
    }
    assert len(decays) == len(list(model.parameters())) - 1
    assert decays[id(model.lm_head.weight)] == 0.1 and decays[id(model.norm.weight)] == 0.0


def test_muons_updates_are_equally_long_in_every_direction():
    model = Model()
    optimizer, before = muon_and_adamw(model, RATE, 0.0), model.inner.weight.detach().clone()
    steps(model, optimizer, 1)
    lengths = torch.linalg.svdvals(before - model.inner.weight.detach())
    # 0.2 of the root of the longer side: as long as AdamW's usual update. The norm behind it leaves
    # one direction without a gradient.
    wanted = RATE * 0.2 * 8**0.5
    assert lengths[0] < 1.4 * wanted and lengths[4] > 0.5 * wanted


def test_frozen_weights_have_no_optimizer():
    model = Model()
    model.embed_tokens.weight.requires_grad_(False)
    optimizer = muon_and_adamw(model, RATE, 0.1)
    held = [each for group in optimizer.param_groups for each in group["params"]]
    assert all(each is not model.embed_tokens.weight for each in held)
    assert len(held) == len(list(model.parameters())) - 1


def test_a_schedule_reaches_both():
    optimizer = muon_and_adamw(Model(), RATE, 0.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0 / (step + 1))
    optimizer.step()
    schedule.step()
    assert {group["lr"] for part in optimizer.parts for group in part.param_groups} == {RATE / 2}


def test_it_learns_and_resumes_from_its_state():
    model = Model()
    optimizer = muon_and_adamw(model, RATE, 0.01)
    losses = steps(model, optimizer, 10)
    assert losses[-1] < losses[0]
    again = Model()
    again.load_state_dict(model.state_dict())
    resumed = muon_and_adamw(again, RATE, 0.01)
    resumed.load_state_dict(deepcopy(optimizer.state_dict()))
    assert steps(again, resumed, 3) == steps(model, optimizer, 3)


def test_an_adapter_has_no_whole_matrices_to_learn():
    with pytest.raises(WorkbenchError, match=r"sft\.optimizer: muon needs kind=full"):
        SftSettings(kind="lora", optimizer="muon")


@pytest.mark.parametrize("shape", [(3, 12, 40), (2, 40, 12)], ids=str)
def test_directions_are_kept_and_made_equally_long(shape: tuple[int, int, int]):
    torch.manual_seed(7)
    matrices = torch.randn(shape) * torch.tensor([1e-6, 1.0, 1e6])[: shape[0], None, None]
    even = orthogonalize(matrices)
    sizes = torch.linalg.svdvals(even)
    assert sizes.min() > 0.5 and sizes.max() < 1.3
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    turned = left.mT @ even @ right.mT
    off = turned - torch.diag_embed(turned.diagonal(dim1=-2, dim2=-1))
    assert off.abs().max() < 0.01
    torch.testing.assert_close(orthogonalize(matrices[:1]), even[:1], rtol=1e-3, atol=1e-3)


def test_nothing_to_learn_moves_nothing():
    assert not orthogonalize(torch.zeros(1, 4, 6)).any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_muon_is_torchs(dtype: torch.dtype):
    """Apart from rounding: torch's multiplies in bfloat16 everywhere."""
    torch.manual_seed(5)
    mine = [torch.randn(shape).requires_grad_() for shape in ((16, 16), (16, 48), (48, 16))]
    theirs = [each.detach().clone().requires_grad_() for each in mine]
    ours = Muon(mine, lr=RATE, weight_decay=0.1, dtype=dtype)
    other = torch.optim.Muon(theirs, lr=RATE, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for _ in range(4):
        for one, another in zip(mine, theirs, strict=True):
            one.grad = torch.randn(one.shape)
            another.grad = one.grad.clone()
        before = [each.detach().clone() for each in mine]
        ours.step()
        other.step()
        for start, one, another in zip(before, mine, theirs, strict=True):
            length = (another - start).norm()
            assert (one - another).norm() < 0.03 * length
        with torch.no_grad():
            for one, another in zip(mine, theirs, strict=True):
                another.copy_(one)

"""Two processes that reinforce one model together, each of which has a group that is all alike.

`python -m tests.train.grpo.forked TOY OUT PORT` goes twice: what says nothing left out, and not.
"""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import torch
from trl import GRPOTrainer

from tests.train.forks import as_rank, ended, forked
from tests.train.grpo.toy import toy_settings
from train.grpo.run import reinforce
from train.grpo.trainer import SpectrumTrainer

RUNS = {"left-out": SpectrumTrainer.compute_loss, "whole": GRPOTrainer.compute_loss}
SETTINGS = {
    "questions": 4, "minibatch": 4, "rollouts": 4, "microbatch": 4, "rounds": 2,
    "held_out": 0.3, "validate_every": 1,
}  # fmt: skip
"""Two passes of each process an update, of one question each, and one question to validate on."""


def main(toy: Path, out: Path, port: str) -> None:
    for name in RUNS:
        ranks = [
            forked(partial(as_rank, rank, port, partial(rank_of, toy, out / name, rank)))
            for rank in (0, 1)
        ]
        assert [ended(rank) for rank in ranks] == [0, 0]


def rank_of(toy: Path, out: Path, rank: int) -> None:
    """Writes how often the model was passed through with gradients."""
    torch.set_num_threads(1)
    passes = 0
    score = SpectrumTrainer._generate_and_score_completions
    look = SpectrumTrainer._get_per_token_logps_and_entropies

    def alike(self: SpectrumTrainer, inputs: Any) -> Any:
        """One question of two, another one in each process."""
        whole = score(self, inputs)
        whole["advantages"][[slice(None, 4), slice(4, None)][rank]] = 0.0
        return whole

    def counted(self: SpectrumTrainer, *others: Any, **options: Any) -> Any:
        nonlocal passes
        passes += torch.is_grad_enabled()
        return look(self, *others, **options)

    SpectrumTrainer._generate_and_score_completions = alike  # type: ignore[method-assign]
    SpectrumTrainer._get_per_token_logps_and_entropies = counted  # type: ignore[method-assign]
    SpectrumTrainer.compute_loss = RUNS[out.name]  # type: ignore[method-assign]
    reinforce(toy / "warm", [toy / "train.parquet"], out, toy_settings(**SETTINGS))
    (out / f"passes-{rank}").write_text(str(passes), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]), sys.argv[3])

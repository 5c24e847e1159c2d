"""Runs in processes of their own: some die, two share one run. Forked from one that has everything
imported.

`python -m tests.train.sft.forked APPROVED SETS OUT PORT`
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import matplotlib.backends.backend_agg  # noqa: F401, what each run would import for itself
import torch.utils.tensorboard  # noqa: F401, as well

from tests.train.forks import as_rank, ended, forked
from tests.train.sft.recipes import DYING, TOGETHER, train
from train.sft.settings import SftSettings
from train.sft.trainer import SftTrainer

DIED = 9
DIES_AT = 4


def main(approved: Path, sets: Path, out: Path, port: str) -> None:
    for kind, settings in DYING.items():
        run = partial(dies, partial(train, approved, sets, out / kind, settings))
        assert ended(forked(run)) == DIED
    together = partial(train, approved, sets, out / "shared", SftSettings(**TOGETHER))
    ranks = [forked(partial(as_rank, number, port, together)) for number in (0, 1)]
    assert [ended(rank) for rank in ranks] == [0, 0]


def dies(run: Callable[[], object]) -> None:
    """Let a run die while it writes a checkpoint."""
    save = SftTrainer._save_rng_state

    def die(self: SftTrainer, folder: str) -> None:
        if self.state.global_step == DIES_AT:
            os._exit(DIED)
        save(self, folder)

    SftTrainer._save_rng_state = die  # type: ignore[method-assign]
    run()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]), sys.argv[4])

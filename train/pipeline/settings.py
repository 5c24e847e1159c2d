"""The sizes and switches of a chain; everything else is in the tables of its stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agent.errors import WorkbenchError

Table = Literal["main", "cross-survey", "cross-task", "ablation"]
Ablation = Literal["no-tool", "no-sft"]


@dataclass(frozen=True, kw_only=True)
class PipelineSettings:
    """The table [chain] of a preset."""

    surveys: tuple[str, ...] = ("LAMOST", "SDSS", "DESI")
    objects: int = 20000  # Objects on the simulated sky; every survey observes all of them.
    snr: tuple[float, float] = (5.0, 100.0)
    questions: int = 0
    """Simulated, distorted questions to draft from; 0 uses the bench's `cold.parquet`."""
    rl_questions: int = 0  # simulated questions for RL, in addition to the bench's training set
    hard_negatives: int = 0
    """Objects on a second simulated sky, each observed by one survey; its members and hardest
    look-alikes, selected as for a bench, are used in SFT and RL. 0 for none."""
    hard_negative_surveys: tuple[str, ...] = ()
    """Surveys of the second sky, as `simulate --survey` takes them; empty for `surveys`."""
    continue_from: str = ""
    """Name or folder of a GGUF model to continue training, such as `nano-eye`; empty starts as
    [model] says."""
    rl: bool = True  # Whether RL follows SFT; without it the SFT model is judged and exported.
    eye: bool = False  # whether a model that looks is made as well, by the recipe of `nano-eye`
    ablations: tuple[Ablation, ...] = ()
    """Models to train for the table of ablations as well: `no-tool` by SFT and RL without the tool,
    `no-sft` by RL of the model that SFT starts from."""
    screened: int = 0
    """Questions of each task and RL set that the SFT model judges, to find those it is unsure
    about; 0 for all."""
    averaged: tuple[int, int] = (0, 0)
    """First and last RL round whose checkpoints are averaged into the final model; (0, 0) uses the
    last model."""
    average_with_start: bool = False
    """Whether the final model is averaged with the one that training continued from. Further
    training costs some of what a model knew before; the average keeps most of both."""
    library: str = ""  # Folder of labelled real spectra to judge at the end; empty for none.
    judged: int = 0  # Candidates of each task to judge at the end; 0 for all.
    # For a small model on a CPU llama.cpp is twice as fast.
    judged_by: Literal["transformers", "llama.cpp"] = "transformers"
    baselines: bool = True
    tables: tuple[Table, ...] = ("main", "cross-survey", "cross-task", "ablation")

    def __post_init__(self) -> None:
        if not self.surveys or self.objects < 20:
            raise WorkbenchError("a chain needs at least one survey and 20 objects")
        first, last = self.averaged
        if not 0 <= first <= last:
            raise WorkbenchError(
                f"chain.averaged: {first} to {last} is not a range of rounds; the first must not "
                "be negative or after the last"
            )
        if "no-sft" in self.ablations and not self.rl:
            raise WorkbenchError("chain.ablations: no-sft is RL alone; leave out chain.rl=false")
        if "no-sft" in self.ablations and self.continue_from:
            raise WorkbenchError(
                "chain.ablations: no-sft starts from a base model, and chain.continue_from has had "
                "SFT already"
            )
        if self.ablations and "ablation" not in self.tables:
            raise WorkbenchError('chain.ablations are judged in chain.tables=["ablation"]')
        if self.average_with_start and not self.continue_from:
            raise WorkbenchError(
                "chain.average_with_start needs a model to average with: set chain.continue_from"
            )

"""How much the chain simulates, practises and judges; all else is in the tables of the stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agent.errors import WorkbenchError

Table = Literal["main", "cross-survey", "cross-task", "ablation"]


@dataclass(frozen=True, kw_only=True)
class PipelineSettings:
    """The table [chain] of a preset."""

    surveys: tuple[str, ...] = ("LAMOST", "SDSS", "DESI")
    objects: int = 20000
    """On the simulated sky, each seen by every survey."""
    snr: tuple[float, float] = (5.0, 100.0)
    questions: int = 0
    """Asked straight from the simulator, distorted, to draft from; 0 takes the bench's own."""
    practice: int = 0
    """As many more to practise on by reinforcement, beside the bench's own."""
    company: int = 0
    """Objects of a sky of their own, each seen by one survey: its members and their hardest
    look-alikes, as a bench picks them, are told of in the lessons and practised on as well."""
    company_surveys: tuple[str, ...] = ()
    """Who sees that sky, as `simulate --survey` takes it; empty for the surveys above."""
    reopened: str = ""
    """A model kept for llama.cpp that learns on, such as the one in the box: opened again before
    the lessons. Empty starts as [model] says."""
    reinforced: bool = True
    """Whether practice follows the lessons; else it is their model that is judged and exported."""
    tried: int = 0
    """Of each task and set, judged to find what the fine-tuned model is not sure of; 0 for all."""
    averaged: tuple[int, int] = (0, 0)
    """First and last round of reinforcement whose checkpoints' mean is judged and exported; nothing
    but noughts takes the model as it ended."""
    halfway: bool = False
    """Whether it is the mean of that and of the model that was opened again which is judged and
    exported: what is learnt on costs some of what was known before."""
    library: str = ""
    """Folder of labelled real spectra to judge at the end; empty for none."""
    judged: int = 0
    """Candidates of each task that are judged at the end; 0 for all."""
    judged_by: Literal["transformers", "llama.cpp"] = "transformers"
    """What runs the models that are judged; of a small one on a CPU the exported files are twice as
    fast."""
    baselines: bool = True
    tables: tuple[Table, ...] = ("main", "cross-survey", "cross-task", "ablation")

    def __post_init__(self) -> None:
        if not self.surveys or self.objects < 20:
            raise WorkbenchError("a chain needs a survey and 20 objects at least")
        first, last = self.averaged
        if not 0 <= first <= last:
            raise WorkbenchError(f"chain.averaged: {first} to {last} are no rounds in order")
        if self.halfway and not self.reopened:
            raise WorkbenchError("chain.halfway needs a model to go back to: set chain.reopened")

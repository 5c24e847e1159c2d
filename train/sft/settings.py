"""Settings of supervised fine-tuning: the tables [model] and [sft] of a preset."""

from dataclasses import dataclass, fields
from typing import Literal

from agent.errors import WorkbenchError
from agent.rendering.render import STYLES
from train.models.small_model import FamilyName, Shape, Sizes

NEW = "new"
RECORDED = "recorded"


@dataclass(frozen=True, kw_only=True)
class ModelSettings(Sizes):
    """The starting model: a folder, a name on the hub, or `new` with these sizes."""

    start: str = NEW
    family: FamilyName = "qwen2.5-vl"
    vocabulary: int = 1024

    @property
    def shape(self) -> Shape:
        return Shape(**{each.name: getattr(self, each.name) for each in fields(Sizes)})


@dataclass(frozen=True, kw_only=True)
class SftSettings:
    """Settings of fine-tuning on trajectories."""

    epochs: float = 5.0
    steps: int = 0  # Maximum number of steps; 0 for no limit.
    batch: int = 4  # maximum number of conversations per batch and device
    batch_tokens: int = 131072  # maximum number of tokens per batch and device, padding included
    accumulate: int = 1  # batches before each step of the optimizer
    # Longer conversations are left out, because a truncated one would end inside a turn.
    cutoff: int = 32768  # maximum number of tokens of a conversation
    optimizer: Literal["adamw", "muon"] = "adamw"
    """`muon` updates the matrices inside the layers; new models learn faster with it."""
    lr: float = 2e-5
    warmup: float = 0.05  # share of the steps in which the learning rate rises
    weight_decay: float = 0.0
    verdict_weight: float = 1.0  # loss weight of the verdict, which is one token of some hundred
    telling_weight: float = 1.0
    """Loss weight of words that say whether a window fits the class, or which kind it shows.

    Short drafts have such words.
    """
    max_grad_norm: float = 1.0
    kind: Literal["full", "lora"] = "full"
    lora_rank: int = 32
    lora_alpha: int = 64
    lora_dropout: float = 0.05
    trained: Literal["language", "all"] = "language"
    """`language` freezes the vision tower and its projector."""
    tool: bool = True
    """Whether conversations have the tool; without it only their last turns are trained, after the
    picture of the whole spectrum."""
    train_mistakes: bool = False  # whether turns that the agent had to correct are trained too
    style: str = RECORDED  # Picture style: `recorded`, or the name of a style.
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    checkpointing: bool = False
    held_out: float = 0.05  # share of the spectra that is used only for evaluation
    eval_every: int = 100  # steps; 0 for never
    save_every: int = 100  # steps; 0 for never
    keep: int = 2  # number of checkpoints to keep
    cache_mb: int = 20_000  # disk space for drawn pictures in the run's folder

    def __post_init__(self) -> None:
        for name, (low, high) in _LIMITS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise WorkbenchError(f"sft.{name}: {value} is not between {low:g} and {high:g}")
        if self.style != RECORDED and self.style not in STYLES:
            known = ", ".join((RECORDED, *STYLES))
            raise WorkbenchError(f"sft.style: {self.style[:60]!r} is none of: {known}")
        if self.kind == "lora" and self.optimizer == "muon":
            raise WorkbenchError("sft.optimizer: muon needs kind=full, which trains whole matrices")
        if self.kind == "lora" and self.trained == "all":
            raise WorkbenchError(
                "sft.trained: LoRA adapts only the language model; use kind=full to train all"
            )


# Wide: they refuse a slip of the finger and what the trainer cannot do, not an odd choice.
_LIMITS: dict[str, tuple[float, float]] = {
    "epochs": (0.001, 10_000), "steps": (0, 10**9), "batch": (1, 4096),
    "batch_tokens": (64, 10**9), "accumulate": (1, 4096), "cutoff": (64, 2**20),
    "lr": (1e-9, 1.0), "warmup": (0.0, 0.9), "weight_decay": (0.0, 1.0),
    "max_grad_norm": (0.0, 1e6), "verdict_weight": (0.1, 1000.0), "telling_weight": (0.1, 1000.0),
    "lora_rank": (1, 4096), "lora_alpha": (1, 65536), "lora_dropout": (0.0, 0.9),
    "held_out": (0.0, 0.5), "eval_every": (0, 10**9), "save_every": (0, 10**9),
    "keep": (1, 10_000), "cache_mb": (0, 10**9),
}  # fmt: skip

"""What reinforcement learning can be told. The defaults are the published recipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agent.errors import WorkbenchError
from train.reward import PENALTY


@dataclass(frozen=True, kw_only=True)
class GrpoSettings:
    """Counts of questions are over all devices, `microbatch` and `at_once` are of each."""

    questions: int = 64
    """In a round: rollouts are sampled, then learned from."""
    minibatch: int = 32
    """Questions an update; a round is one or several updates."""
    rollouts: int = 8
    """Of each question."""
    noes: int = 1
    """With the answer NO for every YES: how doubtful cases are decided goes with it. 0 asks as many
    of each as there are: where a class has more doubtful YES than NO, it learns to say YES."""
    sure: float = 0.98
    """Questions judged right with at least that probability before are not asked; see --judged."""
    reminders: float = 0.0
    """With --judged: YES to every NO of a class, filled up with YES that were judged surely right.
    Where nearly all that is doubtful is NO, a class would be forgotten without them."""
    epochs: float = 3.0
    rounds: int = 0
    """At most so many; 0 for no limit."""
    lr: float = 1e-6
    warmup: int = 0
    """Updates over which the rate rises to `lr`. Adam's first step moves every weight by the whole
    rate, whatever the gradient's size: at the high rates of small models one unlucky draw of
    rollouts is enough to lose the form of an answer."""
    clip: float = 0.2
    """How far an update may move the odds of a token, as a share."""
    temperature: float = 1.0
    penalty: float = PENALTY
    turn_tokens: int = 1024
    rollout_tokens: int = 32768
    """All that follows the prompt, pictures included."""
    kind: Literal["full", "lora"] = "full"
    lora_rank: int = 32
    lora_alpha: int = 64
    trained: Literal["language", "all"] = "language"
    """`language` keeps the vision tower and its projector as they are."""
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    at_once: int = 64
    """Rollouts that speak side by side: faster, and more memory for their attention."""
    microbatch: int = 8
    """Rollouts in one forward and backward pass; those of one question share their prompt."""
    checkpointing: bool = False
    """Forget activations and compute them again: slower, and far less memory."""
    save_every: int = 10
    """Rounds."""
    keep: int = 2
    """Checkpoints."""
    use_vllm: bool = False
    """Sample with vLLM, on the same GPUs."""
    vllm_memory: float = 0.3
    """Its share of each GPU."""

    def __post_init__(self) -> None:
        for name, low, high in _LIMITS:
            value = getattr(self, name)
            if not low <= value <= high:
                raise WorkbenchError(f"grpo.{name}: {value} is not from {low:g} to {high:g}")
        if self.questions % self.minibatch:
            raise WorkbenchError(
                f"grpo.minibatch: {self.questions} questions cannot be cut into minibatches of "
                f"{self.minibatch}"
            )
        if self.kind == "lora" and self.trained == "all":
            raise WorkbenchError(
                "grpo.trained: LoRA adapts the language model alone; use kind=full to train all"
            )

    @property
    def updates(self) -> int:
        """In a round."""
        return self.questions // self.minibatch

    def passes(self, devices: int) -> int:
        """Forward and backward passes of each device to an update."""
        passes, rest = divmod(self.minibatch * self.rollouts, self.microbatch * devices)
        if rest or not passes:
            raise WorkbenchError(
                f"grpo.microbatch: {self.minibatch} x {self.rollouts} rollouts an update cannot "
                f"be shared by {devices} devices in microbatches of {self.microbatch}"
            )
        return passes


_LIMITS: tuple[tuple[str, float, float], ...] = (
    ("questions", 1, 10**6),
    ("minibatch", 1, 10**6),
    ("rollouts", 2, 1024),
    ("noes", 0, 100),
    ("sure", 0.5, 1.0),
    ("reminders", 0.0, 10.0),
    ("epochs", 0.001, 10_000),
    ("rounds", 0, 10**9),
    ("lr", 1e-9, 1.0),
    ("warmup", 0, 10**6),
    ("clip", 0.001, 10.0),
    ("temperature", 0.01, 10.0),
    ("penalty", 0.0, 1.0),
    ("turn_tokens", 8, 10**6),
    ("rollout_tokens", 8, 10**6),
    ("lora_rank", 1, 4096),
    ("lora_alpha", 1, 65536),
    ("at_once", 1, 10**6),
    ("microbatch", 1, 10**6),
    ("save_every", 1, 10**9),
    ("keep", 1, 10_000),
    ("vllm_memory", 0.01, 0.95),
)

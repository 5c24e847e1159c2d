"""Settings of reinforcement learning; the presets 3b and 7b have the published recipe."""

from dataclasses import dataclass
from typing import Literal

from agent.errors import WorkbenchError
from agent.rendering.render import STYLES
from train.reward import PENALTY


@dataclass(frozen=True, kw_only=True)
class GrpoSettings:
    """The table [grpo]; `microbatch` and `at_once` are per device, other counts are totals."""

    questions: int = 64  # Questions of a round: their rollouts are sampled, then trained on.
    minibatch: int = 32  # Questions of an update; a round has one or several updates.
    rollouts: int = 8  # rollouts of each question
    noes: int = 1
    """NO for every YES; the model's bias on doubtful cases follows it. 0 asks all questions as they
    are: if a task has more doubtful YES than NO, the model learns to answer YES."""
    sure: float = 0.98
    """With --judged: skip questions answered rightly with at least this probability."""
    reminders: float = 0.0
    """With --judged: least YES for every NO of a task, filled up with YES that the model is sure
    about. Without them it forgets a task whose doubtful questions are nearly all NO."""
    epochs: float = 3.0
    rounds: int = 0  # Most rounds; 0 for no limit.
    lr: float = 1e-6
    # Adam's first step moves every weight by the whole rate, however small its gradient. At the
    # high rates of small models, unlucky first rollouts make it lose the form of an answer.
    warmup: int = 0  # updates over which the learning rate rises to `lr`
    weight_decay: float = 0.0
    clip: float = 0.2  # most relative change of a token's probability in an update (epsilon)
    dual_clip: float = 0.0
    """Most that a token of a bad rollout counts for having become likelier: its probability ratio
    is cut there (PPO's dual clip); 0 for no limit."""
    temperature: float = 1.0
    reward: Literal["", "strict", "published"] = ""
    """How verdict and form are read: `strict`, as in inspections by our models, or `published`, as
    the scorer of the published weights reads them; empty for that of the model's rules."""
    penalty: float = PENALTY
    style: str = ""
    """Name of the style of the pictures, for a model without a card; empty for the card's."""
    tool: bool = True
    """Whether the model has the tool; without it it is trained to judge from the whole spectrum."""
    turn_tokens: int = 1024  # Most tokens of a turn; 0 for no limit but that of the rollout.
    rollout_tokens: int = 32768  # most tokens after the prompt, pictures included
    kind: Literal["full", "lora"] = "full"
    lora_rank: int = 32
    lora_alpha: int = 64
    trained: Literal["language", "all"] = "language"
    """`language` freezes the vision tower and its projector."""
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    at_once: int = 64
    """Rollouts generated in one batch: more are faster and need more memory for their KV caches."""
    microbatch: int = 8
    """Rollouts in one forward and backward pass; those of one question share their prompt."""
    checkpointing: bool = False
    """Recompute activations in the backward pass: slower, but needs far less memory."""
    held_out: float = 0.0
    """Share of the questions of each task and answer that is only used for validation."""
    validate_every: int = 0
    """Rounds between validations, in which held-out questions are judged greedily; 0 for never."""
    save_every: int = 10  # rounds between checkpoints
    keep: int = 2  # checkpoints to keep
    use_vllm: bool = False  # generate with vLLM, on the same GPUs
    vllm_memory: float = 0.3  # vLLM's fraction of each GPU's memory

    def __post_init__(self) -> None:
        for name, (low, high) in _LIMITS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise WorkbenchError(f"grpo.{name}: {value} is not between {low:g} and {high:g}")
        if self.style and self.style not in STYLES:
            known = ", ".join(STYLES)
            raise WorkbenchError(f"grpo.style: {self.style[:60]!r} is none of: {known}")
        if self.questions % self.minibatch:
            raise WorkbenchError(
                f"grpo.minibatch: {self.questions} questions cannot be divided into minibatches of "
                f"{self.minibatch}"
            )
        if self.kind == "lora" and self.trained == "all":
            raise WorkbenchError(
                "grpo.trained: LoRA adapts only the language model; set kind=full to train all, or "
                "trained=language"
            )
        if 0.0 < self.dual_clip <= 1.0 + self.clip:
            raise WorkbenchError(
                f"grpo.dual_clip: {self.dual_clip:g} must be above 1 + clip, {1.0 + self.clip:g}"
            )
        if self.turn_tokens not in range(8, 10**6 + 1) and self.turn_tokens:
            raise WorkbenchError(
                f"grpo.turn_tokens: {self.turn_tokens} is neither 0 nor between 8 and 1e+06"
            )
        if bool(self.held_out) != bool(self.validate_every):
            raise WorkbenchError(
                "grpo.validate_every: validation needs held-out questions; set both it and "
                "held_out, or neither"
            )

    @property
    def updates(self) -> int:
        """Updates of a round."""
        return self.questions // self.minibatch

    @property
    def turn_limit(self) -> int:
        """Most tokens of one turn."""
        return self.turn_tokens or self.rollout_tokens

    def passes(self, devices: int) -> int:
        """Forward and backward passes of each device for an update."""
        passes, rest = divmod(self.minibatch * self.rollouts, self.microbatch * devices)
        if rest or not passes:
            raise WorkbenchError(
                f"grpo.microbatch: {self.minibatch} x {self.rollouts} rollouts an update cannot "
                f"be shared by {devices} devices in microbatches of {self.microbatch}"
            )
        return passes


_LIMITS: dict[str, tuple[float, float]] = {
    "questions": (1, 10**6), "minibatch": (1, 10**6), "rollouts": (2, 1024), "noes": (0, 100),
    "sure": (0.5, 1.0), "reminders": (0.0, 10.0), "epochs": (0.001, 10_000), "rounds": (0, 10**9),
    "lr": (1e-9, 1.0), "warmup": (0, 10**6), "weight_decay": (0.0, 1.0), "clip": (0.001, 10.0),
    "dual_clip": (0.0, 1000.0), "temperature": (0.01, 10.0), "penalty": (0.0, 1.0),
    "rollout_tokens": (8, 10**6), "lora_rank": (1, 4096), "lora_alpha": (1, 65536),
    "at_once": (1, 10**6), "microbatch": (1, 10**6), "held_out": (0.0, 0.5),
    "validate_every": (0, 10**9), "save_every": (1, 10**9), "keep": (1, 10_000),
    "vllm_memory": (0.01, 0.95),
}  # fmt: skip

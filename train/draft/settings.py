"""Settings of `spec-o3-train draft`, and the phrases of its drafts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from agent.errors import WorkbenchError
from agent.rendering.model_image import Sizing
from agent.rendering.render import STYLES, Style
from train.toml_beside import toml_beside

Words = Literal["short", "long"]
PHRASES: Mapping[str, Mapping[str, list[str]]] = toml_beside(__file__, "phrases.toml")
"""Sentence templates in two styles."""
SHORT = PHRASES["short"]


@dataclass(frozen=True, kw_only=True)
class DraftSettings:
    """Probabilities are per draft; tokens are estimated without a tokenizer."""

    words: Words = "long"
    style: Literal["published", "compact", "compact-panels", "eye"] = "published"
    patch: int = 28
    """Patch size, in pixels, of the vision encoder: 28 for Qwen2.5-VL, 32 for Qwen3-VL."""
    draw: bool = False
    """Draw every picture now so that the record holds its hash; ten times slower."""
    fewest_zooms: int = 2
    most_zooms: int = 5
    min_snr: float = 10.0
    # Below this a teacher would have to invent reasons.
    min_chance: float = 0.5  # Minimum probability of the true answer by the measurements alone
    outside: float = 0.06
    wide: float = 0.15
    guess: float = 0.35
    per_spectrum: int = 1
    max_tokens: int = 4000  # limit for all turns of one draft together
    temperature: float = 0.7  # sampling temperature of a teacher that is a model

    def __post_init__(self) -> None:
        if not 1 <= self.fewest_zooms <= self.most_zooms <= 7:
            raise WorkbenchError("draft: 1 <= fewest_zooms <= most_zooms <= 7 is required")
        if not 0.0 <= self.min_chance <= 1.0:
            raise WorkbenchError("draft.min_chance must be between 0 and 1")
        if not all(0.0 <= chance <= 1.0 for chance in (self.outside, self.wide, self.guess)):
            raise WorkbenchError("draft: outside, wide and guess must be between 0 and 1")
        if not 1 <= self.per_spectrum <= 100:
            raise WorkbenchError("draft.per_spectrum must be between 1 and 100")

    @property
    def picture_style(self) -> Style:
        return STYLES[self.style]

    @property
    def sizing(self) -> Sizing:
        return Sizing.of_tokens(self.patch)

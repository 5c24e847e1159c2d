"""The forms in which a model can be had, what each needs, and which suits this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from agent.convert.errors import ConversionError
from agent.convert.machine import SPARE_BYTES, Machine
from agent.engines.registry import engine_kind
from agent.models.card import Card

GgufForm = Literal["f16", "q8_0", "q5_k_m", "q4_k_m"]
GGUF_FORMS: tuple[GgufForm, ...] = get_args(GgufForm)
PUBLISHED = "published"

BITS: dict[GgufForm, float] = {"f16": 16.0, "q8_0": 8.51, "q5_k_m": 5.75, "q4_k_m": 4.95}
"""For each weight of the language model; measured on the shapes of 3B and 7B."""
VISION_WEIGHTS = 676_000_000
"""Of Qwen2.5-VL, always kept in F16."""
WORKING_BYTES = 2_500_000_000
"""Beside the weights: the conversation's cache, the vision part at work, and the program."""


@dataclass(frozen=True)
class Form:
    """One form of a model, in bytes; `fetched` is what is downloaded for it, if anything."""

    name: str
    disk: int
    memory: int
    fetched: int = 0

    def obstacle(self, machine: Machine) -> str:
        """Why it cannot run here; empty if it can."""
        if self.name == PUBLISHED and not machine.has_torch:
            return "needs torch and transformers"
        if self.name != PUBLISHED and not machine.has_llama_cpp:
            return "needs llama.cpp"
        if machine.memory and self.memory > machine.memory:
            return "too little memory"
        if self.disk + self.fetched + SPARE_BYTES > machine.disk_free:
            return "too little disk"
        if machine.memory and self.memory > machine.memory_free:
            return "other programs have the memory"
        return ""


def forms_of(card: Card, *, is_here: bool) -> list[Form]:
    """The published form and those of GGUF, of a model whose weights take 16 bits.

    Converting needs the published files, so that they count until they are here.
    """
    if engine_kind(card.engine).no_conversion or card.base:
        raise ConversionError(f"{card.name} has no other forms: it is no folder of whole weights")
    stored = sum(file.size for file in card.files if file.role == "weights")
    parameters = card.parameters or stored // 2
    whole = stored or 2 * parameters
    fetched = 0 if is_here else whole
    words = max(0, parameters - VISION_WEIGHTS)
    vision = 2 * (parameters - words)
    converted = [(name, round(words * BITS[name] / 8) + vision) for name in GGUF_FORMS]
    return [
        Form(PUBLISHED, 0, whole + WORKING_BYTES, fetched),
        *(Form(name, size, size + WORKING_BYTES, fetched) for name, size in converted),
    ]


def best_form(forms: Sequence[Form], machine: Machine) -> GgufForm | None:
    """The GGUF form with the most bits that runs here; None if none does.

    F16 is left out: it reads twice as much memory for every word as Q8_0, and says the same.
    """
    able = {form.name for form in forms if not form.obstacle(machine)}
    return next((name for name in GGUF_FORMS if name in able and name != "f16"), None)

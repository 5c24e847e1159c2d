"""The type that each tensor has in a file, by llama.cpp's own rules for Q4_K_M and Q5_K_M.

Those names stand for mixtures: what hurts the answers most is kept in Q6_K. A test compares the
files with those of `llama_model_quantize`, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Type

from agent.convert.targets import TensorTarget

TYPES = {
    "f32": Type.F32,
    "f16": Type.F16,
    "q8_0": Type.Q8_0,
    "q5_k_m": Type.Q5_K,
    "q4_k_m": Type.Q4_K,
}
MIXED = ("q5_k_m", "q4_k_m")
# llama.cpp interpolates these with an operation that only takes float32.
ALWAYS_F32 = ("v.position_embd.weight",)
# For rows that are no multiple of the type's block
FALLBACKS = {
    Type.Q4_K: Type.Q5_0,
    Type.Q5_K: Type.Q5_1,
    Type.Q6_K: Type.Q8_0,
    Type.Q5_0: Type.F16,
    Type.Q5_1: Type.F16,
    Type.Q8_0: Type.F16,
}
_FINER = re.compile(r"blk\.(\d+)\.(attn_v|ffn_down)\.weight")


def tensor_types(targets: Sequence[TensorTarget], file_type: str) -> dict[str, Type]:
    """The type of each tensor by its name."""
    layers = sum(target.name.endswith(".ffn_down.weight") for target in targets)
    head = "output.weight"
    if all(target.name != head for target in targets):
        head = "token_embd.weight"  # they are one
    return {target.name: _type(target, file_type, layers, head) for target in targets}


def _type(target: TensorTarget, file_type: str, layers: int, head: str) -> Type:
    kept = TYPES[file_type]
    if len(target.shape) == 1 or target.name in ALWAYS_F32:
        return Type.F32
    if len(target.shape) != 2:
        return kept if kept is Type.F32 else Type.F16
    if file_type in MIXED and (target.name == head or _is_finer(target.name, layers)):
        kept = Type.Q6_K
    while target.shape[-1] % GGML_QUANT_SIZES[kept][0]:
        kept = FALLBACKS[kept]
    return kept


def _is_finer(name: str, layers: int) -> bool:
    """Whether it is such a matrix of the first or last eighth of layers, or each third between."""
    match = _FINER.fullmatch(name)
    if match is None:
        return False
    number, eighth = int(match[1]), layers // 8
    return number < eighth or number >= 7 * layers // 8 or (number - eighth) % 3 == 2

"""Constrain tool calls with llama.cpp's grammar: after `<tool_call>` only a valid call can follow.

We start the grammar ourselves at that token, since llama.cpp's lazy trigger matches the whole turn
again after every token. A label may not contain `<`, which could end the call.
"""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.engines.gguf.native import Native
from agent.engines.sampling import Logits
from agent.errors import EngineError
from agent.protocol.rules import OURS, Rules
from agent.protocol.tool import MAX_LABEL, TOOL_NAME

CALL_START = "<tool_call>"
_CALL_RULES = rf"""
call ::= "\n{{" s name "," s "\"arguments\":" s arguments s "}}\n</tool_call>"
name ::= "\"name\":" s "\"{TOOL_NAME}\""
arguments ::= "{{" s (range ("," s label)? | label "," s range) s "}}"
range ::= "\"wavelength_range\":" s "[" s number "," s number s "]"
label ::= "\"label\":" s string
number ::= ("0" | [1-9] [0-9]{{0,5}}) ("." [0-9]{{1,4}})?
string ::= "\"" letter{{0,{MAX_LABEL}}} "\""
letter ::= [^"\\<\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" code)
code ::= [0-9a-cA-Ce-fE-F] hex hex hex | [dD] [0-7] hex hex
hex ::= [0-9a-fA-F]
s ::= " "?
"""
# The published tool draws the whole spectrum for a call without a range.
PUBLISHED_RULES = _CALL_RULES.replace('| label "," s range)', '| label ("," s range)?)?')
CALL_GRAMMAR = f'root ::= "{CALL_START}" call\n{_CALL_RULES}'
PUBLISHED_GRAMMAR = f'root ::= "{CALL_START}" call\n{PUBLISHED_RULES}'


def turn_grammar(rules: Rules = OURS) -> str:
    """The grammar of a whole turn, for servers: any text, then at most one valid call.

    Each rule stands for how much of that word the text ends with.
    """
    lines = ["root ::= text0"]
    for count, letter in enumerate(CALL_START):
        onward = "call" if count == len(CALL_START) - 1 else f"text{count + 1}"
        others = f'"<" text1 | [^{letter}<] text0' if count else "[^<] text0"
        lines.append(f'text{count} ::= "{letter}" {onward} | {others} | ""')
    call = PUBLISHED_RULES if rules.is_published else _CALL_RULES
    return "\n".join(lines) + "\n" + call


_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class CallGrammar:
    """Follows one tool call token by token. `close` frees it."""

    def __init__(self, native: Native, vocabulary: Any, rules: Rules = OURS) -> None:
        self._llama = native.llama
        grammar = PUBLISHED_GRAMMAR if rules.is_published else CALL_GRAMMAR
        self._sampler: Any = self._llama.llama_sampler_init_grammar(
            vocabulary, grammar.encode(), b"root"
        )
        if not self._sampler:
            raise EngineError(
                "llama.cpp rejects the tool-call grammar; another version may be installed"
            )

    def allows(self, token: int) -> bool:
        return bool(np.isfinite(self._filtered(np.array([token]), np.zeros(1, np.float32))[0]))

    def keep_allowed(self, logits: Logits) -> Logits:
        """Return the logits with -inf for tokens that the grammar rules out."""
        return self._filtered(np.arange(len(logits)), logits)

    def accept(self, token: int) -> None:
        """Advance by an allowed token; llama.cpp aborts the process for any other."""
        self._llama.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        if self._sampler is not None:
            self._llama.llama_sampler_free(self._sampler)
            self._sampler = None

    def _filtered(self, tokens: NDArray[np.int64], logits: Logits) -> Logits:
        candidates = np.zeros(len(tokens), dtype=_CANDIDATE)
        candidates["id"] = tokens
        candidates["logit"] = logits
        pointer = candidates.ctypes.data_as(ctypes.POINTER(self._llama.llama_token_data))
        array = self._llama.llama_token_data_array(pointer, len(tokens), -1, False)
        self._llama.llama_sampler_apply(self._sampler, ctypes.byref(array))
        return np.array(candidates["logit"])

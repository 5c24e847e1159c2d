"""The tokenizer of a model, with the tokens that rollouts treat specially."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from agent.engines.chat_tokens import TokenBytes, load_tokenizer, token_ids
from agent.protocol.protocol import END_OF_TURN, Part, chat_parts
from agent.protocol.rules import OURS, Rules


@dataclass(frozen=True, eq=False, kw_only=True)
class TurnTokens:
    """A tokenizer, the token that ends a turn (`end`) and those that open one (`header`).

    `forbidden` tokens are never sampled: all other control tokens, and rows of the vocabulary
    that have no token.
    """

    tokenizer: Tokenizer
    token_bytes: TokenBytes
    end: int
    header: tuple[int, ...]
    forbidden: tuple[int, ...]
    stop: tuple[str, ...] = OURS.stop  # texts that end a turn as well


def turn_tokens(folder: Path, config: Any, rules: Rules = OURS) -> TurnTokens:
    """Read them from a model's folder and its transformers config."""
    tokenizer = load_tokenizer(folder)
    (end,) = token_ids(tokenizer, [Part(END_OF_TURN, markup=True)])
    rows = int(config.get_text_config().vocab_size)
    added = tokenizer.get_added_tokens_decoder()
    control = {number for number, token in added.items() if token.special and number < rows}
    unused = set(range(rows)).difference(tokenizer.get_vocab(with_added_tokens=True).values())
    return TurnTokens(
        tokenizer=tokenizer,
        token_bytes=TokenBytes(tokenizer),
        end=end,
        header=tuple(token_ids(tokenizer, chat_parts(()))),
        forbidden=tuple(sorted((control - {end}) | unused)),
        stop=rules.stop,
    )

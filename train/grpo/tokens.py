"""A model's tokens, as far as rollouts need them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from agent.engines.chat_tokens import END_OF_TURN, TokenBytes, load_tokenizer, token_ids
from agent.protocol.protocol import Part, chat_parts


@dataclass(frozen=True, eq=False, kw_only=True)
class TurnTokens:
    """`end` ends a turn, `header` opens one, `never` may not be said: every other control token,
    and rows of the vocabulary without a token."""

    tokenizer: Tokenizer
    token_bytes: TokenBytes
    end: int
    header: tuple[int, ...]
    never: tuple[int, ...]


def tongue_of(folder: Path, config: Any) -> TurnTokens:
    """From the tokenizer and the settings of a model's folder."""
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
        never=tuple(sorted((control - {end}) | unused)),
    )

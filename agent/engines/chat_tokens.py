"""Chat parts as token ids, and token ids as bytes, for engines that hold the tokenizer.

Only markup may hold control tokens. Whatever a user, a label or a tool writes is plain text, also
where it looks like `<|im_end|>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tokenizers import Tokenizer

from agent.errors import EngineError
from agent.protocol.protocol import Part

IMAGE_TOKEN = "<|image_pad|>"
END_OF_TURN = "<|im_end|>"
END_OF_TEXT = "<|endoftext|>"
MARKUP_TOKENS = ("<|im_start|>", END_OF_TURN, "<|vision_start|>", "<|vision_end|>")

MAX_TOKENIZER_BYTES = 100_000_000

_MARKUP = re.compile("(" + "|".join(map(re.escape, MARKUP_TOKENS)) + ")")


def load_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a model's folder, checked for the tokens that the chat is made of."""
    path = folder / "tokenizer.json"
    try:
        if path.stat().st_size > MAX_TOKENIZER_BYTES:
            raise EngineError(f"{path} is too large for a tokenizer")
        tokenizer = Tokenizer.from_file(str(path))
    except OSError as error:
        raise EngineError(
            f"{path} cannot be read; save the model's tokenizer beside its weights"
        ) from error
    except EngineError:
        raise
    except Exception as error:  # the library raises Exception itself for a faulty file
        raise EngineError(f"{path} is no tokenizer: {str(error)[:200]}") from error
    special = {
        token.content for token in tokenizer.get_added_tokens_decoder().values() if token.special
    }
    missing = [name for name in (*MARKUP_TOKENS, IMAGE_TOKEN) if name not in special]
    if missing:
        raise EngineError(f"{path} lacks the control token {missing[0]}: no Qwen chat tokenizer")
    return tokenizer


def token_ids(
    tokenizer: Tokenizer, parts: Iterable[Part], picture_tokens: Sequence[int] = ()
) -> list[int]:
    """The ids of chat parts; `picture_tokens` says how many tokens each picture is, in order.

    Without hostile words in it this is what the tokenizer makes of the whole string.
    """
    ids: list[int] = []
    words: list[str] = []
    counts = iter(picture_tokens)

    def control(name: str, count: int = 1) -> None:
        ids.extend(plain_ids(tokenizer, "".join(words)))
        words.clear()
        number = tokenizer.token_to_id(name)
        if number is None:
            raise EngineError(f"the tokenizer lacks the control token {name}")
        ids.extend([number] * count)

    for part in parts:
        if part.picture is not None:
            control(IMAGE_TOKEN, next(counts))
        elif part.markup:
            for piece in _MARKUP.split(part.text):
                if piece in MARKUP_TOKENS:
                    control(piece)
                else:
                    words.append(piece)
        else:
            words.append(part.text)
    ids.extend(plain_ids(tokenizer, "".join(words)))
    return ids


def plain_ids(tokenizer: Tokenizer, text: str) -> list[int]:
    """Text in which nothing is a control token; half surrogates become the replacement mark."""
    if not tokenizer.encode_special_tokens:
        tokenizer.encode_special_tokens = True
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return tokenizer.encode(clean, add_special_tokens=False).ids


class TokenBytes:
    """The bytes behind each token: a token of a byte-level vocabulary may be half a letter."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._known: dict[int, bytes] = {
            number: token.content.encode("utf-8", "replace")
            for number, token in tokenizer.get_added_tokens_decoder().items()
        }

    def __getitem__(self, number: int) -> bytes:
        found = self._known.get(number)
        if found is None:
            letters = self._tokenizer.id_to_token(number) or ""
            found = bytes(_BYTE_OF[letter] for letter in letters if letter in _BYTE_OF)
            self._known[number] = found
        return found


def _bytes_by_letter() -> dict[str, int]:
    """Byte-level vocabularies write printable Latin-1 bytes as themselves and number the rest from
    U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {chr(byte): byte for byte in printable}
    others = sorted(set(range(256)) - set(printable))
    letters.update((chr(0x100 + place), byte) for place, byte in enumerate(others))
    return letters


_BYTE_OF = _bytes_by_letter()

"""Encode chat parts as token ids, and decode token ids to bytes.

Only markup may contain control tokens. Text from a user, a label or a tool is always encoded as
plain text, even if it looks like `<|im_end|>`.
"""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from tokenizers import Tokenizer

from agent.engines.tokenizer_file import check_tokenizer_file
from agent.errors import EngineError
from agent.protocol.protocol import IMAGE_TOKEN, MARKUP_TOKENS, Part, token_runs


def load_tokenizer(folder: Path) -> Tokenizer:
    """Load the tokenizer of a model folder and check that it has the chat's control tokens."""
    path = folder / "tokenizer.json"
    check_tokenizer_file(path)
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises Exception itself for a faulty file
        raise EngineError(f"{path} is not a tokenizer: {str(error)[:200]}") from error
    added = tokenizer.get_added_tokens_decoder().values()
    special = {token.content for token in added if token.special}
    missing = [name for name in (*MARKUP_TOKENS, IMAGE_TOKEN) if name not in special]
    if missing:
        raise EngineError(f"{path} lacks the control token {missing[0]}: not a Qwen chat tokenizer")
    return tokenizer


def token_ids(
    tokenizer: Tokenizer, parts: Iterable[Part], picture_tokens: Sequence[int] = ()
) -> list[int]:
    """Encode chat parts; `picture_tokens` is the number of tokens of each picture, in order.

    Unless a text imitates control tokens, this equals encoding the whole string at once.
    """
    ids: list[int] = []
    counts = iter(picture_tokens)

    def control(name: str) -> int:
        number: int | None = tokenizer.token_to_id(name)
        if number is None:
            raise EngineError(f"the tokenizer lacks the control token {name}")
        return number

    for run in token_runs(parts):
        if run.picture is not None:
            ids += [control(IMAGE_TOKEN)] * next(counts)
        else:
            ids += [control(run.text)] if run.markup else plain_ids(tokenizer, run.text)
    return ids


def plain_ids(tokenizer: Tokenizer, text: str) -> list[int]:
    """Encode text without control tokens; lone surrogates become U+FFFD."""
    if not tokenizer.encode_special_tokens:
        tokenizer.encode_special_tokens = True
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return tokenizer.encode(clean, add_special_tokens=False).ids


def never_said(tokenizer: Tokenizer, ends: Collection[int], rows: int) -> list[int]:
    """Return control tokens that do not end a turn, and rows without a token."""
    added = tokenizer.get_added_tokens_decoder()
    control = {number for number, token in added.items() if token.special and number < rows}
    unused = set(range(rows)).difference(tokenizer.get_vocab(with_added_tokens=True).values())
    return sorted(control.difference(ends) | unused)


class TokenBytes:
    """Maps token ids to bytes; in a byte-level vocabulary a token may be part of a character."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._known: dict[int, bytes] = {
            number: token.content.encode("utf-8", "replace")
            for number, token in tokenizer.get_added_tokens_decoder().items()
        }

    def __getitem__(self, number: int) -> bytes:
        data = self._known.get(number)
        if data is None:
            symbols = self._tokenizer.id_to_token(number) or ""
            data = bytes(_BYTE_OF[symbol] for symbol in symbols if symbol in _BYTE_OF)
            self._known[number] = data
        return data


def _byte_of_symbol() -> dict[str, int]:
    # GPT-2's byte-level alphabet: printable Latin-1 bytes stand for themselves, the others are
    # numbered from U+0100 on.
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    symbols = {chr(byte): byte for byte in printable}
    others = sorted(set(range(256)) - set(printable))
    symbols.update((chr(0x100 + index), byte) for index, byte in enumerate(others))
    return symbols


_BYTE_OF = _byte_of_symbol()

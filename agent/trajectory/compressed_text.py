"""Compresses long texts that have much in common, such as records of inspections.

The stored bytes are the number of a dictionary, in one byte, then zlib's.
"""

import zlib
from functools import lru_cache
from importlib import resources
from pathlib import Path

DICTIONARIES = Path(str(resources.files("resources"))) / "records"
"""Never change or delete a dictionary: stored texts need it."""
DICTIONARY_BYTES = 32_768
NEWEST = 1
MAX_BYTES = 100_000
"""Longer texts are stored as they are, so that a forged one cannot unpack to more than this."""
LEVEL = 6


class CompressedTextError(ValueError):
    """The bytes are not those of a compressed text."""


def compress_text(text: str) -> bytes | None:
    """The bytes to store, or None where the text is to be stored as it is."""
    plain = text.encode()
    if len(plain) > MAX_BYTES:
        return None
    packer = zlib.compressobj(LEVEL, zdict=_dictionary(NEWEST))
    packed = bytes([NEWEST]) + packer.compress(plain) + packer.flush()
    return packed if len(packed) < len(plain) else None


def decompress_text(packed: bytes) -> str:
    """Raises CompressedTextError; what it returns has at most `MAX_BYTES`."""
    number = packed[0] if packed else 0
    if not 1 <= number <= NEWEST:
        raise CompressedTextError
    unpacker = zlib.decompressobj(zdict=_dictionary(number))
    try:
        plain = unpacker.decompress(memoryview(packed)[1:], MAX_BYTES + 1)
        if len(plain) > MAX_BYTES or not unpacker.eof or unpacker.unused_data:
            raise CompressedTextError
        return plain.decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise CompressedTextError from error


@lru_cache
def _dictionary(number: int) -> bytes:
    return (DICTIONARIES / f"{number}.jsonl").read_bytes()

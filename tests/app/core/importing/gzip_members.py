"""Gzip files of several joined members, as bgzip and `cat a.gz b.gz` write them."""

import gzip


def member(content: bytes, length: int) -> bytes:
    """One member of exactly `length` bytes: a comment in its header fills the rest."""
    packed = gzip.compress(content, mtime=0)
    comment = b"x" * (length - len(packed) - 1) + b"\0"
    return packed[:3] + b"\x10" + packed[4:10] + comment + packed[10:]


def joined(content: bytes, size: int) -> bytes:
    """The content in members that hold `size` bytes each; bgzip ends with an empty one."""
    pieces = (content[at : at + size] for at in range(0, len(content), size))
    return b"".join(gzip.compress(piece, mtime=0) for piece in (*pieces, b""))

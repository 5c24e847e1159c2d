"""Column types named as SQLAlchemy's, which also check what a session file returns.

SQLite stores any value in any column, so a session from a stranger may hold a text where a number
belongs. Whatever is read through one of these columns has its type, or is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

from agent.trajectory.compressed_text import (
    CompressedTextError,
    compress_text,
    decompress_text,
)
from app.core.errors import SessionError

NAMES = {str: "a text", bytes: "a block of bytes", int: "a whole number", float: "a number"}


def _check(wanted: str, *kinds: type) -> Callable[[Any], Any]:
    """A function that returns its value, or raises a SessionError if it has another type."""

    def check(value: Any) -> Any:
        if value is None or type(value) in kinds:
            return value
        raise _damaged(value, wanted)

    return check


def _damaged(value: object, wanted: str) -> SessionError:
    found = NAMES.get(type(value), "something else")
    if isinstance(value, float) and not math.isfinite(value):
        found = "an infinite number"
    return SessionError(
        f"the session is damaged: it has {found} where {wanted} belongs. Open a backup"
    )


def _number(value: Any) -> Any:
    # An int comes from SQLite's own arithmetic, such as the sum of no rows.
    if value is None or (type(value) in (float, int) and math.isfinite(value)):
        return value
    raise _damaged(value, "a number")


def _boolean(value: Any) -> Any:
    if value is None:
        return None
    if type(value) is int and value in (0, 1):
        return value == 1
    raise _damaged(value, "yes or no")


def _packed(text: Any) -> Any:
    return text if text is None else compress_text(text) or text


def _unpacked(value: Any) -> Any:
    """The text of an older or long record, too, which is stored as it is."""
    if type(value) is not bytes:
        return _words(value)
    try:
        return decompress_text(value)
    except CompressedTextError as error:
        raise _damaged(value, "a text") from error


def _in_file(
    kind: type[TypeEngine[Any]],
    check: Callable[[Any], Any],
    pack: Callable[[Any], Any] | None = None,
) -> TypeEngine[Any]:
    """The type, with a check of each value that is read, and `pack` for each that is written."""
    members: dict[str, Any] = {"result_processor": lambda self, dialect, coltype: check}
    if pack is not None:
        members["bind_processor"] = lambda self, dialect: pack
    made: TypeEngine[Any] = type(f"Checked{kind.__name__}", (kind,), members)()
    return made


_words = _check("a text", str)
_whole = _check("a whole number", int)

Text = sa.Text().with_variant(_in_file(sa.Text, _words), "sqlite")
# Compressed in a file; SQLite keeps bytes in a column of texts as they are. A server compresses
# long texts by itself.
LongText = sa.Text().with_variant(_in_file(sa.Text, _unpacked, _packed), "sqlite")
# Byte order in both databases, so that a search by prefix is a range of the index.
Name = Text.with_variant(sa.Text(collation="C"), "postgresql")
BigInteger = sa.BigInteger().with_variant(_in_file(sa.BigInteger, _whole), "sqlite")
# SQLite assigns row numbers only to a key declared as INTEGER.
Key = sa.BigInteger().with_variant(_in_file(sa.Integer, _whole), "sqlite")
SmallInteger = sa.SmallInteger().with_variant(_in_file(sa.SmallInteger, _whole), "sqlite")
Double: TypeEngine[float] = sa.Double().with_variant(_in_file(sa.Double, _number), "sqlite")
Boolean = sa.Boolean().with_variant(_in_file(sa.Boolean, _boolean), "sqlite")
LargeBinary = sa.LargeBinary().with_variant(
    _in_file(sa.LargeBinary, _check("a block of bytes", bytes)), "sqlite"
)

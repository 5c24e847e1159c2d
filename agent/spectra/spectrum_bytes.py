"""The binary format of a spectrum in a packed session.

    SPECO3S1                eight bytes
    zlib of:
        length of the head  four bytes, little-endian
        head                JSON: number of pixels, the arrays, all other fields
        arrays              in the order given in the head

Arrays are byte-transposed (all first bytes, then all second bytes, ...), which compresses well.
Values that fit single precision exactly are stored so, wavelengths as second differences of their
bit patterns, masks as bits. The format is lossless. Any input gives a spectrum or a ReadError.
"""

import json
import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.errors import ReadError, WorkbenchError
from agent.spectra.spectrum import MAX_PIXELS, Spectrum

MAGIC = b"SPECO3S1"
MAX_HEAD = 4 * 1024**2
MAX_META = 10_000
LEVEL = 6
ARRAYS = ("wavelength", "flux", "ivar", "mask")
_TEXT, _WHOLE, _FLAG, _NUMBER = (str,), (int,), (bool,), (float, int, type(None))
_PLAIN: dict[str, tuple[type, ...]] = {
    "object_id": _TEXT, "flux_unit": _TEXT, "resolution": _NUMBER, "ra": _NUMBER, "dec": _NUMBER,
    "class_name": _TEXT, "subclass": _TEXT, "z": _NUMBER, "snr": _NUMBER, "survey": _TEXT,
    "release": _TEXT, "format": _TEXT, "medium_in_file": _TEXT, "path": _TEXT, "row": _WHOLE,
    "rows": _WHOLE, "simulated": _FLAG,
}  # fmt: skip
_ODD = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_ODD_KEY = "number"


def to_bytes(spectrum: Spectrum) -> bytes:
    given = {name: getattr(spectrum, name) for name in ARRAYS}
    arrays = {name: _packed(name, array) for name, array in given.items() if array is not None}
    head = {
        "pixels": len(spectrum),
        "arrays": [[name, form] for name, (form, _) in arrays.items()],
        "fields": {name: _plain(getattr(spectrum, name)) for name in _PLAIN},
        "meta": {key: _plain(value) for key, value in spectrum.meta.items()},
        "warnings": list(spectrum.warnings),
    }
    text = json.dumps(head, allow_nan=False).encode("ascii")
    pieces = (len(text).to_bytes(4, "little"), text, *(content for _, content in arrays.values()))
    return MAGIC + zlib.compress(b"".join(pieces), LEVEL)


def from_bytes(content: bytes) -> Spectrum:
    """Raises ReadError for anything that `to_bytes` cannot have written."""
    if not content.startswith(MAGIC):
        raise ReadError("the packed spectrum has an unknown format; a newer version may be needed")
    stream = _Stream(content[len(MAGIC) :])
    try:
        head = _head(stream)
        arrays: dict[str, Any] = {
            name: _unpacked(stream, name, form, head["pixels"]) for name, form in head["arrays"]
        }
        stream.end()
        given = head["warnings"]
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            raise ValueError("its warnings are invalid")
        return Spectrum(
            **arrays,
            **_fields(head["fields"]),
            meta=_meta(head["meta"]),
            warnings=tuple(given),
        )
    except (ValueError, TypeError, KeyError, RecursionError, zlib.error, WorkbenchError) as error:
        raise ReadError(f"the packed spectrum is damaged: {str(error)[:100]}") from error


class _Stream:
    """Decompresses only as many bytes as are requested, so a small input cannot fill the memory."""

    def __init__(self, packed: bytes) -> None:
        self._inflate = zlib.decompressobj()
        self._rest = packed

    def take(self, count: int) -> bytes:
        taken = bytearray()
        while len(taken) < count:
            piece = self._inflate.decompress(self._rest, count - len(taken))
            self._rest = self._inflate.unconsumed_tail
            if not piece:
                raise ValueError("it ends too early")
            taken += piece
        return bytes(taken)

    def end(self) -> None:
        if self._inflate.decompress(self._rest, 1) or not self._inflate.eof:
            raise ValueError("it is longer than its head says")
        if self._inflate.unused_data:
            raise ValueError("there is extra data after its end")


def _packed(name: str, array: NDArray[Any]) -> tuple[str, bytes]:
    """The name of the encoding, and the encoded bytes."""
    if name == "mask":
        return "bits", np.packbits(array).tobytes()
    if name == "wavelength":
        steps = np.diff(array.astype("<f8").view("<i8"), n=2, prepend=np.zeros(2, dtype="<i8"))
        return "steps", _transposed(steps)
    with np.errstate(over="ignore", invalid="ignore"):
        single = array.astype("<f4")
    if np.array_equal(single.astype("<f8"), array, equal_nan=True):
        return "f4", _transposed(single)
    return "f8", _transposed(array.astype("<f8"))


def _unpacked(stream: _Stream, name: str, form: str, pixels: int) -> NDArray[Any]:
    if name == "mask" and form == "bits":
        bits = np.frombuffer(stream.take((pixels + 7) // 8), dtype=np.uint8)
        return np.unpackbits(bits, count=pixels).astype(np.bool_)
    if name == "wavelength" and form == "steps":
        steps = _restored(stream.take(8 * pixels), "<i8")
        return np.cumsum(np.cumsum(steps)).view("<f8")
    if name in ("flux", "ivar") and form in ("f4", "f8"):
        dtype = f"<{form}"
        return _restored(stream.take(np.dtype(dtype).itemsize * pixels), dtype).astype(np.float64)
    raise ValueError(f"unknown encoding {form!r} of array {name!r}"[:80])


def _transposed(array: NDArray[Any]) -> bytes:
    return array.view(np.uint8).reshape(array.size, array.itemsize).T.tobytes()


def _restored(content: bytes, dtype: str) -> NDArray[Any]:
    size = np.dtype(dtype).itemsize
    by_byte = np.frombuffer(content, dtype=np.uint8).reshape(size, -1)
    return np.ascontiguousarray(by_byte.T).view(dtype)[:, 0]


def _head(stream: _Stream) -> dict[str, Any]:
    length = int.from_bytes(stream.take(4), "little")
    if not 2 <= length <= MAX_HEAD:
        raise ValueError(f"its head has an invalid length ({length} bytes)")
    head = json.loads(stream.take(length))
    if not isinstance(head, dict):
        raise ValueError("its head is not a JSON object")
    pixels, arrays = head["pixels"], head["arrays"]
    if type(pixels) is not int or not 2 <= pixels <= MAX_PIXELS:
        raise ValueError("its number of pixels is invalid")
    names = [name for name, _ in arrays]
    if names != [name for name in ARRAYS if name in names] or len(arrays) != len(names):
        raise ValueError("its arrays are not those of a spectrum")
    return head


def _plain(value: object) -> object:
    """A value for JSON, which has neither NaN nor numpy scalars."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float) and not math.isfinite(plain):
        return {_ODD_KEY: repr(plain)}
    return plain


def _value(plain: object) -> Any:
    if isinstance(plain, dict):
        return _ODD[plain[_ODD_KEY]]
    if isinstance(plain, list):
        raise ValueError("a list where a single value belongs")
    return plain


def _fields(given: Mapping[str, object]) -> dict[str, Any]:
    fields = {name: _value(given[name]) for name in _PLAIN}
    for name, value in fields.items():
        if type(value) not in _PLAIN[name]:
            raise ValueError(f"its {name} is invalid")
    return fields


def _meta(given: Mapping[str, object]) -> dict[str, Any]:
    if not isinstance(given, dict) or len(given) > MAX_META:
        raise ValueError("its header is invalid")
    meta = {key: _value(value) for key, value in given.items()}
    if None in meta.values():
        raise ValueError("its header has a key without a value")
    return meta

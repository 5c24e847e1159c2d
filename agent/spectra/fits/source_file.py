"""Opens untrusted files: sizes and types they declare are checked against their bytes."""

import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from urllib.parse import urlsplit

from agent.checked_toml import printable
from agent.errors import Cancelled, ReadError
from agent.spectra.fits.fits_file import FitsFile
from agent.spectra.urls import is_url, url_folder, url_problem
from agent.web.body import is_packed, whole_body

MAX_FILE_BYTES = 16 * 1024**3  # only the needed parts are read, so a large DESI coadd is fine
MAX_UNPACKED_BYTES = 384 * 1024**2
# A higher gzip ratio means a decompression bomb: real spectra reach about 10. Small files may
# exceed it, since a short file of zeros is harmless.
MAX_RATIO = 200
RATIO_FREE_BYTES = 16 * 1024**2
MAX_MEMBERS = 10_000  # bgzip starts one every 64 kB, so this is never the first limit reached
WHOLE_FILE_BYTES = 16 * 1024**2
CHUNK = 256 * 1024
GZIP_MAGIC = b"\x1f\x8b"
FOREIGN_MAGIC = {
    b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd",
    b"\x1f\x9d": "compress (.Z)",
}  # fmt: skip

MAX_BYTES = 64 * 2**20
CONNECT_S = 10.0
SILENCE_S = 30.0
WHOLE_S = 120.0
MAX_REDIRECTS = 3
NEEDS = 'is read through fsspec: pip install "spec-o3-workbench[cloud]"'
TOO_LARGE = f"it is larger than {MAX_BYTES // 2**20} MB: download it and give its path"
# How each store is told not to wait for ever; what it lists is not kept either
OPTIONS: dict[str, dict[str, Any]] = {
    "s3": {"config_kwargs": {"connect_timeout": CONNECT_S, "read_timeout": SILENCE_S}},
    "gs": {"requests_timeout": SILENCE_S},
}


class FileBytes(Protocol):
    """Random access to bytes; `read` returns fewer than `count` at the end of the data."""

    def read(self, offset: int, count: int) -> bytes: ...


class PlainBytes:
    """A plain file: read at once if it is small, else on demand."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._size = size
        self._whole = stream.read(size) if size <= WHOLE_FILE_BYTES else None

    def read(self, offset: int, count: int) -> bytes:
        if self._whole is not None:
            return self._whole[offset : offset + count]
        # `count` may come from a damaged header: never ask for more than the file has.
        count = min(count, max(0, self._size - offset))
        if count == 0:
            return b""
        self._stream.seek(offset)
        return self._stream.read(count)


class UnpackedBytes:
    """A gzip file, unpacked as far as needed, up to a size and a compression ratio."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._pending = b""
        self._packed_seen = 0
        self._unpacked = bytearray()
        self._inflate = zlib.decompressobj(wbits=31)
        self._members = 1
        self._done = False

    def read(self, offset: int, count: int) -> bytes:
        while not self._done and len(self._unpacked) < offset + count:
            self._unpack_some()
        with memoryview(self._unpacked) as view:
            return bytes(view[offset : offset + count])

    def _unpack_some(self) -> None:
        packed = self._pending or self._more()
        if not packed:
            raise ReadError("its gzip data end too early; download the file again")
        try:
            self._unpacked += self._inflate.decompress(packed, CHUNK)
        except zlib.error as error:
            raise ReadError("its gzip data are damaged; download the file again") from error
        self._pending = self._inflate.unconsumed_tail
        self._refuse_bombs()
        if self._inflate.eof:
            self._next_member()

    def _next_member(self) -> None:
        """Start the next of several joined gzip members; other bytes after one are padding."""
        rest = self._inflate.unused_data
        # A member may begin on the last byte of what was read.
        while len(rest) < len(GZIP_MAGIC) and (more := self._more()):
            rest += more
        if not rest.startswith(GZIP_MAGIC):
            self._done = True
            return
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise ReadError(
                f"it is joined of more than {MAX_MEMBERS} gzip members; unpack it (gunzip) first"
            )
        self._pending = rest
        self._inflate = zlib.decompressobj(wbits=31)

    def _more(self) -> bytes:
        packed = self._stream.read(CHUNK)
        self._packed_seen += len(packed)
        return packed

    def _refuse_bombs(self) -> None:
        size = len(self._unpacked)
        if size > MAX_UNPACKED_BYTES:
            limit = MAX_UNPACKED_BYTES // 1024**2
            raise ReadError(f"it unpacks to more than {limit} MB; unpack it (gunzip) first")
        if size > RATIO_FREE_BYTES and size > MAX_RATIO * self._packed_seen:
            raise ReadError(
                f"it unpacks to more than {MAX_RATIO} times its size, so it is not a spectrum"
            )


class SourceFile:
    """An open file for the readers: its name, its bytes and its FITS structure, if any.

    `is_local` says whether a file with these very bytes lies at `path`.
    """

    def __init__(self, path: Path, bytes_: FileBytes, size: int, *, is_local: bool = False) -> None:
        self.path = path
        self.is_local = is_local
        self.bytes = bytes_
        self.size = size
        self.name = path.name.removesuffix(".gz")
        self.start = bytes_.read(0, 2880)

    @property
    def is_fits(self) -> bool:
        return self.start.startswith(b"SIMPLE  =")

    @cached_property
    def fits(self) -> FitsFile:
        return FitsFile(self.bytes)

    def whole(self, limit: int) -> bytes:
        """All bytes. Raises ReadError if there are more than `limit`."""
        data = self.bytes.read(0, limit + 1)
        if len(data) > limit:
            raise ReadError(f"it is larger than {limit // 1024**2} MB, too large for its format")
        return data


def open_regular(path: Path) -> tuple[BufferedReader, int]:
    """Open a local regular file and return it with its size; raises ReadError for anything else."""
    # Merely opening a device may act on it, so the path is looked at first. It may be replaced
    # before it is opened: a pipe must not block then, and what was opened is looked at again.
    _check_regular(path.stat())
    stream = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115
    try:
        status = os.fstat(stream.fileno())
        _check_regular(status)
    except BaseException:
        stream.close()
        raise
    return stream, status.st_size


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def _check_regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise ReadError("it is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise ReadError("it is not a regular file")


@contextmanager
def open_source(path: str | os.PathLike[str]) -> Iterator[SourceFile]:
    """Open a regular file, plain or gzip, or one at an address.

    Raises ReadError without the file's name.
    """
    location = Path(path)
    if isinstance(path, str) and is_url(path):
        yield source_of(read_url(path), location.name.partition("?")[0] or "spectrum")
        return
    try:
        stream, size = open_regular(location)
    except FileNotFoundError as error:
        raise ReadError("there is no such file") from error
    except PermissionError as error:
        raise ReadError("you do not have permission to read it") from error
    except (OSError, ValueError) as error:
        raise ReadError(f"it cannot be opened ({error})") from error
    with stream:
        yield _source(location, stream, size, is_local=True)


def source_of(data: bytes, name: str) -> SourceFile:
    """A SourceFile of bytes in memory."""
    return _source(Path(name), BytesIO(data), len(data))


def _source(path: Path, stream: BinaryIO, size: int, *, is_local: bool = False) -> SourceFile:
    if size == 0:
        raise ReadError("it is empty")
    if size > MAX_FILE_BYTES:
        raise ReadError(f"it is larger than {MAX_FILE_BYTES // 1024**3} GB")
    magic = stream.read(6)
    stream.seek(0)
    for foreign, name in FOREIGN_MAGIC.items():
        if magic.startswith(foreign):
            raise ReadError(
                f"it is packed with {name}; unpack it first (only plain and .gz files are read)"
            )
    if magic.startswith(GZIP_MAGIC):
        return SourceFile(path, UnpackedBytes(stream), size)
    return SourceFile(path, PlainBytes(stream, size), size, is_local=is_local)


# Reads the bytes of a spectrum at an address: from a web server, or through fsspec. Whoever
# serves them is not trusted: the size is bounded before memory is taken, times are limited, other
# hosts are not gone to, and nothing is kept on this disk.
def read_url(url: str) -> bytes:
    """All bytes of a file at an address. Raises ReadError, without its name."""
    if problem := url_problem(url):
        raise ReadError(problem)
    scheme, _, path = url.partition("://")
    if scheme.lower() in ("http", "https"):
        return _from_web(url)
    return _from_store(scheme.lower(), path)


def _from_store(scheme: str, path: str) -> bytes:
    options = OPTIONS.get(scheme, {})
    try:
        try:
            content = _stored(scheme, path, options)
        except Exception as error:
            if type(error).__name__ != "NoCredentialsError":  # of botocore
                raise
            content = _stored(scheme, path, options | {"anon": True})
    except ReadError:
        raise
    except FileNotFoundError as error:
        raise ReadError("the store has no such file") from error
    except PermissionError as error:
        raise ReadError("the store does not permit you to read it") from error
    except ImportError as error:
        raise ReadError(f"{scheme}:// {NEEDS}") from error
    except Exception as error:  # of whichever library serves the scheme
        raise ReadError(f"it cannot be read ({_reason(error)})") from error
    if len(content) > MAX_BYTES:
        raise ReadError(TOO_LARGE)
    return content


def _stored(scheme: str, path: str, options: Mapping[str, Any]) -> bytes:
    import fsspec

    store = fsspec.filesystem(scheme, use_listings_cache=False, **options)
    size = store.info(path)["size"]
    if not isinstance(size, int) or size > MAX_BYTES:
        raise ReadError(TOO_LARGE)
    return bytes(store.cat_file(path, start=0, end=MAX_BYTES + 1))


def cloud_files(url: str) -> Iterator[str]:
    """Addresses of all files of a folder of an object store; of a file, or a server of the web,
    which tells nobody what it has, the address itself. Raises ReadError."""
    if problem := url_problem(url):
        raise ReadError(problem)
    scheme, _, path = url.partition("://")
    if scheme.lower() in ("http", "https") or not path.endswith("/"):
        yield url
        return
    import fsspec

    try:
        store = fsspec.filesystem(scheme.lower(), **OPTIONS.get(scheme.lower(), {}))
        for _, _, files in store.walk(path, detail=True):
            yield from (f"{scheme}://{each['name'].lstrip('/')}" for each in files.values())
    except ImportError as error:
        raise ReadError(f"{scheme}:// {NEEDS}") from error
    except Exception as error:  # of whichever library serves the scheme
        raise ReadError(f"the folder cannot be read ({_reason(error)})") from error


def _from_web(url: str) -> bytes:
    import httpx

    from agent.web.transport import FAULTS, TooSlow, new_client, proxy_for

    parts = urlsplit(url)
    proxy = proxy_for(parts.scheme.lower(), parts.hostname or "")
    timeout = httpx.Timeout(SILENCE_S, connect=CONNECT_S)
    client, transport = new_client(timeout, secure=url.lower().startswith("https:"), proxy=proxy)
    try:
        with closing(client), transport.stopping(None, WHOLE_S):
            for _ in range(MAX_REDIRECTS + 1):
                with client.stream("GET", url) as answer:
                    if not answer.is_redirect:
                        return _body(answer)
                    url = _redirected(url, str(answer.headers.get("location", "")))
    except TooSlow as error:
        raise ReadError(f"it was not sent within {WHOLE_S:g} s") from error
    except Cancelled as error:
        raise ReadError("nobody waits for it any more") from error
    except (*FAULTS, OSError, ValueError) as error:
        raise ReadError(f"it cannot be read ({_reason(error)})") from error
    raise ReadError("the server redirects in a loop")


def _body(answer: Any) -> bytes:
    if answer.status_code != 200:
        raise ReadError(f"the server answers with status {answer.status_code}")
    if is_packed(answer.headers):
        raise ReadError("the server sends it compressed, which was not asked for")
    announced = answer.headers.get("content-length", "")
    return whole_body(answer.iter_raw(), MAX_BYTES, ReadError(TOO_LARGE), announced)


def _redirected(url: str, where: str) -> str:
    """The new address, on the same server; what was allowed is this server."""
    from urllib.parse import urljoin

    target = urljoin(url, where)
    old, new = urlsplit(url), urlsplit(target)
    if url_problem(target) or (old.scheme, old.netloc) != (new.scheme, new.netloc):
        shown = printable(url_folder(target) or "an address that is not read", 100)
        raise ReadError(f"the server sends us to {shown}: give that address if you trust it")
    return target


def _reason(error: Exception) -> str:
    return printable(str(error).strip().partition("\n")[0], 160) or type(error).__name__

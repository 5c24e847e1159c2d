"""The hub, as much of it as a download needs: what a repository holds, and one file of it.

Plain HTTP with ranges, so that a broken download goes on where it stopped, through any mirror.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from agent.models.card import MAX_BYTES, MAX_FILES, REVISION, SHA256, path_problem
from agent.models.card_file import CARD_NAME
from agent.models.infer_card import sha256_of

MAX_TEXT_FILE_BYTES = 256 * 1024 * 1024
PIECE = 1024 * 1024
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")


class DownloadError(WorkbenchError):
    """A model could not be fetched: why, and what to do."""


class HubUnreachable(DownloadError):
    """The hub was not reached, or not well enough: another machine may do better."""


@dataclass(frozen=True, kw_only=True)
class HubFile:
    """A file as the hub tells of it: one of `sha256` (large files) and `git_sha1` is known."""

    path: str
    size: int
    sha256: str = ""
    git_sha1: str = ""


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A repository at one commit, with the files that may be part of a model."""

    repo: str
    revision: str
    licence: str
    files: tuple[HubFile, ...]
    has_pickles: bool = False
    """It holds weights in a form that runs code when loaded; those are left where they are."""


def read_listing(repo: str, content: bytes) -> Listing:
    """From the hub's JSON. Raises ValueError where it is not what a hub says."""
    try:
        return _listing(repo, json.loads(content))
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"unexpected {type(error).__name__}") from error


def matches(path: Path, file: HubFile) -> bool:
    """Whether a file is the one the hub told of, by size and hash."""
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    if file.sha256:
        return sha256_of(path) == file.sha256
    # A small file's name in git: SHA-1 of a header and the content.
    digest = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    with path.open("rb") as stream:
        while piece := stream.read(PIECE):
            digest.update(piece)
    return digest.hexdigest() == file.git_sha1


def _listing(repo: str, answer: Mapping[str, Any]) -> Listing:
    revision = answer["sha"]
    if not REVISION.fullmatch(revision):
        raise ValueError("no commit")
    siblings = answer["siblings"]
    names = [str(each["rfilename"]) for each in siblings]
    files = [_file(each) for each in siblings if _is_wanted(str(each["rfilename"]))]
    if len(files) > MAX_FILES:
        raise DownloadError(f"{repo} holds {len(files)} files: that is no single model")
    return Listing(
        repo=repo,
        revision=revision,
        licence=_licence(answer),
        files=tuple(sorted(files, key=lambda file: (file.size, file.path))),
        has_pickles=any(name.endswith(_PICKLES) for name in names),
    )


def _is_wanted(name: str) -> bool:
    """Data in the repository's top folder; below it lie checkpoints and other people's forms."""
    return name == CARD_NAME or ("/" not in name and path_problem(name) is None)


def _file(sibling: Mapping[str, Any]) -> HubFile:
    name, size, lfs = str(sibling["rfilename"]), sibling["size"], sibling.get("lfs")
    sha256 = str(lfs["sha256"]).lower() if lfs else ""
    git_sha1 = str(sibling.get("blobId", "")) if not lfs else ""
    most = MAX_BYTES if name.endswith((".safetensors", ".gguf")) else MAX_TEXT_FILE_BYTES
    if type(size) is not int or not 0 <= size <= most:
        raise ValueError("no size")
    if not (SHA256.fullmatch(sha256) if lfs else REVISION.fullmatch(git_sha1)):
        raise ValueError("no hash")
    return HubFile(path=name, size=size, sha256=sha256, git_sha1=git_sha1)


def _licence(answer: Mapping[str, Any]) -> str:
    facts = answer.get("cardData")
    if not isinstance(facts, dict):
        return ""
    named = facts.get("license_name") or facts.get("license")
    plain = re.sub(r"[^\w .,()+-]", "", named) if isinstance(named, str) else ""
    return printable(plain, 100).strip()


HUB = "https://huggingface.co"
WAITS_S = (0.5, 2.0, 5.0, 10.0)
"""Before each further try of a file that gave no byte."""
MAX_LISTING_BYTES = 16 * 1024 * 1024
_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_RANGE = re.compile(r"bytes (\d{1,19})-\d{1,19}/(\d{1,19})")
_AGAIN = (408, 429, 500, 502, 503, 504)
OnBytes = Callable[[int], None]


class Hub:
    """One connection to the hub. Use as a context."""

    def __init__(
        self,
        endpoint: str | None = None,
        token: str | None = None,
        waits_s: Sequence[float] = WAITS_S,
    ) -> None:
        self.endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
        self._waits = waits_s
        headers = {"User-Agent": "spec-o3-workbench", "Accept-Encoding": "identity"}
        if token and _may_have_token(self.endpoint):
            headers["Authorization"] = f"Bearer {token}"
        # A redirect to another host loses the token: httpx sees to that.
        self._client = httpx.Client(headers=headers, timeout=_TIMEOUT, follow_redirects=True)

    def __enter__(self) -> Hub:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def listing(self, repo: str, revision: str = "") -> Listing:
        """The files of a repository at that commit, else at its newest."""
        at = f"/revision/{revision}" if revision else ""
        content = self._read(f"{self.endpoint}/api/models/{repo}{at}?blobs=true", repo)
        try:
            return read_listing(repo, content)
        except ValueError as error:
            raise DownloadError(
                f"{self.endpoint} answered about {repo} in words that are not the hub's ({error}); "
                "is HF_ENDPOINT right?"
            ) from error

    def fetch(self, listing: Listing, file: HubFile, target: Path, on_bytes: OnBytes) -> None:
        """The file under `target`, checked by its hash. What a broken try left is gone on from.

        `on_bytes` hears of bytes gained, and of bytes thrown away as a negative number.
        """
        part = target.with_name(target.name + ".part")
        had = _size(part)
        self._complete(listing, file, part, on_bytes)
        if not matches(part, file):
            on_bytes(-file.size)
            part.unlink()
            if not had:
                raise _wrong(listing, file)
            # What lay there may be of another commit, or damaged: once more from the start.
            self._complete(listing, file, part, on_bytes)
            if not matches(part, file):
                part.unlink()
                raise _wrong(listing, file)
        part.replace(target)

    def _complete(self, listing: Listing, file: HubFile, part: Path, on_bytes: OnBytes) -> None:
        url = f"{self.endpoint}/{listing.repo}/resolve/{listing.revision}/{quote(file.path)}"
        if not part.exists() or _size(part) > file.size:
            part.write_bytes(b"")
        tries, furthest = 0, _size(part)
        while (had := _size(part)) < file.size:
            problem = self._more(url, listing.repo, file, part, had, on_bytes)
            if _size(part) > furthest:
                tries, furthest = 0, _size(part)
            elif tries < len(self._waits):
                time.sleep(self._waits[tries])
                tries += 1
            else:
                raise HubUnreachable(
                    f"{file.path} of {listing.repo} broke off at {_size(part)} of {file.size} "
                    f"bytes: {problem}. Start again: what has come is kept"
                )

    def _more(
        self, url: str, repo: str, file: HubFile, part: Path, had: int, on_bytes: OnBytes
    ) -> str:
        """Add to `part` what comes in one request. Says why it ended, where that was too early."""
        headers = {"Range": f"bytes={had}-"} if had else {}
        try:
            with (
                self._client.stream("GET", url, headers=headers) as response,
                part.open("r+b") as stream,
            ):
                status = response.status_code
                if status in _AGAIN:
                    return f"the server answered {status}"
                if status not in (200, 206, 416):
                    raise self._refusal(response, repo)
                goes_on = status == 206 and _range(response) == (had, file.size)
                start = had if goes_on else 0
                stream.truncate(start)
                stream.seek(start)
                on_bytes(start - had)
                if status != 200 and not goes_on:
                    return "the server cannot go on from there"
                _copy(response, stream.write, file.size - start, on_bytes)
                stream.flush()
                os.fsync(stream.fileno())
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return _plain(error)
        return "the server ended it"

    def _read(self, url: str, repo: str) -> bytes:
        """A short answer. Tried again where the server is busy."""
        waits = iter(self._waits)
        while isinstance(answer := self._try_read(url, repo), str):
            wait = next(waits, None)
            if wait is None:
                raise HubUnreachable(f"{self.endpoint} does not answer ({answer}); try later")
            time.sleep(wait)
        return answer

    def _try_read(self, url: str, repo: str) -> bytes | str:
        """The answer, or why there is none that another try might get."""
        try:
            with self._client.stream("GET", url) as response:
                if response.status_code in _AGAIN:
                    return f"status {response.status_code}"
                if response.status_code != 200:
                    raise self._refusal(response, repo)
                return _bounded(response, repo)
        except (httpx.ConnectError, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise HubUnreachable(f"no connection to {self.endpoint}: {_plain(error)}") from error
        except httpx.HTTPError as error:
            return _plain(error)

    def _refusal(self, response: httpx.Response, repo: str) -> DownloadError:
        code = response.headers.get("X-Error-Code", "")
        status = response.status_code
        if status == 404 or code in ("RepoNotFound", "RevisionNotFound", "EntryNotFound"):
            return DownloadError(f"{self.endpoint} has no {repo} (or keeps it private)")
        if status in (401, 403):
            return DownloadError(
                f"{self.endpoint} gives {repo} only to people it knows: accept its terms at "
                f"{self.endpoint}/{repo}, then log in with `hf auth login` or set HF_TOKEN; "
                "a token that has run out is refused like this too"
            )
        return DownloadError(f"{self.endpoint} answered {status} when asked for {repo}; try later")


def _range(response: httpx.Response) -> tuple[int, int] | None:
    """First byte and length of the whole, as a partial answer tells them."""
    found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
    return (int(found[1]), int(found[2])) if found else None


def _copy(
    response: httpx.Response, write: Callable[[bytes], object], room: int, on_bytes: OnBytes
) -> None:
    """Never writes more than `room` bytes, whatever is sent."""
    for piece in response.iter_bytes():  # as it comes: what is gathered is lost when it breaks off
        write(piece[:room])
        on_bytes(min(len(piece), room))
        room -= len(piece)
        if room <= 0:
            return


def _bounded(response: httpx.Response, repo: str) -> bytes:
    content = bytearray()
    for piece in response.iter_bytes():
        content += piece
        if len(content) > MAX_LISTING_BYTES:
            raise DownloadError(f"the list of files of {repo} is longer than any model's")
    return bytes(content)


def _may_have_token(endpoint: str) -> bool:
    """A token goes out encrypted, or not beyond this machine."""
    parts = urlsplit(endpoint)
    return parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1")


def _wrong(listing: Listing, file: HubFile) -> DownloadError:
    return HubUnreachable(
        f"{file.path} of {listing.repo} came with another hash than the hub told: it was thrown "
        "away. A proxy or mirror in between may change files; try again, or without HF_ENDPOINT"
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _plain(error: Exception) -> str:
    return printable(str(error) or type(error).__name__, 160)

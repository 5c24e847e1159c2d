"""The part of the Hugging Face Hub that a download needs: list a repository, fetch a file.

Plain HTTP with range requests, so a broken download resumes where it stopped, on any mirror.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpcore
import httpx

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from agent.models.card import MAX_BYTES, MAX_FILES, REVISION, SHA256, path_problem
from agent.models.card_file import CARD_NAME
from agent.models.infer_card import sha256_of
from agent.models.long_work import OnBytes, kept_bytes
from agent.web.body import is_packed, whole_body
from agent.web.transport import FAULTS, StoppableTransport, TooSlow, proxy_for

# huggingface_hub's own functions do not keep what our tests ask of a download (tried with 2.4.0):
# - `hf_hub_download` deletes the partial file when it stops, so Ctrl-C or a crash loses it, and it
#   leaves a `.cache` folder in the model;
# - `http_get` buffers 10 MB before it writes, so a bad line makes no progress and reports none; it
#   writes whatever is sent, without a bound, ignores Content-Range and gives up at the first 503;
# - `HfApi.model_info` reads a listing of any length into memory and does not retry.
# So only its `get_token` is used (see download.py).

MAX_TEXT_FILE_BYTES = 256 * 1024 * 1024
CHUNK_BYTES = 1024 * 1024
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")

HUB = "https://huggingface.co"
# Set to 1 to accept a hub without encryption
ALLOW_HTTP = "SPEC_O3_ALLOW_HTTP_HUB"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
IsWanted = Callable[[str], bool]


@dataclass(frozen=True, kw_only=True)
class HubFile:
    """A file in a repository; large files have a `sha256`, small ones a `git_sha1`."""

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
    """Whether it has pickled weights, which could run code when loaded and are never fetched."""


def read_listing(repo: str, content: bytes, is_wanted: IsWanted | None = None) -> Listing:
    """Parse the hub's JSON, keeping the wanted files. Raises ValueError if it is malformed."""
    try:
        answer = json.loads(content)
        if not REVISION.fullmatch(answer["sha"]):
            raise ValueError("it has no commit")
        siblings = {str(each["rfilename"]): each for each in answer["siblings"]}
        wanted = is_wanted or _is_wanted
        files = [_file(name, each) for name, each in siblings.items() if wanted(name)]
        licence = _licence(answer)
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"malformed: {type(error).__name__}") from error
    if len(files) > MAX_FILES:
        raise DownloadError(f"{repo} has {len(files)} files, too many for a single model")
    return Listing(
        repo=repo,
        revision=answer["sha"],
        licence=licence,
        files=tuple(sorted(files, key=lambda file: (file.size, file.path))),
        has_pickles=any(name.endswith(_PICKLES) for name in siblings),
    )


def matches(path: Path, file: HubFile) -> bool:
    """Whether a local file has the size and hash that the hub lists."""
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    if file.sha256:
        return sha256_of(path) == file.sha256
    # the git blob id: SHA-1 of a header and the content
    digest = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    with path.open("rb") as stream:
        while piece := stream.read(CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest() == file.git_sha1


def _is_wanted(name: str) -> bool:
    """Whether to fetch a file: data files at the top level, where the model itself is."""
    return name == CARD_NAME or ("/" not in name and path_problem(name) is None)


def _file(name: str, sibling: Mapping[str, Any]) -> HubFile:
    size, lfs = sibling["size"], sibling.get("lfs")
    sha256 = str(lfs["sha256"]).lower() if lfs else ""
    git_sha1 = str(sibling.get("blobId", "")) if not lfs else ""
    is_large = name.endswith((".safetensors", ".gguf", ".parquet"))
    most = MAX_BYTES if is_large else MAX_TEXT_FILE_BYTES
    if type(size) is not int or not 0 <= size <= most:
        raise ValueError("a file has no usable size")
    if not (SHA256.fullmatch(sha256) if lfs else REVISION.fullmatch(git_sha1)):
        raise ValueError("a file has no hash")
    return HubFile(path=name, size=size, sha256=sha256, git_sha1=git_sha1)


def _licence(answer: Mapping[str, Any]) -> str:
    metadata = answer.get("cardData")
    if not isinstance(metadata, dict):
        return ""
    name = metadata.get("license_name") or metadata.get("license")
    plain = re.sub(r"[^\w .,()+-]", "", name) if isinstance(name, str) else ""
    return printable(plain, 100).strip()


# Waits before retries that follow an attempt without a single byte
WAITS_S = (0.5, 2.0, 5.0, 10.0)
MAX_LISTING_BYTES = 16 * 1024 * 1024
MAX_LISTING_S, MAX_HEAD_S = 120.0, 60.0
_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_RANGE = re.compile(r"bytes (\d{1,19})-\d{1,19}/(\d{1,19})")
_RETRY_STATUS = (408, 429, 500, 502, 503, 504)


class Hub:
    """A connection to the hub, used as a context manager."""

    def __init__(
        self, endpoint: str | None = None, *, token: str | None = None, of_data: bool = False
    ) -> None:
        """`endpoint` defaults to HF_ENDPOINT; `of_data` for data sets instead of models.

        Raises DownloadError if the endpoint is not encrypted.
        """
        self._url = checked_endpoint(endpoint)
        parts = urlsplit(self._url)
        self.endpoint = self._url.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)
        """The address in messages, without a password."""
        self._kind, self._folder = ("datasets", "datasets/") if of_data else ("models", "")
        self._waits = WAITS_S
        self._token = token or ""
        headers = {"User-Agent": "spec-o3-workbench", "Accept-Encoding": "identity"}
        if token and is_safe(self._url):
            headers["Authorization"] = f"Bearer {token}"
        host = parts.hostname or ""
        self._transport = StoppableTransport(
            secure=True, proxy=None if is_private(host) else proxy_for(parts.scheme, host)
        )
        # httpx drops the token when it follows a redirect to another host
        self._client = httpx.Client(
            transport=self._transport,
            headers=headers,
            timeout=_TIMEOUT,
            follow_redirects=True,
            event_hooks={"request": [self._check_target]},
        )

    def __enter__(self) -> Hub:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def listing(self, repo: str, revision: str = "", is_wanted: IsWanted | None = None) -> Listing:
        """Return the wanted files of a repository at a commit, by default the newest.

        Without `is_wanted` they are those of a model.
        """
        at = f"/revision/{revision}" if revision else ""
        content = self._read(f"{self._url}/api/{self._kind}/{repo}{at}?blobs=true", repo)
        try:
            listing = read_listing(repo, content, is_wanted)
            if revision not in ("", listing.revision):
                raise ValueError("it is of another commit")
            return listing
        except ValueError as error:
            raise DownloadError(
                f"the list of files in {repo} from {self.endpoint} is invalid ({error}); "
                "is HF_ENDPOINT right?"
            ) from error

    def fetch(self, listing: Listing, file: HubFile, target: Path, on_bytes: OnBytes) -> None:
        """Fetch a file, resuming a partial one, and check its hash.

        `on_bytes` receives the number of bytes added; it is negative when bytes are discarded.
        """
        part = target.with_name(target.name + ".part")
        # a partial file may be damaged or of another commit: start over once
        for _ in range(2 if kept_bytes(part) else 1):
            self._fetch_rest(listing, file, part, on_bytes)
            if matches(part, file):
                part.replace(target)
                return
            on_bytes(-file.size)
            part.unlink()
        raise HubUnreachable(
            f"{file.path} from {listing.repo} has another hash than the hub lists, so it was "
            "deleted. A proxy or mirror may have changed it; try again, or without HF_ENDPOINT"
        )

    def _fetch_rest(self, listing: Listing, file: HubFile, part: Path, on_bytes: OnBytes) -> None:
        place = f"{self._url}/{self._folder}{listing.repo}"
        url = f"{place}/resolve/{listing.revision}/{quote(file.path)}"
        if not part.exists() or kept_bytes(part) > file.size:
            part.write_bytes(b"")
        tries, furthest = 0, kept_bytes(part)
        while (had := kept_bytes(part)) < file.size:
            problem = self._fetch_range(url, listing.repo, file, part, had, on_bytes)
            if kept_bytes(part) > furthest:
                tries, furthest = 0, kept_bytes(part)
            elif tries < len(self._waits):
                time.sleep(self._waits[tries])
                tries += 1
            else:
                raise HubUnreachable(
                    f"the download of {file.path} from {listing.repo} stopped at "
                    f"{kept_bytes(part)} of {file.size} bytes: {problem}. Start it again to "
                    "resume it"
                )

    def _fetch_range(
        self, url: str, repo: str, file: HubFile, part: Path, had: int, on_bytes: OnBytes
    ) -> str:
        """Append what one request returns to `part`, and return why it ended."""
        headers = {"Range": f"bytes={had}-"} if had else {}
        try:
            with self._transport.stopping(None, MAX_HEAD_S):  # a body takes as long as it takes
                request = self._client.build_request("GET", url, headers=headers)
                response = self._client.send(request, stream=True)
            with closing(response), part.open("r+b") as stream:
                status = response.status_code
                if status in _RETRY_STATUS:
                    return f"the server answered with status {status}"
                if status not in (200, 206, 416):
                    raise self._refusal(response, repo)
                found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
                sent = (int(found[1]), int(found[2])) if found else None
                goes_on = status == 206 and sent == (had, file.size)
                start = had if goes_on else 0
                stream.truncate(start)
                stream.seek(start)
                on_bytes(start - had)
                if status != 200 and not goes_on:
                    return "the server cannot resume there"
                _copy(response, stream.write, file.size - start, on_bytes)
                stream.flush()
                os.fsync(stream.fileno())
        except FAULTS as error:
            return self._short(error)
        return "the server closed the connection"

    def _read(self, url: str, repo: str) -> bytes:
        """Read a short reply, with retries while the server is busy."""
        waits = iter(self._waits)
        while isinstance(answer := self._try_read(url, repo), str):
            wait = next(waits, None)
            if wait is None:
                raise HubUnreachable(
                    f"{self.endpoint} does not respond ({answer}); try again later"
                )
            time.sleep(wait)
        return answer

    def _try_read(self, url: str, repo: str) -> bytes | str:
        """Return the reply, or as a text the reason to retry."""
        try:
            with (
                self._transport.stopping(None, MAX_LISTING_S),
                self._client.stream("GET", url) as response,
            ):
                if response.status_code in _RETRY_STATUS:
                    return f"status {response.status_code}"
                if response.status_code != 200:
                    raise self._refusal(response, repo)
                too_large = DownloadError(f"the list of files in {repo} is too long for a model")
                return whole_body(_plain_pieces(response), MAX_LISTING_BYTES, too_large)
        except TooSlow as error:
            raise HubUnreachable(
                f"the list of files in {repo} did not end in {MAX_LISTING_S:g} s"
            ) from error
        except (httpcore.ConnectError, httpcore.UnsupportedProtocol, httpx.InvalidURL) as error:
            reason = self._short(error)
            raise HubUnreachable(f"cannot connect to {self.endpoint}: {reason}") from error
        except FAULTS as error:
            return self._short(error)

    def _check_target(self, request: httpx.Request) -> None:
        """Refuse a redirect from the encrypted hub that is not encrypted, or into this network."""
        if is_safe(self._url) and not is_safe(str(request.url)):
            raise DownloadError(f"{self.endpoint} redirects to an address without encryption")
        if is_private(request.url.host) and not is_private(urlsplit(self._url).hostname or ""):
            raise DownloadError(f"{self.endpoint} redirects into your own network")

    def _short(self, error: Exception) -> str:
        text = str(error) or type(error).__name__
        return printable(text.replace(self._token, "***") if self._token else text, 160)

    def _refusal(self, response: httpx.Response, repo: str) -> DownloadError:
        code = response.headers.get("X-Error-Code", "")
        status = response.status_code
        if code == "RevisionNotFound":
            return DownloadError(
                f"{self.endpoint} no longer has this commit of {repo}: delete the unfinished model "
                "folder and start again"
            )
        if status == 404 or code in ("RepoNotFound", "EntryNotFound"):
            return DownloadError(f"{self.endpoint} has no repository {repo}, or it is private")
        if status in (401, 403):
            return DownloadError(
                f"{repo} requires a login: accept its terms at {self.endpoint}/{repo}, then log in "
                "with `hf auth login` or set HF_TOKEN (an expired token gives this error, too)"
            )
        return DownloadError(
            f"{self.endpoint} answered with status {status} for {repo}; try again later"
        )


def _copy(
    response: httpx.Response, write: Callable[[bytes], object], room: int, on_bytes: OnBytes
) -> None:
    """Write at most `room` bytes, whatever is sent."""
    # no chunk size: bytes that httpx has gathered for a chunk are lost when the connection breaks
    for piece in _plain_pieces(response):
        write(piece[:room])
        on_bytes(min(len(piece), room))
        room -= len(piece)
        if room <= 0:
            return


def _plain_pieces(response: httpx.Response) -> Iterator[bytes]:
    """The body as sent: a compressed one could unpack to any size."""
    if is_packed(response.headers):
        raise DownloadError("the hub sent a compressed file, which we do not accept")
    yield from response.iter_raw()


# Which address of a hub is used for downloads: encrypted, or on this machine.
class DownloadError(WorkbenchError):
    """A model could not be downloaded."""


class HubUnreachable(DownloadError):
    """The hub cannot be reached, or the connection keeps breaking."""


def refuse_if_offline() -> None:
    """Raise HubUnreachable if the user's environment forbids the network, as for other programs."""
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise HubUnreachable("HF_HUB_OFFLINE forbids network access")


def checked_endpoint(endpoint: str | None) -> str:
    """Return the hub's address, by default HF_ENDPOINT; raises DownloadError if it is unsafe."""
    url = (endpoint or os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    if not is_address:
        raise DownloadError("HF_ENDPOINT is not an address such as https://huggingface.co")
    if not is_safe(url) and os.environ.get(ALLOW_HTTP) != "1":
        raise DownloadError(
            f"{parts.scheme}://{parts.hostname} is not encrypted, so anybody on the way could "
            f"replace the model: use https:// in HF_ENDPOINT, or set {ALLOW_HTTP}=1 if you trust "
            "the network"
        )
    return url


def endpoint_warning() -> str:
    """What to tell the user about HF_ENDPOINT before a download; empty for nothing."""
    url = checked_endpoint(None)
    if is_safe(url):
        return ""
    return f"{urlsplit(url).hostname} is not encrypted: the model may be replaced on the way"


def is_private(host: str) -> bool:
    """Whether a host is this machine or in its network, judging by its address."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost"


def is_safe(endpoint: str) -> bool:
    """Whether nobody on the way can read or replace anything; only then a token is sent."""
    parts = urlsplit(endpoint)
    return parts.scheme == "https" or parts.hostname in LOOPBACK

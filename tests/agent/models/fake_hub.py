"""A small hub on loopback with one repository, range requests and faults on demand."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from agent.models.download import get_model
from tests.processes import LONG_S, served

REPO = "Maxwell-Jia/spec-o3-3b"
COMMIT = "c0ffee" + "0" * 34
LARGE = 1000
"""In bytes. Larger files are listed with a SHA-256, as in LFS; smaller ones with their git id."""
SECRET = "hf_verysecret"


@dataclass
class FakeHub:
    """The files and the behaviour of the hub; tests change them while it runs."""

    files: dict[str, bytes]
    commit: str = COMMIT
    data: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """The files of data sets, by repository."""
    gated: bool = False
    listed: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Changes to the entries of files in the listing."""
    breaks: list[int] = field(default_factory=list)
    """The number of bytes after which the next bodies of large files break off."""
    busy: int = 0
    """The number of 503 responses before normal ones."""
    ignores_ranges: bool = False
    lies_about_range: bool = False
    redirects_to: str = ""
    """Another address to redirect file requests to."""
    answer: bytes | None = None
    """Sent instead of the listing."""
    headers: dict[str, str] = field(default_factory=dict)
    """Sent with the listing."""
    requests: list[tuple[str, str, bool]] = field(default_factory=list)
    """Path, Range header and whether the right token was sent."""
    endpoint: str = ""
    hold: threading.Event | None = None
    """Files are sent once it is set; `reached` is set when one is requested."""
    reached: threading.Event = field(default_factory=threading.Event)

    def listing(self, files: dict[str, bytes] | None = None) -> bytes:
        if self.answer is not None:
            return self.answer
        siblings = []
        for name, content in (self.files if files is None else files).items():
            entry: dict[str, Any] = {"rfilename": name, "size": len(content)}
            if len(content) > LARGE:
                sha256 = hashlib.sha256(content).hexdigest()
                entry["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 130}
            else:
                header = b"blob %d\0" % len(content)
                entry["blobId"] = hashlib.sha1(header + content).hexdigest()
            siblings.append(entry | self.listed.get(name, {}))
        facts = {"license": "apache-2.0"}
        return json.dumps({"sha": self.commit, "cardData": facts, "siblings": siblings}).encode()

    def ranges(self, name: str) -> list[str]:
        return [each for path, each, _ in self.requests if path.endswith("/" + name)]


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        hub, path = self.hub, urlsplit(self.path).path
        token = self.headers.get("Authorization") == f"Bearer {SECRET}"
        hub.requests.append((path, self.headers.get("Range", ""), token))
        if hub.busy:
            hub.busy -= 1
            self._send(503, b"busy")
        elif hub.gated and not token:
            self._send(401, b"{}", {"X-Error-Code": "GatedRepo"})
        elif path in (f"/api/models/{REPO}", f"/api/models/{REPO}/revision/{hub.commit}"):
            self._send(200, hub.listing(), hub.headers)
        elif path.startswith(f"/api/models/{REPO}/revision/"):
            self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
        elif path.removeprefix("/api/datasets/") in hub.data:
            self._send(200, hub.listing(hub.data[path.removeprefix("/api/datasets/")]))
        elif path.startswith("/datasets/"):
            repo, _, name = path.removeprefix("/datasets/").partition(f"/resolve/{hub.commit}/")
            self._send(200, hub.data[repo][name])
        elif path.startswith(f"/{REPO}/resolve/{hub.commit}/"):
            self._file(path.rpartition("/")[2])
        else:
            self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})

    def _file(self, name: str) -> None:
        hub, content = self.hub, self.hub.files[name]
        hub.reached.set()
        if hub.hold is not None:
            hub.hold.wait(LONG_S)
        if hub.redirects_to:
            self._send(302, b"", {"Location": f"{hub.redirects_to}{self.path}"})
            return
        asked = self.headers.get("Range", "")
        first = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        status, headers = 200, {}
        if asked and not hub.ignores_ranges:
            if first >= len(content):
                self._send(416, b"")
                return
            start = first + hub.lies_about_range
            span = f"bytes {start}-{len(content) - 1}/{len(content)}"
            status, headers = 206, {"Content-Range": span}
            content = content[first:]
        cut = hub.breaks.pop(0) if hub.breaks and len(hub.files[name]) > LARGE else len(content)
        self._send(status, content, headers, cut)

    def _send(
        self, status: int, content: bytes, headers: dict[str, str] | None = None, cut: int = 10**9
    ) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[:cut])
        self.close_connection = True


@contextmanager
def running(hub: FakeHub) -> Iterator[FakeHub]:
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = False  # joined on closing: nothing is left running
    hub.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    with served(server):
        yield hub


WEIGHTS = bytes(range(256)) * 40
MORE_WEIGHTS = bytes(reversed(range(256))) * 30

FILES = {
    "README.md": b"# a model",
    "config.json": json.dumps({"model_type": "qwen2_5_vl"}).encode(),
    "model-00001-of-00002.safetensors": WEIGHTS,
    "model-00002-of-00002.safetensors": MORE_WEIGHTS,
    "modeling.py": b"raise SystemExit",
    "tokenizer.json": b"{}",
    "training_args.bin": b"pickle" * 300,
    "checkpoint-7/model.safetensors": b"x" * 2000,
}
FETCHED = {name for name in FILES if name.endswith((".json", ".safetensors")) and "/" not in name}
TOTAL = sum(len(FILES[name]) for name in FETCHED)
FIRST = "model-00002-of-00002.safetensors"
"""The weight file that is fetched first, since it is smaller."""


@contextmanager
def connected(hub: FakeHub, token: str = "") -> Iterator[None]:
    """The program takes this for its hub, and does not wait when that is busy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_ENDPOINT", hub.endpoint)
        patch.setattr("agent.models.download.get_token", lambda: token or None)
        patch.setattr("agent.models.hub.WAITS_S", (0.0, 0.0))
        yield


def fetch(hub: FakeHub, name: str = "spec-o3-3b", token: str = "", **options: object):
    with connected(hub, token):
        return get_model(name, **options)


def put(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder

"""A server on loopback that plays the services: a small sky, and every fault by its name."""

import gzip
import math
import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from app.services.catalogues.service import Service
from tests.processes import served

Rows = Sequence[Mapping[str, object]]
SELECTED = re.compile(r'c\."([^"]+)" AS "([^"]+)"')
ARCSEC = 3600.0
HTML = b"<!DOCTYPE html><html><body>Scheduled maintenance</body></html>"
FAULTS = (
    *("busy", "down", "refused", "html", "empty", "cut", "cut gzip", "renamed column"),
    *("nan position", "stall", "redirect away", "huge", "hang up", "query error", "overflow"),
    *("bad rows", "strange packing", "not found"),
)
"""What a service can do instead of answering; each is a failure, never "nothing there"."""
OF_TABLES = {"renamed column", "nan position", "query error", "overflow", "bad rows"}
"""Those of an answer with rows; a server that sends files has the others."""
OF_FILES = tuple(fault for fault in FAULTS if fault not in OF_TABLES)


def hurried(service: Service, fault: str) -> Service:
    """The service, waited for a moment only where the fault is silence."""
    return replace(service, timeout_s=0.5 if fault == "stall" else 30.0)


class FaultServer(ThreadingHTTPServer):
    """Give `faults` one name for each request to be spoilt; then it answers from `tables`."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.tables: dict[str, Rows] = {}
        """Catalogues by table name: each row has the catalogue's columns."""
        self.files: dict[str, tuple[bytes, str]] = {}
        """Contents and types of what is got by path."""
        self.answer: Callable[[str, dict[str, str]], tuple[bytes, str]] | None = None
        """Answers a GET by path and parameters, where no file has the path."""
        self.faults: list[str] = []
        self.always = ""
        """A fault of every request."""
        self.redirects: dict[str, tuple[int, str]] = {}
        """Status and place to which a path is redirected."""
        self.most_rows = 10**9
        """More are left out of the answer about a catalogue, which says so."""
        self.asked: list[dict[str, str]] = []
        """The parameters of each request, with its path as `path`."""
        self.ended = threading.Event()
        self.lock = threading.Lock()

    def shutdown(self) -> None:
        self.ended.set()
        super().shutdown()

    def handle_error(self, request: object, client_address: object) -> None:
        """Quiet: clients that hang up are part of the play."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def next_fault(self) -> str:
        with self.lock:
            return self.faults.pop(0) if self.faults else self.always


@contextmanager
def fault_server() -> Iterator[FaultServer]:
    with served(FaultServer()) as server:
        yield server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60.0  # a connection that nobody uses keeps the server from ending
    server: FaultServer

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        fields = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self._play(parts.path, fields)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        kind = self.headers.get("content-type", "")
        if kind.startswith("multipart/"):
            head = f"content-type: {kind}\r\n\r\n".encode()
            message = BytesParser(policy=HTTP).parsebytes(head + body)
            fields = {
                str(part.get_param("name", header="content-disposition")): str(
                    part.get_payload(decode=True).decode()
                )
                for part in message.iter_parts()
            }
        elif "json" in kind:
            fields = {"json": body.decode()}
        else:
            fields = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        self._play(urlsplit(self.path).path, fields)

    def log_message(self, *args: object) -> None:
        """Quiet."""

    def _play(self, path: str, fields: dict[str, str]) -> None:
        with self.server.lock:
            self.server.asked.append({**fields, "path": path})
        if path in self.server.redirects:
            status, place = self.server.redirects[path]
            self._reply(status, b"", location=place)
            return
        fault = self.server.next_fault()
        with suppress(BrokenPipeError, ConnectionResetError):
            if fault in REPLIES:
                status, content, headers = REPLIES[fault]
                self._reply(status, content, **headers)
            elif fault in ("stall", "huge", "hang up"):
                getattr(self, "_" + fault.replace(" ", "_"))()
            else:
                content, kind = self._answer(path, fields, fault)
                self._send(content, kind, fault)

    def _answer(self, path: str, fields: dict[str, str], fault: str) -> tuple[bytes, str]:
        if path.endswith("/sync") and "QUERY" in fields:
            made = tap_answer(self.server.tables, fields, fault, self.server.most_rows)
            return made, "application/x-votable+xml"
        if path in self.server.files:
            return self.server.files[path]
        if self.server.answer is not None:
            return self.server.answer(path, fields)
        return b"", ""

    def _send(self, content: bytes, kind: str, fault: str) -> None:
        if not kind:
            self._reply(404, HTML)
            return
        if fault == "cut":
            content = content[: len(content) // 2]
        headers = {"content-type": kind}
        if fault == "cut gzip":
            content = gzip.compress(content)
            content, headers["content-encoding"] = content[: len(content) // 2], "gzip"
        is_made = self.command == "POST" and urlsplit(self.path).path.endswith("/queue/")
        self._reply(201 if is_made else 200, content, **headers)

    def _reply(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    # Faults that are more than a reply

    def _stall(self) -> None:
        self.server.ended.wait()
        self.close_connection = True

    def _huge(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/xml")
        self.end_headers()
        for _ in range(1024):
            self.wfile.write(b" " * 2**20)
        self.close_connection = True

    def _hang_up(self) -> None:
        self.close_connection = True


def tap_answer(
    tables: Mapping[str, Rows], fields: Mapping[str, str], fault: str = "", most_rows: int = 10**9
) -> bytes:
    """The rows of a catalogue near the positions that were uploaded."""
    query = fields["QUERY"]
    if query.startswith("SELECT TOP 1 * FROM "):
        (first, *_) = tables[query.removeprefix("SELECT TOP 1 * FROM ")]
        return votable(list(first), [list(first.values())], "")
    names = SELECTED.findall(query)
    found = re.search(r" FROM (.+?) AS c JOIN", query)
    radius = re.search(r"a\.ra, a\.dec, ([0-9.]+)\)", query)
    ra_name, dec_name = (column for column, alias in names if alias in ("ra_", "dec_"))
    assert found is not None and radius is not None
    upload = re.findall(
        r"<TR><TD>(.+?)</TD><TD>(.+?)</TD><TD>(.+?)</TD></TR>", fields["asked_file"]
    )
    rows: list[list[object]] = []
    size = float(radius.group(1))
    by_dec = sorted(tables[found.group(1)], key=lambda row: float(str(row[dec_name])))
    decs = [float(str(row[dec_name])) for row in by_dec]
    for number, ra, dec in upload:
        low, high = bisect_left(decs, float(dec) - size), bisect_right(decs, float(dec) + size)
        beside = near(by_dec[low:high], ra_name, dec_name, float(ra), float(dec), size)
        rows += [[number, *(row.get(column) for column, _ in names)] for row in beside]
    aliases = ["n_", *(alias for _, alias in names)]
    if fault == "renamed column":
        aliases[-1] = "other"
    if fault == "nan position":
        rows = [["0", *("NaN" for _ in names)]]
    if fault == "bad rows":
        rows = [["99999", *(0 for _ in names)]]
    is_cut = fault == "overflow" or len(rows) > most_rows
    rows = rows[:most_rows]
    end = '<INFO name="QUERY_STATUS" value="OVERFLOW"/>' if is_cut else ""
    return votable(aliases, rows, '<INFO name="QUERY_STATUS" value="OK"/>', end)


def near(
    rows: Rows, ra_name: str, dec_name: str, ra: float, dec: float, radius: float
) -> Iterator[Mapping[str, object]]:
    for row in rows:
        d_dec = float(str(row[dec_name])) - dec
        d_ra = (float(str(row[ra_name])) - ra + 180.0) % 360.0 - 180.0
        if math.hypot(d_ra * math.cos(math.radians(dec)), d_dec) <= radius:
            yield row


def votable(
    names: Sequence[str], rows: Sequence[Sequence[object]], head: str, end: str = ""
) -> bytes:
    """A table as TAP services send it."""
    texts = {name: _is_text(rows, number) for number, name in enumerate(names)}
    fields = "".join(
        f'<FIELD name="{name}" datatype="char" arraysize="*"/>'
        if texts[name]
        else f'<FIELD name="{name}" datatype="{"int" if name == "n_" else "double"}"/>'
        for name in names
    )
    cells = "".join(
        "<TR>" + "".join(f"<TD>{'' if x is None else escape(str(x))}</TD>" for x in row) + "</TR>"
        for row in rows
    )
    table = f"<TABLE>{fields}<DATA><TABLEDATA>{cells}</TABLEDATA></DATA></TABLE>" if names else ""
    return (
        '<?xml version="1.0"?><VOTABLE version="1.3"><RESOURCE type="results">'
        f"{head}{table}{end}</RESOURCE></VOTABLE>"
    ).encode()


def _is_text(rows: Sequence[Sequence[object]], number: int) -> bool:
    values = [row[number] for row in rows if row[number] is not None]
    return any(isinstance(value, str) for value in values) and number > 0


QUERY_ERROR = votable([], [], '<INFO name="QUERY_STATUS" value="ERROR">column not found</INFO>')
REPLIES: dict[str, tuple[int, bytes, dict[str, str]]] = {
    "busy": (429, b"slow down", {"retry_after": "1"}),
    "down": (503, HTML, {}),
    "refused": (403, HTML, {}),
    "not found": (404, HTML, {}),
    "html": (200, HTML, {"content_type": "text/html"}),
    "empty": (200, b"", {"content_type": "text/xml"}),
    "redirect away": (302, b"", {"location": "https://example.org/elsewhere"}),
    "query error": (200, QUERY_ERROR, {"content_type": "text/xml"}),
    "strange packing": (200, b"\x00\x01", {"content_encoding": "br"}),
}
"""Faults that are the same reply to whatever is asked."""

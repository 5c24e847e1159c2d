"""Our connection to the SAMP hub: sends messages, and hands on what others send.

Nothing here waits longer than a few seconds. Use it in one thread that outlives it, but for
`should_stop`; `receive` is called in threads of its own and must return at once.
"""

import threading
import time
import xmlrpc.client
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

import httpcore
import httpx

from agent.errors import Cancelled
from agent.web.body import never, whole_body
from agent.web.transport import FAULTS, ShouldStop, TooSlow, new_client
from app.services.samp.hub import HubAddress, OwnHub, read_lock_file
from app.services.samp.inbox import UNKNOWN, Inbox
from app.services.samp.library import LOOPBACK, SampError, samp_library
from app.services.samp.received import MTYPES, FileOffered, NotFollowed, Received, shown_name

NAME, DESCRIPTION = "Spec-o3 Workbench", "Vets spectra of candidates"
MAX_PEERS = 50
REPLY_S, LOAD_S, POLL_S = 3.0, 20.0, 0.05
"""How long an answer is waited for, that to a table longer."""
SILENT = "it does not answer"
RETRY_S = 2.0
RETRY_EVERY_S = 0.2
Params = Mapping[str, object]  # texts, and lists and maps of texts
OK, WARNING, ERROR = "samp.ok", "samp.warning", "samp.error"

MAX_MESSAGE = 16 * 1024 * 1024
SILENCE_S = 10.0
PAUSE_S = 0.001  # before each message, so that the window's thread gets its turn

TIMEOUT_S = 3.0
MAX_ANSWER = 8 * 1024 * 1024
POOL = 3
LEAVE_S = 1.0
"""So long the hub has in all to hear that we go."""
FAILURES = (
    *(*FAULTS, Cancelled, xmlrpc.client.Error, ExpatError),
    *(OSError, ValueError, TypeError, LookupError, OverflowError),
)
"""What the library lets out of a call when the hub is gone or answers nonsense."""


@dataclass(frozen=True)
class Peer:
    id: str
    name: str


class SampConnection:
    """`receive` is told what was received, `folder` takes the files that others offer."""

    def __init__(self, receive: Callable[[Received | NotFollowed], object], folder: Path) -> None:
        self._hub: OwnHub | None = None
        self._client: Any = None
        self._proxy: Any = None
        self._stop = threading.Event()
        self._leave_by = 0.0
        self._inbox = Inbox(receive, folder, self._name_of, self._reply)
        self._names: dict[str, str] = {}
        self._tags = count(1)

    def connect(self) -> None:
        """Connect, or connect again if the hub is another one by now. Raises SampError."""
        if self._is_registered():
            return
        self._leave()
        address = read_lock_file()
        if address is None or not is_alive(address, self._is_late):
            if self._hub is not None:
                self._hub.stop()
            self._hub = OwnHub.start(self.should_stop)
            address = read_lock_file()
        if address is None:
            raise SampError("the SAMP hub ended as soon as it was started")
        self._register(address)

    def close(self) -> None:
        """Leave, and end our own hub. Waits a few seconds at most, whatever others do."""
        self.stop_soon()
        self._leave()
        self._inbox.close()
        if self._hub is not None:
            self._hub.stop()
            self._hub = None
        self._stop.clear()

    def stop_soon(self) -> None:
        """Let what is being sent or fetched end early; any thread."""
        if not self._stop.is_set():
            self._leave_by = time.monotonic() + LEAVE_S
            self._stop.set()
        self._inbox.stop_soon()

    def fetch(self, offered: FileOffered) -> None:
        """Fetch what the user wants, in a thread of its own, and tell `receive`; any thread."""
        self._inbox.fetch(offered)

    def decline(self, offered: FileOffered) -> None:
        if offered.call and offered.path is None:
            self._reply(offered.call, "it is not wanted")

    def _is_late(self) -> bool:
        return self._stop.is_set() and time.monotonic() > self._leave_by

    def should_stop(self) -> bool:
        return self._stop.is_set()

    def peers(self, mtype: str) -> list[Peer]:
        """The programs that take such messages, without windows of ours. Raises SampError."""
        found = self._ask("get_subscribed_clients", mtype)
        if not isinstance(found, dict):
            raise SampError("the SAMP hub answers nonsense")
        peers = (Peer(str(each), self._name_of(str(each))) for each in list(found)[:MAX_PEERS])
        return [peer for peer in peers if peer.name != NAME]

    def others(self) -> list[Peer]:
        """All programs that take anything we send. Raises SampError."""
        found = {peer.id: peer for mtype in MTYPES for peer in self.peers(mtype)}
        return list(found.values())

    def tell(self, mtype: str, params: Params) -> list[Peer]:
        """Send it to all programs that take it, without an answer. Raises SampError."""
        self.connect()
        peers = self.peers(mtype)
        for peer in peers:
            with suppress(SampError):  # it may have ended in between
                self._ask("notify", peer.id, _message(mtype, params))
        return peers

    def ask(
        self, peers: Sequence[Peer], mtype: str, params: Params, wait_s: float = REPLY_S
    ) -> dict[Peer, str]:
        """Send it to these and wait for the answers; what went wrong by program, "" if nothing."""
        return {peer: self._answer(peer, mtype, params, wait_s) for peer in peers}

    def ask_again(self, peer: Peer, mtype: str, params: Params) -> str:
        """Like `ask`, but for two seconds: TOPCAT knows a table some time after it took it."""
        fault = self._answer(peer, mtype, params, REPLY_S)
        for _ in range(round(RETRY_S / RETRY_EVERY_S)):
            if not fault or fault == SILENT or self._stop.wait(RETRY_EVERY_S):
                break
            fault = self._answer(peer, mtype, params, REPLY_S)
        return fault

    def _answer(self, peer: Peer, mtype: str, params: Params, wait_s: float) -> str:
        # The library's call_and_wait would keep the hub's time, and not end when we are closed.
        client, tag = self._client, f"{mtype}-{next(self._tags)}"
        answered, answers = threading.Event(), []

        def take(_: str, responder: object, __: str, answer: object) -> None:
            if responder == peer.id:
                answers.append(answer)
                answered.set()

        if client is None or self._stop.is_set():
            return SILENT
        client.bind_receive_response(tag, take)
        try:
            self._ask("call", peer.id, tag, _message(mtype, params))
            until = time.monotonic() + wait_s
            while not answered.wait(POLL_S):
                if self._stop.is_set() or time.monotonic() > until:
                    return SILENT
        except SampError as error:
            return str(error)
        finally:
            client.unbind_receive_response(tag)
        return _fault_of(answers[0])

    def _ask(self, method: str, *arguments: Any) -> Any:
        """Call the hub. Raises SampError."""
        client, proxy = self._client, self._proxy
        if client is None or proxy is None or client.get_private_key() is None:
            raise SampError("there is no connection to a SAMP hub")
        try:
            return getattr(proxy, method)(client.get_private_key(), *arguments)
        except xmlrpc.client.Fault as error:
            raise SampError("the program does not answer, or has ended") from error
        except FAILURES as error:
            raise SampError("the SAMP hub does not answer") from error

    def _is_registered(self) -> bool:
        try:
            self._ask("get_subscriptions", self._client.get_public_id() if self._client else "")
        except SampError:
            return False
        return self._hub is None or self._hub.is_running

    def _register(self, address: Any) -> None:
        self._proxy = proxy = hub_proxy(address, self._is_late)
        metadata = {"samp.description.text": DESCRIPTION}
        try:
            client = samp_library().SAMPClient(proxy, name=NAME, metadata=metadata, addr=LOOPBACK)
        except OSError as error:
            raise SampError("nothing can listen on this machine, as SAMP needs it") from error
        self._client = client
        put_limits(client.client, self._inbox.refuse)
        # The library would tell every program our environment, keys to servers included.
        client.unbind_receive_call("client.env.get", declare=False)
        for mtype in MTYPES:
            client.bind_receive_message(mtype, self._inbox.take, declare=False)
        self._inbox.open()
        client.start()
        try:
            client.register()
        except (*FAILURES, samp_library().SAMPClientError) as error:
            self._leave()
            raise SampError("the SAMP hub does not let us register") from error

    def _leave(self) -> None:
        client, self._client = self._client, None
        proxy, self._proxy = self._proxy, None
        self._names.clear()
        if client is not None:
            with suppress(*FAILURES, samp_library().SAMPClientError):
                client.unregister()
            with suppress(samp_library().SAMPClientError):
                client.stop()
        if proxy is not None:
            proxy.disconnect()

    def _name_of(self, peer: str) -> str:
        if peer not in self._names:
            if len(self._names) > MAX_PEERS:
                self._names.clear()
            with suppress(SampError):
                found = self._ask("get_metadata", peer)
                name = found.get("samp.name") if isinstance(found, dict) else ""
                self._names[peer] = shown_name(name)
        return self._names.get(peer) or UNKNOWN

    def _reply(self, message_id: str, fault: str) -> None:
        answer: dict[str, object] = {"samp.status": ERROR if fault else OK, "samp.result": {}}
        if fault:
            answer["samp.error"] = {"samp.errortxt": fault}
        with suppress(SampError):
            self._ask("reply", message_id, answer)


def _fault_of(answer: object) -> str:
    if not isinstance(answer, dict):
        return "it answers nonsense"
    if answer.get("samp.status") in (OK, WARNING):
        return ""
    fault = answer.get("samp.error")
    text = fault.get("samp.errortxt") if isinstance(fault, dict) else ""
    return shown_name(text) or "it gives no reason"


def _message(mtype: str, params: Params) -> dict[str, object]:
    return {"samp.mtype": mtype, "samp.params": dict(params)}


def put_limits(server: Any, refuse: Callable[[str], object]) -> None:
    """Bound what the server of a library's client reads, before it starts.

    Any program of this machine can connect, not only the hub: a message is not read whole before
    its size is known. `refuse` is told of a message that is too large.
    """

    class Handler(server.RequestHandlerClass):  # type: ignore[misc]
        timeout = SILENCE_S  # Of the socket: a connection that says nothing is closed.

        def do_POST(self) -> None:
            length = self.headers.get("content-length") or ""
            if not (length.isascii() and length.isdecimal() and len(length) < 20):
                self.send_error(411)
            elif int(length) > MAX_MESSAGE:
                self.send_error(413)
                refuse(f"a message of {int(length) / 1e6:,.0f} MB: it is too large")
            else:
                super().do_POST()

        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Programs that go away in the middle are no news."""

    turn, answer = threading.Lock(), server._marshaled_dispatch

    def one_after_another(*arguments: Any) -> Any:
        # Each connection has its thread. Those of a flood would take turns with the window's.
        with turn:
            time.sleep(PAUSE_S)
            return answer(*arguments)

    server.RequestHandlerClass = Handler
    server._marshaled_dispatch = one_after_another
    server.daemon_threads = True  # closing does not wait for a connection that says nothing
    server.handle_error = _ignore


def _ignore(request: object, address: object) -> None:
    """A program went away in the middle of a message."""


# Calls to the hub that end after a few seconds, whatever the hub does.
class _Transport(xmlrpc.client.Transport):
    """Limits the time of a whole call and the size of its answer."""

    def __init__(self, should_stop: ShouldStop) -> None:
        super().__init__()
        self._should_stop, self._whole_s = should_stop, TIMEOUT_S
        self._client, self._transport = new_client(httpx.Timeout(TIMEOUT_S))

    def request(self, host: Any, handler: str, request_body: Any, verbose: bool = False) -> Any:
        url = f"http://{host}{handler}"
        headers = {"content-type": "text/xml", "connection": "close"}
        with (
            self._transport.stopping(self._should_stop, self._whole_s),
            self._client.stream("POST", url, content=request_body, headers=headers) as answer,
        ):
            if answer.status_code != 200:
                raise xmlrpc.client.ProtocolError(url, answer.status_code, "", {})
            too_large = ValueError("the answer of the hub is too large")
            content = whole_body(answer.iter_raw(), MAX_ANSWER, too_large)
        parser, unmarshaller = self.getparser()
        parser.feed(content)
        parser.close()
        return unmarshaller.close()


def hub_proxy(address: HubAddress, should_stop: ShouldStop = never) -> Any:
    """A proxy of the hub as the library's client wants it. Raises nothing: it calls nothing."""
    library = samp_library()

    class Proxy(library.SAMPHubProxy):  # type: ignore[misc, name-defined]
        """The library's own connects without a time limit."""

        @property
        def is_connected(self) -> bool:
            return self.proxy is not None

    proxy = Proxy()
    proxy.lockfile = {"samp.hub.xmlrpc.url": address.url, "samp.secret": address.secret}
    proxy.proxy = library.utils.ServerProxyPool(POOL, partial(_server, should_stop), address.url)
    return proxy


def is_alive(address: HubAddress, should_stop: ShouldStop = never) -> bool:
    """Whether the hub answers; False if nothing listens there. Raises SampError for silence."""
    try:
        _server(should_stop, address.url).samp.hub.ping()
    except (httpcore.TimeoutException, TooSlow, Cancelled) as error:
        raise SampError("the SAMP hub does not answer: end the program that runs it") from error
    except (httpcore.NetworkError, httpcore.ProtocolError):
        return False
    except FAILURES:
        return True  # something speaks there
    return True


def _server(should_stop: ShouldStop, url: str) -> xmlrpc.client.ServerProxy:
    return xmlrpc.client.ServerProxy(url, allow_none=True, transport=_Transport(should_stop))

"""A real hub and a program that plays TOPCAT, both of this test alone."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from app.services.samp.hub_child import hub_server
from app.services.samp.library import LOOPBACK, samp_library
from app.services.samp.received import MTYPES
from tests.processes import LONG_S, wait_until

TABLE = """<?xml version="1.0"?>
<VOTABLE version="1.3" xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><RESOURCE><TABLE name="t">
<FIELD name="object_id" datatype="char" arraysize="*"/><FIELD name="path" datatype="char"
arraysize="*"/><FIELD name="ra" datatype="double" unit="deg"/><FIELD name="dec" datatype="double"
unit="deg"/><DATA><TABLEDATA><TR><TD>star</TD><TD>a.fits</TD><TD>10.5</TD><TD>-3.25</TD></TR>
</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>
"""


def own_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a lock file that no other program knows. Returns the lock file."""
    home = folder / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    lock = folder / "samp-lock"
    monkeypatch.setenv("SAMP_HUB", f"std-lockurl:{lock.as_uri()}")
    return lock


@contextmanager
def running_hub() -> Iterator[Any]:
    """A hub that writes the lock file of SAMP_HUB."""
    library = samp_library()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", library.SAMPWarning)
        library.conf.n_retries = 1
        hub = hub_server(mode="multiple", pool_size=2, label="of a test")
        hub.start()
        try:
            yield hub
        finally:
            with suppress(KeyError):  # its lock file may be that of another hub by now
                hub.stop()


class Topcat:
    """Takes messages, answers calls, and keeps what it got."""

    def __init__(self, hub: Any = None, name: str = "topcat", mtypes: tuple = MTYPES) -> None:
        self.client = samp_library().SAMPIntegratedClient(name=name, addr=LOOPBACK)
        self.client.connect(hub=hub, pool_size=2)
        self.got: list[tuple[str, dict]] = []
        self.fault: Callable[[str, dict], str] = lambda mtype, params: ""
        for mtype in mtypes:
            self.client.bind_receive_call(mtype, self._call, declare=False)
            self.client.bind_receive_notification(mtype, self._notification, declare=False)
        if mtypes:
            self.client.declare_subscriptions()

    def _call(self, key, sender, message_id, mtype, params, extra) -> None:
        fault = self.fault(mtype, params)
        self.got.append((mtype, params))
        answer = {"samp.status": "samp.error" if fault else "samp.ok", "samp.result": {}}
        if fault:
            answer["samp.error"] = {"samp.errortxt": fault}
        self.client.reply(message_id, answer)

    def _notification(self, key, sender, mtype, params, extra) -> None:
        self.got.append((mtype, params))

    def params(self, mtype: str) -> list[dict]:
        return [params for each, params in self.got if each == mtype]

    def workbench(self) -> str:
        """The id of our window, once it takes messages."""

        def found() -> list[str]:
            named = []
            for each in self.client.get_registered_clients():
                if self.client.get_metadata(each).get("samp.name", "").startswith("Spec-o3"):
                    named += [each] if self.client.get_subscriptions(each) else []
            return named

        wait_until(found)
        return found()[0]

    def ask(self, mtype: str, **params: object) -> dict:
        """Call our window and wait for its answer."""
        message = {"samp.mtype": mtype, "samp.params": named(params)}
        return self.client.call_and_wait(self.workbench(), message, f"{LONG_S:.0f}")

    def tell(self, mtype: str, **params: object) -> None:
        message = {"samp.mtype": mtype, "samp.params": named(params)}
        self.client.notify(self.workbench(), message)

    def close(self) -> None:
        with suppress(Exception):
            self.client.disconnect()
        if self.client.client.is_running:
            self.client.client.stop()


def named(params: dict[str, object]) -> dict[str, object]:
    """Keyword arguments as SAMP writes them."""
    return {key.replace("_", "-"): value for key, value in params.items()}

"""Every kind of hostile server by its name."""

from __future__ import annotations

from tests.attacks.servers.contents import contents
from tests.attacks.servers.echoes import echoes
from tests.attacks.servers.encodings import encodings, wrong_types
from tests.attacks.servers.framing import framing
from tests.attacks.servers.replies import Kind


def kinds() -> dict[str, Kind]:
    return {**framing(), **encodings(), **contents(), **echoes(), **wrong_types()}

"""Whatever a server sends, an inspection ends with a verdict or a sentence, and no key."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.attacks.sandbox import Outcome, Sandbox
from tests.attacks.servers.inspection import spectrum
from tests.attacks.servers.kinds import kinds
from tests.attacks.servers.replies import Kind
from tests.attacks.servers.server import KEY, HostileServer, hostile
from tests.night import seeds

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="needs fork and a second loopback address"),
    pytest.mark.timeout(900),
]

BATCHES = 20
COMMAND_BATCHES = 5
KINDS = kinds()
MARKUP = (b"<|im_start|>", b"<|im_end|>", b"<|vision_start|>", b"<|image_pad|>")
ON_THE_COMMAND_LINE = (
    *("key_in_the_text", "escapes", "redirect_elsewhere", "slow_body", "control_tokens"),
    *("gigabyte_in_chunks", "endless_text", "endless_headers", "silent", "html_of_100_mb"),
    *("key_in_the_redirect", "key_in_pieces", "key_in_a_call", "key_as_the_only_model"),
    *("models_with_escapes", "models_slowly", "logprob_infinite", "text_of_5_mb"),
    *("call_with_a_path_as_label", "escapes_as_label", "gzip_bomb_as_error", "redirect_to_script"),
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox("tests.attacks.servers.inspection:inspect") as made:
        yield made


def test_there_are_enough_kinds() -> None:
    assert len(KINDS) >= 60


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=BATCHES))
def test_an_inspection_survives_every_server(batch: int, sandbox: Sandbox) -> None:
    endings = set()
    for name in sorted(KINDS)[batch::BATCHES]:
        kind = KINDS[name]
        with hostile(kind.play) as server:
            outcome = sandbox.run(server.url, kind.lists_models, kind.ends_by_time)
        endings.add(_checked(name, kind, server, outcome))
    assert {"answer", "error"} <= endings


def _checked(name: str, kind: Kind, server: HostileServer, outcome: Outcome) -> str:
    _check_process(name, outcome)
    found = outcome.value
    reason = found["reason"]
    # the key went to this server and nobody else, and it is nowhere in what is shown or kept
    assert all(f"Bearer {KEY}".encode() in head for head, _ in server.requests)
    assert not server.visitors, name
    assert set(found["went"]) <= {f"127.0.0.1:{server.port}"}, name
    assert not any(b"cookie" in head.lower() for head, _ in server.requests), name
    assert KEY not in json.dumps(found), name
    # what a model writes cannot end its turn, nor move the cursor of a terminal
    assert not any(mark in body for mark in MARKUP for _, body in server.requests), name
    assert reason.isprintable(), name
    assert len(reason) < 1000, name
    assert all(line.isprintable() for line in found.get("shown", "").split("\n")), name
    assert kind.must in reason, name
    assert not outcome.opened, name
    if kind.answers:
        assert found["stopped_by"] == "answer", name
    if kind.p_yes:
        assert found["p_yes"] in kind.p_yes, name
    assert reason or found["stopped_by"] == "answer", name
    return str(found["stopped_by"])


def _check_process(name: str, outcome: Outcome) -> None:
    assert (outcome.status, outcome.error) == (0, ""), name
    assert "Traceback" not in outcome.output, name
    assert KEY not in outcome.output, name
    assert outcome.peak_mb <= 600, name


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=COMMAND_BATCHES))
def test_the_command_survives_them_too(batch: int, sandbox: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "star.csv"
    whole = spectrum()
    columns = np.column_stack([whole.wavelength, whole.flux, np.full(len(whole), 0.05)])
    np.savetxt(file, columns, delimiter=",", header="wavelength,flux,error", comments="")
    for name in ON_THE_COMMAND_LINE[batch::COMMAND_BATCHES]:
        kind = KINDS[name]
        with hostile(kind.play) as server:
            outcome = sandbox.run(
                *("inspect", str(file), "--task", "CV", "--deadline", "1.5"),
                *("--save", str(tmp_path / "out.jsonl")),
                *("--model", server.url if kind.lists_models else f"{server.url}#m"),
                function="command",
            )
        _check_process(name, outcome)
        lines = outcome.output.splitlines()
        assert all(line.isprintable() for line in lines), lines
        assert (outcome.value != 0) == any(line.startswith("spec-o3: ") for line in lines)
        assert not server.visitors, name
        opened = {path for path in outcome.opened if "fontlist" not in path}
        assert all(Path(path).is_relative_to(tmp_path) for path in opened), opened
    for path in tmp_path.rglob("*"):
        assert KEY.encode() not in path.read_bytes(), path

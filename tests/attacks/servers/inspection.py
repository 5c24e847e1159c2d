"""What meets a hostile server: an inspection of one spectrum, and the command line."""

from __future__ import annotations

import json
import logging
import os
import random
import sys
from typing import Any

import numpy as np

from agent.engines.remote.engine import RemoteEngine
from agent.errors import WorkbenchError
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import from_line, to_line
from app.cli.inspection_text import heading, inspection_json, step_lines, verdict_lines
from app.cli.main import main
from tests.attacks.servers.server import KEY

SHORT, LONG = (0.4, 1.2), (60.0, 60.0)
"""The longest silence and turn (s): of what ends by time, and twenty times what all else takes."""
MAX_TEXT = 4_000_000


def spectrum() -> Spectrum:
    wave = np.linspace(3800.0, 9000.0, 2000)
    flux = 2.0 + np.exp(-0.5 * ((wave - 6563.0) / 8.0) ** 2)
    return Spectrum(wavelength=wave, flux=flux, ivar=np.full(wave.size, 400.0))


def _warm_up() -> None:
    """Import what an inspection needs before the cases are forked."""
    PictureMaker.of(spectrum(), spectrum_ref(spectrum()), COMPACT, QWEN25).overview()


def inspect(url: str, lists_models: bool, ends_by_time: bool) -> dict[str, Any]:
    """Inspect a spectrum with the model on this server; return all that may be shown or kept."""
    logging.basicConfig(level=logging.INFO, stream=sys.stdout)
    os.environ["SPEC_O3_API_KEY"] = KEY
    went = _connections()
    live: list[str] = []
    silence_s, turn_s = SHORT if ends_by_time else LONG
    try:
        engine = RemoteEngine.connect(
            url,
            None if lists_models else "m",
            timeout_s=silence_s,
            turn_s=turn_s,
            retries=0,
            rng=random.Random(1),
        )
    except WorkbenchError as error:
        return {"went": went, "reason": str(error), "stopped_by": "refused"}
    task = find_task("CV")
    inspector = ModelInspector(engine, ModelRef(name=engine.model, engine="remote"), style=COMPACT)
    trajectory = run(inspector.inspect(spectrum(), task, on_text=live.append))
    inspector.close()
    line = to_line(trajectory)
    assert from_line(line) == trajectory
    shown = [heading(spectrum(), task, trajectory.model), *verdict_lines(trajectory)]
    shown += [each for step in trajectory.steps for each in step_lines(step)]
    kept = repr((engine, engine._servers.first, engine._servers.first.client, trajectory))
    return {
        "went": went,
        "reason": trajectory.stop_reason,
        "stopped_by": trajectory.stopped_by,
        "p_yes": trajectory.p_yes,
        "line": line[:MAX_TEXT],
        "json": json.dumps(inspection_json(trajectory))[:MAX_TEXT],
        "shown": "\n".join(each.plain for each in shown)[:MAX_TEXT],
        "live": "".join(live)[:MAX_TEXT],
        "kept": kept[:MAX_TEXT],
    }


def _connections() -> list[str]:
    """Where this process connects to and which names it looks up, from now on."""
    went: list[str] = []

    def hook(name: str, details: tuple[Any, ...]) -> None:
        if name == "socket.connect":
            went.append("{}:{}".format(*details[1][:2]))
        elif name == "socket.getaddrinfo":
            went.append(f"{details[0]}:{details[1]}")

    sys.addaudithook(hook)
    return went


def command(*arguments: str) -> int:
    """`spec-o3` with these arguments and the key in its environment; the exit status."""
    os.environ["SPEC_O3_API_KEY"] = KEY
    sys.argv = ["spec-o3", *arguments]
    # the sandbox has put pipes in the place of the files that Python has opened at its start
    sys.stdout, sys.stderr = (
        os.fdopen(end, "w", encoding="utf-8", closefd=False) for end in (1, 2)
    )
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


_warm_up()

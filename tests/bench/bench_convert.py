"""Models of the published shapes converted to GGUF: time, memory, sizes, speed of the result.

The weights are random, so nothing is said of answers but by the model in the box, which is
converted from F16. By default the shapes have two layers of true width; SPEC_O3_WHOLE=1 takes all
36 of 3B (20 GB of disk, an hour on two cores).

python -m tests.bench convert
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from agent.convert.forms import GGUF_FORMS
from tests.bench.bench_inspection import MODEL, sample_rows
from tests.bench.measuring import figure_line, told_by
from tests.random_checkpoint import LIKE_3B, LIKE_7B, Widths, make_random_checkpoint

QUANTIZED = tuple(form for form in GGUF_FORMS if form != "f16")
TWO_LAYERS = {"layers": 2, "vision_layers": 2}
PER_CLASS = 3
"""Spectra of the sample for each class."""


def figures() -> Iterator[dict[str, object]]:
    shapes = {"3B": LIKE_3B}
    if os.environ.get("SPEC_O3_WHOLE") != "1":
        published = {"3B": LIKE_3B, "7B": LIKE_7B}
        shapes = {f"{n}, two layers": replace(s, **TWO_LAYERS) for n, s in published.items()}
    for name, widths in shapes.items():
        with tempfile.TemporaryDirectory() as place:
            yield from _of_shape(name, widths, Path(place))
    yield from _of_model(MODEL)


def _of_shape(name: str, widths: Widths, place: Path) -> Iterator[dict[str, object]]:
    folder = make_random_checkpoint(place / "model", widths)
    largest = widths.vocab * widths.hidden * 2
    for kind in QUANTIZED:
        done = child("convert", str(folder), kind, str(place))
        out = Path(done["folder"])
        size = sum(path.stat().st_size for path in out.glob("*.gguf"))
        baseline = f"{done['load']:.0f} others wanted {os.cpu_count()} processors"
        unit = f"s, {done['seconds']:.0f} s by the clock"
        title = f"{name} to {kind}: processor time"
        yield figure_line(title, done["cpu_s"], unit, baseline=baseline)
        unit = f"MB, of which not files {done['peak_own'] / 1e6:.0f}"
        baseline = f"largest tensor in bfloat16 {largest / 1e6:.0f} MB"
        title = f"{name} to {kind}: peak memory"
        yield figure_line(title, done["peak"] / 1e6, unit, baseline=baseline)
        baseline = f"{_stored_bytes(folder) / 1e9:.3g} GB of bfloat16"
        yield figure_line(f"{name} to {kind}: both files", size / 1e9, "GB", baseline=baseline)
        speed = child("ask", str(out), kind, str(place))
        unit = f"written; read {speed['read']:.3g}; {speed['peak'] / 1e9:.2g} GB of memory"
        yield figure_line(f"{name} as {kind}: tokens a second", speed["written"], unit)
        for path in out.iterdir():
            path.unlink()


def _stored_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))


def _of_model(model: str) -> Iterator[dict[str, object]]:
    """The verdicts of a model in the box, in each form against F16."""
    from train.export.reopen import reopen

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / model
        reopen(model, folder)
        first: list[Any] = []
        for kind in GGUF_FORMS:
            out = child("convert", str(folder), kind, place)["folder"]
            verdicts = child("judge", out, kind, place)["verdicts"]
            first = first or verdicts
            pairs = list(zip(first, verdicts, strict=True))
            yield figure_line(
                f"{model} as {kind}: the verdicts of F16",
                sum(one[0] == other[0] for one, other in pairs),
                f"of {len(pairs)} inspections",
                baseline="mean difference of p(YES) "
                f"{math.fsum(abs(one[1] - other[1]) for one, other in pairs) / len(pairs):.2g}",
            )


def child(what: str, *words: str) -> dict[str, Any]:
    """Run one of the functions below in a process of its own, so that its memory is its own."""
    environment = {**os.environ, "SPEC_O3_MODELS": f"{words[-1]}/models"}
    command = ("-m", "tests.bench.bench_convert", what, *words)
    found: dict[str, Any] = told_by(*command, environment=environment)
    return found


def convert(folder: str, kind: str, place: str) -> dict[str, Any]:
    from agent.convert.model import convert_model

    own = 0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal own
        own = max(own, _status("RssAnon"))

    result = convert_model(folder, kind, progress, compare=False)  # type: ignore[arg-type]
    return {"folder": str(result.location.folder), "seconds": result.seconds, "peak_own": own}


def ask(folder: str, kind: str, place: str) -> dict[str, Any]:
    """A picture and a few words: how fast is it read, and how fast does it answer?"""
    from agent.convert.episodes import RandomEpisode
    from agent.convert.model import measure_speed
    from agent.engines.gguf.engine import GgufEngine
    from agent.protocol.protocol import Turn

    engine = GgufEngine.load(
        Path(folder) / f"model-{kind}.gguf", Path(folder) / "mmproj-f16.gguf", context_length=2048
    )
    turns = (Turn("user", "Is it a cataclysmic variable? " * 4, picture=0),)
    picture = Image.linear_gradient("L").resize((504, 336)).convert("RGB")
    speed = measure_speed(engine, RandomEpisode(turns, (picture,)))
    engine.close()
    return {"read": speed.read, "written": speed.written}


def judge(folder: str, kind: str, place: str) -> dict[str, Any]:
    """Verdict and p(YES) of spectra of the sample, asked about each class the model knows."""
    from agent.inspection.inspector import run
    from agent.inspection.inspector_factory import make_inspector
    from agent.models.registry import model_at
    from agent.spectra.readers import read
    from agent.tasks.catalogue import find_task

    listed = sample_rows()
    inspector = make_inspector(folder, threads=1)
    found = []
    for number, task in enumerate(model_at(Path(folder)).card.tasks):
        for path, row in listed[number :: len(listed) // PER_CLASS][:PER_CLASS]:
            trajectory = run(inspector.inspect(read(path, row), find_task(task)))
            found.append((trajectory.verdict, trajectory.p_yes or 0.0))
    inspector.close()
    return {"verdicts": found}


def _status(key: str) -> int:
    """A size that Linux keeps of this process, in bytes; 0 elsewhere."""
    path = Path("/proc/self/status")
    if not path.exists():
        return 0
    lines = dict(line.split(":", 1) for line in path.read_text().splitlines())
    return int(lines[key].split()[0]) * 1024


def main(what: str, *words: str) -> None:
    result = {"convert": convert, "ask": ask, "judge": judge}[what](*words)
    used = os.times()
    about = {"cpu_s": used.user + used.system, "peak": _status("VmHWM")}
    print(json.dumps({**result, **about, "load": os.getloadavg()[0]}))


if __name__ == "__main__":
    main(*sys.argv[1:])

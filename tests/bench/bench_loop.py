"""What the loop adds to the engine's time: reading turns, drawing, measuring, recording."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from agent.engines.base import Conversation, Engine, Generated, SamplingSettings
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.protocol.rules import OURS, Rules
from agent.rendering.render import COMPACT
from agent.spectra.readers import read
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from tests.agent.scenes import answer, call
from tests.bench.measuring import figure_line
from tests.small_models import FOUR_MILLION, make_folder

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "spectra"
THOUGHT = (
    "The continuum rises to the blue and there may be emission near 6565. I zoom into the window "
    "of the line to see its width and whether helium stands beside it."
)
REPLIES = (
    call(6400, 6750, "H alpha and He I 6678", THOUGHT),
    call(4600, 4950, "H beta and He II 4686", THOUGHT),
    call(3900, 4500, "H gamma, H delta and the blue continuum", THOUGHT),
    answer("YES", "Broad emission of hydrogen and helium on a blue continuum without a break."),
)
TOKENS_A_TURN = 90
REPEATS = 5


class Prompted:
    """An engine whose conversations compute in full and then say what they are told."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.sizing = engine.sizing

    def open(self, rules: Rules = OURS) -> Conversation:
        conversation = self.engine.open(rules)
        speak, replies = conversation.generate, iter(REPLIES)

        def generate(sampling: SamplingSettings, seed: int = 0, **options: object) -> Generated:
            length = replace(sampling, max_new_tokens=TOKENS_A_TURN)
            said = speak(length, seed, **{**options, "stop": ()})
            return replace(said, text=next(replies), finish="stop")

        conversation.generate = generate
        return conversation

    def close(self) -> None:
        self.engine.close()


def figures() -> Iterator[dict[str, object]]:
    from agent.engines.hf.engine import TransformersEngine

    with tempfile.TemporaryDirectory() as place:
        folder = make_folder(Path(place) / "model", "qwen2.5-vl", FOUR_MILLION)
        yield from _share("transformers", TransformersEngine.load(folder, device="cpu", threads=1))
        from agent.engines.gguf.engine import GgufEngine
        from train.export.export import export_gguf

        report = export_gguf(folder, Path(place) / "gguf", lm_type="f16", mmproj_type="f16")
        words, pictures = (
            report.folder / file.name for file in (report.language_model, report.mmproj)
        )
        yield from _share("gguf", GgufEngine.load(words, pictures, threads=1))


def _share(name: str, engine: Engine) -> Iterator[dict[str, object]]:
    spectrum = read(sorted(SAMPLE.glob("*/*"))[0])
    inspector = ModelInspector(Prompted(engine), ModelRef(name=name), style=COMPACT)
    records = [run(inspector.inspect(spectrum, find_task("CV"))) for _ in range(REPEATS + 1)][1:]
    inspector.close()
    assert all(record.verdict == "YES" and len(record.looks) == 3 for record in records)
    outside = median((each.seconds - each.engine_seconds) / each.seconds for each in records)
    baseline = f"{median(each.seconds for each in records):.2f} s, 4 M parameters, one thread"
    title = f"{name}: time outside the engine"
    yield figure_line(title, 100.0 * outside, "% of an inspection with 3 looks", baseline=baseline)

"""What an inspection costs in llama.cpp: tokens read twice, the third turn, reading and speaking.

One thread, a model of 4 million parameters in float16.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from agent.convert.episodes import RandomEpisode, random_episode
from agent.engines.base import SamplingSettings
from agent.engines.gguf.engine import GgufConversation, GgufEngine
from agent.protocol.protocol import Turn
from agent.rendering.render import COMPACT
from tests.bench.measuring import figure_line, seconds_of
from tests.small_models import FOUR_MILLION, make_folder
from train.export.export import export_gguf
from train.models.small_model import FamilyName

FAMILIES: tuple[FamilyName, ...] = ("qwen2.5-vl", "qwen3-vl")
SPOKEN = 90
"""Tokens a turn."""
REPEATS = 5


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as place:
        for family in FAMILIES:
            folder = make_folder(Path(place) / family, family, FOUR_MILLION)
            report = export_gguf(folder, folder / "gguf")
            files = [folder / "gguf" / each.name for each in (report.language_model, report.mmproj)]
            loading = seconds_of(lambda files=files: GgufEngine.load(*files, threads=1).close())
            engine = GgufEngine.load(*files, threads=1)
            baseline = f"{sum(file.stat().st_size for file in files) / 1e6:.0f} MB"
            yield figure_line(f"{family}: load and free", 1000.0 * loading, "ms", baseline=baseline)
            yield from _of_engine(family, engine, random_episode(1, engine.sizing, COMPACT))
            engine.close()


def _of_engine(
    name: str, engine: GgufEngine, episode: RandomEpisode
) -> Iterator[dict[str, object]]:
    turns = [turn for turn in episode.turns if turn.role != "assistant"]
    conversation, _ = _inspected(engine, turns, episode)
    usage = conversation.usage
    unit = f"ratio, at {conversation.context_tokens} tokens, 3 turns, 3 pictures"
    title = f"{name}: tokens computed for each token of the conversation"
    value = usage.evaluated / conversation.context_tokens
    yield figure_line(title, value, unit, baseline="wanted: <= 1.02")
    conversation.close()
    again = median(seconds_of(lambda: _anew(engine, turns, episode)) for _ in range(REPEATS))
    third = median(seconds[-1] for _, seconds in _several(engine, turns, episode))
    unit = "times faster than reading the whole conversation again"
    baseline = f"{1000 * third:.1f} ms against {1000 * again:.1f} ms"
    yield figure_line(f"{name}: reading the third turn", again / third, unit, baseline=baseline)
    yield from _of_tokens(name, engine, turns, episode)


def _inspected(
    engine: GgufEngine, turns: list[Turn], episode: RandomEpisode
) -> tuple[GgufConversation, list[float]]:
    """An inspection of three turns, and the seconds each took to read."""
    conversation = engine.open()
    seconds = []
    for said, pictures in (
        (turns[:2], episode.pictures[:1]),
        (turns[2:3], episode.pictures[1:2]),
        (turns[3:4], episode.pictures[2:3]),
    ):
        seconds.append(seconds_of(lambda said=said, p=pictures: conversation.append(said, p)))
        conversation.generate(SamplingSettings(max_new_tokens=SPOKEN))
    return conversation, seconds


def _several(
    engine: GgufEngine, turns: list[Turn], episode: RandomEpisode
) -> Iterator[tuple[GgufConversation, list[float]]]:
    for _ in range(REPEATS):
        conversation, seconds = _inspected(engine, turns, episode)
        conversation.close()
        yield conversation, seconds


def _anew(engine: GgufEngine, turns: list[Turn], episode: RandomEpisode) -> None:
    """Read all that was said up to the third turn at once."""
    conversation = engine.open()
    words = Turn("assistant", " ".join(["look"] * SPOKEN))
    said = [*turns[:2], words, turns[2], words, turns[3]]
    conversation.append(said, episode.pictures)
    conversation.close()


def _of_tokens(
    name: str, engine: GgufEngine, turns: list[Turn], episode: RandomEpisode
) -> Iterator[dict[str, object]]:
    conversation = engine.open()
    reading = seconds_of(lambda: conversation.append(turns[:1], []))
    tokens = conversation.usage.prompt
    seeing = seconds_of(lambda: conversation.append([turns[2]], episode.pictures[:1]))
    mark = conversation.mark()
    speaking = median(
        seconds_of(lambda: _speak(conversation, mark)) / SPOKEN for _ in range(REPEATS)
    )
    conversation.close()
    width, height = episode.pictures[0].size
    yield figure_line(f"{name}: reading text", tokens / reading, "tokens/s")
    yield figure_line(f"{name}: reading a picture of {width} x {height}", 1000.0 * seeing, "ms")
    yield figure_line(f"{name}: speaking", 1000.0 * speaking, "ms a token")


def _speak(conversation: GgufConversation, mark: object) -> None:
    conversation.rewind(mark)
    conversation.generate(SamplingSettings(max_new_tokens=SPOKEN))

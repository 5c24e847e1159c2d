"""Random conversations in the agent's form, about invented spectra, to compare two engines on.

Their words are random: the engines only need to agree on the probabilities of the next token.
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.protocol.protocol import Turn
from agent.protocol.tool import call_text
from agent.rendering.model_image import Sizing
from agent.rendering.render import COMPACT, PUBLISHED
from agent.rendering.style import Style
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import load_tasks

LOOKS = 2
LABELS = ("H alpha", "TiO band head", "Ca II K, λ 3934 Å", "C2 Swan (5165)", "He I 5876?")
# Every fifth episode has the large pictures of the published model.
PUBLISHED_EVERY = 5


@dataclass(frozen=True)
class RandomEpisode:
    """Turns up to the box where the verdict would follow, and their pictures."""

    turns: tuple[Turn, ...]
    pictures: tuple[Image.Image, ...]


def random_episode(seed: int, sizing: Sizing, style: Style | None = None) -> RandomEpisode:
    """The overview, two tool calls and the start of an answer.

    Without the `style` of a model, ours and the published one are used.
    """
    random = np.random.default_rng(seed)
    if style is None:
        style = PUBLISHED if seed % PUBLISHED_EVERY == 0 else COMPACT
    spectrum = _invented_spectrum(random)
    maker = PictureMaker.of(spectrum, spectrum_ref(spectrum), style, sizing)
    tasks = load_tasks()
    turns = list(maker.opening(tasks[seed % len(tasks)]))
    pictures = [maker.overview()]
    for number in range(1, LOOKS + 1):
        low = round(float(random.uniform(3900, 8500)), 1)
        width = float(random.choice([40.0, 90.0, 300.0, 1500.0]))
        label = str(random.choice(LABELS))
        arguments = {"wavelength_range": [low, round(low + width, 1)], "label": label}
        thought = f"<think>\nLook {number}: {label} near {low} Å.\n</think>\n"
        turns.append(
            Turn("assistant", f"{thought}<tool_call>\n{call_text(arguments)}\n</tool_call>")
        )
        picture, result = maker.look(arguments)
        turns.append(Turn("tool", result.text, picture=number))
        pictures.append(picture)
    turns.append(Turn("assistant", "<think>\nEnough was seen.\n</think>\n<answer>\\boxed{"))
    return RandomEpisode(tuple(turns), tuple(pictures))


def _invented_spectrum(random: np.random.Generator) -> Spectrum:
    wavelength = np.linspace(3800.0, 9100.0, 3000)
    flux = (wavelength / 6000.0) ** random.uniform(-3, 3)
    for _ in range(12):
        centre, width = random.uniform(3900, 9000), random.choice([2.0, 10.0, 60.0])
        depth = random.uniform(-0.7, 1.5)
        flux = flux * (1 + depth * np.exp(-0.5 * ((wavelength - centre) / width) ** 2))
    flux = flux + random.normal(0, 0.05, wavelength.size)
    return Spectrum(wavelength=wavelength, flux=flux, object_id="made up", simulated=True)

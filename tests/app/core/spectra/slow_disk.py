"""A reader that waits until it is let, and what it reads."""

import threading
from collections import Counter

import numpy as np

from agent.spectra.spectrum import Spectrum
from app.core.spectra.prefetch import BYTES_PER_PIXEL, ERROR_BYTES, SpectrumKey
from tests.processes import LONG_S

PIXELS = 100
SIZE = ERROR_BYTES + PIXELS * (16 + BYTES_PER_PIXEL)


def spectrum(number, pixels=PIXELS):
    return Spectrum(
        wavelength=np.linspace(4000, 9000, pixels), flux=np.full(pixels, float(number)), row=number
    )


def keys(count):
    return [SpectrumKey(number, f"/nowhere/{number}.fits") for number in range(count)]


class Disk:
    """A reader that waits for permission, and remembers what was asked of it."""

    def __init__(self, is_open=True):
        self.lock = threading.Lock()
        self.begun = []
        self.arrived = threading.Condition(self.lock)
        self.gates = Counter()
        self.is_open = is_open

    def read(self, key):
        with self.lock:
            self.begun.append(key.candidate_id)
            self.arrived.notify_all()
            assert self.arrived.wait_for(
                lambda: self.is_open or self.gates[key.candidate_id] > 0, LONG_S
            )
        return spectrum(key.candidate_id)

    def wait_until_begun(self, count):
        with self.lock:
            assert self.arrived.wait_for(lambda: len(self.begun) >= count, LONG_S)

    def let(self, *numbers):
        with self.lock:
            for number in numbers:
                self.gates[number] += 1
            self.is_open = self.is_open or not numbers
            self.arrived.notify_all()

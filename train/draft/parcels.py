"""Examples on their way to another process: a spectrum's own header does not travel."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from agent.spectra.spectrum import Spectrum
from train.examples import Example

LEFT_BEHIND = "meta"


@dataclass(frozen=True, eq=False)
class Parcel:
    spectrum: dict[str, Any]
    rest: dict[str, Any]

    @classmethod
    def of(cls, example: Example) -> Parcel:
        spectrum = {
            each.name: getattr(example.spectrum, each.name)
            for each in fields(Spectrum)
            if each.name != LEFT_BEHIND
        }
        rest = {
            each.name: getattr(example, each.name)
            for each in fields(Example)
            if each.name != "spectrum"
        }
        return cls(spectrum, rest)

    def opened(self) -> Example:
        return Example(spectrum=Spectrum(**self.spectrum), **self.rest)

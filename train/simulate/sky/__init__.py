"""The simulated sky: noiseless spectra of every class."""

from train.simulate.sky.draw import LABELS, draw_source

__all__ = ["LABELS", "draw_source"]

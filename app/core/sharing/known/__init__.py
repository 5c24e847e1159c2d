"""Hides spectra of known class among the candidates, to measure how well people judge."""

"""Magnitudes as fluxes, and the magnitudes that a spectrum would have."""

"""Labelled real stars that were not used to build the simulator."""

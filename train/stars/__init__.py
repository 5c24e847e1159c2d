"""Real stars that the simulator was not measured on."""

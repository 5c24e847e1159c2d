"""Real stars that neither the simulator was measured on nor anything was chosen by."""

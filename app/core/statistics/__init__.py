"""Statistics of a session: agreement, pace, drift, repeats and calibration."""

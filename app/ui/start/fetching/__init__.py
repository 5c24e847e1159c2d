"""The window and the archives: spectra by number or place, and missing files."""

"""Fetching spectra from archives into a folder, for lists and for sessions."""

"""Sharing the list out among people."""

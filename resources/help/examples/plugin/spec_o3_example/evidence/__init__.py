"""Catalogues: one service file each."""

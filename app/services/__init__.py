"""Asks services on the network about a position or an object: catalogues, archives, pictures."""

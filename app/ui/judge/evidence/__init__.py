"""What catalogues and archives know of the current object."""

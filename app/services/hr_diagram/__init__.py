"""Where a star is in the Hertzsprung-Russell diagram of Gaia, and where others are."""

"""What catalogues know of a position: one query for many candidates, answers with their source."""

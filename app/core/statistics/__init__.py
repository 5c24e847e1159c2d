"""Who agrees with whom, how well, since when; and what to do where they do not."""

"""One model of several checkpoints of a run: the mean of their weights."""

"""Classes: one task file each."""

"""Commands for people who share the work."""

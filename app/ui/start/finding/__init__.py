"""The window and surveys: a search in a folder, what it finds, and a choice of it."""

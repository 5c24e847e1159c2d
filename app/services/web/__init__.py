"""Requests to foreign servers with limits on time, size and pace."""

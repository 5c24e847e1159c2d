"""Commands that ask services, and what they share."""

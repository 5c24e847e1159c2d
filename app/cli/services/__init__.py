"""Commands that ask services, or are one, and what they share."""

"""A reader study: what people find without an agent and with it, by a plan frozen beforehand."""

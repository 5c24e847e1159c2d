from tests.agent.curation.pools import drafts, example_set, pool

__all__ = ["drafts", "example_set", "pool"]

from tests.agent.curation.pools import (
    drafts,
    example_set,
    many_drafts,
    pairs,
    pool,
    quoted_drafts,
    quoted_pairs,
)

__all__ = ["drafts", "example_set", "many_drafts", "pairs", "pool", "quoted_drafts", "quoted_pairs"]

from tests.train.review.night import night
from tests.train.review.pools import (
    cluster,
    drafts,
    example_set,
    many_drafts,
    pairs,
    place,
    placed_pool,
    pool,
    quoted_drafts,
    quoted_pairs,
)

__all__ = [
    "cluster",
    "drafts",
    "example_set",
    "many_drafts",
    "night",
    "pairs",
    "place",
    "placed_pool",
    "pool",
    "quoted_drafts",
    "quoted_pairs",
]

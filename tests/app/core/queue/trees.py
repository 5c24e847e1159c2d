"""Filters of every kind, for hypothesis to draw from."""

from hypothesis import strategies as st

from app.core.queue import filters
from app.core.queue.sorts import SORT_KEYS, Sort
from app.core.session.records import Verdict
from tests.app.core.queue.scenes import SHA

TEXTS = st.sampled_from(
    [
        *("binary", "BIN", "50%", "%", "_", "a_b", "'", '"', "'; DROP TABLE candidates; --"),
        *("\\", "星", "J0001", "j0001", "17", "17.0", "true", "star", "/", "no such file", "x y"),
    ]
)
COLUMNS = st.sampled_from(["mag r", "class", "seen", 'odd "na.me', "none of these", "$.x", "'"])
VERDICTS = st.sampled_from([*Verdict, None])
ORDERED = st.sampled_from(["=", "<", ">", "<=", ">="])
VALUES = st.sampled_from([0.0, 0.5, 0.25, -1.5, 17.0, 100.0, 1e300, -1e300, 3.0])
SHAS = st.sampled_from([None, SHA, "cd" * 32, ""])
LEAVES = st.one_of(
    st.just(filters.EVERYTHING),
    st.builds(filters.MyVerdict, VERDICTS),
    st.builds(filters.AnyVerdict, VERDICTS),
    st.builds(filters.AgentVerdict, st.sampled_from(filters.ANSWERS)),
    st.builds(filters.Number, st.sampled_from(filters.NUMBER_FIELDS), ORDERED, VALUES),
    st.builds(
        filters.Words,
        st.sampled_from(filters.TEXT_FIELDS),
        st.sampled_from(["=", "contains"]),
        TEXTS,
    ),
    st.builds(filters.OwnColumnFilter, COLUMNS, st.sampled_from(["=", "contains"]), TEXTS),
    st.builds(filters.OwnColumnFilter, COLUMNS, ORDERED, st.sampled_from(["17", "16.5", "-1e5"])),
    st.builds(filters.Flag, st.sampled_from(["star", 'a "flag"', "none"])),
    st.builds(filters.Anywhere, TEXTS),
    st.builds(filters.Disagree, st.sampled_from(filters.BETWEEN)),
    st.builds(filters.Has, st.sampled_from(filters.THINGS)),
    st.builds(filters.InList, st.sampled_from([1, 2, 3])),
    st.builds(filters.InspectedBy, st.sampled_from(["nano", "other"]), SHAS),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(filters.Not, inner),
        st.builds(filters.And, st.lists(inner, min_size=2, max_size=4).map(tuple)),
        st.builds(filters.Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
SORTS = st.builds(
    Sort, st.sampled_from([key for key in SORT_KEYS if key != "random"]), st.booleans()
)

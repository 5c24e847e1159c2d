from __future__ import annotations

import pytest

from app.core.errors import SessionError
from app.core.inspections.share import Share


def test_a_share_is_read():
    assert Share.parse("2/4") == Share(2, 4)
    assert Share.parse(" 1/1 ").has(17)


@pytest.mark.parametrize("text", ["", "0/4", "5/4", "2", "2/0", "-1/4", "1/99999", "a/b", "٢/٤"])
def test_what_is_no_share_is_refused(text):
    with pytest.raises(SessionError, match="no share: write 2/4"):
        Share.parse(text)


def test_each_number_is_in_one_share():
    for number in range(1, 60):
        assert sum(Share(part, 7).has(number) for part in range(1, 8)) == 1

from agent.tasks.catalogue import find_task
from app.core.sharing.known.labelled_list import read_labelled
from tests.app.core.importing.lists import listed, text_of


def test_a_late_cell_of_another_kind_is_read_all_the_same(tmp_path):
    rows = [(f"o{n}", f"{n}.fits", "CV" if n % 2 else "star", n) for n in range(18_000)]
    rows[-1] = (*rows[-1][:3], "later")
    path = listed(tmp_path, text_of(rows, ("name", "path", "class", "count")))
    found = read_labelled(path, find_task("CV"))
    assert len(found) == len(rows)
    assert found[-1].own == {"count": "later"}
    assert sum(each.is_member for each in found) == len(rows) // 2

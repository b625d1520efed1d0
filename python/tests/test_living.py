"""An index in a folder: added to, removed from, searched meanwhile."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import summand

SPEC = "IVF8,LOCQ4,Refine(fp32)"


@pytest.fixture
def living(x):
    with summand.LivingIndex.create("living", x, SPEC) as index:
        yield index


def test_what_is_added_is_found_as_in_one_index(living, x, queries):
    assert living.add(x[:700]).tolist() == list(range(700))
    assert living.add(x[700:], ids=np.arange(700, 2000, dtype=np.uint16)).tolist() == list(range(700, 2000))
    found, expected = living.search(queries, k=9), summand.build(x, SPEC).search(queries, k=9)
    assert (found.ids == expected.ids).all() and (found.scores == expected.scores).all()
    assert living.search(queries[0], k=2).ids.shape == (2,)
    assert len(living.search_range(queries, radius=8.0)) == 100


def test_ids_come_and_go(living, x, queries):
    living.add(x, ids=range(1000, 3000))
    assert 1000 in living and 999 not in living and len(living) == 2000
    assert living.remove([1000, 5]) == 1 and living.remove(1001) == 1 and 1000 not in living
    assert living.remove(summand.Filter(range(1000, 1100))) == 98
    assert (living.search(queries, k=50).ids >= 1100).all()
    assert (living.search(queries, k=5, filter=[2000, 2001]).counts == 2).all()
    living.update(queries[:2], ids=[2000, 2001])
    assert living.search(queries[:2], k=1, probes=8, refine=2000).ids.ravel().tolist() == [2000, 2001]
    living.add(queries[2], ids=2000, replace=True)
    assert living.search(queries[2], k=1, probes=8, refine=2000).ids[0] == 2000
    assert living.add(x[:1]).tolist() == [3000]


def test_ids_may_be_texts(x, queries):
    with summand.LivingIndex.create("texts", x, "PQ4,Refine(fp32)") as living:
        names = [f"photo {i} ä" for i in range(1000)]
        assert living.add(x[:1000], ids=names) == names
        living.update(queries[0], ids=np.array(["photo 7 ä"]))
        assert living.search(queries[0], k=1, refine=1000).ids.tolist() == ["photo 7 ä"]
        found = living.search(queries, k=3, filter=["photo 3 ä", "none"])
        assert found.ids.shape == (100, 3) and (found.counts == 1).all()
        assert set(found.ids.ravel()) == {"photo 3 ä", None}
        assert set(living.search_range(queries[:1], radius=1e9)[0][0]) == set(names)
        assert living.remove(found.ids[0][:1]) == 1 and "photo 3 ä" not in living and "photo 4 ä" in living
        with pytest.raises(summand.Error, match="which are texts"):
            living.search(queries, filter=[3])
        with pytest.raises(summand.Error, match="are texts"):
            living.add(x[:1])
        with pytest.raises(summand.Error, match="control character"):
            living.add(x[:1], ids=["a\n"])
    assert "photo 4 ä" in summand.open("texts")


def test_wrong_ids_change_nothing(living, x):
    living.add(x[:10])
    with pytest.raises(summand.Error, match="9"):
        living.add(x[:2], ids=[50, 9])
    with pytest.raises(summand.Error, match="77"):
        living.update(x[:1], ids=[77])
    with pytest.raises(summand.Error, match="whole numbers"):
        living.add(x[:1], ids=[0.5])
    with pytest.raises(summand.Error):
        living.add(x[:2], ids=[50])
    assert len(living) == 10 and 50 not in living


def test_other_processes_see_what_is_committed(living, x):
    reader = summand.open("living")
    assert isinstance(reader, summand.LivingIndex) and len(reader) == 0
    living.set_commit_every(0)
    living.add(x)
    assert not reader.refresh()
    living.commit()
    assert reader.refresh() and len(reader) == 2000
    script = "import summand; print(len(summand.open('living')))"
    assert subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout == "2000\n"
    with pytest.raises(summand.Error):
        reader.add(x[:1])


def test_one_writer_at_a_time(living):
    with pytest.raises(summand.Error):
        summand.LivingIndex.open("living", write=True)
    living.close()
    with summand.LivingIndex.open("living", write=True) as again:
        assert len(again) == 0
    with pytest.raises(summand.Error, match="closed"):
        living.search([[0.0] * 16])


def test_compact_drops_what_was_removed(living, x, queries):
    for first in range(0, 2000, 500):
        living.add(x[first : first + 500])
    living.remove(range(100))
    expected = living.search(queries, k=5)
    assert living.info()["removed"] == 100 and len(living.info()["segments"]) == 4
    living.compact()
    assert living.info()["removed"] == 0 and len(living.info()["segments"]) == 1
    assert (living.search(queries, k=5).ids == expected.ids).all()
    with pytest.raises(summand.Error, match="all or tiers"):
        living.compact("some")


def test_searches_go_on_while_vectors_come(living, x, queries):
    living.add(x[:100])
    wrong = []

    def search():
        for _ in range(50):
            found = living.search(queries, k=5)
            wrong.extend(found.ids[(found.ids < 0) | (found.ids >= len(living))])

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for first in range(100, 2000, 100):
        living.add(x[first : first + 100])
    for thread in threads:
        thread.join()
    assert not wrong and len(living) == 2000


def test_repr(living):
    assert repr(living) == "<summand.LivingIndex IVF8,LOCQ4,Refine(fp32): 0 vectors of 16 dimensions, euclidean>"

"""Vectors in every form give the index that an array of 32-bit floats gives."""

import subprocess
import sys

import numpy as np
import pytest

import summand


def bytes_of(vectors, **options):
    return summand.build(vectors, "PQ4", **options).to_bytes()


@pytest.fixture(scope="module")
def whole():
    """Whole numbers that every type holds."""
    return np.random.default_rng(5).integers(0, 100, (600, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def expected(whole):
    return bytes_of(whole)


@pytest.mark.parametrize("dtype", "float16 float64 uint8 int8 uint16 int16 uint32 int32 uint64 int64 >f4 >f8".split())
def test_number_types(whole, expected, dtype):
    assert bytes_of(whole.astype(dtype)) == expected


def test_bfloat16_of_ml_dtypes(whole, expected):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert bytes_of(whole.astype(ml_dtypes.bfloat16)) == expected


def test_halves_are_converted_exactly():
    bits = np.arange(0x7C00, dtype=np.uint16).reshape(-1, 8)
    halves = np.concatenate([bits, bits | 0x8000]).view(np.float16)
    summand.write_vectors("halves.fvecs", halves)
    assert (summand.read_vectors("halves.fvecs") == halves.astype(np.float32)).all()


def test_strides(whole, expected):
    assert bytes_of(np.asfortranarray(whole)) == expected
    assert bytes_of(np.repeat(whole, 3, axis=0)[::3]) == expected
    assert bytes_of(np.repeat(whole, 2, axis=1)[:, ::2]) == expected
    assert bytes_of(whole[::-1][::-1]) == expected
    assert bytes_of(whole[::-1]) == bytes_of(whole[::-1].copy())


def test_arrays_that_may_not_be_written(whole, expected):
    frozen = whole.copy()
    frozen.flags.writeable = False
    assert bytes_of(frozen) == expected


def test_lists_and_tuples(whole, expected):
    assert bytes_of(whole.tolist()) == expected
    assert bytes_of([tuple(row) for row in whole.tolist()]) == expected


def test_memory_maps_and_files(whole, expected):
    np.save("base.npy", whole)
    assert bytes_of(np.load("base.npy", mmap_mode="r")) == expected
    assert bytes_of("base.npy") == expected
    summand.write_vectors("base.fvecs", whole)
    assert bytes_of("base.fvecs") == expected


def test_tensors_by_dlpack(whole, expected):
    class Tensor:
        def __dlpack__(self, **options):
            return whole.__dlpack__(**options)

        def __dlpack_device__(self):
            return whole.__dlpack_device__()

    assert bytes_of(Tensor()) == expected


def test_torch(whole, expected):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(whole)
    assert bytes_of(tensor) == bytes_of(tensor.to(torch.bfloat16)) == bytes_of(tensor.half()) == expected
    try:   # torch 2.15 gives the values of a tensor that needs a gradient; where one refuses, our error says why
        assert bytes_of(tensor.clone().requires_grad_()) == expected
    except summand.Error as error:
        assert "needs no gradient" in str(error)


def test_arrow_columns(whole, expected):
    pa = pytest.importorskip("pyarrow")
    flat = pa.array(whole.ravel())
    fixed = pa.FixedSizeListArray.from_arrays(flat, 8)
    lists = pa.array(whole.tolist(), type=pa.list_(pa.float32()))
    large = pa.array(whole.tolist(), type=pa.large_list(pa.float64()))
    halves = pa.FixedSizeListArray.from_arrays(pa.array(whole.ravel().astype(np.float16)), 8)
    bytes_ = pa.FixedSizeListArray.from_arrays(pa.array(whole.ravel().astype(np.uint8)), 8)
    for column in (fixed, lists, large, halves, bytes_):
        assert bytes_of(column) == expected
        twice = pa.concat_arrays([column[:3], column])
        assert bytes_of(twice[3:]) == expected  # an offset
        chunks = pa.chunked_array([column[:100], column[100:101], column[101:]])
        assert bytes_of(chunks) == expected
        table = pa.table({"id": pa.array(range(600)), "vector": chunks})
        assert bytes_of(table) == bytes_of(table["vector"]) == expected
        assert bytes_of(table.slice(0, 600)) == expected
        assert bytes_of(pa.concat_tables([table.slice(5, 7), table]).slice(7)) == expected
        batch = pa.RecordBatch.from_arrays([column], names=["vector"])
        assert bytes_of(batch) == expected
        assert bytes_of(pa.concat_arrays([column[:3], column])) == bytes_of(np.concatenate([whole[:3], whole]))


def test_arrow_columns_that_are_no_vectors():
    pa = pytest.importorskip("pyarrow")
    for column, words in [
        (pa.array([[1.0, 2.0], [3.0]]), "lists of 2 values as in the first row of the Arrow column, got 1 in row 1"),
        (pa.array([[1.0, 2.0], None]), "row 1 of the Arrow column is null"),
        (pa.array([[1.0, None], [3.0, 4.0]], type=pa.list_(pa.float32(), 2)), "value 1 of the Arrow column is null"),
        (pa.array([1.0, 2.0]), "column of lists of numbers, got format 'g'"),
        (pa.array([["a"]]), "column of lists of numbers"),
        (pa.table({"a": [[1.0]], "b": [[2.0]]}), 'several columns of lists; give one of them, as in table\\["b"\\]'),
    ]:
        with pytest.raises(summand.Error, match=words):
            summand.build(column, "PQ1")


def test_polars(whole, expected):
    pl = pytest.importorskip("polars")
    series = pl.Series("vector", whole, dtype=pl.Array(pl.Float32, 8))
    assert bytes_of(series) == expected
    assert bytes_of(series.cast(pl.List(pl.Float32))) == expected
    assert bytes_of(pl.DataFrame({"id": range(600), "vector": series})) == expected


def test_parquet(whole, expected):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    column = pa.array(whole.tolist(), type=pa.list_(pa.float32()))
    pq.write_table(pa.table({"other": pa.array(range(600)), "vector": column}), "base.parquet", row_group_size=100)
    assert bytes_of("base.parquet:vector") == bytes_of("base.parquet") == expected
    assert bytes_of(pq.ParquetFile("base.parquet")) == expected
    dataset = pytest.importorskip("pyarrow.dataset").dataset("base.parquet")
    assert bytes_of(dataset) == expected
    with pytest.raises(summand.Error, match="missing.parquet"):
        summand.build("missing.parquet")


def test_hdf5(whole, expected):
    h5py = pytest.importorskip("h5py")
    with h5py.File("base.hdf5", "w") as file:
        dataset = file.create_dataset("train", data=whole.astype(np.float64))
        assert bytes_of(dataset) == expected


def test_batches(whole, expected):
    parts = [whole[:10], whole[10:300].astype(np.float16), whole[300:].tolist()]
    begun = []

    def begin():
        begun.append(True)
        return iter(parts)

    assert bytes_of(begin) == expected and len(begun) > 1
    assert bytes_of(iter(parts)) == expected
    assert bytes_of(part for part in parts) == expected


def test_batches_that_are_wrong(whole):
    with pytest.raises(summand.Error, match="at least one"):
        summand.build(iter([]))
    with pytest.raises(summand.Error, match="rows of 8 values as in the first batch, got 4"):
        summand.build(iter([whole, whole[:, :4]]))
    with pytest.raises(summand.Error, match="rows of 8 values as in the first batch, got 4"):
        summand.build(lambda: [whole, whole[:, :4]], "PQ4")

    def broken():
        yield whole
        raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        summand.build(broken)


def test_an_error_of_a_batch_while_building_is_the_callers(whole):
    passes = []

    def begin():
        passes.append(True)
        yield whole[:300]
        if len(passes) > 2:
            raise RuntimeError("the disk is gone")
        yield whole[300:]

    with pytest.raises(RuntimeError, match="the disk is gone"):
        summand.build(begin, "PQ4")


@pytest.mark.parametrize(
    "given, words",
    [
        (np.zeros((3, 4, 5), np.float32), "3"),
        (np.float32(3), "expected an array of 2 dimensions"),
        (np.zeros((3, 4), np.complex64), "complex64"),
        (np.zeros((3, 4), bool), "bool"),
        (np.array([["a", "b"]]), "expected numbers"),
        ([[1, 2], [3]], "rows of numbers"),
        (object(), "rows of numbers"),
        ("base.unknown", "base.unknown"),
    ],
    ids=str,
)
def test_what_is_no_vectors_is_refused(given, words):
    with pytest.raises(summand.Error, match=words):
        summand.build(given)


def test_values_that_are_not_finite_name_their_row(whole):
    wrong = whole.copy()
    wrong[17, 3] = np.inf
    with pytest.raises(summand.Error, match="row 17"):
        summand.build(wrong, "PQ4")


PEAK = """
import resource, sys
import numpy as np
import summand
rows = 800_000
x = np.zeros((rows, 64), np.float32)
for first in range(0, rows, 10_000):
    x[first:first + 10_000] = np.random.default_rng(first).standard_normal((10_000, 64), dtype=np.float32)
summand.build(x[:10_000], "PQ4(iterations=2)", learn_size=2000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
summand.build(x, "PQ4(iterations=2)", learn_size=2000)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / x.nbytes)
"""


def test_a_build_makes_no_copy_of_an_array():
    share = float(subprocess.run([sys.executable, "-c", PEAK], check=True, capture_output=True, text=True).stdout)
    assert share < 0.75  # two pieces of 64 MB where the array takes 205 MB


PARQUET = """
import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import summand
def group(i):
    values = np.random.default_rng(i).standard_normal(40_000 * 64, dtype=np.float32)
    return pa.table({"vector": pa.FixedSizeListArray.from_arrays(pa.array(values), 64)})
with pq.ParquetWriter("base.parquet", group(0).schema) as writer:
    for i in range(20):
        writer.write_table(group(i))
for given in ("base.parquet", ds.dataset("base.parquet")):
    summand.build(given, "PQ2x4(iterations=2)", learn_size=2000)
print(pa.default_memory_pool().max_memory() / (800_000 * 64 * 4))
"""


def test_a_parquet_file_is_read_in_pieces():
    pytest.importorskip("pyarrow")
    share = float(subprocess.run([sys.executable, "-c", PARQUET], check=True, capture_output=True, text=True).stdout)
    assert share < 0.6  # some groups of rows, of which there are 20

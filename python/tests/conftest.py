"""Small seeded data that all tests share."""

import os

import numpy as np
import pytest

import summand


def clustered(rows, columns, seed):
    """Vectors around a few centres: some are near each other, as in real data."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((40, columns)) * 3
    return (centres[random.integers(0, 40, rows)] + random.standard_normal((rows, columns))).astype(np.float32)


@pytest.fixture(scope="session")
def x():
    data = clustered(2000, 16, 1)
    data.flags.writeable = False
    return data


@pytest.fixture(scope="session")
def queries():
    data = clustered(100, 16, 2)
    data.flags.writeable = False
    return data


@pytest.fixture(scope="session")
def locq(x):
    return summand.build(x, "LOCQ4")


@pytest.fixture
def index(locq):
    """An index of its own, for a test that may change it."""
    return summand.Index.from_bytes(locq.to_bytes())


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path):
    before = os.getcwd()
    os.chdir(tmp_path)
    yield
    os.chdir(before)

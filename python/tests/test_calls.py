"""Long calls: the GIL, Ctrl-C, progress, threads."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import summand

LONG = "OPQ8(iterations=10000)"  # minutes, if nothing stops it


@pytest.fixture(autouse=True)
def interrupts_are_heard():
    """A shell that starts the tests in the background has SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_stops_a_build(x):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        summand.build(np.tile(x, (10, 1)), LONG)


def test_other_threads_run_during_a_build(x):
    steps = []

    def count():
        while not steps or steps[-1] < 20:
            steps.append(len(steps))
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        summand.build(np.tile(x, (10, 1)), LONG)
    thread.join()
    assert len(steps) > 20


def test_a_callback_sees_progress_and_stops(x):
    seen = []

    def callback(done, total):
        seen.append((done, total))
        return len(seen) < 3

    with pytest.raises(summand.Cancelled):
        summand.build(np.tile(x, (10, 1)), LONG, progress=callback)
    assert len(seen) == 3 and all(0 <= done <= total for done, total in seen)


def test_a_callback_that_returns_nothing_goes_on(x):
    seen = []
    summand.build(x, "PQ4", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2000, 2000)


def test_an_error_of_a_callback_is_the_callers(x):
    def callback(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        summand.build(np.tile(x, (10, 1)), LONG, progress=callback)


def test_progress_shows_a_bar(x, capsys):
    summand.build(x, "PQ4", progress=True)
    assert "2.00k/2.00k" in capsys.readouterr().err
    summand.build(x, "PQ4", progress=False)
    assert not capsys.readouterr().err
    with pytest.raises(TypeError, match="progress"):
        summand.build(x, "PQ4", progress="yes")


def test_progress_without_tqdm_is_a_line(x):
    script = "import sys; sys.modules['tqdm.auto'] = None; import numpy as np, summand; " \
             "summand.build(np.random.default_rng(1).standard_normal((2000, 16)), 'PQ4', progress=True)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert "2,000 of 2,000" in done.stderr


@pytest.mark.parametrize("other", ["sklearn.cluster", "faiss", "torch"])
@pytest.mark.parametrize("first", [True, False])
def test_other_libraries_in_the_same_process(other, first):
    pytest.importorskip(other)
    imports = ["import summand", f"import {other}"]
    work = "import numpy as np; x = np.random.default_rng(1).standard_normal((2000, 16), dtype=np.float32); " \
           "i = summand.build(x, 'OPQ4'); assert i.search(x[:3], 1).ids.shape == (3, 1); (x.T @ x).sum(); "
    if other == "sklearn.cluster":
        work += "sklearn.cluster.KMeans(3, n_init=1).fit(x); "
    if other == "faiss":
        work += "f = faiss.IndexPQ(16, 4, 4); f.train(x); f.add(x); f.search(x[:3], 1); "
    script = "; ".join(imports if first else imports[::-1]) + "; " + work * 2
    subprocess.run([sys.executable, "-c", script], check=True)


def test_pickles_and_forks_search(locq, queries):
    expected = locq.search(queries, k=3, threads=1).ids.tobytes()
    script_end, parent_end = os.pipe()
    with_warning_silenced = os.fork()
    if with_warning_silenced == 0:
        os.write(parent_end, locq.search(queries, k=3, threads=1).ids.tobytes()[:4000])
        os._exit(0)
    os.close(parent_end)
    assert os.read(script_end, 4000) == expected[:4000]
    os.waitpid(with_warning_silenced, 0)

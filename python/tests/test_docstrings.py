"""Every example of a docstring is run, and everything public has one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import summand

ELSEWHERE = {"summand._core", "summand.spark"}  # the latter needs Spark: python/tests/spark
MODULES = [module.name for module in pkgutil.iter_modules(summand.__path__, "summand.") if module.name not in ELSEWHERE]


@pytest.mark.parametrize("name", ["summand", *MODULES])
def test_examples(name, index, x, queries, tmp_path, monkeypatch):
    module = importlib.import_module(name)
    names = {"summand": summand, "np": importlib.import_module("numpy"), "x": x, "queries": queries, "index": index}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for number, test in enumerate(doctest.DocTestFinder().find(module, extraglobs={**names, **vars(summand)})):
        (tmp_path / str(number)).mkdir()
        monkeypatch.chdir(tmp_path / str(number))
        runner.run(test)
    assert runner.summarize().failed == 0


@pytest.mark.parametrize("name", summand.__all__)
def test_everything_public_is_documented(name):
    thing = getattr(summand, name)
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        return  # a type alias
    assert inspect.getdoc(thing), name
    for member, value in vars(thing).items() if inspect.isclass(thing) else ():
        if not member.startswith("_") and (callable(value) or isinstance(value, property)):
            assert inspect.getdoc(value), f"{name}.{member}"

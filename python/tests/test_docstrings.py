"""Every example of a docstring is run, and everything public has one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import summand

MODULES = [module.name for module in pkgutil.iter_modules(summand.__path__, "summand.") if module.name != "summand._core"]


@pytest.mark.parametrize("name", ["summand", *MODULES])
def test_examples(name, index, x, queries):
    module = importlib.import_module(name)
    names = {"summand": summand, "np": importlib.import_module("numpy"), "x": x, "queries": queries, "index": index}
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(module, extraglobs={**names, **vars(summand)}):
        runner.run(test)
    assert runner.summarize().failed == 0


@pytest.mark.parametrize("name", summand.__all__)
def test_everything_public_is_documented(name):
    thing = getattr(summand, name)
    assert inspect.getdoc(thing), name
    if inspect.isfunction(thing):
        assert "Path" in str(inspect.signature(thing)) or thing.__annotations__.get("return"), name
